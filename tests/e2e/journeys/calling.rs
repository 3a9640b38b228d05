//! Tools, forms and results.

use anyhow::Result;
use e2e::Journey;
use serde_json::json;
use thirtyfour::Key;

#[test]
fn a_call_through_the_form_shows_its_result_and_its_exchange() -> Result<()> {
    Journey::new("call-add").run(async |window| {
        window.click("[data-tool=add]").await?;
        window.fill("[data-field=a] input", "2").await?;
        window.fill("[data-field=b] input", "3").await?;
        window.click("[data-action=call]").await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        assert_eq!(window.text("[data-content=text] pre").await?, "5", "2 and 3 make 5");

        let row = "[data-seq][data-kind=exchange][data-method='tools/call'][data-target=add][data-status=ok]";
        window.click(row).await?;
        window.until("both frames", "$$('[data-detail] [data-frame]').length === 2").await?;
        let request = window.text("[data-frame='0'] [role=tree]").await?;
        assert!(request.contains("tools/call") && request.contains("arguments"), "the request as a tree: {request}");
        let response = window.text("[data-frame='1'] [role=tree]").await?;
        assert!(response.contains("structuredContent"), "the response as a tree: {response}");

        window.click("[data-detail] [data-tab=raw]").await?;
        let request = window.text("[data-frame='0'][data-dir=out] pre").await?;
        let sent: serde_json::Value = serde_json::from_str(&request)?;
        assert_eq!(sent["params"]["arguments"], json!({ "a": 2, "b": 3 }), "the bytes that were sent");
        let response = window.text("[data-frame='1'][data-dir=in] pre").await?;
        let came: serde_json::Value = serde_json::from_str(&response)?;
        assert_eq!(came["result"]["structuredContent"]["sum"], 5, "the bytes that came");
        assert_eq!(came["id"], sent["id"], "the answer belongs to the request");
        Ok(())
    })
}

#[test]
fn a_call_that_is_cancelled_while_it_reports_progress_is_shown_as_cancelled() -> Result<()> {
    Journey::new("cancel-slow").run(async |window| {
        window.click("[data-tool=slow]").await?;
        window.fill("[data-field=seconds] input", "600").await?;
        window.fill("[data-field=steps] input", "1000").await?;
        window.click("[data-action=call]").await?;
        window.until("progress", "$('[data-call] [role=progressbar][aria-valuenow]')").await?;
        window.until("the pending row", "$('[data-seq][data-target=slow][data-status=pending]')").await?;
        window.click("[data-action=cancel]").await?;
        window.until("the cancelled call", "$('[data-result-status=cancelled]')").await?;
        window.until("the cancelled row", "$('[data-seq][data-target=slow][data-status=cancelled]')").await?;
        window.until("the notice to the server", "$('[data-seq][data-method=\"notifications/cancelled\"]')").await?;
        assert_eq!(window.count("[data-call]").await?, 0, "no call is shown as running any more");
        Ok(())
    })
}

#[test]
fn what_nobody_expects_is_a_row_with_its_text_whoever_sent_it() -> Result<()> {
    Journey::new("noise").run(async |window| {
        window.click("[data-tool=noise]").await?;
        window.click("[data-action=call]").await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        let row = window.until("the row", "$('[data-seq][data-kind=unparsable]')?.dataset.target").await?;
        assert_eq!(row, "Listening on stdio... (this line is not JSON)", "the line as it was printed");
        let shown = window.text("[data-seq][data-kind=unparsable] .target").await?;
        assert!(shown.starts_with("Listening on stdio"), "the line can be read in the log: {shown}");
        let row = window.until("the stderr row", "$('[data-seq][data-kind=stderr]')?.dataset.target").await?;
        assert_eq!(row, "noise: a line on stderr", "the line of stderr");

        window.click("[data-tab=logs]").await?;
        window
            .until(
                "the server's own tab has it",
                "$('[data-pane=logs]')?.innerText.includes('noise: a line on stderr')",
            )
            .await?;

        window.click("[data-tab=send]").await?;
        window.click("[data-segment=bytes]").await?;
        window.fill("#send-bytes", "no message at all").await?;
        window.click("[data-action=send]").await?;
        window.until("word of it", "$('[data-raw-sent]')?.innerText.includes('18 bytes')").await?;
        let ours = "[data-seq][data-kind=unparsable][data-target='no message at all']";
        window.until("the row of our own line", &format!("$(\"{ours}\")")).await?;

        // What was not agreed on goes out only when the person insists.
        window.click("[data-segment=request]").await?;
        window.fill("#send-method", "nosuch/method").await?;
        window.click("[data-action=send]").await?;
        window.until("the reason", "$('[data-pane=send] [data-error=objected]')").await?;
        assert_eq!(window.count("[data-method='nosuch/method']").await?, 0, "nothing was sent");
        window.click("[data-action=send-anyway]").await?;
        window.until("the answer", "$('[data-sent-status=protocol-error]')").await?;
        window.until("its row", "$('[data-seq][data-method=\"nosuch/method\"]')").await?;
        Ok(())
    })
}

#[test]
fn arguments_written_as_json_are_called_and_kept_in_step_with_the_form() -> Result<()> {
    let content = "$('.editor .host').shadowRoot?.querySelector('.cm-content')";
    Journey::new("json-mode").run(async |window| {
        window.click("[data-tool=add]").await?;
        window.fill("[data-field=a] input", "2").await?;
        window.click("[data-segment=json]").await?;
        let text = window.until("the editor", &format!("{content}?.innerText")).await?;
        assert!(text.as_str().is_some_and(|text| text.contains("\"a\": 2")), "what the form had is there: {text}");

        window.run(&format!("{content}.focus();")).await?;
        window.press_with_control("a").await?;
        // The last character is missing on purpose.
        window.press("{\"a\": 20, \"b\": 22").await?;
        let problem = window.until("what is wrong", "$('form .c-err')?.innerText").await?;
        let says = problem.as_str().is_some_and(|text| text.contains("line 1, column 18"));
        assert!(says, "the place of what is wrong, by line and column: {problem}");

        window.press("}").await?;
        window.until("nothing wrong", "$('form .c-err') === null").await?;
        window.press_with_control(Key::Enter).await?;
        window.until("the result", "$('[data-result-status=ok]')").await?;
        assert_eq!(window.text("[data-content=text] pre").await?, "42", "20 and 22 make 42");

        window.click("[data-segment=form]").await?;
        window.until("a", "$('[data-field=a] input')?.value === '20'").await?;
        window.until("b", "$('[data-field=b] input')?.value === '22'").await?;
        Ok(())
    })
}
