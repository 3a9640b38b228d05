//! The name of a tool among those of all servers: `mcp:<server>.<tool>`.

use crate::api::error::{ApiError, ErrorCode};

const PREFIX: &str = "mcp:";

/// An id has no dot in it, so the first one always ends it; the tool's name stays as its server wrote it.
pub fn full_name(server: &str, tool: &str) -> String {
    format!("{PREFIX}{server}.{tool}")
}

/// The server and the tool of a full name; None for a name that is not meant as one.
pub fn split_full_name(name: &str) -> Option<Result<(&str, &str), ApiError>> {
    let rest = name.strip_prefix(PREFIX)?;
    let told = |problem: &str| {
        let message = format!("`{}` is not the full name of a tool: {problem}", crate::text::clip(name, 200));
        ApiError::new(ErrorCode::InvalidRequest, "Invalid tool name", message)
            .hint("a full name is `mcp:server.tool`; `sonde tools` lists them")
    };
    Some(match rest.split_once('.') {
        None => Err(told("no dot stands between server and tool")),
        Some(("", _)) => Err(told("it names no server")),
        Some((_, "")) => Err(told("it names no tool")),
        Some(parts) => Ok(parts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_name_is_taken_apart_as_it_was_put_together() {
        for (server, tool) in [("files", "read"), ("my%2Eserver%20x", "a.b.c"), ("x", "mcp:y.z"), ("x", ".")] {
            let name = full_name(server, tool);
            assert_eq!(split_full_name(&name).unwrap().unwrap(), (server, tool), "{name}");
        }
        assert!(split_full_name("files.read").is_none(), "a short name is none");
        for (wrong, why) in
            [("mcp:", "no dot"), ("mcp:files", "no dot"), ("mcp:.read", "no server"), ("mcp:x.", "no tool")]
        {
            let error = split_full_name(wrong).unwrap().unwrap_err();
            assert!(error.message.contains(why), "`{wrong}` has {why}: {error}");
        }
    }
}
