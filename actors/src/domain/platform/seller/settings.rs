//! What is set for one seller apart from the defaults.

/// Where a buyer may be sent after paying, when a payment names no links.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ReturnLink {
    /// `default`, `on_completed`, `on_failed` or `on_cancelled`.
    #[n(0)]
    pub rel: String,
    #[n(1)]
    pub href: String,
}

/// Daily write quotas of one seller; absent is the setting's default, 0 is unmetered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Quotas {
    #[n(0)]
    pub contracts_per_day: Option<u32>,
    #[n(1)]
    pub amendments_per_day: Option<u32>,
    #[n(2)]
    pub invoices_per_day: Option<u32>,
}

/// Rate budgets of one seller; absent is the setting's default, 0 turns the limit off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct RateLimits {
    #[n(0)]
    pub billing_per_hour: Option<u32>,
    #[n(1)]
    pub billing_burst: Option<u32>,
    #[n(2)]
    pub payments_per_hour: Option<u32>,
    #[n(3)]
    pub payments_burst: Option<u32>,
}

/// Whose payouts wait for the operator's approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PayoutApproval {
    #[n(0)]
    pub own: bool,
    #[n(1)]
    pub payee: bool,
}
