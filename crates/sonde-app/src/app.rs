//! The composition: store, recorder, registry and servers, behind one handle.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use sonde_registry::{
    Approvals, Arrangements, Places, Profile, Profiles, Readings, Registry, Surroundings, TypedServer, Vault,
    load_again,
};
use sonde_store::{Recorder, Store};
use sonde_transport::{Clock, InFlight, SearchPath, Supervisor, is_alive, login_shell, process_start, sweep};
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::api::changes::Nothing;
use crate::api::error::{ApiError, ErrorCode};
use crate::api::log::Severity;
use crate::api::servers::ConfigProblem;
use crate::calls::Calls;
use crate::changes::ChangeClock;
use crate::content::Decoded;
use crate::data_folder::DataFolder;
use crate::demo;
use crate::explain;
use crate::import::Handed;
use crate::links::Links;
use crate::posture::Posture;
use crate::questions::Questions;
use crate::repeats::Repeats;
use crate::roster::Roster;
use crate::schemas::Checks;
use crate::secrets::Secrets;
use crate::server::rush::Rush;
use crate::server::{Pace, Server};
use crate::watch;

/// Commands that may be under way at once. A front door needs a handful.
const MOST_COMMANDS: usize = 128;

/// A disk that refuses and a process that can't be killed must not keep a window from closing.
const LONGEST_END: Duration = Duration::from_secs(15);

/// What a front door decides.
#[derive(Debug)]
pub struct Setup {
    pub data: DataFolder,
    /// Where project configuration is looked for.
    pub project: PathBuf,
    /// The platform's configuration folder.
    pub config: Option<PathBuf>,
    pub supervisor: Supervisor,
    /// The program that serves the demo when run with the word `demo`.
    pub demo_program: PathBuf,
    /// A command or an address that a person typed.
    pub typed: Option<TypedServer>,
    /// How servers are spoken to, unless their configuration or a person says otherwise.
    pub posture: Posture,
    /// What was said on the command line; it stands above everything else.
    pub overrides: Profile,
    pub keeping: Keeping,
    pub watching: Watching,
    /// How a server that ended by itself is started again.
    pub pace: Pace,
    pub login_shell: LoginShell,
}

/// Whether programs that are not in our PATH are looked for in that of the person's login shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginShell {
    /// It is started for that, once: a desktop starts a window without what the person's shell adds to PATH.
    Asked,
    /// Our PATH is a shell's already.
    Unasked,
}

/// What is done about the lists of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// They are fetched at once, and again when they change.
    Current,
    /// Each is fetched when somebody needs it.
    OnDemand,
}

/// What is done about the files of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// They are watched, for whoever stays.
    On,
    /// They are read once.
    Off,
}

impl Setup {
    /// The program that is running, and the folders of this platform, for a window.
    pub fn here(data: DataFolder, project: Option<PathBuf>) -> std::io::Result<Self> {
        let project = project.map_or_else(std::env::current_dir, std::path::absolute)?;
        if !project.is_dir() {
            let what = if project.exists() { "is no folder" } else { "does not exist" };
            let problem = format!("the project folder `{}` {what}", project.display());
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, problem));
        }
        Ok(Setup {
            data,
            project,
            config: dirs::config_dir(),
            supervisor: Supervisor::current()?,
            demo_program: std::env::current_exe()?,
            typed: None,
            posture: Posture::window(),
            overrides: Profile::default(),
            keeping: Keeping::Current,
            watching: Watching::On,
            pace: Pace::default(),
            login_shell: LoginShell::Asked,
        })
    }

    /// The same for a terminal: it can answer questions, and fetches only what it was asked for.
    pub fn for_terminal(self) -> Self {
        Setup {
            posture: Posture::terminal(),
            keeping: Keeping::OnDemand,
            watching: Watching::Off,
            login_shell: LoginShell::Unasked,
            ..self
        }
    }
}

/// The core of Sonde. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    started: Instant,
    pub store: Store,
    /// Taken when the app ends.
    pub recorder: Mutex<Option<Recorder>>,
    pub project: PathBuf,
    pub approvals: Approvals,
    pub profiles: Profiles,
    pub arrangements: Arrangements,
    pub vault: Vault,
    pub secrets: Secrets,
    /// Held while the profiles or the arrangement are read, changed and written.
    pub editing: Mutex<()>,
    pub roster: Roster,
    pub places: Places,
    /// Held while the configuration is read, or changed and read.
    pub configuring: Mutex<()>,
    /// What each file of the configuration said when it could last be read.
    readings: std::sync::Mutex<Readings>,
    pub demo_program: PathBuf,
    /// The server that was typed.
    typed: Option<String>,
    pub posture: Posture,
    pub overrides: Profile,
    pub keeping: Keeping,
    pub pace: Pace,
    pub rush: Rush,
    pub links: Links,
    pub handed: Handed,
    pub calls: Calls,
    pub repeats: Repeats,
    pub decoded: Decoded,
    pub questions: Questions,
    pub checks: Checks,
    pub changes: ChangeClock,
    pub clock: Clock,
    pub in_flight: InFlight,
    /// Where the programs of servers are found.
    pub search: SearchPath,
    pub supervisor: Supervisor,
    admission: Semaphore,
    /// Cancelled when the app ends.
    ending: CancellationToken,
}

impl App {
    /// Opens the data folder and reads the configuration. Starts no server.
    pub async fn open(setup: Setup) -> Result<Self, ApiError> {
        setup.posture.clone().under(&setup.overrides).map_err(|error| explain::command_line(&error))?;
        let supervisor = setup.supervisor.noting_in(setup.data.runs());
        if matches!(setup.typed, Some(TypedServer::Command(_))) {
            // Whoever types a command wants it started, and that takes as long as what follows here.
            supervisor.warm();
        }
        sweep_runs(setup.data.runs()).await;
        let store =
            Store::open(&setup.data.log(), process_start, is_alive).await.map_err(|error| explain::storage(&error))?;
        let recorder = Recorder::start(&store).await.map_err(|error| explain::storage(&error))?;
        let places = Places { config: setup.config.clone(), project: setup.project.clone() };
        let mut readings = Readings::default();
        let mut registry = read_configuration(&places, &setup.demo_program, &mut readings);
        let typed = setup.typed.clone().map(|typed| registry.add_typed(typed)).transpose();
        let typed = typed.map_err(|error| explain::typed(&error))?.map(|id| id.to_string());
        let problems = problems(&registry, &setup.posture);
        let servers = registry.take_all().into_iter().map(|spec| Arc::new(Server::new(spec, &setup.project))).collect();
        let in_flight = InFlight::default();
        let changes = ChangeClock::new(recorder.state(), in_flight.clone());
        let inner = Inner {
            started: Instant::now(),
            store,
            recorder: Mutex::new(Some(recorder)),
            approvals: Approvals::at(setup.data.approvals()),
            profiles: Profiles::at(setup.data.profiles()),
            editing: Mutex::default(),
            vault: Vault::default(),
            secrets: Secrets::default(),
            arrangements: Arrangements::at(setup.data.arrangement()),
            roster: Roster::new(servers, problems, registry.files),
            places,
            configuring: Mutex::default(),
            readings: std::sync::Mutex::new(readings),
            demo_program: setup.demo_program,
            typed,
            project: setup.project,
            posture: setup.posture,
            overrides: setup.overrides,
            keeping: setup.keeping,
            pace: setup.pace,
            rush: Rush::default(),
            links: Links::default(),
            handed: Handed::default(),
            calls: Calls::default(),
            repeats: Repeats::default(),
            decoded: Decoded::default(),
            questions: Questions::default(),
            checks: Checks::default(),
            changes,
            clock: Clock::start(),
            in_flight,
            search: match (setup.login_shell, login_shell()) {
                (LoginShell::Asked, Some(shell)) => SearchPath::with_login_shell(&supervisor, shell),
                _ => SearchPath::without_login_shell(),
            },
            supervisor,
            admission: Semaphore::new(MOST_COMMANDS),
            ending: CancellationToken::new(),
        };
        let app = App { inner: Arc::new(inner) };
        if setup.watching == Watching::On {
            let files = app.inner.places.files().into_iter().map(|(path, _)| path).collect();
            tokio::spawn(watch::follow(Arc::downgrade(&app.inner), files, app.inner.ending.clone()));
        }
        Ok(app)
    }

    /// The id of the server that was typed.
    pub fn typed(&self) -> Option<String> {
        self.inner.typed.clone()
    }

    /// Connects the demo where there is nothing else to look at: on a first start, or without other servers.
    pub async fn connect_demo_at_first(&self) {
        let servers = self.inner.roster.servers();
        let Some(demo) = servers.iter().find(|server| server.spec.is_built_in()) else { return };
        let first_start = self.inner.changes.log().rows == 0;
        if (first_start || servers.len() == 1)
            && let Err(error) = self.connect(&demo.spec.id.to_string()).await
        {
            tracing::warn!(code = ?error.code, title = %error.title, "the demo could not be started");
        }
    }

    /// Ends every server and writes what is still queued.
    pub async fn close(&self) {
        self.inner.ending.cancel();
        let servers = self.inner.roster.servers();
        servers.iter().for_each(|server| server.stop());
        let end = async {
            for server in servers.iter() {
                server.stopped().await;
            }
            if let Some(recorder) = self.inner.recorder.lock().await.take() {
                recorder.finish().await;
            }
        };
        if tokio::time::timeout(LONGEST_END, end).await.is_err() {
            tracing::error!("a server could not be ended, or the log could not be written, in time");
        }
    }

    /// Reads the configuration again. Nothing is started or ended by it: whoever runs goes on as they are, and how they
    /// differ from what is written now is told.
    pub async fn reload(&self) {
        let _one_at_a_time = self.inner.configuring.lock().await;
        self.read_again().await;
    }

    /// The same for whoever is changing the configuration.
    pub(crate) async fn read_again(&self) {
        let inner = self.inner.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut readings = inner.readings.lock().unwrap_or_else(PoisonError::into_inner);
            let registry = read_configuration(&inner.places, &inner.demo_program, &mut readings);
            let problems = problems(&registry, &inner.posture);
            inner.roster.renew(registry, problems, &inner.project)
        });
        match read.await {
            Ok(true) => self.inner.changes.server_changed(),
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the configuration could not be read again"),
        }
    }

    /// Refuses a command while too many others are under way.
    pub(crate) fn admit(&self, command: &str) -> Result<SemaphorePermit<'_>, ApiError> {
        self.inner.admission.try_acquire().map_err(|_| {
            ApiError::new(
                ErrorCode::Busy,
                "Too many requests",
                format!("`{command}` was refused: {MOST_COMMANDS} others are under way"),
            )
            .hint("try again in a moment")
        })
    }

    /// The window says that it shows its first content.
    pub(crate) async fn report_ready(&self, _request: Nothing) -> Result<Nothing, ApiError> {
        let elapsed_ms = self.inner.started.elapsed().as_millis();
        tracing::info!(elapsed_ms, "window ready");
        Ok(Nothing {})
    }
}

/// Ends what servers of a run before this one have left, because everything of it was killed at once.
async fn sweep_runs(folder: PathBuf) {
    match tokio::task::spawn_blocking(move || sweep(&folder)).await {
        Ok(swept) => {
            for process in swept {
                tracing::warn!(pid = process.pid, name = %process.name, "a process of an earlier run was ended");
            }
        }
        Err(error) => tracing::error!(%error, "earlier runs could not be swept"),
    }
}

fn read_configuration(places: &Places, demo_program: &Path, readings: &mut Readings) -> Registry {
    let variable = |name: &str| std::env::var(name).ok();
    let surroundings = Surroundings { variable: &variable, home: dirs::home_dir(), project: places.project.clone() };
    load_again(places, demo::spec(demo_program).into_iter().collect(), &surroundings, readings)
}

/// What is wrong with the configuration: in the files, and in what they mean to us.
fn problems(registry: &Registry, posture: &Posture) -> Vec<ConfigProblem> {
    let files = registry
        .files
        .iter()
        .flat_map(|file| file.problems.iter().map(|problem| explain::configuration(problem, file.layer)));
    let meant = registry.servers.iter().filter_map(|spec| {
        let error = posture.clone().under(&spec.profile).err()?;
        let file = spec.origin.file.as_ref()?.display().to_string();
        Some(ConfigProblem { file, severity: Severity::Error, error: explain::revision(spec, &error) })
    });
    files.chain(meant).collect()
}
