//! From another client's file to a server that runs here, and what happens when somebody changes it.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::{Journey, Window};
use serde_json::{Value, json};

const DIALOG: &str = "^Sonde: approval$";
/// Node and npm take their time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_server_of_claude_desktop_is_imported_approved_broken_and_approved_again() -> Result<()> {
    let peers = std::env::var("SONDE_PEERS").context("SONDE_PEERS must name the folder of the installed servers")?;
    // Nothing is fetched: npx finds the server where it was installed.
    let args = ["--prefix", peers.as_str(), "--no-install", "mcp-server-everything"];
    let theirs = json!({ "mcpServers": { "everything": { "command": "npx", "args": args } } });
    let theirs = serde_json::to_string_pretty(&theirs)?;
    let journey = Journey::new("adopting").home_file(".config/Claude/claude_desktop_config.json", theirs.clone());
    journey.with_window_manager().run(async |window| {
        import(window).await?;
        let untouched = fs::read_to_string(window.home().join(".config/Claude/claude_desktop_config.json"))?;
        assert_eq!(untouched, theirs, "the file of the other client is as it was");

        window.click("[data-server=everything]").await?;
        window.click("[data-action=connect]").await?;
        window.type_at(DIALOG, &["Tab", "Return"]).await?;
        ready(window).await?;

        break_its_command(window).await?;
        change_the_file(window, &["--silent"]).await?;
        window.until("the difference", "$('[data-differences]')?.innerText.includes('--silent')").await?;

        // What was allowed was another command line.
        window.click("[data-action=reconnect]").await?;
        window.type_at(DIALOG, &["Tab", "Return"]).await?;
        ready(window).await
    })
}

async fn import(window: &Window) -> Result<()> {
    window.click("[data-action=import]").await?;
    window.until("the entry", "$('[data-entry=everything]')").await?;
    let deed = "return $('[data-entry=everything]').dataset.deed";
    if window.run(deed).await? == json!("skip") {
        window.click("[data-entry=everything] input[type=checkbox]").await?;
    }
    window.until("the choice", "$('[data-action=run-import]')?.disabled === false").await?;
    window.click("[data-action=run-import]").await?;
    window.until("the server", "$('[data-server=everything][data-state=stopped]')").await?;
    Ok(())
}

async fn ready(window: &Window) -> Result<()> {
    let ready = "$('[data-server=everything][data-state=ready]')";
    window.until_within(PATIENCE, "the server", ready).await?;
    window.click("[data-tab=tools]").await?;
    window.until("its tools", "$('[data-tool=echo]')").await?;
    window.click("[data-tab=overview]").await?;
    Ok(())
}

/// In the form: what runs goes on, and the next start says what is wrong.
async fn break_its_command(window: &Window) -> Result<()> {
    window.click("[data-action=edit-server]").await?;
    window.until("the form", "$('#form-command')?.value === 'npx'").await?;
    window.fill("#form-command", "npxx").await?;
    window.click("[data-action=save-server]").await?;
    window.until("the difference", "$('[data-differences]')?.innerText.includes('npxx')").await?;
    assert_eq!(window.count("[data-server=everything][data-state=ready]").await?, 1, "what runs is left alone");

    window.click("[data-action=disconnect]").await?;
    window.until("its end", "$('[data-server=everything][data-state=stopped]')").await?;
    window.click("[data-action=connect]").await?;
    window.until("the failure", "$('[data-server=everything][data-state=failed]') && $('[data-error]')").await?;
    let report = window.text("[data-error]").await?;
    for fact in ["npxx", "not found", "everything", "~/.config/sonde/mcp.json"] {
        assert!(report.contains(fact), "`{fact}`, of what is wrong: {report}");
    }
    Ok(())
}

/// As a person does in an editor: the right command again, and more arguments.
async fn change_the_file(window: &Window, more: &[&str]) -> Result<()> {
    let path = window.home().join(".config/sonde/mcp.json");
    let mut file: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    let entry = &mut file["mcpServers"]["everything"];
    entry["command"] = json!("npx");
    let args = entry["args"].as_array_mut().context("it has arguments")?;
    more.iter().for_each(|arg| args.insert(0, json!(arg)));
    fs::write(&path, serde_json::to_string_pretty(&file)?)?;
    Ok(())
}
