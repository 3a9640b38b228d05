//! Results: of a tool, a resource, a prompt. What is not understood is shown as it came.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::json::pretty;
use super::table::one_line;
use crate::console::Surface;

/// The result of a tool: its content, then its structured content unless a text says the same.
pub fn tool_result(surface: Surface, result: &RawValue) -> String {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ToolResult {
        content: Option<Vec<Value>>,
        structured_content: Option<Box<RawValue>>,
    }
    let Ok(read) = serde_json::from_str::<ToolResult>(result.get()) else { return as_it_came(surface, result) };
    let blocks = read.content.unwrap_or_default();
    let mut parts: Vec<String> = blocks.iter().map(|each| block(surface, each)).collect();
    if let Some(structured) = &read.structured_content
        && !blocks.iter().any(|block| says_the_same(block, structured))
    {
        parts.push(surface.block(&pretty(structured.get())).into_owned());
    }
    match parts.is_empty() {
        true => as_it_came(surface, result),
        false => joined(parts),
    }
}

pub fn prompt(surface: Surface, result: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Prompt {
        description: Option<String>,
        messages: Vec<Message>,
    }
    #[derive(Deserialize)]
    struct Message {
        role: String,
        content: Value,
    }
    let Ok(read) = serde_json::from_str::<Prompt>(result.get()) else { return as_it_came(surface, result) };
    let description = read.description.map(|text| surface.dim(&surface.line(&one_line(&text))));
    let messages = read.messages.iter().map(|message| {
        let role = surface.bold(&surface.line(&message.role));
        format!("{role}\n{}", indented(&block(surface, &message.content)))
    });
    let parts: Vec<String> = description.into_iter().chain(messages).collect();
    match parts.is_empty() {
        true => as_it_came(surface, result),
        false => parts.join("\n\n"),
    }
}

/// What `resources/read` gave: text as text; other bytes as they are where a pipe can take them.
pub fn resource(surface: Surface, result: &RawValue) -> Vec<u8> {
    #[derive(Deserialize)]
    struct Contents {
        contents: Vec<Value>,
    }
    let Ok(read) = serde_json::from_str::<Contents>(result.get()) else {
        return line(as_it_came(surface, result));
    };
    let several = read.contents.len() > 1;
    let mut bytes = Vec::new();
    for content in &read.contents {
        if several && surface.is_terminal {
            bytes.extend(line(surface.bold(&surface.line(member(content, "uri").unwrap_or("no uri")))));
        }
        let blob = member(content, "blob").and_then(|blob| STANDARD.decode(blob).ok());
        match (member(content, "text"), blob) {
            // A pipe gets a text without a line feed that the server did not write.
            (Some(text), _) if !surface.is_terminal => bytes.extend_from_slice(text.as_bytes()),
            (Some(text), _) => bytes.extend(line(surface.block(text).into_owned())),
            (None, Some(blob)) if !surface.is_terminal => bytes.extend(blob),
            (None, Some(blob)) => bytes.extend(line(summary(surface, "blob", content, blob.len()))),
            (None, None) => bytes.extend(line(surface.block(&pretty(&content.to_string())).into_owned())),
        }
    }
    bytes
}

/// One block of content.
pub fn block(surface: Surface, block: &Value) -> String {
    let kind = member(block, "type").unwrap_or_default();
    match (kind, member(block, "text"), member(block, "data")) {
        ("text", Some(text), _) => surface.block(text).into_owned(),
        ("image" | "audio", _, Some(data)) => summary(surface, kind, block, decoded_length(data)),
        ("resource_link", ..) => link(surface, block),
        ("resource", ..) => embedded(surface, block),
        _ => surface.block(&pretty(&block.to_string())).into_owned(),
    }
}

fn link(surface: Surface, block: &Value) -> String {
    let words = ["uri", "title", "name", "description"].map(|name| member(block, name));
    let [uri, title, name, description] = words;
    let label = title.or(name).map(one_line);
    let parts = [Some(format!("[link] {}", uri.unwrap_or("no uri"))), label, description.map(one_line)];
    surface.line(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")).into_owned()
}

fn embedded(surface: Surface, block: &Value) -> String {
    let Some(resource) = block.get("resource") else { return surface.block(&pretty(&block.to_string())).into_owned() };
    let uri = member(resource, "uri").unwrap_or("no uri");
    match (member(resource, "text"), member(resource, "blob")) {
        (Some(text), _) => format!("{}\n{}", surface.line(&format!("[resource] {uri}")), surface.block(text)),
        (None, Some(blob)) => summary(surface, "resource", resource, decoded_length(blob)),
        (None, None) => surface.block(&pretty(&block.to_string())).into_owned(),
    }
}

/// What stands for bytes that no terminal can show.
fn summary(surface: Surface, kind: &str, block: &Value, length: usize) -> String {
    let parts = [member(block, "uri"), Some(member(block, "mimeType").unwrap_or("no type"))];
    let words: Vec<&str> = parts.into_iter().flatten().collect();
    surface.line(&format!("[{kind}] {} · {}", words.join(" · "), size(length as u64))).into_owned()
}

pub fn as_it_came(surface: Surface, json: &RawValue) -> String {
    surface.block(&pretty(json.get())).into_owned()
}

/// Bytes in words.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn decoded_length(base64: &str) -> usize {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
    (base64.len() / 4 * 3).saturating_sub(padding)
}

fn says_the_same(block: &Value, structured: &RawValue) -> bool {
    let said = member(block, "text").and_then(|text| serde_json::from_str::<Value>(text).ok());
    said.is_some() && said == serde_json::from_str(structured.get()).ok()
}

/// A member that is a string.
pub fn member<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn joined(parts: Vec<String>) -> String {
    parts.iter().map(|part| part.strip_suffix('\n').unwrap_or(part)).collect::<Vec<_>>().join("\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn line(text: String) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).expect("JSON")
    }

    #[test]
    fn content_of_every_type_has_its_line() {
        let result = raw(r#"{"content":[
            {"type":"text","text":"hello\n"},
            {"type":"image","data":"AAAA","mimeType":"image/png"},
            {"type":"resource_link","uri":"x://y","name":"y"},
            {"type":"resource","resource":{"uri":"x://z","text":"inside"}},
            {"type":"hologram","depth":3}]}"#);
        let text = tool_result(Surface::plain(None), &result);
        let wanted = "hello\n[image] image/png · 3 B\n[link] x://y · y\n[resource] x://z\ninside\n{\n  \"depth\": 3,\n  \"type\": \"hologram\"\n}";
        assert_eq!(text, wanted);
    }

    #[test]
    fn structured_content_is_shown_unless_a_text_says_the_same() {
        let both = raw(r#"{"content":[{"type":"text","text":"{ \"sum\": 5 }"}],"structuredContent":{"sum":5}}"#);
        assert_eq!(tool_result(Surface::plain(None), &both), "{ \"sum\": 5 }");
        let other = raw(r#"{"content":[{"type":"text","text":"five"}],"structuredContent":{"sum":5}}"#);
        assert_eq!(tool_result(Surface::plain(None), &other), "five\n{\n  \"sum\": 5\n}");
    }

    #[test]
    fn what_is_no_result_is_shown_as_it_came() {
        assert_eq!(tool_result(Surface::plain(None), &raw("[1,2]")), "[\n  1,\n  2\n]");
        assert_eq!(tool_result(Surface::plain(None), &raw(r#"{"content":7}"#)), "{\n  \"content\": 7\n}");
        assert_eq!(tool_result(Surface::plain(None), &raw("{}")), "{}");
    }

    #[test]
    fn a_pipe_gets_the_bytes_of_a_blob_and_a_terminal_a_line_about_them() {
        let result = raw(r#"{"contents":[{"uri":"x://y","mimeType":"image/png","blob":"AAEC"}]}"#);
        assert_eq!(resource(Surface::plain(None), &result), [0, 1, 2]);
        assert_eq!(resource(Surface::plain(Some(80)), &result), b"[blob] x://y \xc2\xb7 image/png \xc2\xb7 3 B\n");
    }
}
