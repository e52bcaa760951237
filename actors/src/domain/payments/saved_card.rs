//! Cards that customers let the seller charge again: what is kept of them is the processor's name
//! for the card, sealed, and what its holder knows it by.

use std::cmp::Reverse;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use storage::CborRecord;

use super::card::CardSummary;
use super::terminal::Connector;
use crate::domain::ids::{CustomerId, SavedCardId, TerminalId};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;
use crate::secrets::Sealed;

/// The most cards that are kept of a customer; a further one takes the oldest one's place.
pub const MOST_SAVED_CARDS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SavedCard {
    #[n(0)]
    pub id: SavedCardId,
    /// None of a card that is kept for a subscription by payment link.
    #[n(1)]
    pub customer: Option<CustomerId>,
    #[n(2)]
    pub card: CardSummary,
    /// What the processor calls the card.
    #[n(3)]
    pub token: Sealed,
    /// Whose processor knows it.
    #[n(4)]
    pub terminal: Option<TerminalId>,
    #[n(5)]
    pub connector: Option<Connector>,
    /// Whether it was saved in demo mode: it pays nothing else.
    #[n(6)]
    pub demo: bool,
    #[n(7)]
    pub created_at: Timestamp,
}

impl CborRecord for SavedCard {}

/// The buyer's consent to save the card of a payment, once that succeeds.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct CardConsent {
    /// None where it is kept for the subscription that is paid.
    #[n(0)]
    pub customer: Option<CustomerId>,
    /// What it will be saved as.
    #[n(1)]
    pub card: SavedCardId,
    /// There once the processor has named the card.
    #[n(2)]
    pub token: Option<Sealed>,
}

/// The charge of a saved card, of an invoice or a subscription's term that nobody else is paying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SavedCharge {
    /// Which attempt at the invoice, or of the subscription, it is, from 1.
    #[n(0)]
    pub attempt: u32,
    #[n(1)]
    pub card: SavedCardId,
}

/// What a processor calls a card that it keeps.
#[derive(Clone, PartialEq, Eq)]
pub struct CardToken(String);

impl CardToken {
    pub fn new(token: String) -> Self {
        Self(token)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CardToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CardToken")
    }
}

/// A saved card with its token opened, to be charged.
pub struct OpenedCard {
    token: SecretString,
    pub summary: CardSummary,
}

impl OpenedCard {
    pub fn new(token: SecretString, summary: CardSummary) -> Self {
        Self { token, summary }
    }

    /// The token, for the processor alone.
    pub fn token(&self) -> &str {
        self.token.expose_secret()
    }
}

impl fmt::Debug for OpenedCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedCard").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl SavedCard {
    /// Whether it lies with somebody who is to forget it when it is taken away.
    pub fn is_kept_outside(&self) -> bool {
        self.connector == Some(Connector::Stripe)
    }

    /// Whether it can be charged in this mode of the account.
    pub fn is_of(&self, mode: Mode) -> bool {
        self.demo == (mode == Mode::Demo)
    }

    /// What cards are ordered by: their ids are drawn when their payments begin, and one that the
    /// bank asks about is saved later than others that began after it.
    fn saved_order(&self) -> (Timestamp, SavedCardId) {
        (self.created_at, self.id)
    }

    fn is_the_same_card(&self, other: &Self) -> bool {
        (self.demo, &self.card) == (other.demo, &other.card)
    }
}

/// The card that is charged: the one that was saved last, in the mode that the account is in.
pub fn default_card(cards: &[SavedCard], demo: bool) -> Option<&SavedCard> {
    cards.iter().filter(|card| card.demo == demo).max_by_key(|card| card.saved_order())
}

/// The cards with the one first that was saved last.
pub fn newest_first(mut cards: Vec<SavedCard>) -> Vec<SavedCard> {
    cards.sort_by_key(|card| Reverse(card.saved_order()));
    cards
}

/// Those that are taken away when `new` is saved beside `known`: the same card from before, and
/// the oldest where there are too many.
pub fn replaced_by(new: &SavedCard, known: &[SavedCard]) -> Vec<SavedCardId> {
    let (same, mut others): (Vec<_>, Vec<_>) =
        known.iter().filter(|card| card.id != new.id).partition(|card| new.is_the_same_card(card));
    others.sort_by_key(|card| card.saved_order());
    let beyond = (others.len() + 1).saturating_sub(MOST_SAVED_CARDS);
    same.iter().chain(others.iter().take(beyond)).map(|card| card.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::payments::card::{Brand, Expiry};
    use crate::secrets::{Place, SecretBox};

    fn saved(id: u64, last4: &str, demo: bool) -> SavedCard {
        let place = Place::SavedCard(crate::domain::ids::SellerId(1), SavedCardId(id));
        SavedCard {
            id: SavedCardId(id),
            customer: Some(CustomerId(7)),
            card: CardSummary {
                brand: Brand::Visa,
                first6: "424242".to_owned(),
                last4: last4.to_owned(),
                expiry: Expiry { year: 2030, month: 12 },
            },
            token: SecretBox::new(&[7; 32]).seal(place, b"token", [1; 24]),
            terminal: None,
            connector: Some(Connector::Simulator),
            demo,
            created_at: Timestamp::from_micros(0),
        }
    }

    #[test]
    fn the_card_that_was_saved_last_is_charged() {
        let cards = [saved(1, "4242", true), saved(3, "0341", true), saved(2, "9979", true)];
        assert_eq!(default_card(&cards, true).map(|card| card.id), Some(SavedCardId(3)));
        assert_eq!(default_card(&cards, false), None, "a demo card pays nothing real");
        assert_eq!(default_card(&[], true), None);
    }

    #[test]
    fn a_card_whose_payment_began_earlier_and_was_confirmed_later_is_the_newest() {
        let confirmed =
            SavedCard { created_at: Timestamp::from_micros(9), ..saved(1, "3220", true) };
        let mut cards = vec![confirmed.clone()];
        cards.extend((2..=20).map(|id| saved(id, &format!("{id:04}"), true)));
        assert_eq!(default_card(&cards, true), Some(&confirmed));
        assert_eq!(replaced_by(&saved(21, "1111", true), &cards), [SavedCardId(2)]);
        let order: Vec<_> = newest_first(cards).iter().map(|card| card.id.0).collect();
        assert_eq!((&order[..2], order[19]), (&[1, 20][..], 2));
    }

    #[test]
    fn a_card_is_kept_once_and_cards_are_kept_in_bounds() {
        let known = [saved(1, "4242", true), saved(2, "0341", true), saved(3, "4242", false)];
        assert_eq!(replaced_by(&saved(9, "4242", true), &known), [SavedCardId(1)]);
        assert_eq!(replaced_by(&saved(9, "1111", true), &known), []);
        let many: Vec<_> = (1..=25).map(|id| saved(id, &format!("{id:04}"), true)).collect();
        let gone = replaced_by(&saved(99, "9999", true), &many);
        assert_eq!(gone, (1..=6).map(SavedCardId).collect::<Vec<_>>());
    }

    #[test]
    fn a_token_is_never_printed() {
        let opened = OpenedCard::new("pm_secret".into(), saved(1, "4242", true).card);
        let printed = format!("{opened:?} {:?}", CardToken::new("pm_secret".to_owned()));
        assert!(!printed.contains("secret"), "{printed}");
    }
}
