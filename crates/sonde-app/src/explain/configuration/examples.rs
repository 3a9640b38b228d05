//! How each part of an entry is written.

pub(super) const COMMAND: &str = r#""shop": { "command": "npx", "args": ["-y", "shop-server"] }"#;
pub(super) const URL: &str = r#""shop": { "url": "https://example.com/mcp" }"#;

/// The field as it should be, where there is a usual way to write it.
pub(super) fn of_field(field: &str) -> Option<&'static str> {
    let first = field.split('.').next().unwrap_or_default();
    let rest = field.strip_prefix("sonde.").unwrap_or(first);
    Some(match rest {
        "command" => r#""command": "npx""#,
        "args" => r#""args": ["-y", "shop-server"]"#,
        "env" => r#""env": { "API_KEY": "${secret:API_KEY}" }"#,
        "env_passthrough" => r#""env_passthrough": ["HTTPS_PROXY"]"#,
        "cwd" | "workdir" => r#""cwd": "/home/you/shop""#,
        "envFile" => r#""envFile": "${workspaceFolder}/.env""#,
        "url" | "serverUrl" | "httpUrl" | "uri" => r#""url": "https://example.com/mcp""#,
        "type" | "transport" => r#""type": "http""#,
        "headers" => r#""headers": { "Authorization": "Bearer ${secret:TOKEN}" }"#,
        "timeout" | "connection_timeout" | "connect_timeout" | "connectTimeout" | "silence" | "ping" => {
            r#""timeout": "30s""#
        }
        "enabled" | "disabled" => r#""enabled": true"#,
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
