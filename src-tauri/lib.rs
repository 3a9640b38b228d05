//! The window.
//!
//! Owns: the builder, the one door between page and core, the native dialogs, and reading what is dropped on it.
//! Must not know: protocol, SQL, server configuration.
//! Start reading at [`run`], then `door.rs`, then `approval.rs`.

mod approval;
mod asking;
mod door;
mod dropped;
mod saving;
mod window;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use sonde_app::{App, DataFolder, Setup, start_journal, tell_panics};
use sonde_demo::Scale;
use tauri::{Manager, RunEvent};
use tokio::runtime::Runtime;

/// Inspect MCP servers: see every byte, call every tool.
#[derive(Parser)]
#[command(name = "sonde-desktop", version)]
struct Arguments {
    /// Where the log and the approvals are kept
    #[arg(long, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// The project whose servers are shown; the working folder if not given
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Subcommand)]
enum Role {
    /// Serve the demo over stdin and stdout, or over HTTP until it is interrupted
    Demo {
        /// Listen on this port of 127.0.0.1 instead, 0 for any free one; the address is printed first
        #[arg(long, value_name = "PORT")]
        http: Option<u16>,
        /// List this many tools; 0, or fewer than it has, for its own
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        tools: usize,
    },
}

/// The parts this program plays without a window; None when it is to open one.
pub fn run_without_window() -> Option<ExitCode> {
    if let Some(code) = sonde_app::run_supervisor() {
        return Some(code);
    }
    Arguments::parse().role.map(|Role::Demo { http, tools }| report(serve_demo(http, Scale { tools })))
}

/// Opens the window and stays until it is closed.
pub fn run() -> ExitCode {
    let started = Instant::now();
    report(Runtime::new().map_err(|error| error.to_string()).and_then(|runtime| open(&runtime, started)))
}

fn report(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("sonde: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn serve_demo(http: Option<u16>, scale: Scale) -> Result<(), String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        match http {
            Some(port) => sonde_demo::serve_http(port, scale).await,
            None => sonde_demo::serve_stdio(scale).await,
        }
    });
    served.map_err(|error| format!("the demo server failed: {error:#}"))
}

fn open(runtime: &Runtime, started: Instant) -> Result<(), String> {
    let arguments = Arguments::parse();
    let data =
        DataFolder::open(arguments.data_dir).map_err(|error| format!("the data folder can't be used: {error}"))?;
    tell_panics();
    let _journal = start_journal(&data).map_err(|error| format!("app.log can't be written: {error}"))?;
    let folder = data.path().to_owned();
    tracing::info!(folder = %folder.display(), version = env!("CARGO_PKG_VERSION"), "starting");
    let setup = Setup::here(data, arguments.project).map_err(|error| error.to_string())?;
    let core = runtime.block_on(App::open(setup)).map_err(|error| error.to_string())?;
    tauri::async_runtime::set(runtime.handle().clone());

    let connecting = core.clone();
    let builder = tauri::Builder::default()
        .plugin(single_instance(&folder))
        .invoke_handler(door::handler(core.clone(), started))
        .setup(move |app| {
            window::open(app, connecting.clone())?;
            tauri::async_runtime::spawn(async move {
                connecting.connect_demo_at_first().await;
                connecting.start_all().await;
            });
            end_on_signal(app.handle().clone());
            Ok(())
        });
    #[cfg(not(target_os = "linux"))]
    let builder = builder.plugin(tauri_plugin_dialog::init());
    let app =
        builder.build(tauri::generate_context!()).map_err(|error| format!("the window can't be opened: {error}"))?;
    app.run(move |_handle, event| {
        if let RunEvent::Exit = event {
            tauri::async_runtime::block_on(core.close());
            tracing::info!("ended");
        }
    });
    Ok(())
}

/// One window per data folder: a second start brings the first one to the front.
fn single_instance<R: tauri::Runtime>(data: &std::path::Path) -> tauri::plugin::TauriPlugin<R> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(format!("dev.sonde.desktop.p{:016x}", hasher.finish()))
        .callback(|app: &tauri::AppHandle<R>, _arguments, _folder| {
            if let Some(window) = app.get_webview_window(window::MAIN)
                && let Err(error) = window.set_focus()
            {
                tracing::warn!(%error, "the window could not be brought to the front");
            }
        })
        .build()
}

/// A polite end on TERM and on Ctrl-C, so that what is queued still reaches the disk.
fn end_on_signal(app: tauri::AppHandle) {
    #[cfg(unix)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut term), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
        app.exit(0);
    });
}
