//! Money that came for a top-up invoice (decisions 9 and 13).

use super::draft::amount;
use super::{TopupInvoice, TopupRefusal};
use crate::domain::money::{Currency, Money, bounded};
use crate::domain::time::Timestamp;

const MAX_REFERENCE: usize = 140;

/// A transfer that was matched to an invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Deposit {
    /// What the bank calls it.
    #[n(0)]
    pub reference: String,
    /// How much came, in minor units of the invoice's currency, above 0.
    #[n(1)]
    pub amount_minor: i64,
    /// When it was matched.
    #[n(2)]
    pub at: Timestamp,
}

/// What the operator says of a deposit, before it is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepositRequest<'a> {
    /// `amountMinor`, required.
    pub amount_minor: Option<i64>,
    /// `currency`, required.
    pub currency: Option<&'a str>,
    /// `reference`, required, at most 140 characters.
    pub reference: Option<&'a str>,
}

/// A deposit to be matched, each field sound in itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeposit {
    /// How much came.
    pub amount: Money,
    /// What the bank calls it.
    pub reference: String,
}

impl DepositRequest<'_> {
    /// Looks at every field.
    ///
    /// # Errors
    /// The first at fault.
    pub fn parse(&self) -> Result<NewDeposit, TopupRefusal> {
        let minor = self.amount_minor.ok_or(TopupRefusal::Required("amountMinor"))?;
        let code = self.currency.map(str::trim).filter(|code| !code.is_empty());
        let code = code.ok_or(TopupRefusal::Required("currency"))?;
        let currency = Currency::parse(code).ok_or(TopupRefusal::UnknownCurrency)?;
        let amount = amount(minor, currency)?;
        let reference = self.reference.ok_or(TopupRefusal::Required("reference"))?.trim();
        let long = reference.chars().count() > MAX_REFERENCE;
        if reference.is_empty() || long || reference.chars().any(char::is_control) {
            return Err(TopupRefusal::Reference);
        }
        Ok(NewDeposit { amount, reference: reference.to_owned() })
    }
}

impl TopupInvoice {
    /// The invoice after a deposit, whatever is outstanding and however late it is; `None` when
    /// the deposit was taken before. A bank gives each transfer a reference of its own.
    ///
    /// # Errors
    /// [`TopupRefusal::Currency`], [`TopupRefusal::ReferenceUsed`] and
    /// [`TopupRefusal::TooLarge`].
    pub fn deposited(
        &self,
        new: &NewDeposit,
        now: Timestamp,
    ) -> Result<Option<Self>, TopupRefusal> {
        if new.amount.currency != self.amount.currency {
            return Err(TopupRefusal::Currency(self.amount.currency));
        }
        if let Some(known) = self.deposits.iter().find(|known| known.reference == new.reference) {
            let same = known.amount_minor == new.amount.minor;
            return if same { Ok(None) } else { Err(TopupRefusal::ReferenceUsed) };
        }
        let received = i128::from(self.received_minor) + i128::from(new.amount.minor);
        let mut after = self.clone();
        after.received_minor = bounded(received).map_err(|_| TopupRefusal::TooLarge)?;
        after.deposits.push(Deposit {
            reference: new.reference.clone(),
            amount_minor: new.amount.minor,
            at: now,
        });
        Ok(Some(after))
    }
}
