//! The one door between the page and the core: a command's name and bytes go in, bytes come out.

use std::time::Instant;

use sonde_app::{ApiError, App, ErrorCode, check_size};
use tauri::ipc::{Invoke, InvokeBody, Response};

use crate::{approval, saving};

/// Hands every command to the core. Which commands the page may name was checked before this is called.
pub(crate) fn handler(core: App, started: Instant) -> impl Fn(Invoke<tauri::Wry>) -> bool + Send + Sync + 'static {
    move |invoke| {
        let Invoke { message, resolver, .. } = invoke;
        let command = message.command().to_owned();
        let request = match read(&command, message.payload()) {
            Ok(request) => request,
            Err(error) => {
                resolver.reject(error);
                return true;
            }
        };
        let window = message.webview_ref().window();
        let core = core.clone();
        tauri::async_runtime::spawn(async move {
            let mut answer = core.dispatch(&command, &request).await;
            if matches!(&answer, Err(error) if error.code == ErrorCode::ApprovalNeeded) {
                answer = match approval::ask(&core, &window, &request).await {
                    Ok(()) => core.dispatch(&command, &request).await,
                    Err(error) => Err(error),
                };
            }
            if let Err(refused) = &answer
                && refused.code == ErrorCode::PlaceNeeded
            {
                answer = saving::save(&core, &window, &request, refused).await;
            }
            if command == "report_ready" && answer.is_ok() {
                eprintln!("sonde: window ready after {} ms", started.elapsed().as_millis());
            }
            match answer {
                Ok(bytes) => resolver.resolve(Response::new(bytes)),
                Err(error) => resolver.reject(error),
            }
        });
        true
    }
}

/// Only bytes are taken, and only so many, so that a request is measured before anyone parses it.
fn read(command: &str, payload: &InvokeBody) -> Result<Vec<u8>, ApiError> {
    match payload {
        InvokeBody::Raw(bytes) => check_size(command, bytes).map(|()| bytes.clone()),
        InvokeBody::Json(_) => {
            let message = format!("`{command}` takes its request as bytes");
            Err(ApiError::new(ErrorCode::InvalidRequest, "Invalid request", message))
        }
    }
}

#[cfg(test)]
mod tests {
    /// What a window may ask for is written down in two places, because Tauri reads one and the router the other.
    #[test]
    fn the_capability_grants_exactly_the_commands_of_the_api() {
        let capability: serde_json::Value =
            serde_json::from_str(include_str!("capabilities/main.json")).expect("the capability is JSON");
        let granted: Vec<String> = serde_json::from_value(capability["permissions"].clone()).expect("a list of names");
        let commands: Vec<String> =
            sonde_app::COMMANDS.iter().map(|command| format!("allow-{}", command.replace('_', "-"))).collect();
        assert_eq!(granted, commands, "a command that is not granted is dead, and a grant without a command a risk");
    }
}
