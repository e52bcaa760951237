//! The processor's objects.

use serde_json::{Value, json};

/// The words for how far an intent got.
pub(super) mod status {
    pub(in crate::support::stripe) const NO_METHOD: &str = "requires_payment_method";
    pub(in crate::support::stripe) const CONFIRM: &str = "requires_confirmation";
    pub(in crate::support::stripe) const ACT: &str = "requires_action";
    pub(in crate::support::stripe) const HELD: &str = "requires_capture";
    pub(in crate::support::stripe) const DONE: &str = "succeeded";
    pub(in crate::support::stripe) const OFF: &str = "canceled";
}

/// When the money is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capturing {
    Automatic,
    Manual,
}

/// A payment intent.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    id: String,
    pub(super) key: String,
    /// When it was opened, in seconds.
    pub(super) created: i64,
    pub(super) kind: String,
    pub(super) amount: i64,
    pub(super) status: &'static str,
    pub(super) card: Option<String>,
    /// The payment method and the customer that it is kept for.
    pub(super) kept: Option<(String, String)>,
    pub(super) back: Option<String>,
    /// How often it was charged.
    pub(super) charges: usize,
    /// How often its card was turned down.
    refusals: usize,
    pub(super) taken: i64,
    pub(super) given_back: i64,
    capturing: Capturing,
    error: Option<&'static str>,
}

/// A refund.
#[derive(Clone, Debug)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) intent: String,
    pub(super) amount: i64,
    pub(super) key: String,
}

impl Intent {
    pub(super) fn new(id: &str, amount: i64, capturing: Capturing, key: &str) -> Self {
        Self {
            id: id.to_owned(),
            key: key.to_owned(),
            created: 0,
            kind: "card".to_owned(),
            amount,
            status: status::NO_METHOD,
            card: None,
            kept: None,
            back: None,
            charges: 0,
            refusals: 0,
            taken: 0,
            given_back: 0,
            capturing,
            error: None,
        }
    }

    pub(super) fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.status)
    }

    /// Takes or holds the amount.
    pub(super) fn charge(&mut self) {
        self.error = None;
        if self.amount == 0 {
            self.status = status::DONE;
            return;
        }
        self.charges += 1;
        match self.capturing {
            Capturing::Automatic => {
                self.taken = self.amount;
                self.status = status::DONE;
            }
            Capturing::Manual => self.status = status::HELD,
        }
    }

    /// The card was turned down.
    pub(super) fn fail(&mut self, code: &'static str) {
        self.error = Some(code);
        self.refusals += 1;
        self.card = None;
        self.status = status::NO_METHOD;
    }

    /// With what was taken of it, which is `booked` as pending or available.
    pub(super) fn shown_as(&self, booked: &str) -> Value {
        let mut shown = self.shown();
        if self.taken > 0 {
            shown["latest_charge"] = json!({"balance_transaction": {"status": booked}});
        }
        shown
    }

    pub(super) fn shown(&self) -> Value {
        let acts = self.status == status::ACT;
        let next_action = match (acts, self.kind.as_str(), &self.back) {
            (false, ..) => Value::Null,
            (true, "multibanco", _) => json!({
                "type": "multibanco_display_details",
                "multibanco_display_details": {"entity": "11249", "reference": "123456789"},
            }),
            (true, "mb_way", _) => json!({"type": "mb_way_authorize"}),
            (true, _, Some(back)) => json!({
                "type": "redirect_to_url",
                "redirect_to_url": {
                    "url": format!("https://bank.example.com/{}", self.id), "return_url": back,
                },
            }),
            (true, _, None) => json!({"type": "use_stripe_sdk"}),
        };
        let error = self.error.map(|code| {
            let charge = format!("ch_{}_{}", self.id, self.refusals);
            json!({"type": "card_error", "code": code, "charge": charge})
        });
        let kept =
            |of: fn(&(String, String)) -> &String| self.kept.as_ref().map(|it| of(it).clone());
        if self.amount == 0 {
            return json!({
                "id": self.id,
                "object": "setup_intent",
                "status": self.status,
                "payment_method_types": [self.kind],
                "next_action": next_action,
                "last_setup_error": error,
                "payment_method": kept(|it| &it.0),
                "customer": kept(|it| &it.1),
                "usage": "off_session",
                "metadata": {"key": self.key},
            });
        }
        json!({
            "id": self.id,
            "object": "payment_intent",
            "amount": self.amount,
            "amount_received": self.taken,
            "status": self.status,
            "payment_method_types": [self.kind],
            "next_action": next_action,
            "last_payment_error": error,
            "payment_method": kept(|it| &it.0),
            "customer": kept(|it| &it.1),
            "setup_future_usage": self.kept.as_ref().map(|_| "off_session"),
            "metadata": {"key": self.key},
        })
    }
}

impl Refund {
    pub(super) fn shown(&self) -> Value {
        json!({
            "id": self.id,
            "object": "refund",
            "amount": self.amount,
            "payment_intent": self.intent,
            "status": "succeeded",
            "metadata": {"key": self.key},
        })
    }
}
