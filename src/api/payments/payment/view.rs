use actors::domain::ids::RefundId;
use actors::domain::money::{Currency, Money};
use actors::domain::payments::card::CardSummary;
use actors::domain::payments::failure::{FailureCode, Retry};
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{
    Attempt, CaptureMode, Instructions, Payment, PaymentStatus, Refund, RefundStatus,
};
use actors::domain::payments::split::PlanShare;
use actors::domain::payments::terminal::Rail;
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::major::Major;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::signed_link::Purpose;

/// A payment.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentView {
    /// Your `externalOrderRef`.
    payment_id: String,
    /// `provider_pending`, `authorized`, `provider_completed`, `settled`, `deposit_confirmed`,
    /// `failed`, `cancelled`, `refund_pending`, `refund_failed`, `refund_cancelled` or `refunded`.
    status: PaymentStatus,
    amount: Major,
    currency_code: Currency,
    payment_type: Rail,
    payment_method: Method,
    country_code: Option<String>,
    capture_mode: CaptureMode,
    /// Whether the buyer must act.
    requires_action: bool,
    /// Where; it is good for 24 hours, and made anew at each reading.
    action_url: Option<String>,
    /// With `actionUrl`: whether it must be opened in the top-level window.
    redirect_full_page: Option<bool>,
    payment_instructions: Option<InstructionsView>,
    /// 0 when it has not failed.
    failure_code: u16,
    /// `safe`, `fix_first` or `never`.
    retry: Option<&'static str>,
    failure_category: Option<&'static str>,
    /// Prose; branch on the code.
    failure_description: Option<&'static str>,
    /// Where it stopped.
    failure_stage: Option<&'static str>,
    captured_amount: Major,
    refunded_amount: Major,
    /// Oldest first.
    refunds: Vec<RefundView>,
    card: Option<CardView>,
    /// What each payee gets of the whole amount, fees taken off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    payee_distribution: Vec<ShareView>,
    /// Of a checkout session: the attempts that came to nothing, oldest first.
    attempts: Option<Vec<AttemptView>>,
    mode: Mode,
    /// Of a pending payment: when it is given up.
    expires_at: Option<Timestamp>,
    settled_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What a buyer has to know.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum InstructionsView {
    /// Is typed in at a bank or a machine, with the amount.
    PaymentReference {
        /// Five digits.
        entity: String,
        /// Nine digits.
        reference: String,
    },
    /// The app of this number asks.
    AppNotification {
        /// E.164.
        phone: String,
    },
}

/// The little that is kept of a card.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardView {
    brand: &'static str,
    last4: String,
    exp_month: u8,
    exp_year: u16,
}

/// A payee's part.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ShareView {
    payee_id: u64,
    amount: Major,
}

/// An attempt that came to nothing.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AttemptView {
    at: Timestamp,
    payment_method: Method,
    /// 0 when the buyer gave it up.
    failure_code: u16,
}

/// A refund.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundView {
    refund_id: RefundId,
    payment_id: String,
    status: RefundStatus,
    amount: Major,
    currency_code: Currency,
    reason: Option<String>,
    /// Why it failed.
    failure_code: Option<u16>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub type PaymentList = List<PaymentView>;

impl Listed for PaymentView {
    const LIST: &'static str = "PaymentList";
    const ITEMS: &'static str = "payments";
}

impl PaymentView {
    /// `payment` with its `refunds`, oldest first, as it stands at `now`.
    pub(super) fn new(app: &App, payment: &Payment, refunds: &[Refund], now: Timestamp) -> Self {
        let money = |minor| Major::of(Money { minor, ..payment.amount });
        let pending = payment.status == PaymentStatus::ProviderPending;
        let action_url = action_url(app, payment, now);
        let code = payment.failure.map(|failure| failure.code);
        let plan = payment.split.as_ref().map(|plan| plan.lines()).unwrap_or_default();
        let share =
            |line: &PlanShare| ShareView { payee_id: line.payee.0, amount: money(line.minor) };
        let attempts = payment.checkout.as_ref().map(|checkout| &checkout.attempts);
        Self {
            payment_id: payment.reference.clone(),
            status: payment.status,
            amount: Major::of(payment.amount),
            currency_code: payment.amount.currency,
            payment_type: payment.method.rail(),
            payment_method: payment.method,
            country_code: payment.country.map(|country| country.to_string()),
            capture_mode: payment.capture,
            requires_action: payment.requires_action() || action_url.is_some(),
            redirect_full_page: action_url.is_some().then(|| is_full_page(payment)),
            action_url,
            payment_instructions: payment
                .instructions
                .as_ref()
                .filter(|_| pending)
                .map(InstructionsView::from),
            failure_code: code.map_or(0, FailureCode::code),
            retry: payment.retry_advice().map(Retry::name),
            failure_category: payment.failure_category().map(|category| category.name()),
            failure_description: code.map(FailureCode::description),
            failure_stage: payment.failure.map(|failure| failure.stage.name()),
            captured_amount: money(payment.captured()),
            refunded_amount: money(payment.refunds.refunded_minor),
            refunds: refunds.iter().map(|refund| RefundView::new(payment, refund)).collect(),
            card: payment.card.as_ref().map(CardView::from),
            payee_distribution: plan.iter().map(share).collect(),
            attempts: attempts.map(|attempts| attempts.iter().map(AttemptView::from).collect()),
            mode: if payment.demo { Mode::Demo } else { Mode::Live },
            expires_at: payment.expires_at.filter(|_| pending),
            settled_at: payment.settled_at,
            created_at: payment.created_at,
            updated_at: payment.updated_at,
        }
    }
}

impl RefundView {
    pub(super) fn new(payment: &Payment, refund: &Refund) -> Self {
        Self {
            refund_id: refund.id,
            payment_id: payment.reference.clone(),
            status: refund.status,
            amount: Major::of(refund.amount),
            currency_code: refund.amount.currency,
            reason: refund.reason.clone(),
            failure_code: refund.failure.map(FailureCode::code),
            created_at: refund.created_at,
            updated_at: refund.updated_at,
        }
    }
}

/// Where the buyer acts: the page of a session, the page of a live provider, or our simulation.
fn action_url(app: &App, payment: &Payment, now: Timestamp) -> Option<String> {
    if payment.status != PaymentStatus::ProviderPending {
        return None;
    }
    let page = |path: String| format!("{}{path}", app.public_url());
    if payment.checkout.is_some() {
        return Some(page(format!("/checkout/{}", app.links.of_checkout(payment))));
    }
    if !payment.requires_action() || !payment.demo {
        return payment.challenge_url.clone().filter(|_| payment.requires_action());
    }
    let token = app.page_key.sign(Purpose::Scheme, payment.seller, payment.id, now);
    Some(page(format!("/scheme/{token}")))
}

/// Our own pages let nobody frame them, and schemes lead away; a live card's challenge may be
/// framed.
fn is_full_page(payment: &Payment) -> bool {
    payment.demo || payment.checkout.is_some() || payment.method.rail() == Rail::Apm
}

impl From<&Instructions> for InstructionsView {
    fn from(instructions: &Instructions) -> Self {
        match instructions {
            Instructions::Reference { entity, reference } => {
                Self::PaymentReference { entity: entity.clone(), reference: reference.clone() }
            }
            Instructions::App { phone } => Self::AppNotification { phone: phone.clone() },
        }
    }
}

impl From<&CardSummary> for CardView {
    fn from(card: &CardSummary) -> Self {
        Self {
            brand: card.brand.name(),
            last4: card.last4.clone(),
            exp_month: card.expiry.month,
            exp_year: card.expiry.year,
        }
    }
}

impl From<&Attempt> for AttemptView {
    fn from(attempt: &Attempt) -> Self {
        Self {
            at: attempt.at,
            payment_method: attempt.method,
            failure_code: attempt.failure.map_or(0, FailureCode::code),
        }
    }
}
