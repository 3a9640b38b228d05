//! Certificates, and the sites that show them.

use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, crypto};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Somebody who signs certificates, and whom no system knows.
pub struct Authority {
    /// Its own certificate, as a file has it.
    pub pem: String,
    certificate: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key.
pub struct Identity {
    pub pem: String,
    pub key_pem: String,
    /// SHA-256 in hexadecimal.
    pub fingerprint: String,
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Default for Authority {
    fn default() -> Self {
        let key = KeyPair::generate().expect("a key can be made");
        let mut params = CertificateParams::new(Vec::new()).expect("it has no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "authority of the journey");
        let certificate = params.self_signed(&key).expect("it signs itself");
        Authority { pem: certificate.pem(), certificate: certificate.der().clone(), issuer: Issuer::new(params, key) }
    }
}

impl Authority {
    /// A certificate for these names.
    pub fn sign(&self, names: &[&str]) -> Identity {
        Identity::new(names, Some(self), |_| {})
    }

    /// One whose days are over.
    pub fn sign_expired(&self, names: &[&str]) -> Identity {
        Identity::new(names, Some(self), |params| {
            params.not_before = rcgen::date_time_ymd(2020, 1, 1);
            params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        })
    }
}

impl Identity {
    /// A certificate that nobody signed but itself.
    pub fn self_signed(names: &[&str]) -> Self {
        Identity::new(names, None, |_| {})
    }

    fn new(names: &[&str], authority: Option<&Authority>, change: fn(&mut CertificateParams)) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().expect("a key can be made");
        let mut params = CertificateParams::new(names).expect("the names are good");
        params.distinguished_name.push(DnType::CommonName, "site of the journey");
        change(&mut params);
        let signed = match authority {
            Some(authority) => params.signed_by(&key, &authority.issuer),
            None => params.self_signed(&key),
        };
        let signed = signed.expect("it can be signed");
        Identity {
            pem: signed.pem(),
            key_pem: key.serialize_pem(),
            fingerprint: hexadecimal(&Sha256::digest(signed.der())),
            certificate: signed.der().clone(),
            key: key.serialize_der(),
        }
    }

    /// Writes `NAME.pem` and `NAME.key`.
    pub fn write(&self, folder: &Path, name: &str) {
        std::fs::write(folder.join(format!("{name}.pem")), &self.pem).expect("a certificate can be written");
        std::fs::write(folder.join(format!("{name}.key")), &self.key_pem).expect("a key can be written");
    }
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn acceptor(identity: &Identity, clients: Option<&Authority>) -> TlsAcceptor {
    let provider = Arc::new(crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let builder = builder.expect("there are versions");
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(clients) => {
            let mut roots = RootCertStore::empty();
            roots.add(clients.certificate.clone()).expect("it is a certificate");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.expect("it has an authority"))
        }
    };
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity.key.clone()));
    let config = builder.with_single_cert(vec![identity.certificate.clone()], key).expect("the key is its own");
    TlsAcceptor::from(Arc::new(config))
}

/// None where no encryption comes about.
pub(super) async fn accept(acceptor: &TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
    match acceptor.accept(stream).into_fallible().await {
        Ok(stream) => Some(stream),
        Err((_refusal, mut stream)) => {
            // A socket that is closed with something unread in it is reset, and its last words are lost.
            stream.shutdown().await.ok();
            let mut unread = Vec::new();
            stream.read_to_end(&mut unread).await.ok();
            None
        }
    }
}
