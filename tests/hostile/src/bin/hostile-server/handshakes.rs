//! Handshakes that go wrong, and requests at the wrong time.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use hostile::script;
use serde_json::json;

use crate::options::Options;
use crate::peer::{Act, handshake, result, serve, text, tool};
use crate::wire::Wire;

/// J7. Asks before `initialize` is answered, after it, and once more when its input has ended.
pub fn asks_at_the_wrong_time(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| {
        if message.method == "initialize" {
            script::wrong_requests("before").iter().try_for_each(|line| wire.out.line(line))?;
        }
        if tool(message) == Some("go") {
            script::wrong_requests("during").iter().try_for_each(|line| wire.out.line(line))?;
            if let Some(id) = &message.id {
                text(wire, id, "gone")?;
            }
            return Ok(Act::Done);
        }
        Ok(Act::Ordinary)
    })?;
    script::wrong_requests("after").iter().try_for_each(|line| wire.out.line(line))?;
    Ok(ExitCode::SUCCESS)
}

/// P1. Answers `initialize` with a version that is the variant, or ten kilobytes of one.
pub fn odd_versions(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let version = match options.variant.as_str() {
        "long" => "9".repeat(10 << 10),
        "empty" => String::new(),
        version => version.to_owned(),
    };
    serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
        ("initialize", Some(id)) => result(wire, id, &handshake(&version, &json!({ "tools": {} }))).map(|()| Act::Done),
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// P2. Never answers `initialize`; as `late`, answers it when its input has ended.
pub fn late_answers(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let mut asked = None;
    while let Some(message) = wire.next()? {
        asked = asked.or(message.id.filter(|_| message.method == "initialize"));
    }
    if let (Some(id), "late") = (asked, options.variant.as_str()) {
        result(wire, &id, &handshake("2025-11-25", &json!({})))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// P4. Says that it has nothing, and yet has tools, and says that they changed.
pub fn lies_about_capabilities(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
        ("initialize", Some(id)) => result(wire, id, &handshake("2025-11-25", &json!({}))).map(|()| Act::Done),
        ("notifications/initialized", _) => {
            for list in ["tools", "resources", "prompts"] {
                wire.out.line(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/{list}/list_changed"}}"#))?;
            }
            Ok(Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// P7. Chance decides in which phase this server is slow, loud, deaf or gone.
pub fn any_phase(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    // Each start leaves a tally behind, so every start draws differently, and the same run the same again.
    let starts = options.tally.as_deref().and_then(|folder| folder.read_dir().ok()).map_or(0, Iterator::count);
    let mut chance = fastrand::Rng::with_seed(options.seed.wrapping_mul(1000) + starts as u64);
    let mood = chance.u32(0..6);
    if mood == 0 {
        std::thread::sleep(Duration::from_millis(chance.u64(0..200)));
    }
    if mood == 1 {
        wire.err.line("going away before anything was said")?;
        return Ok(ExitCode::FAILURE);
    }
    serve(wire, |wire, message| {
        match (mood, message.method.as_str()) {
            (2, "initialize") => std::thread::sleep(Duration::from_millis(chance.u64(0..100))),
            (3, "tools/list") => {
                for number in 0..chance.u64(1..2000) {
                    wire.out.line(&script::numbered(number))?;
                }
            }
            (4, "tools/list") => return Ok(Act::Leave),
            (5, "tools/call") => wire.err.write(&b"noise on stderr\n".repeat(chance.usize(1..2000)))?,
            _ => {}
        }
        if tool(message) == Some("go") {
            let params =
                json!({ "message": "still there?", "requestedSchema": { "type": "object", "properties": {} } });
            wire.out
                .line(&format!(r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{params}}}"#))?;
            return Ok(Act::Done);
        }
        Ok(Act::Ordinary)
    })?;
    if mood == 4 {
        // Deaf, but only for a moment: a thousand of these have to end.
        std::thread::sleep(Duration::from_millis(chance.u64(0..300)));
    }
    Ok(ExitCode::SUCCESS)
}
