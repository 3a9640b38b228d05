//! The order in which a person sees the servers.

use integration::{Profile, binary};
use serde_json::json;
use sonde_app::ErrorCode;

use super::ids;

#[tokio::test(flavor = "multi_thread")]
async fn servers_stand_as_they_were_arranged_also_the_next_time() {
    let command = binary("sonde-load");
    let command = command.to_str().unwrap();
    let profile =
        ["a", "b", "c"].iter().fold(Profile::default(), |profile, name| profile.with_server(name, command, &[]));
    let door = profile.open().await;
    assert_eq!(ids(&door).await, ["a", "b", "c", "demo"], "as the files have them");
    let groups = json!([{ "name": "work", "servers": ["c", "demo"] }, { "name": "", "servers": ["b"] }]);
    door.ask("arrange_servers", json!({ "groups": groups })).await;
    assert_eq!(ids(&door).await, ["c", "demo", "b", "a"], "those that are not named follow");
    let twice = json!({ "groups": [{ "name": "x", "servers": ["a"] }, { "name": "y", "servers": ["a"] }] });
    let refused = door.call("arrange_servers", twice).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidRequest, "{refused}");
    door.close().await;

    let door = profile.open().await;
    assert_eq!(ids(&door).await, ["c", "demo", "b", "a"]);
    let list = door.ask("list_servers", json!({})).await;
    assert_eq!(list["arrangement"]["groups"], groups);
    door.close().await;
}
