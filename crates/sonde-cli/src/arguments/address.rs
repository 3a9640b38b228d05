//! A server by its address, and the way there.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sonde_app::{Dialect, TypedUrl};

const SERVER: &str = "Server";
/// Where a server has no address. Each flag says so itself: what conflicts with something that was typed is not
/// required any more.
const ELSEWHERE: [&str; 2] = ["command", "server"];

#[derive(Args)]
pub struct Address {
    /// The address of a server that is reached by HTTP
    #[arg(long, value_name = "URL", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub url: Option<String>,
    /// Which of the two HTTP transports the server speaks
    #[arg(long, value_name = "TRANSPORT", requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub transport: Option<Transport>,
    /// A header for every request: `NAME=VALUE`, or `NAME: VALUE`
    // Taken apart later: an error here would show the whole of it, and it may be a secret.
    #[arg(long, value_name = "NAME=VALUE", requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub header: Vec<String>,
    /// Certificates (PEM) of authorities to trust beside those of the system
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub cacert: Option<PathBuf>,
    /// Our certificate (PEM) for a server that wants one
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub cert: Option<PathBuf>,
    /// The key of --cert, where it stands in a file of its own
    #[arg(long, value_name = "FILE", requires = "cert", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub key: Option<PathBuf>,
    /// Trust the certificate with this hash, and no other
    #[arg(long, value_name = "sha256:HEX", requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub trust: Option<String>,
    /// The proxy to go by, or `none`; as the environment says if not given
    #[arg(long, value_name = "URL|none", requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub proxy: Option<String>,
    /// How often a request that can't run twice is sent again to a busy server, 0 to 10; 3 if not given
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(..=10), requires = "url", conflicts_with_all = ELSEWHERE, help_heading = SERVER)]
    pub retries: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Streamable HTTP, or SSE where the server does not know it
    Auto,
    /// Streamable HTTP
    Http,
    /// HTTP with SSE, as it was in 2024-11-05
    Sse,
}

impl Address {
    /// None where no address was typed.
    pub fn typed(&self) -> Result<Option<TypedUrl>, String> {
        let Some(url) = self.url.clone() else { return Ok(None) };
        Ok(Some(TypedUrl {
            url,
            dialect: match self.transport {
                None | Some(Transport::Auto) => Dialect::Auto,
                Some(Transport::Http) => Dialect::Http,
                Some(Transport::Sse) => Dialect::Sse,
            },
            headers: self.header.iter().map(|text| header(text)).collect::<Result<_, _>>()?,
            proxy: self.proxy.clone(),
            retries: self.retries,
            ca_file: self.cacert.clone(),
            client_certificate: self.cert.clone(),
            client_key: self.key.clone(),
            trust: self.trust.clone(),
        }))
    }
}

/// No name has either mark in it, so the first one divides.
fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(['=', ':']) {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("`--header`: write NAME=VALUE, or `NAME: VALUE`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_divided_at_the_first_mark() {
        let is = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(header("Authorization: Bearer a=b:c"), is("Authorization", "Bearer a=b:c"));
        assert_eq!(header("X-Tenant=a:b"), is("X-Tenant", "a:b"));
        assert_eq!(header("X-Empty="), is("X-Empty", ""));
        let told = header("s3cret").unwrap_err();
        assert!(!told.contains("s3cret") && header("=s3cret").is_err(), "what may be a secret is not told: {told}");
    }
}
