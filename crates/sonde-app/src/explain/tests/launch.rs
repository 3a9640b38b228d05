//! What can't be found, run or started.

use std::io::{Error, ErrorKind};
use std::path::Path;

use sonde_transport::{LaunchError, SearchFolder, Source, StartError};

use super::*;
use crate::explain::launch::unapproved;

fn searched(folders: &[(&str, Source)]) -> Vec<SearchFolder> {
    folders.iter().map(|(folder, source)| SearchFolder { folder: folder.into(), source: *source }).collect()
}

fn running(command: &str) -> ServerSpec {
    configured(&format!(r#"{{"command":"{command}","args":["--port","1"]}}"#))
}

#[test]
fn what_cannot_be_launched_on_unix() {
    let folder = Path::new("/home/ada/shop");
    let mut sheet = Sheet::new("launch-unix.txt");
    let places =
        [("/usr/bin", Source::Path), ("/opt/x", Source::LoginShell), ("/home/ada/.nvm/x/bin", Source::Tool("nvm"))];
    for command in ["npx", "uvx", "node", "python", "docker", "bunx", "deno", "shop-server"] {
        let error = LaunchError::NotFound { command: command.to_owned(), searched: searched(&places) };
        sheet.tell(&format!("{command} is nowhere"), &unix().launch(&running(command), folder, &error));
    }
    let error = LaunchError::NotFound { command: "npx -y shop".to_owned(), searched: Vec::new() };
    sheet.tell("arguments within the command, and no PATH", &unix().launch(&running("npx -y shop"), folder, &error));
    for (what, path) in [("a script", "/home/ada/shop/my server.py"), ("any file", "/opt/shop/server")] {
        let error = LaunchError::NotExecutable { path: path.into() };
        sheet.tell(&format!("{what} that is not executable"), &unix().launch(&running(path), folder, &error));
    }
    let error = LaunchError::Missing { path: "/home/ada/shop/server".into() };
    sheet.tell("a path that is not there", &unix().launch(&running("./server"), folder, &error));
    let error = LaunchError::IsAFolder { path: "/home/ada/shop/build".into() };
    sheet.tell("a folder", &unix().launch(&running("./build"), folder, &error));
    let error = LaunchError::NoFolder { path: "/home/ada/gone".into() };
    sheet.tell("no folder to run in", &unix().launch(&npx(), Path::new("/home/ada/gone"), &error));
    sheet.tell("no command", &unix().launch(&running("x"), folder, &LaunchError::Empty));
    sheet.tell("a typed one", &unix().launch(&typed(), folder, &LaunchError::Missing { path: "./server.py".into() }));
    sheet.check();
}

#[test]
fn what_cannot_be_launched_on_windows() {
    let folder = Path::new(r"C:\Users\ada\shop");
    let mut sheet = Sheet::new("launch-windows.txt");
    let places = [(r"C:\Windows\system32", Source::Path), (r"C:\Users\ada\AppData\Roaming\npm", Source::Tool("npm"))];
    for command in ["npx", "uvx", "node", "python", "docker", "shop-server"] {
        let mut spec = running(command);
        spec.origin = npx_on_windows().origin;
        let error = LaunchError::NotFound { command: command.to_owned(), searched: searched(&places) };
        sheet.tell(&format!("{command} is nowhere"), &windows().launch(&spec, folder, &error));
    }
    let error = LaunchError::NotExecutable { path: r"C:\Users\ada\shop\server.py".into() };
    sheet.tell("a script", &windows().launch(&npx_on_windows(), folder, &error));
    sheet.check();
}

#[test]
fn what_does_not_start() {
    let folder = Path::new("/home/ada/shop");
    let mut sheet = Sheet::new("start.txt");
    let program = |source: Error| StartError::Program { binary: "/home/ada/shop/server".into(), source };
    for (what, error) in [
        ("no right to run it", program(Error::new(ErrorKind::PermissionDenied, "Permission denied"))),
        ("no interpreter", program(Error::new(ErrorKind::NotFound, "No such file or directory"))),
        ("anything else", program(Error::other("it is odd"))),
        ("no right to its folder", StartError::Folder { folder: "/root".into(), source: Error::other("refused") }),
        ("no room", StartError::NoRoom { source: Error::other("too many open files") }),
        ("an argument that gets lost", StartError::LostArgument { binary: r"C:\x\npx.cmd".into(), number: 2 }),
        ("no supervisor", StartError::Supervisor { source: Error::other("gone") }),
    ] {
        sheet.tell(what, &unix().start(&npx(), folder, &error));
    }
    let told = unix().start(&npx(), folder, &program(Error::from_raw_os_error(8)));
    assert_eq!(told.title, "Not a program", "the system's own words for it differ");
    sheet.check();
}

#[test]
fn what_nobody_has_approved() {
    let mut sheet = Sheet::new("approval.txt");
    let mut spec = npx();
    spec.origin.file = Some("/srv/shop/.mcp.json".into());
    sheet.tell("a command", &unapproved(&spec, Some(Path::new("/usr/bin/npx"))));
    sheet.tell("an address, without its secrets", &unapproved(&at_address(), None));
    sheet.check();
}
