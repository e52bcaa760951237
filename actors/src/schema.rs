//! What the API document says of the vocabulary: a schema for each list of names and for each text
//! and number with a form of its own. The document refers to them by the names of the types.

use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

use crate::domain::billing::contract::{ComponentType, ContractStatus};
use crate::domain::billing::credit::{CreditKind, CreditType};
use crate::domain::billing::customer::CustomerType;
use crate::domain::billing::invoice::{
    CollectionMethod, InvoiceStatus, InvoiceType, LineSource, Origin, PaidVia,
};
use crate::domain::billing::mail::{MailKind, MailStatus};
use crate::domain::billing::pricing::{Rollover, Rounding, SchemeName};
use crate::domain::billing::subscription::{
    CancelMode, ChangeTiming, Frequency, SubscriptionStatus, TrialEndBehavior,
};
use crate::domain::billing::tax::{RateKind, TaxCategory, TaxKind};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::billing::usage::dead_letter::{LetterSource, LetterStatus};
use crate::domain::billing::usage::inbound::EndpointStatus;
use crate::domain::billing::usage::upload::UploadStatus;
use crate::domain::billing::usage::{Aggregation, CapMode};
use crate::domain::ids::{ContractId, CustomerId, ID_LIMIT, LineItemId, RefundId, UsageEventId};
use crate::domain::money::Currency;
use crate::domain::payments::bank::BankAccountType;
use crate::domain::payments::ledger::{Account, Cause};
use crate::domain::payments::link_subscription::{CancelledBy, LinkSubscriptionStatus};
use crate::domain::payments::method::Method;
use crate::domain::payments::payee::{KycEntityType, RejectType, Role, Verification};
use crate::domain::payments::payment::{CaptureMode, PaymentStatus, RefundStatus};
use crate::domain::payments::payment_link::PaymentLinkStatus;
use crate::domain::payments::payout::{ApprovalStatus, AttributionState, PayoutStatus};
use crate::domain::payments::promo_code::PromoStatus;
use crate::domain::payments::safeguarding::SafeguardingStatus;
use crate::domain::payments::split::{
    AllocationMode, AllocationType, AmountBase, OverAllocationPolicy, RemainderPolicy,
};
use crate::domain::payments::terminal::{Connector, Rail, TerminalStatus};
use crate::domain::payments::topup::TopupStatus;
use crate::domain::payments::vendor::{Enforcement, VendorStatus};
use crate::domain::payments::wallet::{WalletStatus, WalletType};
use crate::domain::platform::delivery::DeliveryStatus;
use crate::domain::platform::event::EventType;
use crate::domain::platform::person::PersonRole;
use crate::domain::platform::seller::{Mode, PortalAction, Scope, SellerStatus, TaxMode};
use crate::domain::platform::switches::Switch;
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::quantity::{Quantity, TaxRate};

macro_rules! names {
    ($($list:ty),+ $(,)?) => {$(
        impl PartialSchema for $list {
            fn schema() -> RefOr<Schema> {
                let names = <$list>::ALL.iter().map(|entry| entry.name());
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
            }
        }
        impl ToSchema for $list {}
    )+};
}

macro_rules! texts {
    ($($text:ty: $pattern:literal),+ $(,)?) => {$(
        impl PartialSchema for $text {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new().schema_type(Type::String).pattern(Some($pattern)).into()
            }
        }
        impl ToSchema for $text {}
    )+};
}

macro_rules! ids {
    ($($id:ty),+ $(,)?) => {$(
        impl PartialSchema for $id {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::Integer)
                    .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
                    .minimum(Some(1_u64))
                    .maximum(Some(ID_LIMIT - 1))
                    .into()
            }
        }
        impl ToSchema for $id {}
    )+};
}

names! {
    Aggregation, CancelMode, CapMode, ChangeTiming, CollectionMethod, ComponentType, ContractStatus,
    CreditKind, CreditType,
    CustomerType, EndpointStatus, Frequency, InvoiceStatus, InvoiceType, LetterSource,
    LetterStatus, LineSource, MailKind, MailStatus, Origin, PaidVia, RateKind, Rollover, Rounding, SchemeName,
    SubscriptionStatus, TaxCategory, TaxKind, TimelineKind, TrialEndBehavior, UploadStatus,
}

names! {
    Account, AllocationMode, AllocationType, AmountBase, ApprovalStatus, AttributionState,
    BankAccountType, CancelledBy, CaptureMode, Cause, Connector, Enforcement, KycEntityType, LinkSubscriptionStatus, Method,
    OverAllocationPolicy, PaymentLinkStatus, PaymentStatus, PayoutStatus, PromoStatus, Rail, RefundStatus, RejectType,
    RemainderPolicy, Role, SafeguardingStatus, TerminalStatus, TopupStatus, VendorStatus,
    Verification, WalletStatus, WalletType,
}

names!(
    DeliveryStatus,
    EventType,
    Mode,
    PersonRole,
    PortalAction,
    Scope,
    SellerStatus,
    Switch,
    TaxMode,
    WebhookStatus
);

texts! {
    Currency: "^[A-Z]{3}$",
    Quantity: "^[0-9]{1,18}([.][0-9]{1,9})?$",
    TaxRate: "^[0-9]{1,3}([.][0-9]{1,4})?$",
}

ids!(ContractId, CustomerId, LineItemId, RefundId, UsageEventId);
