//! How a checkout session stands, as its page has to know it.

use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CaptureMode, Checkout, Instructions, Payment};
use actors::domain::payments::terminal::{Terminal, offers};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::tables::TERMINALS;
use storage::{ReadError, Scan};

use super::tiles::tiles;
use crate::pages::bill::SellerView;
use crate::pages::context::{PageContext, failure_of};
use crate::pages::ending::Ending;
use crate::pages::language::Words;
use crate::pages::outcome::Outcome;

pub(super) struct Session {
    /// The language that the page is written in.
    pub(super) t: &'static Words,
    pub(super) payment: Payment,
    pub(super) checkout: Checkout,
    pub(super) id: String,
    pub(super) seller: SellerView,
    /// Of the account as it is now; the payment keeps the one that its session was opened in.
    pub(super) mode: Mode,
    pub(super) stage: Stage,
    pub(super) methods: Vec<Method>,
}

/// What can be done about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// An attempt can be made; the last one failed for this reason, or was given up.
    Open(Option<LastAttempt>),
    /// The provider is being asked.
    UnderWay,
    /// The buyer has to go on to the bank or the scheme.
    Elsewhere,
    /// The buyer has to pay a reference.
    Voucher {
        entity: String,
        reference: String,
    },
    /// The buyer has to answer the app on this number.
    App {
        phone: String,
    },
    Paid,
    /// It failed for good.
    Failed(FailureCode),
    /// Nobody paid in time, or the buyer gave it up.
    Over,
    /// The seller's account is not open.
    Shut,
}

/// How the attempt before came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastAttempt {
    Failed(Method, FailureCode),
    GivenUp(Method),
}

impl LastAttempt {
    pub(super) fn method(self) -> Method {
        match self {
            Self::Failed(method, _) | Self::GivenUp(method) => method,
        }
    }
}

impl Stage {
    /// How the session of this payment stands at `now`.
    pub(super) fn of(payment: &Payment, checkout: &Checkout, now: Timestamp) -> Self {
        match Ending::of(payment.status) {
            Ending::Pending if checkout.trying => Self::of_attempt(payment),
            Ending::Pending if now >= checkout.expires_at => Self::Over,
            Ending::Pending => Self::Open(last_attempt(payment, checkout)),
            Ending::Failed => Self::Failed(failure_of(payment).unwrap_or(FAILED)),
            Ending::Cancelled => Self::Over,
            Ending::Succeeded => Self::Paid,
        }
    }

    fn of_attempt(payment: &Payment) -> Self {
        if payment.awaits_provider() || !payment.requires_action() {
            return Self::UnderWay;
        }
        match payment.instructions.clone() {
            Some(Instructions::Reference { entity, reference }) => {
                Self::Voucher { entity, reference }
            }
            Some(Instructions::App { phone }) => Self::App { phone },
            None => Self::Elsewhere,
        }
    }

    /// Whether nothing more will come of the session.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Paid | Self::Failed(_) | Self::Over | Self::Shut)
    }

    /// Why no attempt can be made now.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Open(_) => "the session is open",
            Self::UnderWay | Self::Elsewhere | Self::Voucher { .. } | Self::App { .. } => {
                "another attempt is in progress"
            }
            Self::Paid => "the session is already paid",
            Self::Failed(_) => "the payment has failed",
            Self::Over => "the session is over",
            Self::Shut => "the page is closed",
        }
    }
}

/// Told of a payment that failed without saying why.
const FAILED: FailureCode = FailureCode::Declined;

fn last_attempt(payment: &Payment, checkout: &Checkout) -> Option<LastAttempt> {
    let method = checkout.attempts.last()?.method;
    Some(match failure_of(payment) {
        Some(code) => LastAttempt::Failed(method, code),
        None => LastAttempt::GivenUp(method),
    })
}

fn mode_of(demo: bool) -> Mode {
    if demo { Mode::Demo } else { Mode::Live }
}

impl Session {
    /// Reads what stands behind a session id; `None` for one that was never given out.
    pub(super) fn read(
        cx: &PageContext,
        session: &str,
        browser: &'static Words,
        now: Timestamp,
    ) -> Result<Option<Self>, ReadError> {
        let Some(payment) = cx.app.payments.by_session(session)? else { return Ok(None) };
        let Some(checkout) = payment.checkout.clone() else { return Ok(None) };
        let stage = match cx.is_closed(payment.seller, now)? {
            true => Stage::Shut,
            false => Stage::of(&payment, &checkout, now),
        };
        let t = Words::of_payment(&payment, browser);
        let (mut seller, in_demo) = cx.seller(t, payment.seller)?;
        if let Some(name) = &checkout.seller_name {
            seller = SellerView::new(t, name);
        }
        let rows = cx.app.store.scan(TERMINALS, Scan::prefix(&(payment.seller,)));
        let terminals: Vec<Terminal> =
            rows.map(|row| row.map(|(_, terminal)| terminal)).collect::<Result<_, _>>()?;
        let offered = offers(&terminals, mode_of(payment.demo));
        let holds = payment.capture == CaptureMode::Manual;
        let methods = tiles(&offered, payment.amount.currency, payment.country, holds);
        let (id, mode) = (session.to_owned(), mode_of(in_demo));
        Ok(Some(Self { t, payment, checkout, id, seller, mode, stage, methods }))
    }

    pub(super) fn path(&self) -> String {
        format!("/checkout/{}", self.id)
    }

    /// The page of a session that has come to an end; `back` leads to the seller, by itself when
    /// the buyer has just paid.
    pub(super) fn outcome(&self, back: String, at_once: bool) -> Option<Outcome> {
        let outcome = match self.stage {
            Stage::Paid => Outcome::came(self.t, &self.payment, None),
            Stage::Failed(code) => Outcome::failed_with(self.t, self.payment.method, code),
            Stage::Over => Outcome::session_over(self.t),
            Stage::Shut => {
                let closed = Outcome::page_closed(self.t);
                return Some(closed.of(self.seller.clone(), self.payment.demo));
            }
            _ => return None,
        };
        Some(
            outcome
                .back_to_seller(&self.seller.name, back, at_once)
                .of(self.seller.clone(), self.payment.demo),
        )
    }
}
