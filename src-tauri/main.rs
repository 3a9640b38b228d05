#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // A supervisor and the demo server are this same program; neither may touch a window.
    match sonde_desktop::run_without_window() {
        Some(code) => code,
        None => sonde_desktop::run(),
    }
}
