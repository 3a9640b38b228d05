//! Secrets that stand in a file in clear, and that a person moves.

use integration::{Profile, binary};
use serde_json::json;

const KEY: &str = "sk-moved-0123456789";

pub async fn travel() {
    let profile = Profile::default();
    let path = profile.project().join(".mcp.json");
    let command = json!(binary("sonde-load"));
    let text = format!(
        "{{ \"mcpServers\": {{ \"shop\": {{ // ours\n  \"command\": {command}, \"args\": [\"--tools\", \"2\"],\n  \
         \"env\": {{ \"API_KEY\": \"{KEY}\", \"OTHER_KEY\": \"stays-in-clear\" }} }} }} }}\n"
    );
    std::fs::write(&path, &text).unwrap();
    let door = profile.open().await;
    let mut draft = door.ask("read_draft", json!({ "server": "shop" })).await;
    draft["reach"]["env"][0]["value"] = json!({ "kind": "secret" });
    draft["reach"]["env"][0]["name"] = json!("SHOP_KEY");
    draft["reach"]["env"][0]["was"] = json!("API_KEY");
    let request = json!({ "draft": draft, "replaces": "shop", "target": "project" });
    let saved = door.ask("save_draft", request).await;
    let now = std::fs::read_to_string(&path).unwrap();
    assert!(now.contains("${secret:SHOP_KEY}") && now.contains("// ours"), "{now}");
    assert!(now.contains("stays-in-clear"), "the other one was not asked for: {now}");
    assert!(saved["notices"].to_string().contains("SHOP_KEY moved out"), "{saved}");
    for entry in profile.project().read_dir().unwrap() {
        let path = entry.unwrap().path();
        let held = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(!held.contains(KEY), "{} still has it", path.display());
    }
    door.connect("shop").await;
    door.close().await;

    // Another start of the program.
    let door = profile.open().await;
    let list = door.ask("list_secrets", json!({ "server": "shop" })).await;
    assert_eq!(list["secrets"][0]["known"], true, "the keyring has it: {list}");
    door.close().await;
}
