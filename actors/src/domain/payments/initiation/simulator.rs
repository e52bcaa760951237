//! The header `Simulator` of demo accounts.

use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::ForcedRefund;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorRefusal {
    #[error("Simulator must be force_failure=<code> with a known failure code")]
    Payment,
    #[error("Simulator must be force_failure=2004 or force_refund=cancelled")]
    Refund,
}

impl Refuse for SimulatorRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

/// The code that the header forces on a payment: `force_failure=` and a known code.
pub fn forced_failure(value: &str) -> Result<FailureCode, SimulatorRefusal> {
    code(value).ok_or(SimulatorRefusal::Payment)
}

/// What the header's `value` forces on a refund.
pub fn forced_refund(value: &str) -> Result<ForcedRefund, SimulatorRefusal> {
    match (value.trim(), code(value)) {
        ("force_refund=cancelled", _) => Ok(ForcedRefund::Cancelled),
        (_, Some(early @ FailureCode::RefundTooEarly)) => Ok(ForcedRefund::Fails(early)),
        _ => Err(SimulatorRefusal::Refund),
    }
}

fn code(value: &str) -> Option<FailureCode> {
    let digits = value.trim().strip_prefix("force_failure=")?;
    let plain = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    FailureCode::parse(plain.then(|| digits.parse().ok())??)
}
