//! Whose certificate is trusted, what is told of it, and who we are to the server.

use std::collections::BTreeSet;

use integration::{Authority, HttpStage, Identity, Profile, Site};
use serde_json::{Value, json};
use sonde_app::ApiError;

use super::fact;

const HERE: &[&str] = &["localhost", "127.0.0.1"];

/// A server with this certificate, in a project that has the authority's as `authority.pem`.
async fn stage(authority: &Authority, identity: &Identity, sonde: Value) -> HttpStage {
    let site = Site::encrypted(identity, None).await;
    let url = format!("{}/mcp", site.origin);
    HttpStage::configured_in(profile(authority), site, &url, sonde).await
}

fn profile(authority: &Authority) -> Profile {
    let profile = Profile::default();
    std::fs::write(profile.project().join("authority.pem"), &authority.pem).unwrap();
    profile
}

fn authority_file() -> Value {
    json!({ "caFile": "authority.pem" })
}

fn trusting(fingerprint: &str) -> Value {
    json!({ "trust": format!("sha256:{fingerprint}") })
}

/// Why a server is not trusted, to which nothing was said.
async fn untrusted(stage: HttpStage, identity: &Identity) -> ApiError {
    stage.connect().await;
    let error = stage.refused().await;
    assert!(error.message.contains("certificate of `127.0.0.1` is not trusted"), "{error:?}");
    assert_eq!(
        fact(&error, "fingerprint"),
        [format!("sha256:{}", identity.fingerprint)],
        "whoever knows better can say so: {error:?}"
    );
    assert_eq!(stage.site.requests().len(), 0, "nothing is said to whom nobody trusts");
    stage.door.until_recorded(&stage.server).await;
    stage.close().await;
    error
}

#[tokio::test]
async fn a_certificate_of_an_own_authority_is_trusted_where_its_file_is_given() {
    let authority = Authority::default();
    let identity = authority.sign(HERE);
    let error = untrusted(stage(&authority, &identity, json!({})).await, &identity).await;
    assert!(error.hint.as_deref().unwrap_or_default().contains("caFile"), "it says what to do: {error:?}");

    let stage = stage(&authority, &identity, authority_file()).await;
    stage.ready(None).await;
    stage.ping().await;
    let detail = stage.door.ask("describe_server", json!({ "server": stage.server })).await;
    let log = stage.end().await;
    let row = stage.door.row(log.one("ping")).await;
    for facts in [&detail["tls"], &row["http"][0]["tls"]] {
        assert_eq!(facts["version"], "TLS 1.3", "{facts}");
        assert_eq!(facts["subject"], "CN=site of the journey", "{facts}");
        assert_eq!(facts["issuer"], "CN=authority of the journey", "{facts}");
        assert_eq!(facts["names"], json!(HERE), "{facts}");
        assert_eq!(facts["fingerprint"], *identity.fingerprint, "{facts}");
        assert!(facts["trusted"].as_str().unwrap().contains("of the given file"), "{facts}");
        assert!(facts["not_after"].as_str().unwrap().starts_with("4096-"), "{facts}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_certificate_that_was_chosen_is_trusted_and_no_other_is() {
    let authority = Authority::default();
    let (identity, other) = (Identity::self_signed(HERE), Identity::self_signed(HERE));
    untrusted(stage(&authority, &identity, json!({})).await, &identity).await;
    untrusted(stage(&authority, &identity, trusting(&other.fingerprint)).await, &identity).await;

    let chosen = stage(&authority, &identity, trusting(&identity.fingerprint)).await;
    chosen.ready(None).await;
    chosen.ping().await;
    let log = chosen.end().await;
    let facts = chosen.door.row(log.one("ping")).await["http"][0]["tls"].clone();
    assert_eq!(facts["trusted"], "because it is the one that was chosen", "{facts}");
    chosen.close().await;

    let good = authority.sign(HERE);
    let both = json!({ "caFile": "authority.pem", "trust": format!("sha256:{}", identity.fingerprint) });
    untrusted(stage(&authority, &good, both).await, &good).await;
}

#[tokio::test]
async fn a_certificate_that_is_too_old_or_for_somebody_else_is_refused() {
    let authority = Authority::default();
    let expired = authority.sign_expired(HERE);
    let error = untrusted(stage(&authority, &expired, authority_file()).await, &expired).await;
    assert!(error.message.contains("xpired"), "{error:?}");
    let elsewhere = authority.sign(&["elsewhere.example"]);
    let error = untrusted(stage(&authority, &elsewhere, authority_file()).await, &elsewhere).await;
    assert!(error.message.contains("127.0.0.1") && error.message.contains("elsewhere.example"), "{error:?}");
}

#[tokio::test]
async fn a_file_that_is_missing_or_has_no_certificate_is_named_before_anything_is_sent() {
    let authority = Authority::default();
    let identity = authority.sign(HERE);
    for (sonde, words) in [
        (json!({ "caFile": "nowhere.pem" }), "nowhere.pem"),
        (json!({ "caFile": ".mcp.json" }), "has no certificate in it"),
        (json!({ "clientCertificate": "authority.pem" }), "authority.pem"),
    ] {
        let stage = stage(&authority, &identity, sonde).await;
        stage.connect().await;
        let error = stage.refused().await;
        assert!(error.message.contains(words), "{error:?}");
        assert_eq!(stage.site.requests().len(), 0, "{words}");
        stage.close().await;
    }
}

#[tokio::test]
async fn a_server_that_wants_our_certificate_gets_it() {
    let (authority, clients) = (Authority::default(), Authority::default());
    let identity = authority.sign(HERE);
    let ours = clients.sign(&["somebody"]);
    let enter = async |sonde: Value| {
        let profile = profile(&authority);
        ours.write(&profile.project(), "ours");
        std::fs::write(profile.project().join("both.pem"), format!("{}{}", ours.pem, ours.key_pem)).unwrap();
        Identity::self_signed(&["stranger"]).write(&profile.project(), "stranger");
        let site = Site::encrypted(&identity, Some(&clients)).await;
        let url = format!("{}/mcp", site.origin);
        HttpStage::configured_in(profile, site, &url, sonde).await
    };
    for sonde in [
        json!({ "caFile": "authority.pem", "clientCertificate": "ours.pem", "clientKey": "ours.key" }),
        json!({ "caFile": "authority.pem", "clientCertificate": "both.pem" }),
    ] {
        let stage = enter(sonde).await;
        stage.ready(None).await;
        stage.ping().await;
        stage.close().await;
    }
    let stranger =
        json!({ "caFile": "authority.pem", "clientCertificate": "stranger.pem", "clientKey": "stranger.key" });
    for (sonde, words) in [(authority_file(), "CertificateRequired"), (stranger, "UnknownCA")] {
        let stage = enter(sonde).await;
        stage.connect().await;
        let error = stage.refused().await;
        assert!(error.message.contains("no encrypted connection to `127.0.0.1`"), "{error:?}");
        assert!(error.message.contains(words), "in the words of the server: {error:?}");
        assert_eq!(stage.site.requests().len(), 0, "{words}");
        stage.door.until_recorded(&stage.server).await;
        stage.close().await;
    }
}

#[tokio::test]
async fn the_phases_of_an_exchange_are_those_that_it_had() {
    let authority = Authority::default();
    let site = Site::encrypted(&authority.sign(HERE), None).await;
    let url = format!("{}/mcp", site.origin.replace("127.0.0.1", "localhost"));
    let stage = HttpStage::configured_in(profile(&authority), site, &url, authority_file()).await;
    stage.ready(None).await;
    // A connection is free again a moment after its answer, so which one the next request takes is not sure.
    let mut pings = Vec::new();
    let mut known: BTreeSet<usize> = stage.site.requests().iter().map(|request| request.connection).collect();
    while pings.len() < 20 || !pings.contains(&Reused::Yes) {
        let request = stage.ping().await;
        pings.push(if known.insert(request.connection) { Reused::No } else { Reused::Yes });
    }
    let log = stage.end().await;
    let phases = async |row: &Value| {
        let phases = stage.door.row(row).await["http"][0]["phases_ms"].clone();
        ["dns", "connect", "tls", "first_byte", "body"].map(|name| phases[name].is_number())
    };
    assert_eq!(phases(log.one("initialize")).await, [true; 5], "the first has all of them");
    for (row, reused) in log.of("ping").into_iter().zip(&pings) {
        let own = *reused == Reused::No;
        assert_eq!(phases(row).await, [own, own, own, true, true], "{reused:?}");
    }
    stage.close().await;
}

#[derive(Debug, PartialEq)]
enum Reused {
    Yes,
    No,
}
