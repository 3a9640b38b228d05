//! How each part of an entry is written.

pub(super) const COMMAND: &str = r#""shop": { "command": "npx", "args": ["-y", "shop-server"] }"#;
pub(super) const URL: &str = r#""shop": { "url": "https://example.com/mcp" }"#;

/// The field as it should be: what was meant by what was found, or else a usual way to write it.
pub(super) fn of_field(field: &str, found: Option<&str>) -> Option<String> {
    let first = field.split('.').next().unwrap_or_default();
    let leaf = field.strip_prefix("sonde.").unwrap_or(first);
    meant(leaf, found.unwrap_or_default()).or_else(|| usual(leaf).map(str::to_owned))
}

/// What somebody most likely meant who wrote it otherwise.
fn meant(leaf: &str, found: &str) -> Option<String> {
    let word = found.trim_matches('"');
    match leaf {
        "enabled" | "disabled" | "auto_start" | "autoStart" | "fail_if_no_tools" => {
            let flag = match word.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => true,
                "false" | "no" | "off" | "0" => false,
                _ => return None,
            };
            Some(format!("\"{leaf}\": {flag}"))
        }
        "args" if found.starts_with('"') && found.ends_with('"') && !word.contains(['\\', '"', '\'']) => {
            let words: Vec<String> = word.split_whitespace().map(|word| format!("\"{word}\"")).collect();
            Some(format!("\"args\": [{}]", words.join(", ")))
        }
        "silence" | "ping" => Some(format!("\"sonde\": {{ \"{leaf}\": \"30s\" }}")),
        "connection_timeout" | "connect_timeout" | "connectTimeout" => Some(format!("\"{leaf}\": \"30s\"")),
        _ => None,
    }
}

fn usual(leaf: &str) -> Option<&'static str> {
    Some(match leaf {
        "command" => r#""command": "npx""#,
        "args" => r#""args": ["-y", "shop-server"]"#,
        "env" => r#""env": { "API_KEY": "${secret:API_KEY}" }"#,
        "env_passthrough" => r#""env_passthrough": ["HTTPS_PROXY"]"#,
        "cwd" | "workdir" => r#""cwd": "/home/you/shop""#,
        "envFile" => r#""envFile": "${workspaceFolder}/.env""#,
        "url" | "serverUrl" | "httpUrl" | "uri" => r#""url": "https://example.com/mcp""#,
        "type" | "transport" => r#""type": "http""#,
        "headers" => r#""headers": { "Authorization": "Bearer ${secret:TOKEN}" }"#,
        "timeout" => r#""timeout": "30s""#,
        "enabled" => r#""enabled": true"#,
        "disabled" => r#""disabled": true"#,
        "auto_start" | "autoStart" => r#""auto_start": true"#,
        "fail_if_no_tools" => r#""fail_if_no_tools": true"#,
        "http_max_retries" | "retries" => r#""http_max_retries": 3"#,
        "http_retry_backoff" => r#""http_retry_backoff": 1.5"#,
        "protocol" => r#""sonde": { "protocol": "auto" }"#,
        "roots" => r#""sonde": { "roots": ["."] }"#,
        "longestLine" => r#""sonde": { "longestLine": "64MiB" }"#,
        "sonde" => r#""sonde": { "timeout": "30s" }"#,
        _ => return None,
    })
}
