//! Messages that are JSON and yet wrong: ids, shapes, depths, sizes.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use hostile::script;
use serde_json::json;

use crate::options::Options;
use crate::peer::{self, Act, arguments, number, serve, serve_and_go, text, tool};
use crate::wire::Wire;

/// J1. `go` is answered by a stranger, then twice by us. What is held is answered when `release` is called.
pub fn stray_answers(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, id, _| {
        peer::result(wire, r#""never-asked""#, &json!({}))?;
        text(wire, id, "gone")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J2. Answers with every id but the right one; the right one follows when `release` is called.
pub fn games_with_ids(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let mut waiting = None;
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            waiting = Some(id.clone());
            script::other_ids(id).iter().try_for_each(|other| text(wire, other, "not yours"))?;
            Ok(Act::Done)
        }
        (Some("release"), _) => {
            if let Some(id) = waiting.take() {
                text(wire, &id, "yours")?;
            }
            Ok(Act::Ordinary)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J3. `go {how}` is answered by something that is nearly a response.
pub fn broken_answers(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            let how = arguments(message)["how"].as_str().unwrap_or_default();
            wire.out.line(&script::broken_answer(how, id)).map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J4, J11. `go` sends the lines of the case's script, made for the id of the call, and only then the answer.
pub fn scripted_for_id(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, id, _| {
        script::lines_for(&options.case, id).iter().try_for_each(|line| wire.out.line(&line.text))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J5. Speaks the revision that is its variant; `go` is answered in a batch, among batches that are none.
pub fn batches(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
        ("initialize", Some(id)) => {
            let answer = peer::handshake(&options.variant, &json!({ "tools": {} }));
            peer::result(wire, id, &answer).map(|()| Act::Done)
        }
        ("tools/call", Some(id)) if tool(message) == Some("go") => {
            script::batches(id).iter().try_for_each(|line| wire.out.line(line))?;
            Ok(Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J6. While `go` waits, asks with the very id of that call, and asks a person twice under one id.
pub fn twin_ids(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve_and_go(wire, |wire, id, _| {
        wire.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))?;
        for number in 1..=2 {
            let params = json!({ "maxTokens": number, "messages": [] });
            wire.out.line(&format!(
                r#"{{"jsonrpc":"2.0","id":"twin","method":"sampling/createMessage","params":{params}}}"#
            ))?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J9. `go {how, bytes}` is answered by an odd error.
pub fn odd_errors(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            let size = usize::try_from(number(arguments(message), "bytes", 1000)).unwrap_or_default();
            let how = arguments(message)["how"].as_str().unwrap_or_default();
            let error = script::odd_error(how, size);
            wire.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)).map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J10. `go {depth}` is answered by a result whose member `deep` is so many arrays in each other. With `open`, only
/// their beginnings.
pub fn deep_results(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            let depth = usize::try_from(number(arguments(message), "depth", 10)).unwrap_or_default();
            // The message and its result are two levels already.
            let arrays = depth.saturating_sub(2);
            let deep = match arguments(message)["open"].as_bool() {
                Some(true) => "[".repeat(arrays),
                _ => format!("{}{}", "[".repeat(arrays), "]".repeat(arrays)),
            };
            let content = r#""content":[{"type":"text","text":"gone"}]"#;
            wire.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{content},"deep":{deep}}}}}"#))?;
            Ok(Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J16. `go {how, bytes}` is answered by an image that is too large, or none.
pub fn base64_results(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| match (tool(message), &message.id) {
        (Some("go"), Some(id)) => {
            let (data, kind) = script::image(arguments(message)["how"].as_str().unwrap_or_default());
            let head = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"image","mimeType":"{kind}","data":"{data}"#
            );
            wire.out.write(head.as_bytes())?;
            wire.out.fill(b'A', number(arguments(message), "bytes", 0), |_| {})?;
            wire.out.line("\"}]}}")?;
            Ok(Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// P6. Calls in every phase: `hold` is held, `go {how: progress}` tells of progress and is never answered,
/// `go {how: question}` asks a person first, and `go {how: deaf}` makes this server stop reading.
pub fn every_phase(_options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    serve(wire, |wire, message| {
        if tool(message) != Some("go") {
            return Ok(Act::Ordinary);
        }
        match arguments(message)["how"].as_str() {
            Some("deaf") => return Ok(Act::Leave),
            Some("question") => {
                let params =
                    json!({ "message": "who are you?", "requestedSchema": { "type": "object", "properties": {} } });
                wire.out.line(&format!(
                    r#"{{"jsonrpc":"2.0","id":"question","method":"elicitation/create","params":{params}}}"#
                ))?;
            }
            _ => {
                let token = &message.params["_meta"]["progressToken"];
                for step in 0..20 {
                    wire.out.line(&format!(
                        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step}}}}}"#
                    ))?;
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
        Ok(Act::Done)
    })?;
    peer::sleep_on();
    Ok(ExitCode::SUCCESS)
}
