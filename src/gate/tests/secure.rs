//! HTTPS, with a certificate for localhost that signs itself.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::harness::{HASTE, Heard, House, ask, open, parse};

pub(super) const PEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/gate/tests/localhost.pem");

#[tokio::test]
async fn a_certificate_makes_it_https() {
    let house = open(crate::routes::routes(), HASTE, &[("tls.cert", PEM), ("tls.key", PEM)]).await;
    let say = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let heard = say_encrypted(&house, say).await;
    assert_eq!(heard.body, "ok");
    assert_eq!(heard.header("strict-transport-security"), Some("max-age=31536000"));
    let plain = open(crate::routes::routes(), HASTE, &[]).await;
    let heard = ask(&plain, "GET /healthz", &[], "").await;
    assert_eq!(heard.header("strict-transport-security"), None);
}

#[tokio::test]
async fn answers_that_http_itself_gives_ask_for_https_too() {
    let house = open(crate::routes::routes(), HASTE, &[("tls.cert", PEM), ("tls.key", PEM)]).await;
    let heard = say_encrypted(&house, "GET / HTTP/1.1\r\nno header\r\n\r\n").await;
    assert_eq!(heard.status, 400);
    assert!(heard.header("x-request-id").is_some());
    assert_eq!(heard.header("strict-transport-security"), Some("max-age=31536000"));
    let plain = open(crate::routes::routes(), HASTE, &[]).await;
    let heard = ask(&plain, "GET /healthz", &["no header"], "").await;
    assert_eq!((heard.status, heard.header("strict-transport-security")), (400, None));
}

/// Says something over TLS, and hears what comes until the end.
async fn say_encrypted(house: &House, text: &str) -> Heard {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(PEM).expect("a certificate")).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(house.server.addr()).await.expect("connected");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream =
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("encrypted");
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut all = String::new();
    let _ = stream.read_to_string(&mut all).await;
    parse(&all)
}
