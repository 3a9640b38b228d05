//! What a server asks a person for: secrets and inputs, by the names that its entry has for them.

use sonde_app::{ApiError, KeeperKind, Secret, SecretKind, SecretList, SecretState};

use crate::failure::Failure;
use crate::session::Session;
use crate::unseen;

/// The one reference that a person means by a name: `NAME`, or `secret:NAME` or `input:NAME` where that is two.
pub fn meant<'a>(list: &'a SecretList, server: &str, typed: &str) -> Result<&'a SecretState, Failure> {
    let (kind, name) = divided(typed);
    let is_meant = |state: &&SecretState| state.name == name && kind.is_none_or(|kind| kind == state.kind);
    let found: Vec<&SecretState> = list.secrets.iter().filter(is_meant).collect();
    match *found {
        [one] => Ok(one),
        [] => {
            let failure = Failure::usage(format!("`{server}` does not ask for `{typed}`"));
            Err(failure.hint(match list.secrets.is_empty() {
                true => "it asks for nothing: no `${secret:…}` and no `${input:…}` is in its entry".to_owned(),
                false => format!("it asks for: {}", names(&list.secrets)),
            }))
        }
        _ => {
            let failure = Failure::usage(format!("`{server}` has both a secret and an input `{name}`"));
            Err(failure.hint(format!("write `secret:{name}` or `input:{name}`")))
        }
    }
}

/// As a person writes it: the kind only where it is no secret.
pub fn written(state: &SecretState) -> String {
    match state.kind {
        SecretKind::Secret => state.name.clone(),
        SecretKind::Input => format!("input:{}", state.name),
    }
}

/// Gives a server values for this run. One that it has no use for is a mistake.
pub async fn give(session: &Session, server: &str, given: &[(String, Secret)]) -> Result<(), Failure> {
    if given.is_empty() {
        return Ok(());
    }
    for (typed, value) in given {
        let (_, name) = divided(typed);
        let done = session.app.give(server, name, value.clone());
        done.map_err(|error| session.explain_absence(server, error))?;
    }
    // After that: a keyring is not asked for what is there.
    let list = session.app.secrets(server).await.map_err(Failure::before_ready)?;
    let unused = given.iter().map(|(typed, _)| typed).find(|typed| {
        let (_, name) = divided(typed);
        list.secrets.iter().all(|state| state.name != name)
    });
    match unused {
        Some(typed) => meant(&list, server, typed).map(|_| ()),
        None => Ok(()),
    }
}

/// Asks whoever is at the terminal for everything that is missing, for this run.
pub async fn ask(session: &Session, server: &str) -> Result<(), Failure> {
    let list = session.app.secrets(server).await.map_err(Failure::before_ready)?;
    for state in list.secrets.iter().filter(|state| !state.known) {
        let prompt = format!("{} of {server}, for this run: ", session.console.err.line(&state.name));
        let value = typed(session, state, &prompt).await?;
        session.app.give(server, &state.name, Secret::new(value)).map_err(Failure::before_ready)?;
    }
    Ok(())
}

/// A value that somebody types, who is told what the entry says about it. A default stands in where nothing is typed.
pub async fn typed(session: &Session, state: &SecretState, prompt: &str) -> Result<String, Failure> {
    let console = &session.console;
    if let Some(description) = &state.description {
        console.say(&console.err.line(description));
    }
    if !state.options.is_empty() {
        console.say(&console.err.line(&format!("one of: {}", state.options.join(", "))));
    }
    if let Some(default) = state.default.as_ref().filter(|_| !state.password) {
        console.say(&console.err.line(&format!("by default: {default}")));
    }
    let value = match (unseen::line(&session.terminal, console, prompt).await, &state.default) {
        (Err(_), Some(default)) => default.clone(),
        (typed, _) => typed?,
    };
    match state.options.is_empty() || state.options.contains(&value) {
        true => Ok(value),
        false => {
            let failure = Failure::usage(format!("`{}` can't be that", state.name));
            Err(failure.hint(format!("it is one of: {}", state.options.join(", "))))
        }
    }
}

/// Nobody is there to be asked: how everything that is missing can be given.
pub async fn missing(session: &Session, server: &str, error: ApiError) -> Failure {
    let Ok(list) = session.app.secrets(server).await else { return Failure::before_ready(error) };
    let absent: Vec<&SecretState> = list.secrets.iter().filter(|state| !state.known).collect();
    let flags: Vec<String> = absent.iter().map(|state| format!("--input {}", state.name)).collect();
    let now = format!("give it for one run with {}", flags.join(" "));
    let hint = match (list.keeper.kind, &*absent) {
        (_, []) => return Failure::before_ready(error),
        (KeeperKind::Memory, _) => now,
        (KeeperKind::Keyring, [one]) => format!("{now}, or keep it with `sonde secret set {server} {}`", one.name),
        (KeeperKind::Keyring, _) => format!("{now}, or keep each with `sonde secret set {server} NAME`"),
    };
    Failure::before_ready(error.hint(hint))
}

/// What was typed, with the kind if it names one.
pub fn divided(typed: &str) -> (Option<SecretKind>, &str) {
    match (typed.strip_prefix("input:"), typed.strip_prefix("secret:")) {
        (Some(id), _) => (Some(SecretKind::Input), id),
        (_, Some(name)) => (Some(SecretKind::Secret), name),
        (None, None) => (None, typed),
    }
}

fn names(secrets: &[SecretState]) -> String {
    secrets.iter().map(written).collect::<Vec<_>>().join(", ")
}
