//! What a seller asks for when it initiates a payment, and what is checked before there is one.
//!
//! [`Initiation`] is what passed; [`fields`] and [`ReturnRules`] are the checks, which the request
//! calls in the order in which refusals are answered.

pub mod fields;
mod refusal;
mod returns;
mod simulator;
#[cfg(test)]
mod tests;

pub use refusal::InitiationRefusal;
pub use returns::ReturnRules;
pub use simulator::{SimulatorRefusal, forced_failure, forced_refund};

use super::method::Method;
use super::payment::{BillingDetails, CaptureMode, Intent, OrderTerms, Returns};
use super::source::Source;
use super::split::PlanShare;
use crate::domain::country::Country;
use crate::domain::money::Money;

#[derive(Debug)]
pub struct Initiation {
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    pub method: Method,
    pub country: Option<Country>,
    pub source: Source,
    /// `apmData.phone`, E.164.
    pub phone: Option<String>,
    pub returns: Returns,
    pub capture: CaptureMode,
    pub billing: Option<BillingDetails>,
    pub skip_challenge: bool,
}

impl Initiation {
    /// What a replay is compared by; `hash_key` is the server's key for cards and tokens.
    pub fn intent(&self, hash_key: &[u8]) -> Intent {
        Intent {
            amount: self.amount,
            country: self.country,
            reference: self.reference.clone(),
            method: self.method,
            phone: self.phone.clone(),
            fingerprint: self.source.fingerprint(hash_key),
        }
    }

    pub fn terms(&self, key: &str, hash_key: &[u8], distribution: Vec<PlanShare>) -> OrderTerms {
        OrderTerms {
            key: key.to_owned(),
            phone: self.phone.clone(),
            fingerprint: self.source.fingerprint(hash_key),
            returns: self.returns.clone(),
            billing: self.billing.clone(),
            distribution,
            skip_challenge: self.skip_challenge,
        }
    }
}
