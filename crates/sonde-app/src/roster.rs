//! The servers there are. The configuration may change at any time, and with it who is here.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sonde_registry::{Layer, Registry, ServerSpec, SourceFile};

use crate::api::log::Severity;
use crate::api::servers::ConfigProblem;
use crate::explain;
use crate::server::{Next, Server};

/// Replaced as a whole, so that whoever looks sees one state of the configuration.
#[derive(Default)]
pub(crate) struct Roster {
    present: Mutex<Present>,
}

#[derive(Clone, Default)]
pub(crate) struct Present {
    pub servers: Arc<[Arc<Server>]>,
    pub problems: Arc<[ConfigProblem]>,
    /// Every place that was looked at, nearest first.
    pub files: Arc<[SourceFile]>,
    /// Somebody runs by a configuration that is no longer the one on disk.
    unsettled: bool,
}

impl Roster {
    pub fn new(servers: Vec<Arc<Server>>, problems: Vec<ConfigProblem>, files: Vec<SourceFile>) -> Self {
        let present =
            Present { servers: servers.into(), problems: problems.into(), files: files.into(), unsettled: false };
        Roster { present: Mutex::new(present) }
    }

    pub fn now(&self) -> Present {
        let mut present = self.lock();
        if present.unsettled {
            settle(&mut present);
        }
        present.clone()
    }

    pub fn servers(&self) -> Arc<[Arc<Server>]> {
        self.now().servers
    }

    /// Takes the configuration as it is now. Whoever runs goes on as they are, and is followed by what is written now
    /// when they stop; nobody is started or ended by it. Tells whether anything is different.
    pub fn renew(&self, mut registry: Registry, problems: Vec<ConfigProblem>, project: &Path) -> bool {
        let mut present = self.lock();
        let before = present.servers.clone();
        let find = |spec: &ServerSpec| before.iter().find(|server| server.spec.id == spec.id);
        // What a terminal was given stands in no file.
        let typed = before.iter().filter(|server| server.spec.origin.layer == Layer::Typed);
        let mut servers: Vec<Arc<Server>> = typed.cloned().collect();
        for spec in registry.take_all() {
            if servers.iter().any(|server| server.spec.id == spec.id) {
                continue;
            }
            servers.push(match find(&spec) {
                Some(old) => renewed(old, spec, project),
                None => Arc::new(Server::new(spec, project)),
            });
        }
        let here: HashSet<&str> = servers.iter().map(|server| server.spec.id.as_str()).collect();
        let gone: Vec<Arc<Server>> =
            before.iter().filter(|server| !here.contains(server.spec.id.as_str())).cloned().collect();
        drop(here);
        servers.extend(gone.into_iter().filter(|server| {
            let stays = !server.retire();
            if stays {
                server.standing().succession.next = Next::Gone;
            }
            stays
        }));
        let unusable: Vec<_> = registry.files.iter().filter_map(|file| Some((file, file.unusable()?))).collect();
        for server in &servers {
            let own = unusable.iter().find(|(file, _)| server.spec.origin.file.as_ref() == Some(&file.path));
            server.standing().succession.file = own.map(|(file, problem)| ConfigProblem {
                severity: Severity::Warning,
                ..explain::configuration(problem, file.layer)
            });
        }
        let is_same = servers.len() == before.len()
            && servers.iter().zip(before.iter()).all(|(new, old)| Arc::ptr_eq(new, old) && !new.is_followed())
            && *present.problems == *problems
            && *present.files == *registry.files
            && !present.unsettled;
        present.unsettled = servers.iter().any(|server| server.is_followed());
        present.servers = servers.into();
        present.problems = problems.into();
        present.files = registry.files.into();
        !is_same
    }

    fn lock(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server for this configuration: the same one where nothing changed, and the running one as long as it runs.
fn renewed(old: &Arc<Server>, spec: ServerSpec, project: &Path) -> Arc<Server> {
    if old.spec == spec {
        old.standing().succession.next = Next::Same;
        return old.clone();
    }
    let heir = Arc::new(Server::new(spec, project));
    heir.inherit(old);
    if old.retire() {
        // What changed between the two looks: the connection's number and the lists' revision.
        heir.inherit(old);
        return heir;
    }
    old.standing().succession.next = Next::Heir(heir);
    old.clone()
}

/// Lets those follow whose predecessors have stopped.
fn settle(present: &mut Present) {
    let servers = present.servers.iter().filter_map(|server| {
        let next = server.standing().succession.next.clone();
        match next {
            Next::Same => Some(server.clone()),
            Next::Heir(_) | Next::Gone if !server.retire() => Some(server.clone()),
            Next::Heir(heir) => {
                heir.inherit(server);
                Some(heir)
            }
            Next::Gone => None,
        }
    });
    present.servers = servers.collect();
    present.unsettled = present.servers.iter().any(|server| server.is_followed());
}
