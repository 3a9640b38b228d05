//! States, failures and the native dialog.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use e2e::{Demo, Journey, Window, answering, binary};
use serde_json::json;

#[test]
fn a_server_that_fails_says_what_was_run_and_how_it_ended_and_the_rest_stays_usable() -> Result<()> {
    let load = binary("sonde-load")?;
    let locked = answering(format!(
        "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: {CHALLENGE}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    ))?;
    Journey::new("failures")
        .remote_server("locked", &locked)
        .unapproved_server("absent", Path::new("no-such-program"), &["--flag"])
        .server("ends", &load, &["--exit", "3"])
        .server("garbage", &load, &["--garbage"])
        .run(async |window| {
            // The one that takes longest to give up on goes first; the others do not wait for it.
            window.click("[data-server=garbage]").await?;
            window.click("[data-action=connect]").await?;
            window.until("the start", "$('[data-server=garbage][data-state=starting]')").await?;

            let report = failure(window, "absent").await?;
            assert!(report.contains("no-such-program"), "the command that was not found: {report}");
            assert!(report.contains("searched"), "where it was looked for: {report}");

            let report = failure(window, "ends").await?;
            assert!(report.contains("sonde-load --exit 3"), "the command that was run: {report}");
            assert!(report.contains("code 3"), "the exit code: {report}");
            assert!(report.contains("cannot find the thing that is needed"), "the lines of stderr: {report}");

            let report = failure(window, "locked").await?;
            for fact in ["401", "Bearer", "https://auth.example.com/.well-known/oauth-protected-resource/mcp"] {
                assert!(report.contains(fact), "`{fact}`, of what the server asks for: {report}");
            }

            window.click("[data-server=garbage]").await?;
            let failed = "$('[data-server=garbage][data-state=failed]') && $('[data-error]')";
            window.until_within(Duration::from_secs(90), "the failure", failed).await?;
            let report = window.text("[data-error]").await?;
            assert!(report.contains("sonde-load --garbage"), "the command that was run: {report}");
            assert!(report.contains("Welcome to Load Server"), "the first line that is no message: {report}");

            window.click("[data-server=demo]").await?;
            window.click("[data-tool=echo]").await?;
            window.fill("[data-field=text] textarea", "still here").await?;
            window.click("[data-action=call]").await?;
            window.until("the result", "$('[data-result-status=ok]')").await?;
            assert_eq!(window.text("[data-content=text] pre").await?, "still here", "the demo answers as before");
            Ok(())
        })
}

const CHALLENGE: &str = "Bearer realm=\"journeys\", scope=\"tools:read tools:write\", \
    resource_metadata=\"https://auth.example.com/.well-known/oauth-protected-resource/mcp\"";

/// Connects the server and gives what the page says once it has failed.
async fn failure(window: &Window, server: &str) -> Result<String> {
    window.click(&format!("[data-server={server}]")).await?;
    window.click("[data-action=connect]").await?;
    let failed = format!("$('[data-server={server}][data-state=failed][aria-current]') && $('[data-error]')");
    window.until("the failure", &failed).await?;
    window.text("[data-error]").await
}

#[test]
fn a_server_is_disconnected_and_connected_again_by_its_buttons_whether_it_is_a_process_or_far_away() -> Result<()> {
    let far = Demo::listen()?;
    Journey::new("reconnect").remote_server("far", far.url()).run(async |window| {
        window.until("its tools", "$('[data-tool=flood]')").await?;
        reconnect(window, "demo").await?;
        add(window).await?;

        window.click("[data-server=far]").await?;
        window.click("[data-action=connect]").await?;
        window.until("the far one", "$('[data-server=far][data-state=ready]') && $('[data-tool=flood]')").await?;
        add(window).await?;
        says_how_it_travelled(window).await?;
        window.click("[data-tab=overview]").await?;
        let overview = window.text("[data-url]").await?;
        assert_eq!(overview, far.url(), "where it is");
        reconnect(window, "far").await?;
        // The session of the first connection was ended, and the second has its own stream.
        window
            .until("the end of the session", "$('[data-kind=http][data-method=DELETE]:not([data-status=pending])')")
            .await?;
        window.until("the stream", "$('[data-kind=http][data-method=GET][data-status=pending]')").await?;
        Ok(())
    })
}

async fn reconnect(window: &Window, server: &str) -> Result<()> {
    window.click("[data-action=disconnect]").await?;
    window.until("its end", &format!("$('[data-server={server}][data-state=stopped]')")).await?;
    window.until("nothing to call with", "$('[data-action=call]')?.disabled !== false").await?;
    window.click("[data-action=connect]").await?;
    window.until("its return", &format!("$('[data-server={server}][data-state=ready]')")).await?;
    window.click("[data-tab=tools]").await?;
    window.until("its tools", "$('[data-tool=flood]')").await?;
    Ok(())
}

async fn add(window: &Window) -> Result<()> {
    window.click("[data-tool=add]").await?;
    window.fill("[data-field=a] input", "1").await?;
    window.fill("[data-field=b] input", "1").await?;
    window.click("[data-action=call]").await?;
    window.until("the result", "$('[data-result-status=ok]')").await?;
    assert_eq!(window.text("[data-content=text] pre").await?, "2", "the connection works");
    Ok(())
}

/// The call just made has an HTTP exchange beside its messages, with headers both ways and times.
async fn says_how_it_travelled(window: &Window) -> Result<()> {
    window.click("[data-segment=one]").await?;
    window.click("[data-seq][data-target=add][data-status=ok]").await?;
    window.until("both messages", "$$('[data-detail] [data-frame]').length === 2").await?;
    window.click("[data-detail] [data-tab=http]").await?;
    window.until("the exchange", "$('[data-http] [data-headers=response]')").await?;
    let told = window.run(TRAVELLED).await?;
    assert_eq!(told["status"], "200", "the status: {told}");
    assert!(told["line"].as_str().is_some_and(|line| line.starts_with("POST /mcp")), "the request line: {told}");
    assert!(told["request"].as_str().is_some_and(|all| all.contains("x-journey")), "our own header: {told}");
    let session =
        told["request"].as_str().is_some_and(|all| all.contains("mcp-session-id") && all.contains("‹session:"));
    assert!(session, "the session goes along, and nobody can read it: {told}");
    assert!(told["response"].as_str().is_some_and(|all| all.contains("text/event-stream")), "theirs: {told}");
    assert_eq!(told["last"], json!("body"), "each phase has a bar: {told}");
    Ok(())
}

const TRAVELLED: &str = r"
const text = (selector) => $(`[data-http] ${selector}`)?.innerText ?? null;
return {
  status: $('[data-http]').dataset.httpStatus,
  line: text('summary'),
  request: text('[data-headers=request]'),
  response: text('[data-headers=response]'),
  last: $$('[data-http] [data-phase]').at(-1)?.dataset.phase ?? null,
};
";

#[test]
fn a_server_nobody_approved_starts_only_after_a_person_allows_it_in_the_native_dialog() -> Result<()> {
    let load = binary("sonde-load")?;
    Journey::new("approval").unapproved_server("new", &load, &[]).with_window_manager().run(async |window| {
        window.click("[data-server=new]").await?;
        window.click("[data-action=connect]").await?;
        // Enter presses the default, which denies.
        window.type_at(DIALOG, &["Return"]).await?;
        let refused = window.until("the message", "$('[data-error=approval-denied]')?.innerText").await?;
        assert!(refused.as_str().is_some_and(|text| text.contains("was not connected")), "what happened: {refused}");
        assert_eq!(window.count("[data-server=new][data-state=stopped]").await?, 1, "nothing was started");

        window.click("[data-action=connect]").await?;
        window.type_at(DIALOG, &["Tab", "Return"]).await?;
        window.until("the server", "$('[data-server=new][data-state=ready]')").await?;
        window.until("its tools", "$('[data-tool=echo]')").await?;
        Ok(())
    })
}

const DIALOG: &str = "^Sonde: approval$";
