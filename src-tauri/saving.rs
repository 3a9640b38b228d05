//! Asking a person where to write bytes of a server. The page can cause the question, never the answer.

use std::path::PathBuf;

use serde_json::{Value, json};
use sonde_app::{ApiError, App, ErrorCode};
use tauri::Window;
use tokio::sync::oneshot;

use crate::asking::{Answer, Asking};

/// Writes what the request names where the person says. They may also decide against it.
pub(crate) async fn save(core: &App, window: &Window, request: &[u8], refused: &ApiError) -> Result<Vec<u8>, ApiError> {
    let request: Value = serde_json::from_slice(request).unwrap_or_default();
    let (Some(call), Some(pointer)) = (request["call"].as_u64(), request["pointer"].as_str()) else {
        return Err(ApiError::new(ErrorCode::InvalidRequest, "Invalid request", "the request names no content"));
    };
    let name = refused.context.iter().find(|fact| fact.name == "name").map(|fact| fact.value.clone());
    let chosen = ask(window, name.unwrap_or_default(), Asking::begin()?).await;
    if let Some(path) = &chosen {
        core.write_content(call, pointer, path).await?;
    }
    let saved = json!({ "path": chosen.map(|path| path.display().to_string()) });
    serde_json::to_vec(&saved).map_err(|error| ApiError::new(ErrorCode::Internal, "Internal error", error.to_string()))
}

async fn ask(window: &Window, name: String, asking: Asking) -> Option<PathBuf> {
    let (sender, answered) = oneshot::channel();
    let answer = Answer::new(sender, asking);
    let parent = window.clone();
    if let Err(error) = window.run_on_main_thread(move || open_dialog(&parent, &name, answer)) {
        tracing::error!(%error, "the dialog to save a file could not be shown");
        return None;
    }
    answered.await.unwrap_or(None)
}

#[cfg(target_os = "linux")]
fn open_dialog(parent: &Window, name: &str, answer: Answer<Option<PathBuf>>) {
    use gtk::prelude::*;
    use gtk::{FileChooserAction, FileChooserDialog, ResponseType};

    let parent = parent.gtk_window().ok();
    let dialog = FileChooserDialog::new(Some("Sonde: save"), parent.as_ref(), FileChooserAction::Save);
    dialog.add_button("Cancel", ResponseType::Cancel);
    dialog.add_button("Save", ResponseType::Accept);
    dialog.set_default_response(ResponseType::Accept);
    dialog.set_do_overwrite_confirmation(true);
    dialog.set_current_name(name);
    let answer = std::cell::Cell::new(Some(answer));
    dialog.connect_response(move |dialog, response| {
        if let Some(answer) = answer.take() {
            answer.give(dialog.filename().filter(|_| response == ResponseType::Accept));
        }
        dialog.close();
    });
    dialog.show();
}

#[cfg(not(target_os = "linux"))]
fn open_dialog(parent: &Window, name: &str, answer: Answer<Option<PathBuf>>) {
    use tauri_plugin_dialog::DialogExt;

    let dialog = parent.dialog().file().set_title("Sonde: save").set_file_name(name).set_parent(parent);
    dialog.save_file(move |path| answer.give(path.and_then(|path| path.into_path().ok())));
}
