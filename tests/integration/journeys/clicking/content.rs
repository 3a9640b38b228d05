//! Bytes within results.

#![expect(clippy::expect_used, reason = "a journey stops at the first thing that is not as it says")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use integration::Door;
use serde_json::{Value, json};
use sonde_app::ErrorCode;

use super::{demo, send};

async fn bytes(door: &Door, call: &Value, pointer: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        let request = json!({ "call": call["id"], "pointer": pointer, "offset": bytes.len() });
        let part = door.ask("read_content_part", request).await;
        let decoded = STANDARD.decode(part["base64"].as_str().unwrap_or_default()).expect("a part is base64");
        if decoded.is_empty() {
            return bytes;
        }
        bytes.extend(decoded);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_and_a_sound_are_known_by_their_bytes() {
    let (_profile, door) = demo().await;
    let picture = send(&door, "resources/read", json!({ "uri": "demo://pixel.png" })).await;
    let of = |call: &Value| json!({ "call": call["id"], "pointer": "/contents/0/blob" });
    let content = door.ask("read_content", of(&picture)).await;
    assert_eq!((&content["appearance"], &content["media"]), (&json!("image"), &json!("image/png")), "{content}");
    assert!(content["width"].as_u64().is_some_and(|width| width > 0), "{content}");
    let whole = bytes(&door, &picture, "/contents/0/blob").await;
    assert_eq!(whole.len() as u64, content["size"].as_u64().unwrap_or_default(), "every byte of it");
    assert!(whole.starts_with(b"\x89PNG"), "decoded");
    let sound = send(&door, "resources/read", json!({ "uri": "demo://tone.wav" })).await;
    assert_eq!(door.ask("read_content", of(&sound)).await["appearance"], "audio");
    let drawing = send(&door, "resources/read", json!({ "uri": "demo://drawing.svg" })).await;
    let error = door.call("read_content", of(&drawing)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownEntry, "a drawing is text, and no bytes are at that place: {error}");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_page_gets_only_the_beginning_of_is_read_whole_part_by_part() {
    let (profile, door) = demo().await;
    let large = send(&door, "resources/read", json!({ "uri": "demo://large.bin" })).await;
    let result = &large["result"];
    assert!(result["shown"].as_u64() < result["size"].as_u64(), "it is too large for the page: {}", result["size"]);
    let content = door.ask("read_content", json!({ "call": large["id"], "pointer": "/contents/0/blob" })).await;
    let whole = bytes(&door, &large, "/contents/0/blob").await;
    assert_eq!(json!(whole.len()), content["size"]);
    let place = profile.data().join("saved.bin");
    let id = large["id"].as_u64().expect("a call has a number");
    door.app.write_content(id, "/contents/0/blob", &place).await.expect("the person chose a good place");
    assert_eq!(std::fs::read(&place).expect("it was written"), whole);
    let ask = json!({ "call": large["id"], "pointer": "/contents/0/blob", "name": "../x.bin" });
    let error = door.call("save_content", ask).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::PlaceNeeded, "the page itself can't say where: {error}");
    assert_eq!(error.context[0].value, "_x.bin", "nor lead anywhere by a name");
    door.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_none_are_told_of_where_they_would_be_shown() {
    let (_profile, door) = demo().await;
    let call = send(&door, "resources/read", json!({ "uri": "demo://readme" })).await;
    let content = door.ask("read_content", json!({ "call": call["id"], "pointer": "/contents/0/text" })).await;
    let problem = content["problem"].as_str().expect("a text is no base64");
    assert!(problem.contains("not base64"), "{problem}");
    for (call, pointer) in [(json!(9999), "/contents/0/blob"), (call["id"].clone(), "/no/such/place")] {
        door.call("read_content", json!({ "call": call, "pointer": pointer })).await.unwrap_err();
    }
    door.close().await;
}
