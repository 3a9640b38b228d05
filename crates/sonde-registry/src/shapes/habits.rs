//! What is particular to each client.

use super::Shape;
use crate::language::Language;

pub(super) struct Habits {
    pub id: &'static str,
    pub name: &'static str,
    pub file_name: &'static str,
    pub language: Language,
    /// The keys under which servers stand, the usual one first.
    pub roots: &'static [&'static str],
    /// What `type` is called; none where a client does without it.
    pub words: Option<Words>,
    pub address: Address,
    /// What a bare number in `timeout` counts.
    pub clock: Clock,
    pub switch: Switch,
    pub spelling: Spelling,
    /// The keys that the client is known to read.
    pub known: &'static [&'static str],
    pub unknown: Unknown,
}

pub(super) struct Words {
    pub command: &'static str,
    pub http: &'static str,
    pub sse: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    /// One key for every address.
    Key(&'static str),
    /// `httpUrl` for Streamable HTTP, `url` for SSE.
    ByTransport,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Seconds,
    Milliseconds,
}

/// How a server is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    Enabled,
    Disabled,
}

/// How a variable is written where the client fills it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As we do.
    Ours,
    /// None that anybody knows of.
    Nothing,
    /// `${NAME}`
    Plain,
    /// `${NAME}` and `${NAME:-default}`
    WithDefaults,
    /// `${env:NAME}`, `${userHome}`, `${workspaceFolder}`
    Prefixed,
    /// The same, and `${input:ID}`
    Inputs,
    /// `{env:NAME}`
    Braces,
    /// `${{ secrets.NAME }}`
    Secrets,
}

/// What the client does with keys that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    Ignored,
    /// It may refuse the whole file.
    Refused,
}

/// Those that two accounts or more agree on.
pub(super) const SURE: &[Shape] = &[
    Shape::Sonde,
    Shape::ClaudeDesktop,
    Shape::ClaudeCode,
    Shape::Cursor,
    Shape::VsCode,
    Shape::CopilotCli,
    Shape::Windsurf,
    Shape::Cline,
    Shape::RooCode,
    Shape::Zed,
    Shape::Continue,
    Shape::Codex,
    Shape::Gemini,
    Shape::LmStudio,
    Shape::Goose,
    Shape::AmazonQ,
    Shape::Kiro,
    Shape::OpenCode,
    Shape::Amp,
];

const STDIO: Option<Words> = Some(Words { command: "stdio", http: "http", sse: "sse" });

/// Most clients: `mcpServers` in JSON, `url`, and nothing that is filled in.
const USUAL: Habits = Habits {
    id: "mcp-servers",
    name: "mcpServers",
    file_name: "mcp.json",
    language: Language::Json,
    roots: &["mcpServers", "servers"],
    words: None,
    address: Address::Key("url"),
    clock: Clock::Milliseconds,
    switch: Switch::Disabled,
    spelling: Spelling::Nothing,
    known: &["command", "args", "env", "url", "headers"],
    unknown: Unknown::Ignored,
};

impl Shape {
    pub(super) const fn habits(self) -> Habits {
        match self {
            Shape::Plain => USUAL,
            Shape::Sonde => {
                Habits { id: "sonde", name: "Sonde", switch: Switch::Enabled, spelling: Spelling::Ours, ..USUAL }
            }
            Shape::ClaudeDesktop => Habits {
                id: "claude-desktop",
                name: "Claude Desktop",
                file_name: "claude_desktop_config.json",
                known: &["command", "args", "env"],
                ..USUAL
            },
            Shape::ClaudeCode => Habits {
                id: "claude-code",
                name: "Claude Code",
                file_name: ".mcp.json",
                words: STDIO,
                spelling: Spelling::WithDefaults,
                known: &["type", "command", "args", "env", "url", "headers"],
                ..USUAL
            },
            Shape::Cursor => Habits {
                id: "cursor",
                name: "Cursor",
                spelling: Spelling::Prefixed,
                known: &["command", "args", "env", "envFile", "url", "headers", "auth"],
                ..USUAL
            },
            Shape::VsCode => Habits {
                id: "vscode",
                name: "VS Code",
                roots: &["servers", "mcpServers"],
                words: STDIO,
                spelling: Spelling::Inputs,
                known: &[
                    "type",
                    "command",
                    "args",
                    "env",
                    "envFile",
                    "cwd",
                    "url",
                    "headers",
                    "sandboxEnabled",
                    "sandbox",
                    "dev",
                ],
                ..USUAL
            },
            Shape::CopilotCli => Habits {
                id: "copilot-cli",
                name: "Copilot CLI",
                file_name: "mcp-config.json",
                words: Some(Words { command: "local", http: "http", sse: "sse" }),
                spelling: Spelling::Plain,
                known: &["type", "command", "args", "env", "url", "headers", "tools"],
                ..USUAL
            },
            Shape::Windsurf => Habits {
                id: "windsurf",
                name: "Windsurf",
                file_name: "mcp_config.json",
                address: Address::Key("serverUrl"),
                spelling: Spelling::Prefixed,
                known: &["command", "args", "env", "serverUrl", "headers", "disabled"],
                ..USUAL
            },
            Shape::Cline => Habits {
                id: "cline",
                name: "Cline",
                file_name: "cline_mcp_settings.json",
                words: Some(Words { command: "stdio", http: "streamableHttp", sse: "sse" }),
                clock: Clock::Seconds,
                spelling: Spelling::Prefixed,
                known: &[
                    "type",
                    "command",
                    "args",
                    "env",
                    "cwd",
                    "url",
                    "headers",
                    "disabled",
                    "autoApprove",
                    "alwaysAllow",
                    "timeout",
                ],
                ..USUAL
            },
            Shape::RooCode => Habits {
                id: "roo-code",
                name: "Roo Code",
                file_name: "mcp_settings.json",
                words: Some(Words { command: "stdio", http: "streamable-http", sse: "sse" }),
                clock: Clock::Seconds,
                spelling: Spelling::Prefixed,
                known: &[
                    "type",
                    "command",
                    "args",
                    "env",
                    "cwd",
                    "url",
                    "headers",
                    "disabled",
                    "alwaysAllow",
                    "timeout",
                ],
                ..USUAL
            },
            Shape::Zed => Habits {
                id: "zed",
                name: "Zed",
                file_name: "settings.json",
                roots: &["context_servers"],
                switch: Switch::Enabled,
                known: &["source", "command", "args", "env", "url", "headers", "enabled", "settings"],
                ..USUAL
            },
            Shape::Continue => Habits {
                id: "continue",
                name: "Continue",
                file_name: "sonde.yaml",
                language: Language::Yaml,
                roots: &["mcpServers"],
                words: Some(Words { command: "stdio", http: "streamable-http", sse: "sse" }),
                spelling: Spelling::Secrets,
                known: &["name", "type", "command", "args", "env", "cwd", "url", "requestOptions", "connectionTimeout"],
                ..USUAL
            },
            Shape::Codex => Habits {
                id: "codex",
                name: "Codex",
                file_name: "config.toml",
                language: Language::Toml,
                roots: &["mcp_servers", "mcpServers"],
                clock: Clock::Seconds,
                switch: Switch::Enabled,
                known: &["command", "args", "env", "cwd", "url", "enabled", "enabled_tools", "disabled_tools"],
                unknown: Unknown::Refused,
                ..USUAL
            },
            Shape::Gemini => Habits {
                id: "gemini-cli",
                name: "Gemini CLI",
                file_name: "settings.json",
                address: Address::ByTransport,
                spelling: Spelling::Plain,
                known: &[
                    "command",
                    "args",
                    "env",
                    "cwd",
                    "url",
                    "httpUrl",
                    "headers",
                    "timeout",
                    "trust",
                    "includeTools",
                    "excludeTools",
                    "oauth",
                    "authProviderType",
                ],
                ..USUAL
            },
            Shape::LmStudio => Habits { id: "lm-studio", name: "LM Studio", ..USUAL },
            Shape::Goose => Habits {
                id: "goose",
                name: "Goose",
                file_name: "config.yaml",
                language: Language::Yaml,
                roots: &["extensions"],
                words: Some(Words { command: "stdio", http: "streamable_http", sse: "sse" }),
                address: Address::Key("uri"),
                clock: Clock::Seconds,
                switch: Switch::Enabled,
                spelling: Spelling::Plain,
                known: &["name", "type", "args", "uri", "headers", "timeout", "enabled", "bundled", "description"],
                ..USUAL
            },
            Shape::AmazonQ => Habits {
                id: "amazon-q",
                name: "Amazon Q",
                words: STDIO,
                spelling: Spelling::Prefixed,
                known: &["type", "command", "args", "env", "url", "headers", "timeout", "disabled"],
                ..USUAL
            },
            Shape::Kiro => Habits {
                id: "kiro",
                name: "Kiro",
                spelling: Spelling::Plain,
                known: &["command", "args", "env", "url", "headers", "disabled", "autoApprove"],
                ..USUAL
            },
            Shape::OpenCode => Habits {
                id: "opencode",
                name: "OpenCode",
                file_name: "opencode.json",
                roots: &["mcp"],
                words: Some(Words { command: "local", http: "remote", sse: "remote" }),
                switch: Switch::Enabled,
                spelling: Spelling::Braces,
                known: &["type", "command", "environment", "enabled", "url", "headers", "oauth", "timeout"],
                unknown: Unknown::Refused,
                ..USUAL
            },
            Shape::Amp => Habits {
                id: "amp",
                name: "Amp",
                file_name: "settings.json",
                roots: &["amp.mcpServers"],
                spelling: Spelling::Plain,
                ..USUAL
            },
            Shape::Antigravity => Habits {
                id: "antigravity",
                name: "Antigravity",
                file_name: "mcp_config.json",
                address: Address::Key("serverUrl"),
                ..USUAL
            },
            Shape::Vibe => Habits {
                id: "mistral-vibe",
                name: "Mistral Vibe",
                file_name: "config.toml",
                language: Language::Toml,
                roots: &["mcp_servers"],
                clock: Clock::Seconds,
                ..USUAL
            },
        }
    }
}
