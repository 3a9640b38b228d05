//! Servers at an address: what their entries may say, and what is refused.

use std::path::Path;

use sonde_registry::{Dialect, EntryError, Proxy, Registry, Severity};

use crate::{load_project, remote, write};

fn load_entry(entry: &str) -> (Registry, tempfile::TempDir) {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(".mcp.json"), &format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
    (load_project(root.path()), root)
}

#[test]
fn an_address_has_three_names_and_a_transport_several() {
    for (entry, dialect) in [
        (r#"{"url":"https://example.com/mcp"}"#, Dialect::Auto),
        (r#"{"serverUrl":"https://example.com/mcp"}"#, Dialect::Auto),
        (r#"{"httpUrl":"https://example.com/mcp","type":null}"#, Dialect::Auto),
        (r#"{"type":"http","url":"https://example.com/mcp"}"#, Dialect::Http),
        (r#"{"type":"streamable-http","url":"https://example.com/mcp"}"#, Dialect::Http),
        (r#"{"type":"streamable","url":"https://example.com/mcp"}"#, Dialect::Http),
        (r#"{"transport":"streamableHttp","url":"https://example.com/mcp"}"#, Dialect::Http),
        (r#"{"transport":"sse","url":" https://EXAMPLE.com/mcp "}"#, Dialect::Sse),
    ] {
        let (registry, _root) = load_entry(entry);
        assert_eq!(registry.problems, [], "`{entry}`");
        let server = remote(&registry.servers[0]);
        assert_eq!((server.dialect, server.url.as_str()), (dialect, "https://example.com/mcp"), "`{entry}`");
        assert!(registry.servers[0].needs_approval(), "an address is asked about as a command is");
    }
}

#[test]
fn everything_about_the_way_there_is_read() {
    let (registry, _root) = load_entry(
        r#"{"url":"https://${HOST}.com/mcp?key=${HOST}","headers":{"Authorization":"Bearer ${HOST}","X-Tenant":"shop",
            "X-Region":"${REGION:-eu}"},"oauth":{},"sonde":{"proxy":"http://ada:pw@proxy:3128","caFile":"ca.pem",
            "clientCertificate":"me.pem","clientKey":"me.key","timeout":"5s",
            "retries":0,"trust":"sha256:AB00000000000000000000000000000000000000000000000000000000000001"}}"#,
    );
    assert_eq!(registry.problems, [], "all of it is known");
    let server = remote(&registry.servers[0]);
    assert_eq!(server.url.as_str(), "https://example.com/mcp?key=example", "variables are filled in");
    assert_eq!(server.written, "https://${HOST}.com/mcp?key=${HOST}", "and what may be shown has none of their values");
    let headers: Vec<_> = server.headers.iter().map(|header| (&*header.name, &*header.value, header.secret)).collect();
    let wanted = [("Authorization", "Bearer example", true), ("X-Tenant", "shop", false), ("X-Region", "eu", true)];
    assert_eq!(headers, wanted, "what is called so, or comes from a variable, is a secret");
    assert_eq!(server.headers[0].written, "Bearer ${HOST}");
    assert!(matches!(&server.proxy, Proxy::By(url) if url.password() == Some("pw")));
    assert_eq!(server.proxy.shown().as_deref(), Some("http://proxy:3128"), "its password is nobody's business");
    assert_eq!(server.ca_file.as_deref(), Some(Path::new("ca.pem")));
    assert_eq!(server.client_certificate.as_deref(), Some(Path::new("me.pem")));
    assert_eq!(server.client_key.as_deref(), Some(Path::new("me.key")));
    assert_eq!(server.retries, 0, "never");
    assert_eq!(server.trust.map(|pin| (pin[0], pin[31])), Some((0xab, 1)));
    assert!(registry.servers[0].profile.timeout.is_some(), "the profile stands beside it");
    let shown = format!("{registry:?}");
    assert!(!shown.contains("Bearer") && !shown.contains("pw@"), "nothing prints it by accident: {shown}");
}

#[test]
fn an_address_that_cannot_be_used_is_refused_with_the_reason() {
    for (entry, field, words) in [
        (r#"{"url":"example.com/mcp"}"#, "url", "https://example.com/mcp"),
        (r#"{"serverUrl":"ws://example.com"}"#, "serverUrl", "not `ws`"),
        (r#"{"url":"unix:///tmp/s.sock"}"#, "url", "not `unix`"),
        (r#"{"url":"https://"}"#, "url", "no address"),
        (r#"{"url":"https://ada:s3cret@example.com"}"#, "url", "Authorization"),
        (r#"{"url":"https://ada@example.com"}"#, "url", "user"),
        (r#"{"url":"https://example.com/#s3cret"}"#, "url", "never sent"),
        (r#"{"url":"https://example.com:99999/"}"#, "url", "port"),
        (r#"{"url":["https://s3cret"]}"#, "url", "a string"),
        (r#"{"url":"https://x","type":"stdio"}"#, "type", "`streamable-http`"),
        (r#"{"url":"https://x","transport":{"type":"sse"}}"#, "transport", "a string"),
        (r#"{"url":"https://x","headers":["A: s3cret"]}"#, "headers", "an object"),
        (r#"{"url":"https://x","headers":{"A":[7]}}"#, "headers.A", "a string"),
        (r#"{"url":"https://x","http_max_retries":11}"#, "http_max_retries", "0 to 10"),
        (r#"{"url":"https://x","http_retry_backoff":0.5}"#, "http_retry_backoff", "1 to 10"),
        (r#"{"command":"x","type":"http"}"#, "type", "no `url`"),
        (r#"{"url":"https://x","headers":{"A b":"s3cret"}}"#, "headers.A b", "name"),
        (r#"{"url":"https://x","headers":{"":"s3cret"}}"#, "headers.", "empty"),
        (r#"{"url":"https://x","headers":{"A":"s3cret\r\nB: c"}}"#, "headers.A", "line break"),
        (r#"{"url":"https://x","headers":{"A":"s3cret\u0000"}}"#, "headers.A", "NUL"),
        (r#"{"url":"https://x","headers":{"A":"s3cret\u001b"}}"#, "headers.A", "0x1b"),
        (r#"{"url":"https://x","headers":{"A":"s3cret é"}}"#, "headers.A", "ASCII"),
        (r#"{"url":"https://x","headers":{"x-a":"1","X-A":"2"}}"#, "headers.X-A", "twice"),
        (r#"{"url":"https://x","sonde":{"proxy":"socks5://s3cret@x"}}"#, "sonde.proxy", "socks5"),
        (r#"{"url":"https://x","sonde":{"proxy":"s3cret"}}"#, "sonde.proxy", "`none`"),
        (r#"{"url":"https://x","sonde":{"proxy":["s3cret"]}}"#, "sonde.proxy", "a string"),
        (r#"{"url":"https://x","sonde":{"trust":"sha256:abcd"}}"#, "sonde.trust", "64"),
        (r#"{"url":"https://x","sonde":{"trust":"md5:abcd"}}"#, "sonde.trust", "sha256"),
        (r#"{"url":"https://x","sonde":{"retries":11}}"#, "sonde.retries", "0 to 10"),
        (r#"{"url":"https://x","sonde":{"trust":true}}"#, "sonde.trust", "a string"),
        (r#"{"url":"https://x","sonde":{"clientKey":"me.key"}}"#, "sonde.clientKey", "clientCertificate"),
    ] {
        let (registry, _root) = load_entry(entry);
        assert!(registry.servers.is_empty(), "`{entry}` can't be used");
        let error = &registry.problems[0].error;
        let EntryError::Field { server, field: found, problem } = error else { panic!("`{entry}`: {error:?}") };
        assert_eq!((&**server, &**found), ("s", field), "server and field are named: `{entry}`");
        assert!(problem.contains(words), "`{entry}`: {problem}");
        assert!(!error.to_string().contains("s3cret"), "what may be a secret is not told: {error}");
        assert_eq!(error.severity(), Severity::Error);
    }
}

#[test]
fn headers_that_the_transport_writes_are_refused_with_the_reason() {
    for name in [
        "Accept",
        "content-type",
        "Content-Length",
        "HOST",
        "Connection",
        "Mcp-Session-Id",
        "MCP-Protocol-Version",
        "Last-Event-ID",
        "Transfer-Encoding",
    ] {
        let (registry, _root) = load_entry(&format!(r#"{{"url":"https://x","headers":{{"{name}":"s3cret"}}}}"#));
        assert!(registry.servers.is_empty(), "`{name}` would break the transport");
        let told = registry.problems[0].error.to_string();
        assert!(told.contains(name) && told.contains("can't be set: ") && !told.contains("s3cret"), "{told}");
    }
}

#[test]
fn a_command_and_an_address_or_two_addresses_are_one_too_many() {
    for (entry, words) in [
        (r#"{"command":"x","url":"https://x"}"#, "both `command` and `url`"),
        (r#"{"url":"https://x","httpUrl":"https://y"}"#, "both `url` and `httpUrl`"),
        (r#"{"type":"http"}"#, "neither `command` nor `url`"),
    ] {
        let (registry, _root) = load_entry(entry);
        let told = registry.problems[0].error.to_string();
        assert!(registry.servers.is_empty() && told.contains(words), "`{entry}`: {told}");
    }
}

#[test]
fn a_variable_that_is_not_set_is_named_with_its_field() {
    for (entry, field) in [
        (r#"{"url":"https://${NOWHERE}/"}"#, "url"),
        (r#"{"url":"https://x","headers":{"A":"${NOWHERE}"}}"#, "headers.A"),
        (r#"{"url":"https://x","sonde":{"caFile":"${NOWHERE}"}}"#, "sonde.caFile"),
    ] {
        let (registry, _root) = load_entry(entry);
        let wanted =
            EntryError::Unset { server: "s".to_owned(), variable: "NOWHERE".to_owned(), field: field.to_owned() };
        assert_eq!(registry.problems[0].error, wanted);
    }
}

#[test]
fn a_secret_that_goes_out_unencrypted_is_told_and_the_server_is_used() {
    let secret = r#""headers":{"Authorization":"Bearer s3cret","X-Tenant":"a"}"#;
    for (url, exposed) in [
        ("http://example.com/mcp", true),
        ("http://10.0.0.1/mcp", true),
        ("https://example.com/mcp", false),
        ("http://localhost:8080/mcp", false),
        ("http://shop.localhost/mcp", false),
        ("http://127.0.0.5/mcp", false),
        ("http://[::1]/mcp", false),
    ] {
        let (registry, _root) = load_entry(&format!(r#"{{"url":"{url}",{secret}}}"#));
        assert_eq!(registry.servers.len(), 1, "`{url}` is used");
        assert_eq!(registry.problems.len(), usize::from(exposed), "`{url}`: {:?}", registry.problems);
        for problem in &registry.problems {
            let told = problem.error.to_string();
            assert_eq!(problem.error.severity(), Severity::Warning);
            assert!(told.contains("`url`") && told.contains("Authorization") && !told.contains("s3cret"), "{told}");
            assert!(!told.contains("X-Tenant"), "only what is a secret: {told}");
        }
    }
    let (registry, _root) = load_entry(r#"{"url":"http://example.com","headers":{"X-Tenant":"a"}}"#);
    assert_eq!(registry.problems, [], "nothing of it is a secret");
}

#[test]
fn what_means_nothing_is_a_warning_and_depends_on_the_kind_of_server() {
    let (registry, _root) = load_entry(r#"{"command":"x","sonde":{"proxy":"none"}}"#);
    let told = registry.problems[0].error.to_string();
    assert!(told.contains("`sonde.proxy`") && !told.contains("caFile"), "a command goes by no proxy: {told}");
    let (registry, _root) = load_entry(r#"{"url":"https://x","sonde":{"cafile":"x"}}"#);
    let told = registry.problems[0].error.to_string();
    assert!(told.contains("`sonde.cafile`") && told.contains("caFile"), "{told}");
    assert_eq!((registry.servers.len(), registry.problems[0].error.severity()), (1, Severity::Warning));
}
