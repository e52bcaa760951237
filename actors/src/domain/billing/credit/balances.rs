//! What all lots of a contract add up to.

use std::collections::BTreeMap;

use storage::CborRecord;

use super::{CreditEntry, CreditType};
use crate::domain::chain::Link;
use crate::domain::money::Currency;

/// Balances by type, in minor units of one currency. A type that there ever was stays, at 0.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct CreditBalances {
    #[n(0)]
    pub currency: Currency,
    #[n(1)]
    pub by_type: BTreeMap<CreditType, i64>,
    /// That of the last entry.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub last_link: Option<Link>,
}

impl CreditBalances {
    pub fn none(currency: Currency) -> Self {
        Self { currency, by_type: BTreeMap::new(), last_link: None }
    }

    pub fn take(&mut self, entry: &CreditEntry) {
        self.add(entry.credit_type, entry.signed_delta_minor);
        self.last_link = entry.link;
    }

    pub fn add(&mut self, credit_type: CreditType, minor: i64) {
        *self.by_type.entry(credit_type).or_default() += minor;
    }

    pub fn of(&self, credit_type: CreditType) -> i64 {
        self.by_type.get(&credit_type).copied().unwrap_or(0)
    }

    pub fn total(&self) -> i64 {
        self.by_type.values().sum()
    }
}

impl CborRecord for CreditBalances {}
