//! Servers at an address.

use std::time::Duration;

use sonde_transport::{HttpFailure, Moment};

use super::*;
use crate::api::error::ErrorCode;
use crate::explain::http::{request, unreachable};

fn status(status: u16, said: Option<&str>, challenges: &[&str]) -> HttpFailure {
    HttpFailure::Status {
        status,
        said: said.map(str::to_owned),
        challenges: challenges.iter().map(|value| (*value).to_owned()).collect(),
        retry_after: (status == 429).then(|| "30".to_owned()),
    }
}

#[test]
fn servers_that_answer_with_a_status() {
    let mut sheet = Sheet::new("http-status.txt");
    let metadata = "Bearer resource_metadata=\"https://example.com/.well-known/oauth-protected-resource\"";
    for (what, failure) in [
        ("400", status(400, Some("Bad Request: no session"), &[])),
        ("401 without a challenge", status(401, None, &[])),
        ("401 with OAuth", status(401, Some("missing token"), &[metadata])),
        ("401 with a plain token", status(401, None, &["Bearer realm=\"shop\""])),
        ("401 with a password", status(401, None, &["Basic realm=\"shop\""])),
        ("401 with something else", status(401, None, &["Digest qop=\"auth\""])),
        ("403", status(403, Some("not you"), &[])),
        ("403 for want of a scope", status(403, None, &["Bearer error=\"insufficient_scope\", scope=\"write\""])),
        ("404", status(404, Some("<html>nothing</html>"), &[])),
        ("405", status(405, None, &[])),
        ("406", status(406, None, &[])),
        ("413", status(413, None, &[])),
        ("429", status(429, None, &[])),
        ("500", status(500, Some("stack trace"), &[])),
        ("502", status(502, None, &[])),
        ("504", status(504, None, &[])),
        ("418", status(418, Some("a teapot"), &[])),
    ] {
        sheet.tell(what, &unreachable(&at_address(), ErrorCode::HandshakeFailed, &failure));
    }
    sheet.tell("to a request", &request(&at_address(), &status(500, Some("stack trace"), &[])));
    sheet.check();
}

#[test]
fn servers_that_are_not_reached() {
    let mut sheet = Sheet::new("http-failures.txt");
    let (host, address) = ("example.com".to_owned(), "example.com:443".to_owned());
    let problem = || "what the system said".to_owned();
    for (what, failure) in [
        ("no such name", HttpFailure::Unresolved { host: host.clone(), problem: problem() }),
        ("nobody listens", HttpFailure::Unconnected { address: address.clone(), problem: problem() }),
        ("no answer at all", HttpFailure::ConnectTimeout { address, limit: Duration::from_secs(10) }),
        (
            "a certificate that nobody knows",
            HttpFailure::Untrusted { host: host.clone(), problem: problem(), fingerprint: Some("ab12".to_owned()) },
        ),
        ("no certificate", HttpFailure::Untrusted { host: host.clone(), problem: problem(), fingerprint: None }),
        ("no TLS", HttpFailure::Handshake { host: host.clone(), problem: problem() }),
        ("our certificate", HttpFailure::Handshake { host, problem: "CertificateRequired".to_owned() }),
        ("a proxy", HttpFailure::Proxy { problem: problem() }),
        ("broken", HttpFailure::Broken { when: Moment::Reading, problem: problem() }),
        (
            "moved",
            HttpFailure::Redirected {
                status: 301,
                location: "https://x.example/".to_owned(),
                reason: "another origin",
            },
        ),
        ("a page", HttpFailure::ContentType { found: "`text/html`".to_owned(), preview: "<html>".to_owned() }),
        ("nothing", HttpFailure::Empty { status: 200 }),
        ("another answer", HttpFailure::AnotherAnswer { preview: "{}".to_owned() }),
        ("a forgotten session", HttpFailure::SessionLost),
        ("no endpoint", HttpFailure::NoEndpoint(Duration::from_secs(10))),
        ("too much", HttpFailure::TooLarge { limit: 10 }),
        ("packed", HttpFailure::Encoding { encoding: "snappy".to_owned() }),
    ] {
        sheet.tell(what, &unreachable(&at_address(), ErrorCode::ConnectionLost, &failure));
    }
    sheet.check();
}
