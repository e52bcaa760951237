//! Passwords, and what is kept of them.

use std::fmt;
use std::ops::RangeInclusive;

use argon2::{Algorithm, Argon2, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::PersonRefusal;

/// Characters of a password that somebody chooses.
pub(super) const LENGTH: RangeInclusive<usize> = 8..=256;

/// What a new hash costs: 19 MiB and two passes over it.
const COST: Cost = Cost {
    kib: Params::DEFAULT_M_COST,
    passes: Params::DEFAULT_T_COST,
    lanes: Params::DEFAULT_P_COST,
};

/// A password of a length that is taken. It hides itself and is wiped from memory.
#[derive(Clone)]
pub struct Password(SecretString);

impl Password {
    /// One that somebody chooses.
    pub fn chosen(text: &str) -> Result<Self, PersonRefusal> {
        match LENGTH.contains(&text.chars().count()) {
            true => Ok(Self(text.into())),
            false => Err(PersonRefusal::Password),
        }
    }

    /// One that is presented, whatever it is; `None` where nobody can have it.
    pub fn presented(text: &str) -> Option<Self> {
        (text.chars().count() <= *LENGTH.end()).then(|| Self(text.into()))
    }

    /// One that nobody has, in the place of one that nobody can have.
    pub fn nobodys() -> Self {
        Self(SecretString::default())
    }

    fn bytes(&self) -> &[u8] {
        self.0.expose_secret().as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}

/// What a hash of Argon2id costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Cost {
    #[n(0)]
    kib: u32,
    #[n(1)]
    passes: u32,
    #[n(2)]
    lanes: u32,
}

#[derive(Clone, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum PasswordHash {
    /// Of a generated password, which has 128 random bits: one round of SHA-256 is enough.
    #[n(0)]
    Generated(#[cbor(n(0), with = "minicbor::bytes")] [u8; 32]),
    /// Of a password that somebody chose: Argon2id, with what it cost then.
    #[n(1)]
    Chosen {
        #[cbor(n(0), with = "minicbor::bytes")]
        salt: [u8; 16],
        #[n(1)]
        cost: Cost,
        #[cbor(n(2), with = "minicbor::bytes")]
        hash: [u8; 32],
    },
}

impl PasswordHash {
    pub fn of_generated(password: &SecretString) -> Self {
        Self::Generated(Sha256::digest(password.expose_secret().as_bytes()).into())
    }

    /// Takes memory and tens of milliseconds.
    pub fn of_chosen(password: &Password, salt: [u8; 16]) -> Self {
        Self::Chosen { salt, cost: COST, hash: argon2id(password, &salt, COST) }
    }

    /// Whether it is the password of `known`. It takes as long where there is nobody, and where
    /// the password was generated.
    pub fn opens(known: Option<&Self>, password: &Password) -> bool {
        let (salt, cost, wanted) = match known {
            Some(Self::Chosen { salt, cost, hash }) => (*salt, *cost, Some(*hash)),
            Some(Self::Generated(_)) | None => ([0; 16], COST, None),
        };
        let made = argon2id(password, &salt, cost);
        let digest: [u8; 32] = Sha256::digest(password.bytes()).into();
        match (known, wanted) {
            (Some(Self::Generated(hash)), _) => hash.ct_eq(&digest).into(),
            (_, Some(hash)) => hash.ct_eq(&made).into(),
            _ => false,
        }
    }
}

fn argon2id(password: &Password, salt: &[u8], cost: Cost) -> [u8; 32] {
    let params =
        Params::new(cost.kib, cost.passes, cost.lanes, Some(32)).unwrap_or(Params::DEFAULT);
    let mut hash = [0; 32];
    let made = Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into(
        password.bytes(),
        salt,
        &mut hash,
    );
    made.expect("salt and length are those of Argon2id");
    hash
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use storage::{cbor_decode, cbor_encode};

    use super::*;

    fn password(text: &str) -> Password {
        Password::presented(text).expect("short enough")
    }

    #[test]
    fn only_the_password_opens_and_nothing_shows_it() {
        let chosen = PasswordHash::of_chosen(&password("correct horse"), [7; 16]);
        let generated = PasswordHash::of_generated(&"generated".into());
        for (hash, right) in [(chosen, "correct horse"), (generated, "generated")] {
            let stored: PasswordHash = cbor_decode(&cbor_encode(&hash)).expect("a row");
            assert_eq!(stored, hash);
            assert!(PasswordHash::opens(Some(&stored), &password(right)));
            for wrong in ["", "Correct horse", "correct horse ", "Generated"] {
                assert!(!PasswordHash::opens(Some(&stored), &password(wrong)), "{wrong}");
            }
            assert_eq!(format!("{stored:?}"), "PasswordHash(hidden)");
        }
        assert!(!PasswordHash::opens(None, &password("correct horse")));
        assert_eq!(format!("{:?}", password("secret")), "Password(hidden)");
    }

    #[test]
    fn the_same_password_is_another_hash_under_another_salt() {
        let hash = |salt| PasswordHash::of_chosen(&password("correct horse"), salt);
        assert_ne!(hash([1; 16]), hash([2; 16]));
    }

    #[test]
    fn a_chosen_password_is_of_some_length() {
        let taken = |length| Password::chosen(&"ü".repeat(length)).is_ok();
        assert_eq!([7, 8, 256, 257].map(taken), [false, true, true, false]);
        assert!(Password::presented(&"x".repeat(257)).is_none());
    }
}
