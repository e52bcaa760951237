//! Beginning a payment, and trying one again that failed for a passing reason.

use super::{
    CallKind, CaptureMode, Change, Checkout, OrderTerms, Payment, PaymentRefusal, PaymentStatus,
    PaysFor, ProviderCall, RefundSums, Trigger,
};
use crate::domain::country::Country;
use crate::domain::ids::{PaymentId, SellerId, TerminalId};
use crate::domain::money::Money;
use crate::domain::payments::failure::{Failure, FailureCode, Retry};
use crate::domain::payments::method::Method;
use crate::domain::payments::saved_card::{CardConsent, SavedCharge};
use crate::domain::payments::source::Source;
use crate::domain::payments::split::Plan;
use crate::domain::payments::terminal::{Connector, Rail};
use crate::domain::time::Timestamp;

/// How long most payments wait for the buyer, in seconds.
const BUYER_SECONDS: i64 = 15 * 60;

/// How long payments wait for what happens elsewhere, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Until a demo payment settles (`payments.settle_seconds`).
    pub settle: i64,
    /// Until a demo refund arrives (`payments.refund_seconds`).
    pub refund: i64,
    /// How long a buyer may take to answer the app (`payments.mbway_seconds`).
    pub app: i64,
    /// How long a reference can be paid (`payments.voucher_seconds`).
    pub voucher: i64,
}

impl Default for Windows {
    fn default() -> Self {
        Self { settle: 5, refund: 2, app: 4 * 60, voucher: 3 * 24 * 3600 }
    }
}

impl Windows {
    pub(super) fn buyer(&self, method: Method) -> i64 {
        match method {
            Method::MbWay => self.app,
            Method::Multibanco => self.voucher,
            _ => BUYER_SECONDS,
        }
    }
}

/// What a payment begins with. Ids and keys have been drawn already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPayment {
    pub id: PaymentId,
    pub seller: SellerId,
    pub reference: String,
    pub amount: Money,
    pub pays_for: PaysFor,
    pub demo: bool,
    pub provider_key: String,
    /// Who carries it out, by which terminal; `None` when no terminal takes it.
    pub route: Option<(TerminalId, Connector)>,
    pub method: Method,
    pub country: Option<Country>,
    pub capture: CaptureMode,
    pub order: Option<OrderTerms>,
    pub split: Option<Plan>,
    pub checkout: Option<Checkout>,
    pub forced: Option<FailureCode>,
    pub consent: Option<CardConsent>,
    pub saved_charge: Option<SavedCharge>,
}

impl Payment {
    /// Begins a payment at `now`. A card that has expired fails at once, before any provider is
    /// asked (1007), and so do what a demo request forces on it before that (1001, 1002, 1004,
    /// 1005, 1006), a payment that no terminal takes (1003) and a card of an order without country
    /// and zip, which no processor would take (2002); for every other the provider call is written
    /// down. `source` is `None` for a session: nobody pays yet.
    pub fn start(
        new: NewPayment,
        source: Option<&Source>,
        windows: &Windows,
        now: Timestamp,
    ) -> Change {
        let failure = source.and_then(|source| reason_not_to_ask(&new, source, now));
        // Nobody is asked of a deposit that is to stay away; only a reference is made first.
        let waits =
            new.forced == Some(FailureCode::DepositUnconfirmed) && new.method != Method::Multibanco;
        let begins = failure.is_none() && source.is_some();
        let asks = begins && !waits;
        let call = ProviderCall::staged(&new.provider_key, CallKind::Create, None, now);
        let expires = match &new.checkout {
            Some(checkout) => Some(checkout.expires_at),
            None => begins.then(|| now.plus_seconds(windows.buyer(new.method))),
        };
        let failed = failure.is_some();
        Change::begun(Payment {
            id: new.id,
            seller: new.seller,
            reference: new.reference,
            amount: new.amount,
            status: if failed { PaymentStatus::Failed } else { PaymentStatus::ProviderPending },
            pays_for: new.pays_for,
            demo: new.demo,
            card: source.and_then(Source::summary),
            provider_key: new.provider_key,
            call: asks.then_some(call),
            processor_token: None,
            challenge: None,
            failure: failure.map(Failure::from),
            created_at: now,
            updated_at: now,
            expires_at: expires.filter(|_| !failed),
            settle_at: None,
            settled_at: None,
            connector: new.route.map(|(_, connector)| connector),
            method: new.method,
            country: new.country,
            capture: new.capture,
            captured_minor: Some(0),
            captures: 0,
            capture_closed: false,
            refunds: RefundSums::default(),
            order: new.order,
            split: new.split,
            instructions: None,
            checkout: new.checkout,
            forced: new.forced,
            terminal: new.route.map(|(terminal, _)| terminal),
            challenge_url: None,
            hold_ends_at: None,
            retries: 0,
            refusal: None,
            consent: new.consent,
            saved_charge: new.saved_charge,
            settlement_untold: false,
            paid_at: None,
            look: None,
            auto_refund: None,
        })
    }
}

fn reason_not_to_ask(new: &NewPayment, source: &Source, now: Timestamp) -> Option<FailureCode> {
    // Whom no terminal takes is not interrupted on the way to a provider.
    let is_on_the_way =
        |code: &FailureCode| *code != FailureCode::Interrupted || new.route.is_some();
    let forced = new.forced.filter(|code| code.is_before_the_provider()).filter(is_on_the_way);
    let expired = source.summary().is_some_and(|card| card.expiry.is_over(now.date()));
    let expired = expired.then_some(FailureCode::CardExpired);
    let unserved = new.route.is_none().then_some(FailureCode::NoTerminal);
    let order = new.order.as_ref().filter(|_| new.method == Method::Card);
    let nowhere = order.is_some_and(OrderTerms::lacks_address);
    let refused = nowhere.then_some(FailureCode::ProviderError);
    forced.or(expired).or(unserved).or(refused)
}

impl Payment {
    /// Whether a replay of its request tries it again.
    pub fn is_retryable(&self) -> bool {
        let passing = matches!(
            self.failure.map(|failure| failure.code),
            Some(
                FailureCode::Interrupted
                    | FailureCode::ProviderError
                    | FailureCode::ProviderTimeout
            )
        );
        let safe = self.retry_advice() == Some(Retry::Safe);
        self.status == PaymentStatus::Failed && passing && safe && self.order.is_some()
    }

    /// The call that tries it again, from its beginning: the processor knows by the key what it
    /// opened for a card before, and whether that can still be charged. What was begun for a local
    /// method has ended, and would be answered again under its key; its name is not that of what
    /// is begun now.
    fn stage_retry(&mut self, now: Timestamp) {
        let local = self.method.rail() == Rail::Apm;
        if local {
            self.processor_token = None;
        }
        let place = local.then_some(u64::from(self.retries));
        let call = ProviderCall::staged(&self.provider_key, CallKind::Create, place, now);
        self.call = Some(call);
    }

    /// Tries again what failed for a passing reason (1006, 2002, 2003), under the same provider
    /// key: never a second charge.
    pub fn retry(&self, windows: &Windows, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let refused = PaymentRefusal::Move { from: self.status, trigger: Trigger::Retry };
        if !self.is_retryable() {
            return Err(refused);
        }
        Change::by(self, Trigger::Retry, now, |payment| {
            // What a demo request forced has happened by now.
            payment.refusal = None;
            // Nobody is asked for it any more.
            payment.challenge = None;
            payment.challenge_url = None;
            let over = payment.failure.take().map(|failure| failure.code);
            payment.forced = payment.forced.filter(|forced| Some(*forced) != over);
            payment.expires_at = Some(now.plus_seconds(windows.buyer(payment.method)));
            payment.retries = payment.retries.saturating_add(1);
            payment.stage_retry(now);
        })
    }
}
