//! What a person does while clicking through a server: reads, completes, subscribes, follows tasks, repeats, keeps.

mod changes;
mod content;
mod keeping;
mod lines;
mod news;
mod tasks;

use integration::{Door, Profile};
use serde_json::{Value, json};

async fn demo() -> (Profile, Door) {
    let profile = Profile::default();
    let door = profile.open().await;
    door.connect("demo").await;
    (profile, door)
}

fn request(method: &str, params: Value) -> Value {
    json!({
        "server": "demo", "method": method, "params": params.to_string(), "meta": null, "timeout_ms": null,
        "silence_ms": null, "task": null, "anyway": false, "validate": false,
    })
}

async fn send(door: &Door, method: &str, params: Value) -> Value {
    let call = door.ask("send_request", request(method, params)).await;
    door.until_ended(&call).await
}
