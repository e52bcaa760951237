//! What can happen to a payment.

use proptest::prelude::*;

use super::*;

/// One thing that happens. Parts are hundredths of what is left.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// The open call succeeds.
    Succeed,
    /// The provider holds the amount, or asks the buyer, or opens the payment.
    Hold,
    Challenge,
    Open,
    /// The open call fails for this reason.
    Fail(u8),
    /// No answer came, or a late one.
    LoseAnswer,
    Pend,
    Absent,
    CallOff,
    RefundCallOff,
    /// The provider says that the whole was taken.
    Complete,
    /// A person finds out what an open call came to.
    Resolve,
    /// The buyer does something.
    Buyer(u8),
    Finalize(u8),
    Capture(u8, bool),
    Refund(u8),
    RefundAgain,
    /// Nobody wants the payment: it goes back by itself.
    GiveBack,
    Cancel,
    /// The seller calls the whole of it off.
    Withdraw,
    Retry,
    Attempt(u8),
    /// The provider of a live payment pays out.
    Settle,
    /// The next timer rings.
    Ring,
    Wait(u16),
}

impl Action {
    /// Any of them; what leads on is likelier.
    pub(super) fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            8 => Just(Self::Succeed),
            3 => Just(Self::Hold),
            3 => Just(Self::Challenge),
            2 => Just(Self::Open),
            2 => any::<u8>().prop_map(Self::Fail),
            3 => Just(Self::LoseAnswer),
            1 => Just(Self::Pend),
            1 => Just(Self::Absent),
            1 => Just(Self::CallOff),
            1 => Just(Self::RefundCallOff),
            1 => Just(Self::Complete),
            1 => Just(Self::Resolve),
            4 => (0_u8..6).prop_map(Self::Buyer),
            3 => (0_u8..=110).prop_map(Self::Finalize),
            2 => (0_u8..=110, any::<bool>()).prop_map(|(part, last)| Self::Capture(part, last)),
            8 => (1_u8..=30).prop_map(|part| Self::Capture(part, false)),
            6 => (0_u8..=110).prop_map(Self::Refund),
            2 => Just(Self::RefundAgain),
            2 => Just(Self::GiveBack),
            1 => Just(Self::Cancel),
            1 => Just(Self::Withdraw),
            2 => Just(Self::Retry),
            4 => any::<u8>().prop_map(Self::Attempt),
            1 => Just(Self::Settle),
            4 => Just(Self::Ring),
            4 => any::<u16>().prop_map(Self::Wait),
        ]
    }

    /// What the provider answers, if this is an answer, to a call of this kind.
    pub(super) fn answer(self, call: &ProviderCall) -> Option<ProviderOutcome> {
        let token = "t".to_owned();
        let codes = FailureCode::ALL;
        Some(match self {
            Self::Succeed | Self::Resolve => match call.kind {
                CallKind::Create | CallKind::Charge | CallKind::Confirm => {
                    ProviderOutcome::Completed { token }
                }
                CallKind::Capture => ProviderOutcome::Captured,
                CallKind::Cancel => ProviderOutcome::Cancelled,
                CallKind::Refund => ProviderOutcome::Refunded { token },
            },
            Self::Complete => ProviderOutcome::Completed { token },
            Self::Hold => ProviderOutcome::Authorized { token },
            Self::Challenge => {
                ProviderOutcome::Challenged { token, asks: Ask::Redirect, url: None }
            }
            Self::Open if call.kind == CallKind::Create => ProviderOutcome::Opened { token },
            Self::Fail(which) => {
                let code = codes[usize::from(which) % codes.len()];
                ProviderOutcome::Failed { code, token: Some(token) }
            }
            Self::LoseAnswer => ProviderOutcome::Unknown { doubt: FailureCode::ProviderError },
            Self::Pend => ProviderOutcome::Pending { token: None },
            Self::Absent => ProviderOutcome::Absent,
            Self::CallOff => ProviderOutcome::Cancelled,
            Self::RefundCallOff => ProviderOutcome::RefundCancelled,
            _ => return None,
        })
    }
}
