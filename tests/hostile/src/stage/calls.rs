//! Calls: begun, waited for, and remembered, so that the oracle finds every one of them ended.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{LIMIT, Stage, lock};

impl Stage {
    /// Starts a call and gives it as it stands.
    pub async fn start(&self, id: &str, tool: &str, arguments: Value) -> Result<Value> {
        let request = json!({ "server": id, "tool": tool, "arguments": arguments.to_string() });
        let call = self.ask("call_tool", request).await?;
        self.remember(&call)?;
        Ok(call)
    }

    /// The number is enough: what a call holds is not small, and this process is being measured.
    fn remember(&self, call: &Value) -> Result<()> {
        let number = call["id"].as_u64().context("a call has a number")?;
        let what = call["target"].as_str().or(call["method"].as_str()).unwrap_or_default().to_owned();
        lock(&self.calls).push((number, what));
        Ok(())
    }

    /// Starts a call that is given up when its time is over.
    pub async fn start_limited(&self, id: &str, tool: &str, arguments: Value, limit: Duration) -> Result<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(id, "tools/call", json!({ "params": params.to_string(), "timeout_ms": limit.as_millis() as u64 }))
            .await
    }

    /// Sends any request; `more` is what the command takes beside server and method.
    pub async fn send(&self, id: &str, method: &str, more: Value) -> Result<Value> {
        let mut request = json!({ "server": id, "method": method, "anyway": true, "validate": false });
        if let (Some(request), Value::Object(more)) = (request.as_object_mut(), more) {
            request.extend(more);
        }
        let call = self.ask("send_request", request).await?;
        self.remember(&call)?;
        Ok(call)
    }

    pub async fn ended(&self, call: &Value) -> Result<Value> {
        self.ended_within(LIMIT, call).await
    }

    pub async fn ended_within(&self, limit: Duration, call: &Value) -> Result<Value> {
        self.until_within(limit, &format!("the call of {} at {} to end", call["target"], call["server"]), async || {
            let call = self.ask("read_call", json!({ "call": call["id"] })).await?;
            Ok((call["status"] != "running").then_some(call))
        })
        .await
    }

    /// Calls a tool and waits for the end of the call.
    pub async fn call(&self, id: &str, tool: &str, arguments: Value) -> Result<Value> {
        let call = self.start(id, tool, arguments).await?;
        self.ended(&call).await
    }

    /// Calls a tool that must answer; gives the answer's text.
    pub async fn answer(&self, id: &str, tool: &str, arguments: Value) -> Result<String> {
        let call = self.call(id, tool, arguments).await?;
        ensure!(call["status"] == "ok", "`{tool}` should answer: {call}");
        text_of(&call)
    }

    /// That the server still answers its calls.
    pub async fn still_answers(&self, id: &str) -> Result<()> {
        let text = self.answer(id, "echo", json!({ "text": "still here" })).await?;
        ensure!(text == "still here", "the answer belongs to its call: {text}");
        Ok(())
    }
}

/// The text of a call's first content.
pub fn text_of(call: &Value) -> Result<String> {
    let result: Value = serde_json::from_str(call["result"]["text"].as_str().context("the call has a result")?)?;
    Ok(result["content"][0]["text"].as_str().context("the result has a text")?.to_owned())
}
