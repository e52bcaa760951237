use super::{TopupInvoice, TopupRefusal};
use crate::domain::money::{Money, bounded};
use crate::domain::time::Timestamp;

const MAX_REFERENCE: usize = 140;
/// The most deposits of one invoice.
const MAX_DEPOSITS: usize = 64;

/// A transfer that was matched to an invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Deposit {
    #[n(0)]
    pub reference: String,
    /// How much came, in minor units of the invoice's currency, above 0.
    #[n(1)]
    pub amount_minor: i64,
    #[n(2)]
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeposit {
    pub amount: Money,
    pub reference: String,
}

/// What the bank calls a transfer: 1 to 140 printable characters, without blanks around it.
pub fn deposit_reference(text: &str) -> Result<String, TopupRefusal> {
    let reference = text.trim();
    let fits = !reference.is_empty() && reference.chars().count() <= MAX_REFERENCE;
    if fits && !reference.chars().any(char::is_control) {
        Ok(reference.to_owned())
    } else {
        Err(TopupRefusal::Reference)
    }
}

impl TopupInvoice {
    /// The invoice after a deposit, whatever is outstanding and however late it is; `None` when
    /// the deposit was taken before. A bank gives each transfer a reference of its own.
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
        if self.deposits.len() >= MAX_DEPOSITS {
            return Err(TopupRefusal::TooManyDeposits(MAX_DEPOSITS));
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
