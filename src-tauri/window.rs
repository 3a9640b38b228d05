//! The one window: our page, no other page, no second window.

use sonde_app::App;
use tauri::webview::NewWindowResponse;
use tauri::{WebviewUrl, WebviewWindowBuilder};

use crate::dropped;

pub(crate) const MAIN: &str = "main";

/// What is dropped on it goes to the core.
pub(crate) fn open(app: &tauri::App, core: App) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Sonde")
        .inner_size(1360.0, 860.0)
        .min_inner_size(900.0, 600.0)
        .on_navigation(is_our_page)
        .on_new_window(|url, _features| {
            tracing::warn!(%url, "a new window was refused");
            NewWindowResponse::Deny
        })
        .build()?;
    dropped::watch(&window, core);
    Ok(())
}

fn is_our_page(url: &tauri::Url) -> bool {
    let ours = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // Where custom schemes are not to be had, the page comes from this name, which never leaves the machine.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    };
    if !ours {
        tracing::warn!(%url, "a navigation was refused");
    }
    ours
}
