//! Where configuration stands, and which entry wins.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::expand::Variables;
use crate::file::{self, FileProblem, FileReading};
use crate::spec::{Layer, Origin, ServerId, ServerSpec};
use crate::typed::{TypedError, TypedServer};

/// The folders to look into.
#[derive(Debug, Clone)]
pub struct Places {
    /// The platform's configuration folder; the file is `sonde/mcp.json` in it.
    pub config: Option<PathBuf>,
    /// The project: this folder and its ancestors.
    pub project: PathBuf,
}

/// The servers that exist, nearest layer first, and what could not be used.
#[derive(Debug, Default)]
pub struct Registry {
    pub servers: Vec<ServerSpec>,
    /// Those whose entries can't be used; each has a flaw. They hide farther ones of their name all the same.
    pub broken: Vec<ServerSpec>,
    pub problems: Vec<FileProblem>,
    /// Every place that was looked at, nearest first.
    pub files: Vec<SourceFile>,
    /// The ids of both, in their order.
    order: Vec<ServerId>,
}

/// A place where servers may be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    pub layer: Layer,
    pub path: PathBuf,
    pub exists: bool,
    pub entries: Vec<SourceEntry>,
    pub problems: Vec<FileProblem>,
}

/// One entry of a file, whether it is used or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    pub name: String,
    /// The nearer entry of the same id.
    pub hidden_by: Option<Origin>,
}

impl SourceFile {
    /// Why nothing of it can be used now. Its entries are those that it had when it could last be read.
    pub fn unusable(&self) -> Option<&FileProblem> {
        self.problems.iter().find(|problem| problem.is_of_whole_file())
    }
}

/// What each file said when it could last be read. A file that is just being edited does not lose its servers.
#[derive(Debug, Default)]
pub struct Readings {
    good: HashMap<PathBuf, FileReading>,
}

impl Readings {
    /// The reading, or the last good one with what is wrong now.
    fn settle(&mut self, path: &PathBuf, reading: FileReading) -> FileReading {
        if !reading.exists {
            self.good.remove(path);
            return reading;
        }
        if !reading.problems.iter().any(FileProblem::is_of_whole_file) {
            self.good.insert(path.clone(), reading.clone());
            return reading;
        }
        match self.good.get(path) {
            Some(good) => FileReading { problems: reading.problems, ..good.clone() },
            None => reading,
        }
    }
}

impl Registry {
    /// Takes out the usable ones and the others, each in its place: what is corrected does not move.
    pub fn take_all(&mut self) -> Vec<ServerSpec> {
        let places: HashMap<&ServerId, usize> = self.order.iter().enumerate().map(|(place, id)| (id, place)).collect();
        let mut all: Vec<ServerSpec> = self.servers.drain(..).chain(self.broken.drain(..)).collect();
        // A typed one has no place and comes first.
        all.sort_by_key(|server| places.get(&server.id).copied());
        all
    }

    /// Adds a typed server before all others, under a name that no other has.
    pub fn add_typed(&mut self, typed: TypedServer) -> Result<ServerId, TypedError> {
        let taken: HashSet<&ServerId> = self.servers.iter().chain(&self.broken).map(|server| &server.id).collect();
        let spec = ServerSpec::typed(typed, |id| !taken.contains(id))?;
        let id = spec.id.clone();
        self.servers.insert(0, spec);
        Ok(id)
    }
}

/// Reads every layer. The nearest entry of a name wins, whole.
pub fn load(places: &Places, built_in: Vec<ServerSpec>, variables: &dyn Variables) -> Registry {
    load_again(places, built_in, variables, &mut Readings::default())
}

/// The same for whoever has read them before: a file that can't be read now keeps the entries that it had.
pub fn load_again(
    places: &Places,
    built_in: Vec<ServerSpec>,
    variables: &dyn Variables,
    readings: &mut Readings,
) -> Registry {
    let mut registry = Registry::default();
    // Who has an id, and where its server is, unless its entry can't be used: such a one still hides a farther one, since
    // another command under its name would be a surprise.
    let mut holders: HashMap<ServerId, (Origin, Option<usize>)> = HashMap::new();
    for (path, layer) in places.files() {
        let origin = Origin { layer, file: Some(path.clone()) };
        let reading = readings.settle(&path, file::read(&origin, &path, variables));
        let FileReading { exists, names, specs, problems } = reading;
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            let holder = ServerId::from_name(&name).and_then(|id| registry.hide(&mut holders, &id, &origin));
            entries.push(SourceEntry { name, hidden_by: holder });
        }
        for spec in specs {
            registry.hold(&mut holders, spec);
        }
        registry.problems.extend(problems.iter().cloned());
        registry.files.push(SourceFile { layer, path, exists, entries, problems });
    }
    for spec in built_in {
        if registry.hide(&mut holders, &spec.id, &spec.origin).is_none() {
            registry.hold(&mut holders, spec);
        }
    }
    registry.order = registry.servers.iter().map(|server| server.id.clone()).collect();
    let (broken, servers) = registry.servers.into_iter().partition(|server| server.flaw.is_some());
    Registry { servers, broken, ..registry }
}

impl Registry {
    /// Takes the id for an entry of `origin`. Where a nearer one has it, that one hides this one, and is told.
    fn hide(
        &mut self,
        holders: &mut HashMap<ServerId, (Origin, Option<usize>)>,
        id: &ServerId,
        origin: &Origin,
    ) -> Option<Origin> {
        let Some((holder, place)) = holders.get(id) else {
            holders.insert(id.clone(), (origin.clone(), None));
            return None;
        };
        if holder == origin {
            return None;
        }
        if let Some(server) = place.and_then(|place| self.servers.get_mut(place)) {
            server.overrides.push(origin.clone());
        }
        Some(holder.clone())
    }

    fn hold(&mut self, holders: &mut HashMap<ServerId, (Origin, Option<usize>)>, spec: ServerSpec) {
        if let Some((holder, place @ None)) = holders.get_mut(&spec.id)
            && *holder == spec.origin
        {
            *place = Some(self.servers.len());
            self.servers.push(spec);
        }
    }
}

impl Places {
    /// Every file that may hold servers, nearest first.
    pub fn files(&self) -> Vec<(PathBuf, Layer)> {
        const OWN: [&str; 3] = ["mcp.json", "mcp.yaml", "mcp.yml"];
        let mut files = Vec::new();
        for (distance, folder) in self.project.ancestors().enumerate() {
            let layer = if distance == 0 { Layer::Project } else { Layer::Ancestor };
            files.extend(OWN.map(|name| (folder.join(".sonde").join(name), layer)));
            files.push((folder.join(".mcp.json"), layer));
        }
        if let Some(folder) = &self.config {
            files.extend(OWN.map(|name| (folder.join("sonde").join(name), Layer::Global)));
        }
        files
    }
}
