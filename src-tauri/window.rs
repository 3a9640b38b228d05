//! The one window: our page, no other page, no second window.

use tauri::webview::NewWindowResponse;
use tauri::{WebviewUrl, WebviewWindowBuilder};

pub(crate) const MAIN: &str = "main";

pub(crate) fn open(app: &tauri::App) -> tauri::Result<()> {
    WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Sonde")
        .inner_size(1360.0, 860.0)
        .min_inner_size(900.0, 600.0)
        // The page itself takes a dropped file, as text; a handler here would swallow it.
        .disable_drag_drop_handler()
        .on_navigation(is_our_page)
        .on_new_window(|url, _features| {
            tracing::warn!(%url, "a new window was refused");
            NewWindowResponse::Deny
        })
        .build()?;
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
