//! An entry with an address: where the server is, and how it is reached.

use std::path::PathBuf;

use crate::entry::Entry;
use crate::expand::{Expanded, Reference};
use crate::fields::Fields;
use crate::file::EntryError;
use crate::reach::{Dialect, Proxy, RemoteSpec};
use crate::sound;

/// The names of the fields of `sonde` that an entry with an address may have.
pub(crate) const KNOWN: &str = "clientInfo, capabilities, protocol, negotiate, roots, longestLine, timeout, \
    connectTimeout, silence, reconnect, ping, proxy, caFile, clientCertificate, clientKey, trust, retries";

/// Told of an address that variables were filled into: what they hold is nobody's to read.
const UNFIT: &str = "with its variables filled in, it is no address of `http` or `https` that could be used";

const RETRIES: &str = "a number from 0 to 10";
const BACKOFF: &str = "a number from 1 to 10, like 1.5";

/// The words that are in use for the address of a server.
pub(crate) const ADDRESSES: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];

/// An address as it is written, and under which name.
pub(crate) struct Address {
    pub field: &'static str,
    text: String,
}

/// None where the entry has none.
pub(crate) fn address(entry: &Entry, fields: &mut Fields) -> Result<Option<Address>, EntryError> {
    let mut found: Option<Address> = None;
    for field in ADDRESSES {
        let Some(text) = entry.sound(fields.text(field))? else { continue };
        if let Some(first) = &found {
            let problem = format!("there are both `{}` and `{field}`; leave one of them out", first.field);
            return Err(entry.problem(&problem));
        }
        found = Some(Address { field, text });
    }
    Ok(found)
}

/// `own` is the `sonde` object of the entry; what belongs to the way there is taken out of it.
pub(crate) fn read(
    entry: &Entry,
    address: &Address,
    fields: &mut Fields,
    own: Option<&mut Fields>,
) -> Result<RemoteSpec, EntryError> {
    let expanded = entry.expanded(address.field, &address.text)?;
    let url = sound::url(&stood_in(&expanded)).map_err(|problem| match expanded.filled.is_empty() {
        true => entry.field(address.field, problem),
        // The problem may quote a part of what was filled in.
        false => entry.field(address.field, UNFIT.to_owned()),
    })?;
    let mut remote = RemoteSpec {
        url,
        written: address.text.clone(),
        filled: expanded.filled,
        dialect: dialect(entry, fields)?,
        headers: Vec::new(),
        proxy: Proxy::System,
        ca_file: None,
        client_certificate: None,
        client_key: None,
        trust: None,
        retries: RemoteSpec::RETRIES,
        backoff: RemoteSpec::BACKOFF,
    };
    for (name, written) in entry.sound(fields.pairs("headers"))? {
        let field = format!("headers.{name}");
        let value = entry.expanded(&field, &written)?.text;
        if remote.headers.iter().any(|header| header.name.eq_ignore_ascii_case(&name)) {
            return Err(entry.field(&field, sound::TWICE.to_owned()));
        }
        let header = sound::header(&name, value, written).map_err(|problem| entry.field(&field, problem))?;
        remote.headers.push(header);
    }
    if let Some(retries) = entry.sound(fields.quantity("http_max_retries", sound::retries, RETRIES))? {
        remote.retries = retries;
    }
    if let Some(backoff) = entry.sound(fields.quantity("http_retry_backoff", sound::backoff, BACKOFF))? {
        remote.backoff = backoff;
    }
    match own {
        Some(own) => with_way(entry, remote, own),
        None => Ok(remote),
    }
}

/// An address with words for what a person gives later, so that the rest of it can be looked at already.
fn stood_in(address: &Expanded) -> String {
    const STAND_IN: &str = "later.invalid";
    if address.missing.is_empty() {
        return address.text.clone();
    }
    // A port is a number.
    let text = Reference::replaced_in(&address.text, |before| if before.ends_with(':') { "1" } else { STAND_IN });
    match text.trim().starts_with(STAND_IN) {
        true => format!("https://{STAND_IN}/"),
        false => text,
    }
}

/// A secret in a header that anybody on the way could read.
pub(crate) fn exposed(entry: &Entry, address: &Address, remote: &RemoteSpec) -> Option<EntryError> {
    let names: Vec<&str> =
        remote.headers.iter().filter(|header| header.secret).map(|header| header.name.as_str()).collect();
    remote.is_exposed().then(|| EntryError::Exposed {
        server: entry.definition.name.clone(),
        field: address.field,
        headers: names.join(", "),
    })
}

fn dialect(entry: &Entry, fields: &mut Fields) -> Result<Dialect, EntryError> {
    for field in ["type", "transport"] {
        let Some(word) = entry.sound(fields.text(field))? else { continue };
        return Dialect::parse(&word).ok_or_else(|| {
            let problem = format!("it must be `http`, `streamable-http` or `sse`, or left out, not `{word}`");
            entry.field(field, problem)
        });
    }
    Ok(Dialect::Auto)
}

fn with_way(entry: &Entry, remote: RemoteSpec, own: &mut Fields) -> Result<RemoteSpec, EntryError> {
    let mut text = |name: &str| match entry.sound(own.text(name))? {
        Some(text) => entry.expanded(&format!("sonde.{name}"), &text).map(Some),
        None => Ok::<_, EntryError>(None),
    };
    // What is not known yet can't be wrong yet.
    let known = |expanded: Option<Expanded>| expanded.filter(|it| it.missing.is_empty());
    let (proxy, trust) = (known(text("proxy")?), known(text("trust")?).map(|it| it.text));
    let client_key = text("clientKey")?.map(|key| PathBuf::from(key.text));
    let client_certificate = text("clientCertificate")?.map(|certificate| PathBuf::from(certificate.text));
    if client_key.is_some() && client_certificate.is_none() {
        let problem = "a key is of no use without its certificate in `clientCertificate`".to_owned();
        return Err(entry.field("sonde.clientKey", problem));
    }
    let ca_file = text("caFile")?.map(|file| PathBuf::from(file.text));
    let retries = entry.sound(own.quantity("retries", sound::retries, RETRIES))?;
    Ok(RemoteSpec {
        proxy: match proxy {
            Some(address) => sound::proxy(&address.text).map_err(|problem| match address.filled.is_empty() {
                true => entry.field("sonde.proxy", problem),
                false => entry.field("sonde.proxy", UNFIT.to_owned()),
            })?,
            None => Proxy::System,
        },
        ca_file,
        client_certificate,
        client_key,
        trust: trust
            .map(|text| sound::pin(&text).map_err(|problem| entry.field("sonde.trust", problem)))
            .transpose()?,
        retries: retries.unwrap_or(remote.retries),
        ..remote
    })
}
