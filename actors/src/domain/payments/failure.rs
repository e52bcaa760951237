//! Failure codes: what a payment that failed says about why, and whether to try again.

use crate::domain::names::names;

/// Declares the codes once: number, name, category, retry, stage, description.
macro_rules! failure_codes {
    ($($code:literal $name:ident $category:ident $retry:ident $stage:ident $text:literal;)+) => {
        /// Why a payment failed. The number on the wire is [`FailureCode::code`]; 0, "not
        /// failed", is no variant.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
        #[cbor(index_only)]
        pub enum FailureCode {
            $(#[doc = $text] #[n($code)] $name,)+
        }

        impl FailureCode {
            pub const ALL: &[Self] = &[$(Self::$name),+];

            pub fn code(self) -> u16 {
                match self { $(Self::$name => $code),+ }
            }

            pub fn category(self) -> FailureCategory {
                match self { $(Self::$name => FailureCategory::$category),+ }
            }

            pub fn retry(self) -> Retry {
                match self { $(Self::$name => Retry::$retry),+ }
            }

            /// Where a payment with this code stops unless it is known to have stopped elsewhere.
            pub fn default_stage(self) -> FailureStage {
                match self { $(Self::$name => FailureStage::$stage),+ }
            }

            /// Prose for `failureDescription`; it may be reworded at any time.
            pub fn description(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

failure_codes! {
    1001 InvalidRequest IntegrationError FixFirst Validation
        "The request was found invalid before a provider was asked.";
    1002 RiskRejected Hard Never Screening
        "The risk policy turned the payment down; the card was not charged.";
    1003 NoTerminal IntegrationError FixFirst Routing
        "No active terminal serves this method, currency and country.";
    1004 ComplianceDeclined Hard Never Screening
        "Compliance screening turned the payment down before authorization.";
    1005 ComplianceReview Hard Never Screening
        "Compliance screening stopped the payment for a review.";
    1006 Interrupted Transient Safe Initialization
        "The payment was interrupted before a provider was asked.";
    1007 CardExpired RequiresChange FixFirst Validation
        "The card has expired; no provider was asked.";
    2001 Declined Hard Never Authorization
        "The payment was declined.";
    2002 ProviderError Transient Safe Authorization
        "The provider answered with an error.";
    2003 ProviderTimeout Transient Safe Authorization
        "The provider did not answer in time.";
    2004 RefundTooEarly Transient Safe Refund
        "The refund is not possible yet: the provider has not settled the payment.";
    2005 AddressMismatch RequiresChange FixFirst Authorization
        "The billing address is not the one that the bank holds.";
    3001 CaptureFailed Transient Safe Capture
        "The authorized amount could not be captured.";
    3002 AuthenticationRequired RequiresChange FixFirst Authorization
        "The bank asks the card holder to confirm the payment with 3-D Secure.";
    4001 SettlementFailed Hard Never Settlement
        "The captured amount could not be settled.";
    5001 DepositUnconfirmed Hard Never Deposit
        "No deposit arrived within the time given.";
}

/// Whether the same request with the same key can succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Safe,
    FixFirst,
    /// A decision was made; sending again cannot help.
    Never,
}

impl Retry {
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::FixFirst => "fix_first",
            Self::Never => "never",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCategory {
    Hard,
    Transient,
    /// The buyer must give other data.
    RequiresChange,
    IntegrationError,
    /// Not a failure: the payment was given up.
    Cancelled,
}

impl FailureCategory {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Transient => "transient",
            Self::RequiresChange => "requires_change",
            Self::IntegrationError => "integration_error",
            Self::Cancelled => "cancelled",
        }
    }
}

names! {
    /// How far a payment got. Nothing before [`FailureStage::Authorization`] reached a provider.
    FailureStage;
    0 Validation = "validation",
    1 Screening = "screening",
    2 Routing = "routing",
    /// Between acceptance and the first call to a provider.
    3 Initialization = "initialization",
    /// The provider or the bank behind it.
    4 Authorization = "authorization",
    5 Capture = "capture",
    6 Refund = "refund",
    /// After the capture, on the way to the seller.
    7 Settlement = "settlement",
    8 Deposit = "deposit",
}

impl FailureCode {
    pub fn is_before_the_provider(self) -> bool {
        matches!(
            self.default_stage(),
            FailureStage::Validation
                | FailureStage::Screening
                | FailureStage::Routing
                | FailureStage::Initialization
        )
    }

    /// Whether the card was turned down.
    pub fn is_decline(self) -> bool {
        matches!(
            self,
            Self::RiskRejected
                | Self::Declined
                | Self::AddressMismatch
                | Self::AuthenticationRequired
        )
    }

    /// The code of this number; `None` for 0 and for numbers that name no failure.
    pub fn parse(code: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.code() == code)
    }
}

/// A failure as a payment keeps it: category and retry follow from the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Failure {
    #[n(0)]
    pub code: FailureCode,
    #[n(1)]
    pub stage: FailureStage,
}

impl From<FailureCode> for Failure {
    fn from(code: FailureCode) -> Self {
        Self { code, stage: code.default_stage() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of failure codes with their stages, written out once more.
    const TABLE: &str = "
        1001 integration_error fix_first validation
        1002 hard              never     screening
        1003 integration_error fix_first routing
        1004 hard              never     screening
        1005 hard              never     screening
        1006 transient         safe      initialization
        1007 requires_change   fix_first validation
        2001 hard              never     authorization
        2002 transient         safe      authorization
        2003 transient         safe      authorization
        2004 transient         safe      refund
        2005 requires_change   fix_first authorization
        3001 transient         safe      capture
        3002 requires_change   fix_first authorization
        4001 hard              never     settlement
        5001 hard              never     deposit";

    #[test]
    fn every_code_says_what_the_document_says() {
        let rows: Vec<_> = TABLE.lines().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(rows.len(), FailureCode::ALL.len());
        for (row, code) in rows.iter().zip(FailureCode::ALL) {
            let told = format!(
                "{} {} {} {}",
                code.code(),
                code.category().name(),
                code.retry().name(),
                code.default_stage().name()
            );
            let expected: Vec<_> = row.split_whitespace().collect();
            assert_eq!(told, expected.join(" "));
        }
    }

    #[test]
    fn zero_and_strangers_are_no_failure() {
        for number in [0, 1, 1000, 1008, 2006, 9999] {
            assert_eq!(FailureCode::parse(number), None, "{number}");
        }
        assert_eq!(FailureCode::parse(2003), Some(FailureCode::ProviderTimeout));
    }
}
