use std::fmt;

use storage::CborRecord;

use super::PasswordHash;
use crate::domain::email::Email;
use crate::domain::ids::{PersonId, SellerId};

/// Who signs in with an e-mail, and with what password.
#[derive(Clone, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Login {
    #[n(0)]
    pub email: Email,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub person: PersonId,
    #[n(3)]
    pub password: PasswordHash,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { email, seller, person, .. } = self;
        write!(f, "Login({email}, person {person} of {seller}, password hidden)")
    }
}

impl CborRecord for Login {}
