#!/bin/sh
# What must exist before xtask itself can be compiled: cargo, recent enough, and a linker.
# Everything else is found and installed by xtask.
set -eu

stop() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

command -v cargo >/dev/null 2>&1 ||
    stop '`cargo` was not found in PATH' 'install Rust with rustup (https://rustup.rs), then open a new terminal'

wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
found=$(cargo --version | sed 's/^cargo \([0-9]*\.[0-9]*\).*/\1/')
[ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ] ||
    stop "cargo $found is too old: Rust $wanted or newer is needed" 'run `rustup update stable`'

command -v cc >/dev/null 2>&1 && exit 0
case $(uname -s) in
    Linux) ;;
    Darwin) stop 'no C compiler was found' 'install the Xcode command line tools: `xcode-select --install`' ;;
    *) exit 0 ;; # Windows: rustc finds the linker of the Microsoft C++ Build Tools by itself, or says so.
esac
command -v apt-get >/dev/null 2>&1 ||
    stop 'no C compiler was found (`cc`)' "install your system's base development packages (gcc, make, pkg-config)"

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
        stop 'the package build-essential is missing, and `sudo` was not found' 'as root, run `apt-get install build-essential`'
    as_root=sudo
fi
echo 'sonde: installing the missing system package build-essential (the linker Rust needs)' >&2
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q build-essential
