//! Each kind of failure, as a person reads it: compared word for word with the texts in `tests/told`. With
//! `SONDE_WRITE_TOLD=1` they are written anew, for somebody to read before they are committed.

mod calls;
mod configuration;
mod connect;
mod http;
mod launch;
mod life;

use std::path::{Path, PathBuf};

use sonde_registry::{Layer, Places, ServerSpec, Surroundings, TypedCommand, load};
use sonde_transport::Platform;

use super::Machine;
use crate::api::error::ApiError;

/// Texts of one file, in their order.
struct Sheet {
    name: &'static str,
    text: String,
}

impl Sheet {
    fn new(name: &'static str) -> Self {
        Sheet { name, text: String::new() }
    }

    fn tell(&mut self, what: &str, error: &ApiError) {
        self.text.push_str(&format!("== {what} ({})\n{error}\n\n", written(error)));
    }

    /// Compares with what was committed.
    #[track_caller]
    fn check(&self) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explain/tests/told").join(self.name);
        if std::env::var_os("SONDE_WRITE_TOLD").is_some() {
            std::fs::write(&path, &self.text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let differs = committed.lines().zip(self.text.lines()).find(|(old, new)| old != new);
        assert!(
            committed == self.text,
            "`{}` is told otherwise than it was; first difference: {differs:?}\n\n{}",
            self.name,
            self.text
        );
    }
}

/// The code as the API writes it.
fn written(error: &ApiError) -> String {
    serde_json::to_string(&error.code).unwrap().replace('"', "")
}

/// The server `shop` of a project, as the registry reads its entry.
fn configured(entry: &str) -> ServerSpec {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(r#"{{"mcpServers":{{"shop":{entry}}}}}"#);
    std::fs::write(folder.path().join(".mcp.json"), text).unwrap();
    let places = Places { config: None, project: folder.path().to_owned() };
    let variable = |name: &str| (name == "HOST").then(|| "example.com".to_owned());
    let variables = Surroundings { variable: &variable, home: None, project: folder.path().to_owned() };
    let mut spec = load(&places, Vec::new(), &variables).servers.remove(0);
    spec.origin.file = Some("/home/ada/shop/.mcp.json".into());
    spec
}

fn npx() -> ServerSpec {
    configured(r#"{"command":"npx","args":["-y","shop-server"]}"#)
}

/// The same in the global configuration of a Windows machine.
fn npx_on_windows() -> ServerSpec {
    let mut spec = npx();
    spec.origin.layer = Layer::Global;
    spec.origin.file = Some(r"C:\Users\ada\AppData\Roaming\sonde\mcp.json".into());
    spec
}

fn at_address() -> ServerSpec {
    let mut spec = configured(r#"{"url":"https://${HOST}/mcp?api_key=s3cret&page=1"}"#);
    spec.origin.file = Some("/srv/shop/.mcp.json".into());
    spec
}

fn typed() -> ServerSpec {
    let mut registry = sonde_registry::Registry::default();
    let typed = TypedCommand { command: vec!["./server.py".to_owned()], ..TypedCommand::default() };
    registry.add_typed(typed.into()).unwrap();
    registry.servers.remove(0)
}

fn unix() -> Machine {
    Machine { platform: Platform::Unix, home: Some(PathBuf::from("/home/ada")) }
}

fn windows() -> Machine {
    Machine { platform: Platform::Windows, home: Some(PathBuf::from(r"C:\Users\ada")) }
}

#[test]
fn the_home_folder_is_shortened_and_nothing_else_is() {
    let shown = |machine: &Machine, path: &str| machine.path(Path::new(path));
    assert_eq!(shown(&unix(), "/home/ada/x y"), "~/x y");
    assert_eq!(shown(&unix(), "/home/ada"), "~");
    assert_eq!(shown(&unix(), "/home/adam/x"), "/home/adam/x", "another person's");
    assert_eq!(shown(&windows(), r"C:\Users\ada\x"), r"~\x");
    let homeless = Machine { home: None, ..unix() };
    assert_eq!(shown(&homeless, "/x"), "/x", "nobody knows where home is");
}

#[test]
fn where_a_server_is_written_down_has_a_word() {
    let mut origin = npx().origin;
    assert_eq!(unix().layer(&origin), "project config");
    origin.layer = Layer::Ancestor;
    assert_eq!(unix().layer(&origin), "ancestor config of ~/shop");
    origin.file = Some("/home/ada/.sonde/mcp.json".into());
    assert_eq!(unix().layer(&origin), "ancestor config of ~", "the folder that it is for");
    origin.layer = Layer::Global;
    assert_eq!(unix().layer(&origin), "global config");
    origin.file = None;
    assert_eq!(unix().layer(&origin), "unknown source");
    assert_eq!(unix().layer(&typed().origin), "typed");
}
