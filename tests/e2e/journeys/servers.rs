//! States, failures and the native dialog.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use e2e::{Journey, Window, binary};

#[test]
fn a_server_that_fails_says_what_was_run_and_how_it_ended_and_the_rest_stays_usable() -> Result<()> {
    let load = binary("sonde-load")?;
    Journey::new("failures")
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

/// Connects the server and gives what the page says once it has failed.
async fn failure(window: &Window, server: &str) -> Result<String> {
    window.click(&format!("[data-server={server}]")).await?;
    window.click("[data-action=connect]").await?;
    let failed = format!("$('[data-server={server}][data-state=failed][aria-current]') && $('[data-error]')");
    window.until("the failure", &failed).await?;
    window.text("[data-error]").await
}

#[test]
fn the_demo_is_disconnected_and_connected_again_by_its_buttons() -> Result<()> {
    Journey::new("reconnect").run(async |window| {
        window.until("its tools", "$('[data-tool=flood]')").await?;
        window.click("[data-action=disconnect]").await?;
        window.until("its end", "$('[data-server=demo][data-state=stopped]')").await?;
        window.until("nothing to call with", "$('[data-action=call]')?.disabled !== false").await?;
        window.click("[data-action=connect]").await?;
        window.until("its return", "$('[data-server=demo][data-state=ready]')").await?;
        window.until("its tools", "$('[data-tool=flood]')").await?;

        window.click("[data-tool=add]").await?;
        window.fill("[data-field=a] input", "1").await?;
        window.fill("[data-field=b] input", "1").await?;
        window.click("[data-action=call]").await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        assert_eq!(window.text("[data-content=text] pre").await?, "2", "the new connection works");
        Ok(())
    })
}

#[test]
fn a_server_nobody_approved_starts_only_after_a_person_allows_it_in_the_native_dialog() -> Result<()> {
    let load = binary("sonde-load")?;
    Journey::new("approval").unapproved_server("new", &load, &[]).with_window_manager().run(async |window| {
        window.click("[data-server=new]").await?;
        window.click("[data-action=connect]").await?;
        // Enter presses the default, which denies.
        window.type_at(DIALOG, &["Return"]).await?;
        let refused = window.until("the message", "$('[data-error=approval-denied]')?.innerText").await?;
        assert!(refused.as_str().is_some_and(|text| text.contains("was not started")), "what happened: {refused}");
        assert_eq!(window.count("[data-server=new][data-state=stopped]").await?, 1, "nothing was started");

        window.click("[data-action=connect]").await?;
        window.type_at(DIALOG, &["Tab", "Return"]).await?;
        window.until("the server", "$('[data-server=new][data-state=ready]')").await?;
        window.until("its tools", "$('[data-tool=echo]')").await?;
        Ok(())
    })
}

const DIALOG: &str = "^Sonde: approval$";
