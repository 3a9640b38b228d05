//! Every client that is known to keep servers, and every path that somebody vouches for. Where accounts of one client
//! differ, all of its paths are here.

use super::Platform::{Linux, MacOs, Windows};
use super::places::{Place, app_data, config, data, home, project, variable};
use super::{Client, Platform};
use crate::shapes::Shape;

/// Where a terminal's programs keep their settings as on Linux.
const UNIX: &[Platform] = &[Linux, MacOs];

pub const CLIENTS: &[Client] = &[
    client(
        "claude-desktop",
        "Claude Desktop",
        Shape::ClaudeDesktop,
        &[
            app_data("Claude/claude_desktop_config.json"),
            // Some installers for Linux write it small.
            app_data("claude/claude_desktop_config.json").on(&[Linux]),
        ],
    ),
    client(
        "claude-code",
        "Claude Code",
        Shape::ClaudeCode,
        &[variable("CLAUDE_CONFIG_DIR", ".claude.json"), home(".claude.json"), project(".mcp.json")],
    ),
    client("cursor", "Cursor", Shape::Cursor, &[home(".cursor/mcp.json"), project(".cursor/mcp.json")]),
    client(
        "vscode",
        "VS Code",
        Shape::VsCode,
        &[
            app_data("Code/User/mcp.json"),
            app_data("Code/User/profiles/*/mcp.json"),
            app_data("Code - Insiders/User/mcp.json"),
            app_data("Code - Insiders/User/profiles/*/mcp.json"),
            home(".vscode-server/data/User/mcp.json"),
            home(".vscode-server-insiders/data/User/mcp.json"),
            project(".vscode/mcp.json"),
            project(".mcp.json"),
        ],
    ),
    client(
        "copilot-cli",
        "Copilot CLI",
        Shape::CopilotCli,
        &[variable("COPILOT_HOME", "mcp-config.json"), home(".copilot/mcp-config.json"), project(".mcp.json")],
    ),
    client(
        "windsurf",
        "Windsurf",
        Shape::Windsurf,
        &[home(".codeium/windsurf/mcp_config.json"), home(".codeium/mcp_config.json")],
    ),
    client(
        "cline",
        "Cline",
        Shape::Cline,
        &[
            variable("CLINE_MCP_SETTINGS_PATH", ""),
            home(".cline/data/settings/cline_mcp_settings.json"),
            app_data("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            app_data("Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            app_data("Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            home(".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
        ],
    ),
    client(
        "roo-code",
        "Roo Code",
        Shape::RooCode,
        &[
            app_data("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            app_data("Code - Insiders/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            app_data("Cursor/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            home(".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            project(".roo/mcp.json"),
        ],
    ),
    client(
        "zed",
        "Zed",
        Shape::Zed,
        &[app_data("Zed/settings.json").on(&[Windows]), config("zed/settings.json"), project(".zed/settings.json")],
    ),
    client(
        "continue",
        "Continue",
        Shape::Continue,
        &[
            home(".continue/config.yaml"),
            home(".continue/config.json"),
            project(".continue/mcpServers/*.yaml"),
            project(".continue/mcpServers/*.yml"),
            project(".continue/mcpServers/*.json"),
        ],
    ),
    client(
        "codex",
        "Codex",
        Shape::Codex,
        &[variable("CODEX_HOME", "config.toml"), home(".codex/config.toml"), project(".codex/config.toml")],
    ),
    client(
        "gemini-cli",
        "Gemini CLI",
        Shape::Gemini,
        &[home(".gemini/settings.json"), project(".gemini/settings.json")],
    ),
    client("lm-studio", "LM Studio", Shape::LmStudio, &[home(".lmstudio/mcp.json"), home(".cache/lm-studio/mcp.json")]),
    client(
        "goose",
        "Goose",
        Shape::Goose,
        &[app_data("Block/goose/config/config.yaml").on(&[Windows]), config("goose/config.yaml").on(UNIX)],
    ),
    client(
        "amazon-q",
        "Amazon Q",
        Shape::AmazonQ,
        &[
            home(".aws/amazonq/mcp.json"),
            home(".aws/amazonq/agents/default.json"),
            home(".aws/amazonq/cli-agents/*.json"),
            project(".amazonq/mcp.json"),
        ],
    ),
    client("kiro", "Kiro", Shape::Kiro, &[home(".kiro/settings/mcp.json"), project(".kiro/settings/mcp.json")]),
    client("junie", "JetBrains Junie", Shape::Plain, &[home(".junie/mcp/mcp.json"), project(".junie/mcp/mcp.json")]),
    client("air", "JetBrains Air", Shape::Plain, &[project(".air/mcp.json"), project(".mcp.json")]),
    client(
        "opencode",
        "OpenCode",
        Shape::OpenCode,
        &[
            config("opencode/opencode.json"),
            config("opencode/opencode.jsonc"),
            project("opencode.json"),
            project("opencode.jsonc"),
        ],
    ),
    client(
        "antigravity",
        "Antigravity",
        Shape::Antigravity,
        &[home(".gemini/antigravity/mcp_config.json"), home(".gemini/config/mcp_config.json")],
    ),
    client(
        "amp",
        "Amp",
        Shape::Amp,
        &[app_data("amp/settings.json").on(&[Windows]), config("amp/settings.json").on(UNIX)],
    ),
    client("trae", "Trae", Shape::Plain, &[app_data("Trae/User/mcp.json")]),
    client("warp", "Warp", Shape::Plain, &[home(".warp/.mcp.json")]),
    client("qwen", "Qwen Code", Shape::Gemini, &[home(".qwen/settings.json")]),
    client("kimi", "Kimi CLI", Shape::Plain, &[home(".kimi/mcp.json")]),
    client("factory", "Factory", Shape::Plain, &[home(".factory/mcp.json")]),
    client("mistral-vibe", "Mistral Vibe", Shape::Vibe, &[home(".vibe/config.toml")]),
    client("qoder", "Qoder", Shape::Plain, &[home(".qoder/mcp.json")]),
    client("kilo", "Kilo CLI", Shape::RooCode, &[home(".kilocode/cli/global/settings/mcp_settings.json")]),
    client("grok", "Grok CLI", Shape::Codex, &[home(".grok/config.toml")]),
    client("jan", "Jan", Shape::Plain, &[app_data("Jan/data/mcp_config.json"), data("Jan/data/mcp_config.json")]),
];

const fn client(id: &'static str, name: &'static str, shape: Shape, places: &'static [Place]) -> Client {
    Client { id, name, shape, places }
}
