//! Servers that do not become ready, or are lost.

use std::time::Duration;

use sonde_client::{ConnectError, Ending, Negotiation, Strays};
use sonde_protocol::Revision;
use sonde_transport::Exit;

use super::*;
use crate::posture::Posture;

fn ended(exit: Option<Exit>, stderr: &[&str]) -> Ending {
    let stderr_tail = stderr.iter().map(|line| (*line).to_owned()).collect();
    Ending { exit, loss: None, by_us: false, stderr_tail }
}

fn by_us() -> Ending {
    Ending { exit: None, loss: None, by_us: true, stderr_tail: Vec::new() }
}

fn strays(lines: &[&str]) -> Strays {
    Strays { count: lines.len() as u64, first: lines.first().map(|line| (*line).to_owned()) }
}

fn early(exit: Exit, stderr: &[&str], printed: &[&str]) -> ConnectError {
    ConnectError::EndedEarly { ending: ended(Some(exit), stderr), strays: strays(printed) }
}

#[test]
fn servers_that_end_before_they_are_ready() {
    let mut sheet = Sheet::new("ended-early.txt");
    let node = ["Error: Cannot find module '@shop/server'", "    at Module._resolveFilename", "Node.js v22.3.0"];
    for (what, error) in [
        ("a crash that says why", early(Exit::Code(1), &node, &[])),
        (
            "a crash that says several things",
            early(Exit::Code(3), &["DATABASE_URL is not set", "connect ECONNREFUSED"], &[]),
        ),
        ("a crash that says nothing", early(Exit::Code(2), &[], &[])),
        ("an exit by which a shell says what is wrong", early(Exit::Code(127), &["sh: 1: shop: not found"], &[])),
        ("a signal", early(Exit::Signal(9), &["working"], &[])),
        ("a signal without a name", early(Exit::Signal(40), &[], &[])),
        ("a clean exit is no crash", early(Exit::Code(0), &["done"], &[])),
        ("a program of another kind", early(Exit::Code(0), &[], &["Listening on port 80", "x"])),
        ("a crash after some text", early(Exit::Code(1), &["boom"], &["{\"jsonrpc\": \"2.0\", id: 1}"])),
        ("its output was closed", ConnectError::EndedEarly { ending: ended(None, &[]), strays: strays(&[]) }),
    ] {
        sheet.tell(what, &unix().connect(&npx(), &Posture::window(), &error));
    }
    let error = early(Exit::Code(1), &["'shop' is not recognized"], &[]);
    sheet.tell("on Windows", &windows().connect(&npx_on_windows(), &Posture::window(), &error));
    sheet.check();
}

#[test]
fn servers_that_do_not_answer_in_time() {
    let mut sheet = Sheet::new("handshake-timeout.txt");
    let silent = |printed: &[&str]| ConnectError::NoAnswer {
        limit: Duration::from_secs(30),
        ending: Ending { stderr_tail: vec!["npm warn exec installing".to_owned()], ..by_us() },
        strays: strays(printed),
    };
    let posture = Posture::window();
    sheet.tell("a process", &unix().connect(&npx(), &posture, &silent(&[])));
    sheet.tell("a process that prints text", &unix().connect(&npx(), &posture, &silent(&["Hello, it's me"])));
    let mut remote = at_address();
    remote.origin.file = Some("/home/ada/shop/.mcp.json".into());
    sheet.tell("an address", &unix().connect(&remote, &posture, &silent(&[])));
    sheet.tell("on Windows", &windows().connect(&npx_on_windows(), &posture, &silent(&[])));
    sheet.check();
}

#[test]
fn servers_that_speak_otherwise() {
    let mut sheet = Sheet::new("handshake.txt");
    let pinned = Posture { negotiation: Negotiation::Pinned(Revision::V2024_11_05), ..Posture::window() };
    let version = |accepted| ConnectError::Version {
        answered: "2099-01-01".to_owned(),
        offered: Revision::V2024_11_05,
        accepted,
        ending: by_us(),
    };
    sheet.tell("a revision that was pinned", &unix().connect(&npx(), &pinned, &version(vec!["2024-11-05"])));
    let ours = vec!["2025-06-18", "2025-11-25"];
    sheet.tell("a revision of another time", &unix().connect(&npx(), &Posture::window(), &version(ours)));
    let refused = ConnectError::Refused {
        code: Some(-32602),
        message: "Unsupported protocol version".to_owned(),
        supported: vec!["1999-01-01".to_owned()],
        ending: by_us(),
    };
    sheet.tell("a refusal", &unix().connect(&npx(), &Posture::window(), &refused));
    let unclear = ConnectError::Unclear { problem: "missing field `protocolVersion`".to_owned(), ending: by_us() };
    sheet.tell("an answer that is none", &unix().connect(&npx(), &Posture::window(), &unclear));
    sheet.check();
}

#[test]
fn servers_that_are_lost() {
    let mut sheet = Sheet::new("lost.txt");
    let lost = |ending: &Ending| unix().lost(&npx(), ending);
    sheet.tell("a crash", &lost(&ended(Some(Exit::Code(1)), &["MemoryError"])));
    sheet.tell("a signal", &lost(&ended(Some(Exit::Signal(11)), &[])));
    sheet.tell("a clean exit", &lost(&ended(Some(Exit::Code(0)), &[])));
    sheet.tell("a closed output", &lost(&ended(None, &[])));
    sheet.check();
}
