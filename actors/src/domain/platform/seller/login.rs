use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use storage::CborRecord;
use subtle::ConstantTimeEq;

use crate::domain::email::Email;
use crate::domain::ids::SellerId;

/// Who may log in to the dashboard. A generated password has 128 random bits, for which one
/// round of SHA-256 is enough.
#[derive(Clone, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DashboardLogin {
    #[n(0)]
    pub email: Email,
    #[n(1)]
    pub seller: SellerId,
    #[cbor(n(2), with = "minicbor::bytes")]
    password_sha256: [u8; 32],
}

impl DashboardLogin {
    pub fn new(email: Email, seller: SellerId, password: &SecretString) -> Self {
        Self { email, seller, password_sha256: digest(password.expose_secret()) }
    }

    /// Whether this is the password; takes as long for a wrong one as for the right one.
    pub fn opens_with(&self, password: &str) -> bool {
        self.password_sha256.ct_eq(&digest(password)).into()
    }
}

fn digest(password: &str) -> [u8; 32] {
    Sha256::digest(password.as_bytes()).into()
}

impl fmt::Debug for DashboardLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DashboardLogin({}, {}, password hidden)", self.seller, self.email)
    }
}

impl CborRecord for DashboardLogin {}

#[cfg(test)]
mod tests {
    use storage::Record;

    use super::*;

    #[test]
    fn only_the_password_opens_and_nothing_shows_it() {
        let email = Email::parse("ada@example.com").expect("an address");
        let login = DashboardLogin::new(email, SellerId(1), &"secret".into());
        let stored = DashboardLogin::decode(1, &login.encode()).expect("a row");
        assert_eq!(stored, login);
        assert!(stored.opens_with("secret"));
        assert!(!stored.opens_with("Secret") && !stored.opens_with(""));
        let shown = "DashboardLogin(1, ada@example.com, password hidden)";
        assert_eq!(format!("{login:?}"), shown);
    }
}
