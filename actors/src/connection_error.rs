//! Why nothing came of a connection, in words: the causes that libraries give are codes of the
//! system, and the names of their own types.

use std::error::Error;
use std::io;

use rustls::CertificateError;

/// The deepest cause of `error` that is known, in words.
pub fn words(error: &(dyn Error + 'static)) -> String {
    let mut cause = Some(error);
    let mut last = error;
    while let Some(one) = cause {
        if let Some(known) = known(one) {
            return known;
        }
        last = one;
        cause = match one.downcast_ref::<io::Error>() {
            // What an error of a reader carries is not among its sources.
            Some(outer) => outer.get_ref().map(|inner| inner as &(dyn Error + 'static)),
            None => one.source(),
        };
    }
    last.to_string()
}

fn known(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(tls(error));
    }
    let error = error.downcast_ref::<io::Error>().filter(|error| error.get_ref().is_none())?;
    Some(match error.kind() {
        io::ErrorKind::ConnectionRefused => "the connection was refused".to_owned(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "the connection was reset".to_owned()
        }
        io::ErrorKind::ConnectionAborted => "the connection was broken off".to_owned(),
        io::ErrorKind::TimedOut => "the connection timed out".to_owned(),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "the host cannot be reached".to_owned()
        }
        io::ErrorKind::UnexpectedEof => "the connection ended early".to_owned(),
        kind => kind.to_string(),
    })
}

fn tls(error: &rustls::Error) -> String {
    let why = match error {
        rustls::Error::InvalidCertificate(certificate) => return certificate_words(certificate),
        rustls::Error::AlertReceived(_) => "the other end ended the handshake",
        rustls::Error::InvalidMessage(_) => "what came is no TLS",
        rustls::Error::PeerIncompatible(_) => "no version or suite of TLS is common to both ends",
        rustls::Error::InconsistentKeys(_) => "the key is not that of the certificate",
        rustls::Error::NoCertificatesPresented => "no certificate was presented",
        _ => "TLS failed",
    };
    why.to_owned()
}

fn certificate_words(error: &CertificateError) -> String {
    let why = match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet"
        }
        CertificateError::Revoked => "was revoked",
        CertificateError::UnknownIssuer => "is of an unknown issuer",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is not one for this host"
        }
        CertificateError::BadEncoding => "cannot be read",
        CertificateError::BadSignature => "has a wrong signature",
        _ => "is not valid",
    };
    format!("the certificate {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_without_codes_and_types() {
        let wrapped = |error: rustls::Error| io::Error::new(io::ErrorKind::InvalidData, error);
        let other = rustls::OtherError(std::sync::Arc::new(io::Error::other("CaUsedAsEndEntity")));
        let other = CertificateError::Other(other);
        for (error, expected) in [
            (io::Error::from_raw_os_error(111), "the connection was refused"),
            (io::Error::from(io::ErrorKind::ConnectionReset), "the connection was reset"),
            (
                wrapped(CertificateError::UnknownIssuer.into()),
                "the certificate is of an unknown issuer",
            ),
            (wrapped(other.into()), "the certificate is not valid"),
            (wrapped(rustls::Error::DecryptError), "TLS failed"),
            (io::Error::other("words of its own"), "words of its own"),
        ] {
            assert_eq!(words(&error), expected);
        }
    }
}
