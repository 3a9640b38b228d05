//! Servers that may not be connected, no longer answer, or have no lists.

use sonde_client::{CallError, Catalog, Dead};

use super::*;
use crate::api::servers::ServerState;
use crate::explain::{life, not_ready};
use crate::server::Server;

/// How a server stands of which nothing is known but this.
fn stopped(spec: &ServerSpec, exit: Option<&str>) -> Server {
    let server = Server::new(spec.clone(), Path::new("/home/ada/shop"));
    server.standing().exit = exit.map(str::to_owned);
    server
}

#[test]
fn servers_that_are_not_there_to_be_used() {
    let mut sheet = Sheet::new("life.txt");
    // The words do not depend on the machine, but for a home that stands as `~`.
    let mut spec = npx();
    spec.origin.file = Some("/srv/shop/.mcp.json".into());
    sheet.tell("switched off", &life::disabled(&spec));
    let late = Dead { last: CallError::TimedOut(std::time::Duration::from_secs(10)) };
    sheet.tell("no answer to pings", &life::dead(&spec, &late));
    sheet.tell("no tools", &life::no_tools(&spec, None));
    let unlisted = life::unlisted(&spec, Catalog::Tools, "`tools/list` failed: too busy");
    sheet.tell("no tools, because the list failed", &life::no_tools(&spec, Some(&unlisted)));
    sheet.tell("a list that did not come", &unlisted);
    sheet.tell("never connected", &life::absent(&spec, &stopped(&spec, None).standing()));
    sheet.tell("ended", &life::absent(&spec, &stopped(&spec, Some("exit code 1")).standing()));
    let failed = stopped(&spec, None);
    failed.standing().problem = Some(life::dead(&spec, &late));
    sheet.tell("failed", &life::absent(&spec, &failed.standing()));
    let mut kept = configured(r#"{"command":"npx","sonde":{"reconnect":true}}"#);
    kept.origin.file = spec.origin.file.clone();
    let waiting = stopped(&kept, None);
    waiting.standing().wanted = true;
    waiting.standing().enter(ServerState::Failed);
    sheet.tell("connected again by itself", &life::absent(&kept, &waiting.standing()));
    sheet.tell("ended before it was ready", &not_ready(&spec, &stopped(&spec, Some("exit code 0")).standing()));
    sheet.tell("still stopping", &life::still_stopping(&spec));
    sheet.tell("just changed", &life::just_changed(&spec));
    sheet.check();
}
