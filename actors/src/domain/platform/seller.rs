//! The seller: the tenant that holds the key.

mod admission;
mod api_keys;
mod create;
mod key;
mod patch;
mod profile;
mod refusal;
mod settings;

use storage::CborRecord;
use uuid::Uuid;

pub use admission::{Admission, Scope, Scopes, admit};
pub use api_keys::{ApiKeyEntry, ApiKeys, KeyRefusal, MOST_OVERLAP_HOURS, NewApiKey};
pub use create::{NewSeller, agreement_number};
pub use key::{ApiKey, ApiKeyRecord, KeyHash};
pub use patch::{
    QuotaPatch, RateLimitPatch, SellerChange, SellerPatch, Setting, ask_to_go_live, patch,
};
pub use profile::{Address, PortalAction, ProfilePatch, TaxMode, Text};
pub use refusal::SellerRefusal;
pub use settings::{PayoutApproval, Quotas, RateLimits, ReturnLink};

use crate::domain::country::Country;
use crate::domain::email::Email;
use crate::domain::ids::SellerId;
use crate::domain::names::names;
use crate::domain::platform::limits::{Budget, QuotaKind, Surface};
use crate::domain::quantity::TaxRate;
use crate::domain::time::Timestamp;

/// Days after the issue date on which an invoice is due, unless the seller says otherwise.
pub const PAYMENT_TERMS_DAYS: u32 = 14;

/// Days from the due date on which a buyer is reminded, unless the seller says otherwise.
const USUAL_REMINDER_DAYS: [i32; 4] = [-3, 3, 7, 14];

/// The longest that a usage period waits for late arrivals: 30 days.
pub const MAX_USAGE_GRACE_MINUTES: u32 = 30 * 24 * 60;

/// Days that a top-up invoice may stay unpaid after it is due.
pub const GRACE_DAYS: u32 = 7;

names! {
    Mode;
    /// Simulated processors, test keys.
    0 Demo = "demo",
    /// Real money, live keys.
    1 Live = "live",
}

names! {
    SellerStatus;
    /// Registered, not let in yet.
    0 Pending = "pending",
    1 Active = "active",
    /// Shut by the operator.
    2 Inactive = "inactive",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Seller {
    #[n(0)]
    pub id: SellerId,
    #[cbor(n(1), with = "uuid_bytes")]
    pub uuid: Uuid,
    #[n(2)]
    pub name: String,
    #[n(3)]
    pub email: Email,
    #[n(4)]
    pub mode: Mode,
    #[n(5)]
    pub status: SellerStatus,
    /// The digits before the dash of invoice numbers; unique to the seller, from 1000001.
    #[n(6)]
    pub agreement_number: u64,
    #[n(7)]
    pub country: Option<Country>,
    #[n(8)]
    pub tax_id: Option<String>,
    /// The tax rate of lines that state none.
    #[n(9)]
    pub default_tax_rate: TaxRate,
    #[n(10)]
    pub payment_terms_days: u32,
    #[n(11)]
    pub contract_numbering: bool,
    #[n(12)]
    pub allowed_return_hosts: Vec<String>,
    /// Links of payments that name none.
    #[n(13)]
    pub default_return_links: Vec<ReturnLink>,
    /// Whether the marketplace's vendors are there.
    #[n(14)]
    pub vendors_enabled: bool,
    /// Whether the upcoming invoice may be asked for.
    #[n(15)]
    pub projection_enabled: bool,
    #[n(16)]
    pub grace_days: u32,
    #[n(17)]
    pub quotas: Quotas,
    #[n(18)]
    pub rate_limits: RateLimits,
    #[n(19)]
    pub payout_approval: PayoutApproval,
    #[n(20)]
    pub created_at: Timestamp,
    /// When a minted sandbox account ends; only those have an end.
    #[n(21)]
    pub expires_at: Option<Timestamp>,
    /// How long its usage periods wait for late arrivals, where it says so itself.
    #[n(22)]
    pub usage_grace_minutes: Option<u32>,
    #[n(23)]
    pub tax_mode: TaxMode,
    #[n(24)]
    pub phone: Option<String>,
    #[n(25)]
    pub address: Address,
    /// Days from an invoice's due date on which its buyer is reminded, negative before it, where
    /// it says so itself.
    #[n(26)]
    pub reminder_days: Option<Vec<i32>>,
    /// What its buyers may do on their portal.
    #[n(27)]
    pub portal_actions: Vec<PortalAction>,
    /// Somebody has registered and not yet said for which organization.
    #[n(38)]
    pub is_incomplete: bool,
    /// When its owner asked for live mode, which the operator grants.
    #[n(39)]
    pub go_live_requested_at: Option<Timestamp>,
}

impl Seller {
    /// Whether this account was minted for trying out and ends by itself.
    pub fn is_sandbox(&self) -> bool {
        self.expires_at.is_some()
    }

    /// Whether the account is active and has not come to its end.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.status == SellerStatus::Active && self.expires_at.is_none_or(|end| now < end)
    }

    pub fn reminder_days(&self) -> &[i32] {
        self.reminder_days.as_deref().unwrap_or(&USUAL_REMINDER_DAYS)
    }

    /// The rate budget of a surface: the seller's own where it has one, else `default`.
    pub fn budget(&self, surface: Surface, default: Budget) -> Budget {
        let own = &self.rate_limits;
        let (per_hour, burst) = match surface {
            Surface::Billing => (own.billing_per_hour, own.billing_burst),
            Surface::Payments => (own.payments_per_hour, own.payments_burst),
            Surface::Dashboard => (None, None),
        };
        Budget {
            per_hour: per_hour.unwrap_or(default.per_hour),
            burst: burst.unwrap_or(default.burst),
        }
    }

    /// The daily quota of a kind of write: the seller's own where it has one, else `default`.
    pub fn quota(&self, kind: QuotaKind, default: u32) -> u32 {
        let own = match kind {
            QuotaKind::Contracts => self.quotas.contracts_per_day,
            QuotaKind::Amendments => self.quotas.amendments_per_day,
            QuotaKind::Invoices => self.quotas.invoices_per_day,
        };
        own.unwrap_or(default)
    }
}

impl CborRecord for Seller {}

mod uuid_bytes {
    use minicbor::decode::Error as DecodeError;
    use minicbor::encode::{Error as EncodeError, Write};
    use minicbor::{Decoder, Encoder};
    use uuid::Uuid;

    pub(super) fn encode<C, W: Write>(
        uuid: &Uuid,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), EncodeError<W::Error>> {
        e.bytes(uuid.as_bytes())?.ok()
    }

    pub(super) fn decode<C>(d: &mut Decoder<'_>, _: &mut C) -> Result<Uuid, DecodeError> {
        Uuid::from_slice(d.bytes()?).map_err(DecodeError::message)
    }
}
