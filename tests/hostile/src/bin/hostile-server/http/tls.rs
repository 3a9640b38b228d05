//! Encrypted listeners: each with a certificate of its own, most of them not worth any trust.

use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, crypto};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::exchange::Connection;
use super::peer::House;
use super::{accept, answer_all, frames, listen, port};

/// A certificate with its key, as a listener shows it.
struct Shown {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

/// When a certificate is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lifetime {
    Now,
    Past,
}

/// Opens every listener; gives their ports, their fingerprints and the authority that signed the good ones.
pub async fn open(house: &Arc<House>) -> io::Result<Map<String, Value>> {
    let authority_key = KeyPair::generate().map_err(io::Error::other)?;
    let mut authority = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(rcgen::DnType::CommonName, "authority of the hostile server");
    let pem = authority.self_signed(&authority_key).map_err(io::Error::other)?.pem();
    let issuer = Issuer::new(authority, authority_key);
    let mut told = Map::new();
    told.insert("authority".to_owned(), json!(pem));
    let kinds = [
        ("trusted", "127.0.0.1", Some(&issuer), Lifetime::Now),
        ("expired", "127.0.0.1", Some(&issuer), Lifetime::Past),
        ("wrong-host", "elsewhere.example", Some(&issuer), Lifetime::Now),
        ("self-signed", "127.0.0.1", None, Lifetime::Now),
    ];
    for (name, host, issuer, lifetime) in kinds {
        let shown = certificate(host, issuer, lifetime)?;
        let listener = listen().await?;
        told.insert(name.to_owned(), json!({ "port": port(&listener)?, "fingerprint": fingerprint(&shown) }));
        tokio::spawn(encrypted(listener, vec![acceptor(shown, &[b"http/1.1"])?], house.clone()));
    }
    let ours = || certificate("127.0.0.1", Some(&issuer), Lifetime::Now);
    let (first, second) = (ours()?, ours()?);
    let listener = listen().await?;
    told.insert("changing".to_owned(), json!({ "port": port(&listener)?, "fingerprint": fingerprint(&first) }));
    let both = vec![acceptor(first, &[b"http/1.1"])?, acceptor(second, &[b"http/1.1"])?];
    tokio::spawn(encrypted(listener, both, house.clone()));
    let (old, alert) = (listen().await?, listen().await?);
    told.insert("old".to_owned(), json!({ "port": port(&old)? }));
    told.insert("old-alert".to_owned(), json!({ "port": port(&alert)? }));
    tokio::spawn(accept(old, house.clone(), speak_an_old_version));
    tokio::spawn(accept(alert, house.clone(), refuse_version));
    let shown = ours()?;
    let listener = listen().await?;
    told.insert("frames".to_owned(), json!({ "port": port(&listener)? }));
    tokio::spawn(framed(listener, acceptor(shown, &[b"h2"])?, house.clone()));
    Ok(told)
}

fn certificate(host: &str, issuer: Option<&Issuer<KeyPair>>, lifetime: Lifetime) -> io::Result<Shown> {
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let mut params = CertificateParams::new(vec![host.to_owned()]).map_err(io::Error::other)?;
    params.distinguished_name.push(rcgen::DnType::CommonName, "hostile server");
    if lifetime == Lifetime::Past {
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(2021, 1, 1);
    }
    let signed = match issuer {
        Some(issuer) => params.signed_by(&key, issuer),
        None => params.self_signed(&key),
    };
    let certificate = signed.map_err(io::Error::other)?.der().clone();
    Ok(Shown { certificate, key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())) })
}

fn fingerprint(shown: &Shown) -> String {
    Sha256::digest(&shown.certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn acceptor(shown: Shown, protocols: &[&[u8]]) -> io::Result<TlsAcceptor> {
    let provider = Arc::new(crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.map_err(io::Error::other)?.with_no_client_auth();
    let mut config = config.with_single_cert(vec![shown.certificate], shown.key).map_err(io::Error::other)?;
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Shows the first certificate to the first connection, the last one to all that come when there are no more.
async fn encrypted(listener: TcpListener, acceptors: Vec<TlsAcceptor>, house: Arc<House>) {
    let taken = AtomicU64::new(0);
    while let Ok((stream, _)) = listener.accept().await {
        let place = usize::try_from(taken.fetch_add(1, Ordering::Relaxed)).unwrap_or(usize::MAX);
        let Some(acceptor) = acceptors.get(place).or(acceptors.last()).cloned() else { return };
        let house = house.clone();
        tokio::spawn(async move {
            if let Err(error) = answer(stream, acceptor, house.clone()).await {
                house.diary.note("ended", json!({ "why": error.to_string() }));
            }
        });
    }
}

async fn answer(stream: TcpStream, acceptor: TlsAcceptor, house: Arc<House>) -> io::Result<()> {
    let socket = stream.as_fd().try_clone_to_owned()?;
    let stream = acceptor.accept(stream).await?;
    house.diary.note("encrypted", json!({}));
    answer_all(Connection::over(stream, socket), house).await
}

/// H16. The same, for those who speak in frames.
async fn framed(listener: TcpListener, acceptor: TlsAcceptor, house: Arc<House>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, house) = (acceptor.clone(), house.clone());
        tokio::spawn(async move {
            let spoken = async {
                let stream = acceptor.accept(stream).await?;
                frames::speak(stream, house.clone()).await
            };
            if let Err(error) = spoken.await {
                house.diary.note("ended", json!({ "why": error.to_string() }));
            }
        });
    }
}

/// A `ServerHello` of TLS 1.0, and nothing after it.
async fn speak_an_old_version(mut stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    let mut hello = [0; 4096];
    let size = stream.read(&mut hello).await?;
    house.diary.note("hello", json!({ "bytes": size }));
    // Version 3.1, a random number, no session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression.
    let body = [[3, 1].as_slice(), &[7; 32], &[0, 0, 0x2f, 0]].concat();
    let length = u8::try_from(body.len()).unwrap_or_default();
    let record = [[22, 3, 1, 0, length + 4, 2, 0, 0, length].as_slice(), &body].concat();
    stream.write_all(&record).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(())
}

/// The alert `protocol_version`.
async fn refuse_version(mut stream: TcpStream, house: Arc<House>) -> io::Result<()> {
    let mut hello = [0; 4096];
    let size = stream.read(&mut hello).await?;
    house.diary.note("hello", json!({ "bytes": size }));
    stream.write_all(&[21, 3, 1, 0, 2, 2, 70]).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(())
}
