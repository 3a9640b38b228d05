//! An app whose only server is a [`Site`].

use serde_json::{Value, json};
use sonde_app::{ApiError, Ask, Begun, Keeping, Posture, Setup, TypedUrl};

use super::{EventStream, Request, Site, Visit};
use crate::{Door, LIMIT, Log, Profile, ask, ended, within};

const LATEST: &str = "2025-11-25";

/// As a terminal opens it: every capability is declared, and lists are fetched only when somebody asks.
pub struct HttpStage {
    pub door: Door,
    pub profile: Profile,
    pub site: Site,
    /// The name of the server.
    pub server: String,
}

impl HttpStage {
    pub async fn open() -> Self {
        HttpStage::open_with(|_, _| {}).await
    }

    /// What is typed and the set-up may be changed.
    pub async fn open_with(adjust: impl FnOnce(&mut TypedUrl, &mut Setup)) -> Self {
        let (profile, site) = (Profile::default(), Site::open().await);
        // Whatever proxy this machine has is not asked.
        let url = format!("{}/mcp", site.origin);
        let mut typed = TypedUrl { url, proxy: Some("none".to_owned()), ..TypedUrl::default() };
        let terminal = |setup: &mut Setup| {
            (setup.posture, setup.keeping) = (Posture::terminal(), Keeping::OnDemand);
            adjust(&mut typed, setup);
            setup.typed = Some(typed.into());
        };
        let door = profile.open_with(terminal).await;
        let list = door.ask("list_servers", json!({})).await;
        let servers = list["servers"].as_array().expect("a list of servers");
        let typed = servers.iter().find(|server| server["origin"]["layer"] == "typed").expect("it is listed");
        let server = typed["id"].as_str().expect("a name is text").to_owned();
        HttpStage { door, profile, site, server }
    }

    /// The server is an entry of the project's `.mcp.json`, approved, with this as its `sonde`.
    pub async fn configured(site: Site, sonde: Value) -> Self {
        let url = format!("{}/mcp", site.origin);
        HttpStage::configured_in(Profile::default(), site, &url, sonde).await
    }

    /// The same in a project that may have files already, by an address that may lead to the site by another way.
    pub async fn configured_in(profile: Profile, site: Site, url: &str, mut sonde: Value) -> Self {
        if sonde.get("proxy").is_none() {
            sonde["proxy"] = json!("none");
        }
        let profile = profile.with_entry("site", json!({ "url": url, "sonde": sonde }));
        let terminal = |setup: &mut Setup| (setup.posture, setup.keeping) = (Posture::terminal(), Keeping::OnDemand);
        let door = profile.open_with(terminal).await;
        door.approve("site");
        HttpStage { door, profile, site, server: "site".to_owned() }
    }

    /// Begins to connect. What the client says first has not been read yet.
    pub async fn connect(&self) {
        self.door.app.connect(&self.server).await.unwrap_or_else(|error| panic!("it should begin: {error}"));
    }

    /// A connection that agreed on the newest revision, in session `session`, with a server that offers no stream.
    pub async fn ready(&self, session: Option<&str>) {
        self.connect().await;
        self.agree(LATEST, session).await;
        self.site.get().await.status(405).await;
        self.until_ready().await;
    }

    /// The same with a server that does offer one.
    pub async fn ready_listening(&self, session: Option<&str>) -> EventStream {
        self.connect().await;
        self.agree(LATEST, session).await;
        let stream = self.site.get().await.stream().await;
        self.until_ready().await;
        stream
    }

    /// Answers `initialize` and takes `notifications/initialized`.
    pub async fn agree(&self, revision: &str, session: Option<&str>) {
        let initialize = self.site.post("initialize").await;
        let headers: Vec<_> = session.map(|session| ("mcp-session-id", session)).into_iter().collect();
        initialize.reply_with(&headers, agreement(revision)).await;
        self.site.post("notifications/initialized").await.status(202).await;
    }

    pub async fn until_ready(&self) {
        let ready = within(LIMIT, "the server to be ready", self.door.app.until_ready(&self.server)).await;
        ready.unwrap_or_else(|error| panic!("it should connect: {error}"));
    }

    /// Why it could not be connected to.
    pub async fn refused(&self) -> ApiError {
        let ready = within(LIMIT, "the attempt to end", self.door.app.until_ready(&self.server)).await;
        ready.err().unwrap_or_else(|| panic!("it should not connect"))
    }

    /// Sends a request; gives it with the visit that it became.
    pub async fn begin(&self, method: &str, params: Value) -> (Begun, Visit) {
        let ask = Ask { validate: false, server: self.server.clone(), ..ask(method, params) };
        let begun = within(LIMIT, "a request to be sent", self.door.app.begin(ask)).await;
        let begun = begun.unwrap_or_else(|error| panic!("it should be sent: {error}"));
        let id: Value = serde_json::from_str(&begun.request_id).expect("an id is JSON");
        let wanted = |request: &Request| {
            let message = request.message();
            request.method == "POST" && message["method"] == method && message["id"] == id
        };
        (begun, self.site.visit(&format!("POST of `{method}`"), wanted).await)
    }

    /// A call that the server answers at once; gives the request that it was.
    pub async fn ping(&self) -> Request {
        let (begun, visit) = self.begin("ping", Value::Null).await;
        let request = visit.request.clone();
        visit.reply(json!({ "result": {} })).await;
        ended(begun).await;
        request
    }

    /// Disconnects, whatever the server still has to say, and gives everything that was recorded.
    pub async fn end(&self) -> Log {
        let delete = async {
            loop {
                self.site.delete().await.status(200).await;
            }
        };
        let ending = within(LIMIT, "the connection to end", self.door.app.disconnect(&self.server));
        tokio::select! {
            ended = ending => drop(ended),
            () = delete => {}
        }
        self.door.until_recorded(&self.server).await;
        self.log().await
    }

    /// The rows of the newest connection.
    pub async fn log(&self) -> Log {
        Log { rows: self.door.rows(self.view()).await }
    }

    pub fn view(&self) -> Value {
        json!({ "server": self.server, "kind": null, "connection": self.door.app.connection(&self.server) })
    }

    /// Ends whatever is connected, and the app.
    pub async fn close(self) {
        let delete = async {
            loop {
                self.site.delete().await.status(200).await;
            }
        };
        tokio::select! {
            () = self.door.clone().close() => {}
            () = delete => {}
        }
    }
}

/// The answer to `initialize` of a server that has tools and says what it does.
pub fn agreement(revision: &str) -> Value {
    let capabilities = json!({ "tools": { "listChanged": true }, "logging": {} });
    let info = json!({ "name": "site", "version": "1" });
    json!({ "result": { "protocolVersion": revision, "capabilities": capabilities, "serverInfo": info } })
}
