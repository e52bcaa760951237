//! What the tests of the rules share: days and instants by their text, cards, sessions, mails,
//! plain subscriptions.

use crate::domain::billing::mail::{Mail, MailKind, MailStatus};
use crate::domain::billing::subscription::{Facts, Frequency, NewSubscription};
use crate::domain::billing::test_clock::Moment;
use crate::domain::email::Email;
use crate::domain::ids::{ContractId, InvoiceId, MailId, SellerId};
use crate::domain::money::Currency;
use crate::domain::payments::card::{CardData, CardInput};
use crate::domain::payments::payment::Checkout;
use crate::domain::time::{Date, Timestamp};

/// A contract in euro without a saved card or stored credits.
pub(crate) const FACTS: Facts =
    Facts { currency: Currency::EUR, contract_closed: false, card_saved: false, credits_on: false };

pub(crate) fn day(text: &str) -> Date {
    Date::parse(text).expect("a date")
}

pub(crate) fn instant(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("an instant")
}

pub(crate) fn second(second: i64) -> Timestamp {
    Timestamp::from_micros(0).plus_seconds(second)
}

/// A mail of an invoice, over 1.00, that was written at an instant and waits since then.
pub(crate) fn queued_mail(id: u64, at: Timestamp) -> Mail {
    Mail {
        id: MailId(id),
        seller: SellerId(1),
        contract: Some(ContractId(2)),
        invoice: Some(InvoiceId(3)),
        kind: MailKind::Invoice,
        to: Email::parse("ada@example.com").expect("an address"),
        amount_minor: 100,
        status: MailStatus::Queued,
        attempts: 0,
        next_attempt_at: Some(at),
        last_error: None,
        created_at: at,
        sent_at: None,
        attached_bytes: None,
        link: None,
        person: None,
        subscription: None,
        content: None,
    }
}

/// A card that is well until the end of a month.
pub(crate) fn card(number: &str, month: i64, year: i64) -> CardData {
    let input = CardInput {
        number: number.into(),
        cvv: "123".into(),
        exp_month: Some(month),
        exp_year: Some(year),
        ..CardInput::default()
    };
    input.check().expect("a card")
}

/// What a session opens with that nobody has tried to pay at.
pub(crate) fn checkout(expires_at: Timestamp) -> Checkout {
    Checkout {
        success_url: "https://example.com/yes".to_owned(),
        failure_url: "https://example.com/no".to_owned(),
        description: None,
        seller_name: None,
        logo_url: None,
        locale: None,
        force_challenge: false,
        expires_at,
        attempts: Vec::new(),
        begun: 0,
        trying: false,
        phone: None,
        customer: None,
    }
}

/// Noon of a day, by both clocks.
pub(crate) fn noon(day: Date) -> Moment {
    let noon = day.start().plus_seconds(12 * 3_600);
    Moment::of(None, noon)
}

impl NewSubscription {
    /// One unit a month, in EUR.
    pub(crate) fn monthly(start: &str, price_minor: i64) -> Self {
        Self {
            frequency: Frequency::Monthly,
            price_minor,
            currency: Currency::EUR,
            start_date: day(start),
            quantity: None,
            description: None,
            end_date: None,
            trial_days: None,
            trial_end: None,
            trial_end_behavior: None,
            require_payment_method: false,
            tax_rate: None,
            collection_method: None,
        }
    }
}
