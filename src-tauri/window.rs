//! The one window: our page, no other page, no second window.

#[cfg(target_os = "linux")]
use std::cell::Cell;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use sonde_app::App;
use tauri::webview::NewWindowResponse;
use tauri::{WebviewUrl, WebviewWindow, WebviewWindowBuilder};

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
    outlive_the_page(&window)
}

/// Loads the page again where its process ended, whatever ended it: the core has everything that it showed.
#[cfg(target_os = "linux")]
fn outlive_the_page(window: &WebviewWindow) -> tauri::Result<()> {
    use webkit2gtk::WebViewExt;

    window.with_webview(|webview| {
        let ends = Cell::new((Instant::now(), 0));
        webview.inner().connect_web_process_terminated(move |webview, reason| {
            let (since, count) = ends.get();
            let (since, count) = if since.elapsed() > CALM { (Instant::now(), 0) } else { (since, count) };
            ends.set((since, count + 1));
            if count < MOST_ENDS {
                tracing::error!(?reason, "the process of the page ended: the page is loaded again");
                webview.reload();
            } else {
                tracing::error!(?reason, "the process of the page ends again and again: the page is left as it is");
            }
        });
    })
}

/// Elsewhere the system does it.
#[cfg(not(target_os = "linux"))]
fn outlive_the_page(_window: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// A page that ends this often within this time would go on to.
#[cfg(target_os = "linux")]
const MOST_ENDS: u32 = 5;
#[cfg(target_os = "linux")]
const CALM: Duration = Duration::from_secs(60);

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
