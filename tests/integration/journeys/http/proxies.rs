//! Others on the way.

use std::process::Command;
use std::sync::{Arc, Mutex};

use integration::{Authority, HttpStage, LIMIT, Profile, Site, agreement, within};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::secrets::found;
use crate::cli::console::{Ran, finish, sonde};

const PASSWORD: &str = "pw-3ce0a91b7d5f4428";
/// `ada` and the password, as a header has them.
const WHO: &str = "Basic YWRhOnB3LTNjZTBhOTFiN2Q1ZjQ0Mjg=";

/// The address of a proxy, with a user and a password in it.
fn by(proxy: &Site) -> String {
    proxy.origin.replace("://", &format!("://ada:{PASSWORD}@"))
}

#[tokio::test]
async fn a_plain_request_goes_to_the_proxy_with_its_whole_address() {
    let proxy = Site::open().await;
    // The journey speaks for both: what comes to the proxy is answered there.
    let url = "http://site.example:8080/mcp?page=1";
    let stage = HttpStage::configured_in(Profile::default(), Site::open().await, url, json!({ "proxy": by(&proxy) }));
    let stage = stage.await;
    stage.connect().await;
    let visit = proxy.post("initialize").await;
    assert_eq!(visit.request.path, url, "the proxy must know where to");
    assert_eq!(visit.request.header("host"), Some("site.example:8080"));
    assert_eq!(visit.request.header("proxy-authorization"), Some(WHO), "and who we are");
    visit.reply(agreement("2025-11-25")).await;
    proxy.post("notifications/initialized").await.status(202).await;
    proxy.get().await.status(405).await;
    stage.until_ready().await;
    let detail = stage.door.ask("describe_server", json!({ "server": stage.server })).await;
    assert!(!detail.to_string().contains(PASSWORD), "{detail}");
    let log = stage.end().await;
    let row = stage.door.row(log.one("initialize")).await;
    assert_eq!(row["http"][0]["url"], url, "the log has the server's address: {row}");
    stage.door.clone().close().await;
    keeps_no_secret(&stage.profile.data());
}

#[tokio::test]
async fn an_encrypted_connection_goes_through_a_tunnel() {
    let authority = Authority::default();
    let site = Site::encrypted(&authority.sign(&["site.example"]), None).await;
    let tunnel = Tunnel::open(&site).await;
    let profile = Profile::default();
    std::fs::write(profile.project().join("authority.pem"), &authority.pem).unwrap();
    let sonde = json!({ "proxy": tunnel.address, "caFile": "authority.pem" });
    let stage = HttpStage::configured_in(profile, site, "https://site.example/mcp", sonde).await;
    stage.ready(None).await;
    let request = stage.ping().await;
    assert_eq!(request.path, "/mcp", "behind the proxy nobody sees that there is one");
    assert_eq!(request.header("proxy-authorization"), None, "and nobody there hears who we are to it");
    for head in tunnel.heads.lock().unwrap().iter() {
        assert!(head.starts_with("CONNECT site.example:443 HTTP/1.1\r\n"), "{head}");
        assert!(head.to_lowercase().contains(&format!("proxy-authorization: {}", WHO.to_lowercase())), "{head}");
    }
    let log = stage.end().await;
    let row = stage.door.row(log.one("ping")).await;
    assert_eq!(row["http"][0]["tls"]["names"], json!(["site.example"]), "the certificate is the server's: {row}");
    stage.door.clone().close().await;
    keeps_no_secret(&stage.profile.data());
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_and_its_password_is_not() {
    for scheme in ["http", "https"] {
        let proxy = Site::open().await;
        let url = format!("{scheme}://site.example/mcp");
        let sonde = json!({ "proxy": by(&proxy) });
        let stage = HttpStage::configured_in(Profile::default(), Site::open().await, &url, sonde).await;
        stage.connect().await;
        let visit = proxy.visit("any request", |_| true).await;
        assert_eq!(visit.request.method, if scheme == "http" { "POST" } else { "CONNECT" });
        assert_eq!(visit.request.header("proxy-authorization"), Some(WHO));
        visit.respond(407, &[("proxy-authenticate", "Basic realm=\"way out\"")], b"").await;
        let error = stage.refused().await;
        assert_eq!(error.title, "Proxy refused", "{scheme}: it was not the server: {error:?}");
        assert!(error.message.contains("the proxy did not let us through"), "{scheme}: {error:?}");
        assert!(!format!("{error:?}").contains(PASSWORD), "{scheme}: {error:?}");
        assert_eq!(proxy.requests().len(), 1, "{scheme}: nobody tries a password twice");
        stage.door.until_recorded(&stage.server).await;
        let shown = json!(stage.log().await.rows).to_string();
        assert!(!shown.contains(PASSWORD), "{scheme}: {shown}");
        stage.door.clone().close().await;
        keeps_no_secret(&stage.profile.data());
    }
}

#[tokio::test]
async fn a_proxy_may_be_encrypted_though_the_server_is_not() {
    let authority = Authority::default();
    let proxy = Site::encrypted(&authority.sign(&["127.0.0.1"]), None).await;
    let profile = Profile::default();
    std::fs::write(profile.project().join("authority.pem"), &authority.pem).unwrap();
    let sonde = json!({ "proxy": by(&proxy), "caFile": "authority.pem" });
    let site = Site::open().await;
    let url = format!("{}/mcp", site.origin);
    let stage = HttpStage::configured_in(profile, site, &url, sonde).await;
    stage.connect().await;
    let visit = proxy.post("initialize").await;
    assert_eq!(visit.request.path, url);
    visit.reply(agreement("2025-11-25")).await;
    proxy.post("notifications/initialized").await.status(202).await;
    proxy.get().await.status(405).await;
    stage.until_ready().await;
    stage.close().await;
}

/// The environment is the whole process's, so the program runs in one of its own.
#[tokio::test]
async fn the_proxy_of_the_environment_is_asked_unless_the_entry_says_none() {
    let (site, proxy) = (Site::open().await, Site::open().await);
    let url = format!("{}/mcp", site.origin);
    let profile = Profile::default()
        .with_entry("by-proxy", json!({ "url": url }))
        .with_entry("direct", json!({ "url": url, "sonde": { "proxy": "none" } }));
    let run = async |words: &[&str]| {
        let mut command = sonde(&profile, words);
        environment(&mut command, &by(&proxy));
        let child = command.spawn().unwrap();
        let ran = tokio::task::spawn_blocking(move || finish(child));
        let ran: Ran = tokio::select! {
            ran = ran => ran.unwrap(),
            () = answer_all(&site) => unreachable!("it answers for ever"),
            () = answer_all(&proxy) => unreachable!("it answers for ever"),
        };
        ran
    };
    for server in ["by-proxy", "direct"] {
        run(&["approve", server, "--yes"]).await.exits(0);
    }
    run(&["ping", "by-proxy"]).await.exits(0);
    let asked = proxy.requests();
    assert!(asked.iter().all(|request| request.path == url), "as the environment says: {asked:?}");
    assert!(!asked.is_empty() && site.requests().is_empty(), "by no other way");
    run(&["ping", "direct"]).await.exits(0);
    assert_eq!(proxy.requests().len(), asked.len(), "the proxy heard nothing of this one");
    assert!(!site.requests().is_empty(), "which went to the server");
    keeps_no_secret(&profile.data());
}

fn environment(command: &mut Command, proxy: &str) {
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"] {
        command.env(name, proxy);
    }
}

/// A server that can be pinged, for ever.
async fn answer_all(site: &Site) {
    loop {
        let visit = site.visit("any request", |_| true).await;
        match &*visit.request.words() {
            "POST initialize" => visit.reply(agreement("2025-11-25")).await,
            "POST ping" => visit.reply(json!({ "result": {} })).await,
            "GET" => visit.status(405).await,
            _ => visit.status(202).await,
        }
    }
}

fn keeps_no_secret(data: &std::path::Path) {
    let user = WHO.trim_start_matches("Basic ");
    for secret in [PASSWORD, user] {
        assert_eq!(found(data, secret), Vec::<String>::new(), "{secret}");
    }
}

/// A proxy that connects everybody to one site, whatever name they ask for.
struct Tunnel {
    address: String,
    /// What each connection began with.
    heads: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Tunnel {
    async fn open(site: &Site) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://ada:{PASSWORD}@{}", listener.local_addr().unwrap());
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let site = site.origin.rsplit('/').next().unwrap().to_owned();
        let noted = heads.clone();
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                open.spawn(dig(client, site.clone(), noted.clone()));
            }
        });
        Tunnel { address, heads, task }
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn dig(mut client: TcpStream, site: String, heads: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    let read = async {
        while !head.ends_with(b"\r\n\r\n") {
            head.push(client.read_u8().await.unwrap());
        }
    };
    within(LIMIT, "the head of a request for a tunnel", read).await;
    heads.lock().unwrap().push(String::from_utf8(head).unwrap());
    let mut server = TcpStream::connect(site).await.unwrap();
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
    // Either side may hang up as it likes.
    tokio::io::copy_bidirectional(&mut client, &mut server).await.ok();
}
