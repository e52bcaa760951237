//! HTTPS, where the operator names a certificate and its key.

use std::path::PathBuf;
use std::sync::Arc;

use actors::connection_error;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::config::TlsSettings;

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("tls.cert: {} holds no certificate: {why}", file.display())]
    Certificate { file: PathBuf, why: String },
    #[error("tls.key: {} holds no private key: {why}", file.display())]
    Key { file: PathBuf, why: String },
    #[error("tls.cert and tls.key cannot be used together: {}", connection_error::words(.0))]
    Pair(#[from] rustls::Error),
}

/// What turns an accepted connection into an encrypted one; `None` when plain HTTP is served.
pub fn acceptor(settings: &TlsSettings) -> Result<Option<TlsAcceptor>, TlsError> {
    let (Some(cert), Some(key)) = (&settings.cert, &settings.key) else { return Ok(None) };
    let unread = |why: String| TlsError::Certificate { file: cert.clone(), why };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unread(error.to_string()))?;
    if chain.is_empty() {
        return Err(unread("it is empty".to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| TlsError::Key { file: key.clone(), why: error.to_string() })?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, secret)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}
