//! What a buyer pays with, in memory only: it is handed to the processor and never kept.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

use super::card::{CardAddress, CardData, CardSummary};
use super::payment::BillingDetails;
use super::saved_card::OpenedCard;

#[derive(Clone, Debug)]
pub enum Source {
    Card(Arc<CardData>),
    /// A card in a wallet, as the token that the wallet made for this payment.
    Wallet(Arc<WalletToken>),
    /// A local method: the buyer gives the rest to the scheme.
    Local,
    /// A card that the processor keeps; its holder is not there.
    Saved(Arc<OpenedCard>),
}

pub struct WalletToken {
    token: SecretString,
    /// What the wallet calls the card, as `Visa 4242`.
    pub display_name: Option<String>,
    pub network: Option<String>,
}

impl WalletToken {
    /// A token of which `token` is the secret part: all that identifies what is charged.
    pub fn new(token: SecretString, display_name: Option<String>, network: Option<String>) -> Self {
        Self { token, display_name, network }
    }

    /// The secret part, for the processor alone.
    pub fn token(&self) -> &str {
        self.token.expose_secret()
    }
}

impl fmt::Debug for WalletToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalletToken").field("network", &self.network).finish_non_exhaustive()
    }
}

impl Source {
    pub fn summary(&self) -> Option<CardSummary> {
        match self {
            Self::Card(card) => Some(card.summary()),
            Self::Saved(card) => Some(card.summary.clone()),
            Self::Wallet(_) | Self::Local => None,
        }
    }

    pub fn card(&self) -> Option<&CardData> {
        match self {
            Self::Card(card) => Some(card),
            Self::Wallet(_) | Self::Local | Self::Saved(_) => None,
        }
    }

    /// What the buyer gave with the card of where the bank knows the holder.
    pub fn billing(&self) -> Option<BillingDetails> {
        let CardAddress { country, zip } = self.card()?.address.clone();
        let given = country.is_some() || zip.is_some();
        given.then(|| BillingDetails { country, zip, ..BillingDetails::default() })
    }

    /// What tells one card or token from another without telling which: a hash under the server's
    /// `key` of the card's number and expiry, or of the token. `None` for local methods.
    pub fn fingerprint(&self, key: &[u8]) -> Option<Vec<u8>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
        match self {
            Self::Card(card) => {
                mac.update(card.number().as_bytes());
                mac.update(&card.expiry.year.to_be_bytes());
                mac.update(&[card.expiry.month]);
            }
            Self::Wallet(wallet) => mac.update(wallet.token().as_bytes()),
            Self::Saved(card) => mac.update(card.token().as_bytes()),
            Self::Local => return None,
        }
        Some(mac.finalize().into_bytes().to_vec())
    }
}
