//! Encryption: whom we trust, who we are, and what is told of the other side's certificate.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, NamedGroup, SignatureScheme};
use rustls_platform_verifier::Verifier;
use sha2::{Digest, Sha256};
use sonde_protocol::TlsFacts;
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

use super::phases;
use super::remote::Trust;

/// Why the files of a trust choice can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("`{}` can't be read: {problem}", path.display())]
    File { path: PathBuf, problem: String },
    #[error("`{}` has no certificate in it", path.display())]
    NoCertificate { path: PathBuf },
    #[error("the client certificate can't be used: {0}")]
    Certificate(String),
    #[error("the authorities of this system can't be read: {0}")]
    System(String),
}

/// The encryption of one connection.
pub(super) struct Encryption {
    pub config: ClientConfig,
    pub judge: Arc<Judge>,
}

impl Encryption {
    pub fn new(trust: &Trust, need: Need) -> Result<Self, TrustError> {
        let provider = Arc::new(ring::default_provider());
        let judge = Arc::new(Judge::new(trust, need, provider.clone())?);
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| TrustError::System(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(judge.clone());
        let mut config = match &trust.certificate {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let key = read_key(trust.key.as_ref().unwrap_or(path))?;
                builder
                    .with_client_auth_cert(read_certificates(path)?, key)
                    .map_err(|error| TrustError::Certificate(error.to_string()))?
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        config.resumption = Resumption::store(Arc::new(Tickets(ClientSessionMemoryCache::new(32))));
        Ok(Encryption { config, judge })
    }
}

/// Decides whether a server's certificate is trusted, and remembers the one that was not.
#[derive(Debug)]
pub(super) struct Judge {
    basis: Basis,
    provider: Arc<CryptoProvider>,
    /// What was refused last, to be told with the failure.
    refused: Mutex<Option<String>>,
    /// What was trusted last, with the name that it was trusted for.
    trusted: Mutex<Option<(ServerName<'static>, Vec<u8>)>>,
}

#[derive(Debug)]
enum Basis {
    /// This one certificate, whatever it says.
    Pinned([u8; 32]),
    Authorities {
        verifier: Verifier,
        words: &'static str,
    },
    /// Nothing will be encrypted.
    Nobody,
}

/// Whether certificates will have to be judged. Reading the authorities of a system takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Trust,
    None,
}

impl Judge {
    fn new(trust: &Trust, need: Need, provider: Arc<CryptoProvider>) -> Result<Self, TrustError> {
        let basis = match (trust.pinned, &trust.authorities) {
            _ if need == Need::None => Basis::Nobody,
            (Some(pinned), _) => Basis::Pinned(pinned),
            (None, None) => {
                let verifier = Verifier::new(provider.clone());
                let verifier = verifier.map_err(|error| TrustError::System(error.to_string()))?;
                Basis::Authorities { verifier, words: "by an authority of this system" }
            }
            (None, Some(path)) => {
                let verifier = Verifier::new_with_extra_roots(read_certificates(path)?, provider.clone());
                let verifier = verifier.map_err(|error| TrustError::System(error.to_string()))?;
                Basis::Authorities { verifier, words: "by an authority of this system or of the given file" }
            }
        };
        Ok(Judge { basis, provider, refused: Mutex::default(), trusted: Mutex::default() })
    }

    /// Why a connection that came about was trusted.
    pub fn words(&self) -> &'static str {
        match &self.basis {
            Basis::Pinned(_) => "because it is the one that was chosen",
            Basis::Authorities { words, .. } => words,
            Basis::Nobody => "by nobody",
        }
    }

    /// The certificate of a host that was trusted, unless another was since.
    pub fn trusted(&self, host: &str) -> Option<Vec<u8>> {
        let host = ServerName::try_from(host.trim_matches(['[', ']'])).ok()?;
        let trusted = self.trusted.lock().unwrap_or_else(PoisonError::into_inner);
        trusted.as_ref().filter(|(name, _)| *name == host).map(|(_, certificate)| certificate.clone())
    }

    /// The fingerprint of the certificate that was refused last.
    pub fn take_refused(&self) -> Option<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = match &self.basis {
            Basis::Pinned(pinned) if *pinned == <[u8; 32]>::from(Sha256::digest(end_entity)) => {
                Ok(ServerCertVerified::assertion())
            }
            Basis::Pinned(_) | Basis::Nobody => {
                Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
            }
            Basis::Authorities { verifier, .. } => {
                verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
            }
        };
        match &verdict {
            Ok(_) => {
                let trusted = (server_name.to_owned(), end_entity.to_vec());
                *self.trusted.lock().unwrap_or_else(PoisonError::into_inner) = Some(trusted);
            }
            Err(_) => *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(fingerprint(end_entity)),
        }
        verdict
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The tickets of earlier connections. The hint is the first thing that a handshake asks for, so that is when it begins.
#[derive(Debug)]
struct Tickets(ClientSessionMemoryCache);

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(server_name, group);
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        phases::handshake_begins();
        self.0.kx_hint(server_name)
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.0.set_tls12_session(server_name, value);
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.0.tls12_session(server_name)
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        self.0.remove_tls12_session(server_name);
    }

    fn insert_tls13_ticket(&self, server_name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(server_name, value);
    }

    fn take_tls13_ticket(&self, server_name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.0.take_tls13_ticket(server_name)
    }
}

/// Names of a certificate that are told.
const MOST_NAMES: usize = 20;

/// What a certificate says of itself.
pub(super) fn facts(certificate: &[u8], version: Option<String>, trusted: &str) -> TlsFacts {
    let mut facts = TlsFacts {
        version,
        subject: String::new(),
        issuer: String::new(),
        names: Vec::new(),
        not_before: 0,
        not_after: 0,
        fingerprint: fingerprint(certificate),
        trusted: trusted.to_owned(),
    };
    if let Ok((_, read)) = X509Certificate::from_der(certificate) {
        facts.subject = read.subject().to_string();
        facts.issuer = read.issuer().to_string();
        facts.not_before = read.validity().not_before.timestamp();
        facts.not_after = read.validity().not_after.timestamp();
        let names = read.subject_alternative_name().ok().flatten();
        let names = names.iter().flat_map(|names| &names.value.general_names);
        facts.names = names.filter_map(shown_name).take(MOST_NAMES).collect();
    }
    facts
}

fn shown_name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match <[u8; 4]>::try_from(*bytes) {
            Ok(four) => Some(std::net::Ipv4Addr::from(four).to_string()),
            Err(_) => <[u8; 16]>::try_from(*bytes).ok().map(|bytes| std::net::Ipv6Addr::from(bytes).to_string()),
        },
        _ => None,
    }
}

fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TrustError> {
    let pem = read(path)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let problem =
        |error: rustls::pki_types::pem::Error| TrustError::File { path: path.to_owned(), problem: error.to_string() };
    match certificates.map_err(problem)? {
        none if none.is_empty() => Err(TrustError::NoCertificate { path: path.to_owned() }),
        certificates => Ok(certificates),
    }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TrustError> {
    let pem = read(path)?;
    PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|error| TrustError::File { path: path.to_owned(), problem: error.to_string() })
}

/// Larger files hold no certificates.
const LARGEST: u64 = 4 << 20;

fn read(path: &Path) -> Result<Vec<u8>, TrustError> {
    let problem = |problem: String| TrustError::File { path: path.to_owned(), problem };
    let facts = fs::metadata(path).map_err(|error| problem(error.to_string()))?;
    if !facts.is_file() {
        return Err(problem("it is no file".to_owned()));
    }
    let size = facts.len();
    if size > LARGEST {
        return Err(problem(format!("it has {size} bytes, which is more than certificates have")));
    }
    fs::read(path).map_err(|error| problem(error.to_string()))
}
