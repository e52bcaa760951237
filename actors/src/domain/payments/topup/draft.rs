//! A top-up invoice before it has its number.

use super::{TopupInvoice, TopupRefusal};
use crate::domain::billing::numbering::NumberSeries;
use crate::domain::chain::Link;
use crate::domain::ids::TopupId;
use crate::domain::money::{AMOUNT_LIMIT, Currency, Money};
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::platform::seller::Seller;
use crate::domain::time::Timestamp;

/// Days from issue to the end of a top-up invoice.
pub const EXPIRES_AFTER_DAYS: i64 = 30;

const DAY_SECONDS: i64 = 24 * 3_600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewTopup {
    pub amount: Money,
    /// When it is to be paid; without it, at once.
    pub due_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub series: NumberSeries,
    /// The invoice, with a number of nobody's in place of its own.
    unnumbered: TopupInvoice,
}

impl Draft {
    /// The invoice that `new` asks `seller` for at `now`. `account` is the seller's safeguarding
    /// account of the currency, if it has one.
    pub fn compose(
        new: NewTopup,
        seller: &Seller,
        account: Option<&SafeguardingAccount>,
        id: TopupId,
        now: Timestamp,
    ) -> Result<Self, TopupRefusal> {
        let currency = new.amount.currency;
        let account = account
            .filter(|account| account.currency == currency && account.is_active(seller.mode))
            .ok_or_else(|| TopupRefusal::NoSafeguarding(currency.to_string()))?;
        let grace = i64::from(seller.grace_days).min(EXPIRES_AFTER_DAYS);
        let due_at = due_at(new.due_at, EXPIRES_AFTER_DAYS - grace, now)?;
        let series = NumberSeries::of(seller.agreement_number, now.date());
        let unnumbered = TopupInvoice {
            id,
            seller: seller.id,
            number: series.number(0),
            amount: new.amount,
            received_minor: 0,
            mode: seller.mode,
            issued_at: now,
            due_at,
            overdue_at: after_days(due_at, grace),
            expires_at: after_days(now, EXPIRES_AFTER_DAYS),
            bank: account.bank.clone(),
            deposits: Vec::new(),
        };
        Ok(Self { series, unnumbered })
    }

    pub fn digest(&self) -> Link {
        self.unnumbered.digest()
    }

    pub fn issue(self, order: u64) -> TopupInvoice {
        TopupInvoice { number: self.series.number(order), ..self.unnumbered }
    }
}

pub fn topup_amount(minor: i64, currency: Currency) -> Result<Money, TopupRefusal> {
    if minor <= 0 {
        return Err(TopupRefusal::NotPositive);
    }
    if minor > AMOUNT_LIMIT {
        return Err(TopupRefusal::TooLarge);
    }
    Money::new(minor, currency).map_err(|_| TopupRefusal::TooLarge)
}

/// The due date, which the clocks of others may put a little before `now` on the same day.
fn due_at(
    stated: Option<Timestamp>,
    latest_days: i64,
    now: Timestamp,
) -> Result<Timestamp, TopupRefusal> {
    let Some(due_at) = stated else { return Ok(now) };
    if due_at.date() < now.date() || due_at > after_days(now, latest_days) {
        return Err(TopupRefusal::DueAtRange(latest_days));
    }
    Ok(due_at)
}

fn after_days(at: Timestamp, days: i64) -> Timestamp {
    at.plus_seconds(days.saturating_mul(DAY_SECONDS))
}
