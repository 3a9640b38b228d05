//! Lists of tools that are too long, never end, or carry schemas that nobody should follow.

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use hostile::script;
use serde_json::{Value, json};

use crate::options::Options;
use crate::peer::{Act, arguments, number, result, serve, text, tool};
use crate::wire::Wire;

/// J12. As `tools` lists as many tools on one page as the seed says; otherwise `go {how, count}` is answered by an
/// escaped string (`nulls`) or an object with many members (`members`).
pub fn large(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let tools = options.variant == "tools";
    serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
        ("tools/list", Some(id)) if tools => wire.out.line(&many_tools(id, options.seed)?).map(|()| Act::Done),
        ("tools/call", Some(id)) if tool(message) == Some("go") => {
            let count = usize::try_from(number(arguments(message), "count", 10)).unwrap_or_default();
            let payload = match arguments(message)["how"].as_str() {
                Some("nulls") => format!(r#""{}""#, r"\u0000".repeat(count)),
                _ => many_members(count)?,
            };
            let content = r#""content":[{"type":"text","text":"gone"}]"#;
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{content},"payload":{payload}}}}}"#);
            wire.out.line(&line).map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn many_tools(id: &str, count: u64) -> io::Result<String> {
    let mut line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":["#);
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        write!(line, r#"{comma}{{"name":"t{number}","inputSchema":{{}}}}"#).map_err(io::Error::other)?;
    }
    line.push_str("]}}");
    Ok(line)
}

fn many_members(count: usize) -> io::Result<String> {
    let mut object = String::from("{");
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        write!(object, r#"{comma}"k{number}":0"#).map_err(io::Error::other)?;
    }
    object.push('}');
    Ok(object)
}

/// J13. The variant says how the pages go on: the `same` cursor, a `cycle` of three, `endless` new ones, `huge` ones,
/// or `empty` pages.
pub fn cursors(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let mut page = 0_u64;
    serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
        ("tools/list", Some(id)) => {
            page += 1;
            let cursor = match options.variant.as_str() {
                "same" => "again".to_owned(),
                "cycle" => format!("c{}", page % 3),
                "huge" => format!("{page}{}", "h".repeat(1 << 20)),
                _ => format!("p{page}"),
            };
            let tools = match options.variant.as_str() {
                "empty" if page > 1 => json!([]),
                _ if page > 1 => json!([{ "name": format!("t{page}"), "inputSchema": { "type": "object" } }]),
                _ => crate::peer::tools(),
            };
            result(wire, id, &json!({ "tools": tools, "nextCursor": cursor })).map(|()| Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// J14, J15. Lists one tool for each schema of the script and answers every call of one the same way. The variant is
/// the address that schemas point to.
pub fn schemas(options: &Options, wire: &mut Wire) -> io::Result<ExitCode> {
    let schemas = script::schemas(&options.case, &options.variant);
    serve(wire, |wire, message| match (message.method.as_str(), &message.id) {
        ("tools/list", Some(id)) => {
            let mut tools = crate::peer::tools();
            if let Some(list) = tools.as_array_mut() {
                list.extend(schemas.iter().map(|schema| schema.definition.clone()));
            }
            result(wire, id, &json!({ "tools": tools })).map(|()| Act::Done)
        }
        ("tools/call", Some(id)) => {
            let schema = schemas.iter().find(|schema| tool(message) == Some(schema.name));
            let Some(schema) = schema else { return Ok(Act::Ordinary) };
            match &schema.answer {
                Value::Null => text(wire, id, "gone")?,
                structured => {
                    let content = json!([{ "type": "text", "text": "gone" }]);
                    result(wire, id, &json!({ "content": content, "structuredContent": structured }))?;
                }
            }
            Ok(Act::Done)
        }
        _ => Ok(Act::Ordinary),
    })?;
    Ok(ExitCode::SUCCESS)
}
