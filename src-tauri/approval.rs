//! Asking a person whether a command may run, or a server be spoken to. The page can cause the question, never the answer.

use sonde_app::{ApiError, App, Asked, ErrorCode, PendingApproval, visible};
use tauri::Window;
use tokio::sync::oneshot;

use crate::asking::{Answer, Asking};

/// Shows what would run, or who would be spoken to, and writes the approval down if the person allows it.
pub(crate) async fn ask(core: &App, window: &Window, request: &[u8]) -> Result<(), ApiError> {
    let server = server_of(request)?;
    core.look_for_program(&server).await;
    let (asked, id) = (core.clone(), server.clone());
    // The whole program is read, so that another one in its place is noticed.
    let pending = tauri::async_runtime::spawn_blocking(move || asked.pending_approval(&id)).await;
    let pending =
        pending.map_err(|error| ApiError::new(ErrorCode::Internal, "Internal error", error.to_string()))??;
    let asking = Asking::begin()?;
    match show(window, &pending, asking).await {
        true => core.approve(&pending),
        false => {
            let message = format!("server `{server}` was not connected: you did not allow it");
            Err(ApiError::new(ErrorCode::ApprovalDenied, "Not allowed", message)
                .hint("connect again to be asked again"))
        }
    }
}

fn server_of(request: &[u8]) -> Result<String, ApiError> {
    let request: serde_json::Value = serde_json::from_slice(request).unwrap_or_default();
    request["server"]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| ApiError::new(ErrorCode::InvalidRequest, "Invalid request", "the request names no server"))
}

/// Waits for the person. Whatever is not a clear yes is a no.
async fn show(window: &Window, pending: &PendingApproval, asking: Asking) -> bool {
    let (sender, answered) = oneshot::channel();
    let answer = Answer::new(sender, asking);
    let sheet = Sheet::of(pending);
    let parent = window.clone();
    let shown = window.run_on_main_thread(move || open_dialog(&parent, &sheet, answer));
    if let Err(error) = shown {
        tracing::error!(%error, "the approval dialog could not be shown");
        return false;
    }
    answered.await.unwrap_or(false)
}

/// What a person must see.
struct Sheet {
    question: String,
    /// What a yes would mean.
    meaning: &'static str,
    /// Why they are asked again, and what they should look at twice.
    warnings: Vec<String>,
    facts: Vec<(String, String)>,
}

impl Sheet {
    fn of(pending: &PendingApproval) -> Self {
        let (question, meaning) = question(pending);
        let again = pending.again.iter().map(|why| format!("You are asked again: {}", visible(why)));
        // The question itself names the server.
        let facts = pending.facts().into_iter().filter(|(name, _)| name != "server");
        Sheet {
            question,
            meaning,
            warnings: again.chain(pending.risks.iter().map(|risk| format!("Look twice: {risk}"))).collect(),
            facts: facts.map(|(name, value)| (capitalised(&name), value)).collect(),
        }
    }
}

fn capitalised(name: &str) -> String {
    match name {
        "url" => "URL".to_owned(),
        "from" => "Configured in".to_owned(),
        _ => name.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(name.chars().skip(1)).collect(),
    }
}

/// The question, and what a yes would mean.
fn question(pending: &PendingApproval) -> (String, &'static str) {
    let server = visible(&pending.server);
    match &pending.asked {
        Asked::Command { .. } => (
            format!("Allow “{server}” to run this command?"),
            "It runs with your rights, outside any sandbox. You will be asked again if any of this changes.",
        ),
        Asked::Url(_) => (
            format!("Allow a connection to “{server}”?"),
            "It is sent these headers and whatever you call it with. You will be asked again if its address, transport, \
             headers, proxy or certificates change.",
        ),
    }
}

#[cfg(target_os = "linux")]
fn open_dialog(parent: &Window, sheet: &Sheet, answer: Answer<bool>) {
    use gtk::prelude::*;
    use gtk::{ButtonsType, DialogFlags, MessageDialog, MessageType, ResponseType};

    let parent = parent.gtk_window().ok();
    let dialog = MessageDialog::new(
        parent.as_ref(),
        DialogFlags::DESTROY_WITH_PARENT,
        MessageType::Warning,
        ButtonsType::None,
        &sheet.question,
    );
    dialog.set_title("Sonde: approval");
    dialog.set_secondary_text(Some(sheet.meaning));
    let scroll = gtk::ScrolledWindow::new(gtk::Adjustment::NONE, gtk::Adjustment::NONE);
    scroll.set_min_content_width(760);
    scroll.set_max_content_height(520);
    scroll.set_propagate_natural_height(true);
    // A bar that only shows while it is used would hide that there is more.
    scroll.set_overlay_scrolling(false);
    let content = gtk::Box::new(gtk::Orientation::Vertical, 0);
    content.add(&warning_list(&sheet.warnings));
    content.add(&fact_sheet(&sheet.facts));
    scroll.add(&content);
    dialog.content_area().pack_start(&scroll, true, true, 8);
    scroll.show_all();

    let deny = dialog.add_button("Deny", ResponseType::Cancel);
    dialog.add_button("Allow", ResponseType::Accept);
    // Enter, Escape and the close button all deny.
    dialog.set_default_response(ResponseType::Cancel);
    deny.grab_focus();

    let answer = std::cell::Cell::new(Some(answer));
    dialog.connect_response(move |dialog, response| {
        if let Some(answer) = answer.take() {
            answer.give(response == ResponseType::Accept);
        }
        dialog.close();
    });
    dialog.show();
}

/// In sentences, above everything else.
#[cfg(target_os = "linux")]
fn warning_list(warnings: &[String]) -> gtk::Box {
    use gtk::prelude::*;

    let list = gtk::Box::builder().orientation(gtk::Orientation::Vertical).spacing(4).margin_start(16).build();
    for warning in warnings {
        let bold = gtk::pango::AttrList::new();
        bold.insert(gtk::pango::AttrInt::new_weight(gtk::pango::Weight::Bold));
        let label = gtk::Label::builder()
            .label(format!("⚠ {warning}"))
            .selectable(true)
            .xalign(0.0)
            .wrap(true)
            .wrap_mode(gtk::pango::WrapMode::WordChar)
            .max_width_chars(88)
            .attributes(&bold)
            .build();
        list.add(&label);
    }
    list
}

/// Names to the left, values to the right, wrapped at any character so that nothing is cut.
#[cfg(target_os = "linux")]
fn fact_sheet(facts: &[(String, String)]) -> gtk::Grid {
    use gtk::prelude::*;

    let grid = gtk::Grid::builder().column_spacing(16).row_spacing(4).margin(16).build();
    for (row, (name, value)) in (0..).zip(facts) {
        let name = gtk::Label::builder().label(name).xalign(0.0).yalign(0.0).build();
        name.style_context().add_class("dim-label");
        let monospace = gtk::pango::AttrList::new();
        monospace.insert(gtk::pango::AttrString::new_family("monospace"));
        // A hyphen at the end of a line would look like a part of the argument.
        monospace.insert(pango::AttrInt::new_insert_hyphens(false));
        let value = gtk::Label::builder()
            .label(value)
            .selectable(true)
            .xalign(0.0)
            .wrap(true)
            .wrap_mode(gtk::pango::WrapMode::Char)
            .width_chars(68)
            .max_width_chars(68)
            .attributes(&monospace)
            .build();
        grid.attach(&name, 0, row, 1, 1);
        grid.attach(&value, 1, row, 1, 1);
    }
    grid
}

#[cfg(not(target_os = "linux"))]
fn open_dialog(parent: &Window, sheet: &Sheet, answer: Answer<bool>) {
    use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind, MessageDialogResult};

    const ALLOW: &str = "Allow";
    // The first button is the default and the third is what Escape means, so neither allows anything.
    let buttons = MessageDialogButtons::YesNoCancelCustom("Deny".into(), ALLOW.into(), "Cancel".into());
    let facts = sheet.facts.iter().map(|(name, value)| format!("{name}: {value}"));
    let lines: Vec<String> = sheet.warnings.iter().cloned().chain(facts).collect();
    let text = format!("{}\n\n{}", sheet.meaning, lines.join("\n"));
    parent
        .dialog()
        .message(text)
        .title(&sheet.question)
        .kind(MessageDialogKind::Warning)
        .buttons(buttons)
        .show_with_result(move |result| {
            answer.give(matches!(result, MessageDialogResult::Custom(label) if label == ALLOW));
        });
}
