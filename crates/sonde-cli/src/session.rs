//! One run of the program: the core, the servers it was asked about, and the end of both.

use std::collections::BTreeSet;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sonde_app::{
    AnswerRules, ApiError, App, Ask, Begun, ConfigProblem, DataFolder, Ended, ErrorCode, JsonObject, Profile, Secret,
    Setup, TypedCommand, TypedServer,
};

use crate::arguments::{Format, GivenInput, LogLevel, Place, Protocol, Target};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::inputs;
use crate::interrupt::Interrupts;
use crate::log_messages;
use crate::output::errors;
use crate::progress;
use crate::questions::{Attendant, Terminal};
use crate::unseen;

/// How long a server may take to hear that what it does is cancelled, before it is ended.
const GRACE: Duration = Duration::from_secs(1);

/// What a command works with.
#[derive(Clone)]
pub struct Session {
    pub app: App,
    pub console: Arc<Console>,
    pub terminal: Arc<Terminal>,
    pub rules: Arc<Option<AnswerRules>>,
    log_level: Option<LogLevel>,
    /// Values for this run, for the server that is asked and no other.
    given: Arc<Vec<(String, Secret)>>,
    calls: Arc<Calls>,
}

/// What Ctrl+C must know.
#[derive(Default)]
struct Calls {
    /// Numbers of the calls that have not ended.
    open: Mutex<BTreeSet<u64>>,
    interrupted: AtomicBool,
}

/// Opens the core, runs a command, and leaves nothing behind, however the command ends.
pub async fn run(
    place: &Place,
    target: Option<&Target>,
    console: &Arc<Console>,
    command: impl AsyncFnOnce(&Session) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::catch()?;
    let rules = target.and_then(|target| target.answer.as_deref()).map(read_rules).transpose()?;
    let app = tokio::select! {
        app = open(place, target) => app?,
        () = interrupts.next() => return Err(Failure::interrupted()),
    };
    let mut session = Session {
        app: app.clone(),
        console: console.clone(),
        terminal: Arc::default(),
        rules: Arc::new(rules),
        log_level: target.and_then(|target| target.log_level),
        given: Arc::default(),
        calls: Arc::default(),
    };
    let mut given = Vec::new();
    for input in target.iter().flat_map(|target| &target.input) {
        given.push((input.name.clone(), session.given(input, &mut interrupts).await?));
    }
    session.given = Arc::new(given);
    let attendant = tokio::spawn(Attendant::new(&session).attend());
    let outcome = session.guard(&mut interrupts, command).await;
    attendant.abort();
    console.show_status(None);
    tokio::select! {
        () = app.close() => {}
        // Whoever insists goes at once. The servers end with us: their supervisors notice.
        () = interrupts.next() => return Err(Failure::interrupted()),
    }
    outcome
}

impl Session {
    /// Runs a command until it ends or a person has had enough.
    async fn guard(
        &self,
        interrupts: &mut Interrupts,
        command: impl AsyncFnOnce(&Session) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let mut command = pin!(command(self));
        tokio::select! {
            outcome = &mut command => return outcome,
            () = interrupts.next() => {}
        }
        self.calls.interrupted.store(true, Ordering::Relaxed);
        let open = self.calls.open().clone();
        for call in &open {
            // A call that ended in this moment needs no cancelling.
            self.app.cancel(*call).ok();
        }
        if !open.is_empty() {
            tokio::time::timeout(GRACE, command).await.ok();
        }
        Err(Failure::interrupted())
    }

    /// A value for this run. Whoever types it may have had enough.
    async fn given(&self, input: &GivenInput, interrupts: &mut Interrupts) -> Result<Secret, Failure> {
        let value = match &input.value {
            Some(value) => value.clone(),
            None => {
                let prompt = format!("{}: ", input.name);
                tokio::select! {
                    typed = unseen::line(&self.terminal, &self.console, &prompt) => typed?,
                    () = interrupts.next() => return Err(Failure::interrupted()),
                }
            }
        };
        Ok(Secret::new(value))
    }

    /// Connects a server and waits until it can be asked. Whoever is at the terminal is asked for what it needs.
    pub async fn ready(&self, server: &str) -> Result<(), Failure> {
        match self.ready_unasked(server).await {
            Err(failure) if failure.needs_input() && self.console.can_ask() => {
                inputs::ask(self, server).await?;
                self.ready_unasked(server).await
            }
            decided => decided,
        }
    }

    /// The same where nobody is asked for anything, because several servers are connected at once.
    pub async fn ready_unasked(&self, server: &str) -> Result<(), Failure> {
        self.give_to(server).await?;
        let showing = progress::waiting(&self.console, &format!("connecting to {server}"));
        if let Err(error) = self.app.connect(server).await {
            return Err(match error.code {
                ErrorCode::InputNeeded => inputs::missing(self, server, error).await,
                _ => self.explain_absence(server, error),
            });
        }
        self.app.until_ready(server).await.map_err(Failure::before_ready)?;
        drop(showing);
        match self.log_level {
            Some(level) => log_messages::show(self, server, level).await,
            None => Ok(()),
        }
    }

    /// Gives a server what was given for this run. It must have a use for all of it.
    pub async fn give_to(&self, server: &str) -> Result<(), Failure> {
        inputs::give(self, server, &self.given).await
    }

    /// A server may be missing because its entry can't be used; then that is told, too.
    pub fn explain_absence(&self, server: &str, error: ApiError) -> Failure {
        if error.code == ErrorCode::UnknownServer && self.console.format == Format::Text {
            let problems = self.app.servers().problems;
            // Those of a whole file may hide any entry; those of other entries explain nothing here.
            let of_another = |problem: &ConfigProblem| {
                problem.error.context.iter().any(|fact| fact.name == "server" && fact.value != server)
            };
            let problems: Vec<_> = problems.into_iter().filter(|problem| !of_another(problem)).collect();
            errors::tell_problems(&self.console, &problems);
        }
        Failure::before_ready(error)
    }

    /// Sends a request, shows its progress, and waits for its end.
    pub async fn ask(&self, ask: Ask, label: &str) -> Result<Ended, Failure> {
        let begun = self.app.begin(ask).await.map_err(Failure::after_ready)?;
        self.end_of(begun, label).await
    }

    /// Waits for the end of what was begun, and shows how far it is. Ctrl+C cancels it.
    pub async fn end_of(&self, begun: Begun, label: &str) -> Result<Ended, Failure> {
        let showing = progress::Shown::start(&self.console, label, begun.progress.clone());
        let ended = self.end_silently(begun).await;
        drop(showing);
        ended.map_err(Failure::after_ready)
    }

    /// Waits for the end of what was begun. Ctrl+C cancels it.
    pub async fn end_silently(&self, begun: Begun) -> Result<Ended, ApiError> {
        let call = begun.call;
        self.calls.open().insert(call);
        let ended = begun.end().await;
        self.calls.open().remove(&call);
        ended
    }

    /// The result of a request; an error of the server is a failure.
    pub async fn result_of(&self, ask: Ask, label: &str) -> Result<Ended, Failure> {
        let ended = self.ask(ask, label).await?;
        match error_of(&ended) {
            None => Ok(ended),
            Some(error) => Err(error),
        }
    }

    pub fn is_interrupted(&self) -> bool {
        self.calls.interrupted.load(Ordering::Relaxed)
    }
}

impl Calls {
    fn open(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failure that an answer is, if it is an error.
pub fn error_of(ended: &Ended) -> Option<Failure> {
    let sonde_app::Answer::Error { code, message, raw } = &ended.answer else { return None };
    let told = ended.error.clone().unwrap_or_else(|| {
        let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        ApiError::new(ErrorCode::ServerError, "Protocol error", message.clone()).fact("code", code)
    });
    Some(Failure::told(Exit::Failed, told).with_answer(raw.clone()))
}

async fn open(place: &Place, target: Option<&Target>) -> Result<App, Failure> {
    let data = DataFolder::open(place.data_dir.clone()).map_err(|error| Failure::usage(error.to_string()))?;
    let setup = Setup::here(data, place.project.clone()).map_err(|error| Failure::usage(error.to_string()))?;
    let mut setup = setup.for_terminal();
    if let Some(target) = target {
        setup.overrides = overrides(target)?;
        setup.typed = typed(target)?;
    }
    App::open(setup).await.map_err(|error| Failure::told(Exit::Usage, error))
}

fn typed(target: &Target) -> Result<Option<TypedServer>, Failure> {
    if let Some(typed) = target.address.typed().map_err(Failure::usage)? {
        return Ok(Some(typed.into()));
    }
    let command = TypedCommand { command: target.command.clone(), env: target.env.clone(), folder: target.cwd.clone() };
    Ok((!command.command.is_empty()).then(|| command.into()))
}

/// What the command line says stands above every file.
fn overrides(target: &Target) -> Result<Profile, Failure> {
    let object =
        |text: &str| JsonObject::parse(text).ok_or_else(|| Failure::usage(format!("`{text}` is not a JSON object")));
    let roots = target.root.iter().map(|root| {
        let folder = std::path::absolute(root).map_err(|error| Failure::usage(error.to_string()))?;
        match folder.is_dir() {
            true => Ok(folder.to_string_lossy().into_owned()),
            false => Err(Failure::usage(format!("the root `{}` is no folder", root.display()))),
        }
    });
    let roots: Vec<String> = roots.collect::<Result<_, Failure>>()?;
    Ok(Profile {
        client_info: target.client_info.as_ref().map(|info| object(info.get())).transpose()?,
        capabilities: target.capabilities().map(|capabilities| object(&capabilities)).transpose()?,
        protocol: match &target.protocol {
            Some(Protocol::Auto) => Some("auto".to_owned()),
            Some(Protocol::Pinned(revision)) => Some(revision.clone()),
            Some(Protocol::None) | None => None,
        },
        negotiate: match &target.protocol {
            Some(Protocol::None) => Some(false),
            Some(_) => Some(true),
            None => None,
        },
        roots: (!roots.is_empty()).then_some(roots),
        timeout: target.timeout,
        ..Profile::default()
    })
}

fn read_rules(path: &Path) -> Result<AnswerRules, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("the rules `{}` can't be read: {error}", path.display())))?;
    AnswerRules::parse(&text).map_err(|error| {
        let message = format!("the rules `{}` can't be used: {}", path.display(), error.message);
        Failure::told(Exit::Usage, ApiError { message, ..error })
    })
}
