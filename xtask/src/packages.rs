//! System packages: found, named, and on Debian and Ubuntu installed.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::repository::in_path;
use crate::step;

/// One Debian package, and how to see without dpkg that another system has the same thing.
#[derive(Clone, Copy)]
pub struct Package {
    name: &'static str,
    elsewhere: Evidence,
}

#[derive(Clone, Copy)]
enum Evidence {
    /// pkg-config knows this module.
    Library(&'static str),
    /// This program is in PATH.
    Program(&'static str),
    /// Nothing simple shows it; the build will.
    Unseen,
}

const fn package(name: &'static str, elsewhere: Evidence) -> Package {
    Package { name, elsewhere }
}

/// What compiling and opening the window takes.
pub const WINDOW: &[Package] = &[
    package("libwebkit2gtk-4.1-dev", Evidence::Library("webkit2gtk-4.1")),
    package("librsvg2-dev", Evidence::Unseen),
    package("libxdo-dev", Evidence::Unseen),
    package("libssl-dev", Evidence::Unseen),
    package("build-essential", Evidence::Program("cc")),
    package("pkg-config", Evidence::Program("pkg-config")),
];

/// A display where there is none. The fonts, because a bare machine has none and would show boxes.
pub const VIRTUAL_DISPLAY: &[Package] =
    &[package("xvfb", Evidence::Program("Xvfb")), package("fonts-dejavu-core", Evidence::Unseen)];

/// What driving the real window takes: a driver, and a window manager and keys for native dialogs.
pub const WINDOW_TESTS: &[Package] = &[
    package("webkit2gtk-driver", Evidence::Program("WebKitWebDriver")),
    package("xdotool", Evidence::Program("xdotool")),
    package("openbox", Evidence::Program("openbox")),
];

/// A keyring that is nobody's: secrets must be kept in one, and never elsewhere.
pub const KEYRING: &[Package] = &[
    package("dbus", Evidence::Program("dbus-run-session")),
    package("gnome-keyring", Evidence::Program("gnome-keyring-daemon")),
];

/// A Python that can make virtual environments; Debian ships `venv` apart.
pub const PYTHON: &[Package] =
    &[package("python3", Evidence::Program("python3")), package("python3-venv", Evidence::Unseen)];

pub fn ensure(wanted: &[Package]) -> Result<()> {
    match std::env::consts::OS {
        "linux" if in_path("apt-get") && in_path("dpkg-query") => ensure_with_apt(wanted),
        "linux" => ensure_present(wanted, LINUX_HINT),
        "macos" => ensure_xcode(),
        "windows" => {
            eprintln!("note: {WINDOWS_NEEDS}");
            Ok(())
        }
        system => bail!("Tauri has no window for `{system}`\nhint: use Linux, macOS or Windows"),
    }
}

const LINUX_HINT: &str = "\
this system has no apt, so install them yourself:
  Fedora: dnf install webkit2gtk4.1-devel openssl-devel librsvg2-devel libxdo-devel gcc gcc-c++ make pkgconf
          for tests: xorg-x11-server-Xvfb xdotool openbox dejavu-sans-fonts dbus-daemon gnome-keyring, and what provides WebKitWebDriver
  Arch:   pacman -S webkit2gtk-4.1 base-devel librsvg xdotool openssl
          for tests: xorg-server-xvfb openbox ttf-dejavu dbus gnome-keyring, and what provides WebKitWebDriver
  others: https://tauri.app/start/prerequisites";

const WINDOWS_NEEDS: &str = "Tauri needs the Microsoft C++ Build Tools (`Desktop development with C++`) and \
    WebView2, which Windows 10 (1803 and later) and 11 already have";

fn ensure_with_apt(wanted: &[Package]) -> Result<()> {
    let missing: Vec<&str> = wanted.iter().map(|package| package.name).filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let is_root = step::output(Command::new("id").arg("-u"))?.trim() == "0";
    if !is_root && !in_path("sudo") {
        bail!("system packages are missing: {list}\nhint: `sudo` was not found; as root, run `apt-get install {list}`");
    }
    eprintln!("sonde: installing the missing system packages: {list}");
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new(if is_root { "env" } else { "sudo" });
        if !is_root {
            command.arg("env");
        }
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]).args(arguments);
        step::run(&mut command)
    };
    apt_get(&["update"])?;
    apt_get(&[&["install", "-y", "--no-install-recommends"], missing.as_slice()].concat()).map_err(|error| {
        error.context(format!(
            "the system packages could not be installed: {list}\n\
             hint: Debian 12, Ubuntu 22.04 and later have all of them; see apt's message above"
        ))
    })
}

fn is_installed(name: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${db:Status-Status}", name]);
    step::output(&mut query).is_ok_and(|status| status == "installed")
}

fn ensure_present(wanted: &[Package], hint: &str) -> Result<()> {
    let missing: Vec<&str> = wanted.iter().filter(|package| !is_seen(package)).map(|package| package.name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("system packages are missing (under their Debian names): {}\nhint: {hint}", missing.join(" "));
}

fn is_seen(package: &Package) -> bool {
    match package.elsewhere {
        Evidence::Library(module) => step::succeeds(Command::new("pkg-config").args(["--exists", module])),
        Evidence::Program(program) => in_path(program),
        Evidence::Unseen => true,
    }
}

fn ensure_xcode() -> Result<()> {
    if step::succeeds(Command::new("xcode-select").arg("-p").stdin(Stdio::null())) {
        return Ok(());
    }
    bail!("the Xcode command line tools are missing, which Tauri needs\nhint: run `xcode-select --install`");
}
