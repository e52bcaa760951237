//! What the processor keeps: objects, and the answers it gave under each key.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::objects::{Capturing, Intent, Refund, status};

/// A question as it came.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) body: String,
    pub(super) key: Option<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    /// Whether it was given before.
    pub(super) is_repeated: bool,
}

/// All that the processor knows.
#[derive(Debug, Default)]
pub(super) struct Book {
    intents: BTreeMap<String, Intent>,
    refunds: BTreeMap<String, Refund>,
    /// Card numbers by payment method.
    cards: BTreeMap<String, String>,
    /// Customers by payment method, of those that are kept.
    kept: BTreeMap<String, String>,
    /// By key: what was asked, and the answer.
    keys: BTreeMap<String, (String, Answer)>,
    named: u32,
    /// What its clock says, in seconds.
    now: i64,
    /// Whether what was taken is available to its account.
    pub(super) pays_out: bool,
}

type Fields = BTreeMap<String, String>;

impl Answer {
    pub(super) fn error(status: u16, kind: &str, code: &str) -> Self {
        let error = json!({"type": kind, "code": code, "message": "not for the log: 4242"});
        Self { status, body: json!({"error": error}), is_repeated: false }
    }

    fn ok(body: Value) -> Self {
        Self { status: 200, body, is_repeated: false }
    }

    fn invalid(code: &str) -> Self {
        Self::error(400, "invalid_request_error", code)
    }

    fn missing() -> Self {
        Self::error(404, "invalid_request_error", "resource_missing")
    }
}

impl Book {
    /// Acts on a question, or gives the answer of its key again.
    pub(super) fn answer(&mut self, asked: &Asked) -> Answer {
        let Some(key) = asked.key.clone() else { return self.act(asked) };
        let content = format!("{} {} {}", asked.method, asked.path, asked.body);
        if let Some((known, answer)) = self.keys.get(&key) {
            if *known == content {
                return Answer { is_repeated: true, ..answer.clone() };
            }
            return Answer::error(400, "idempotency_error", "idempotency_key_reused");
        }
        let answer = self.act(asked);
        self.keys.insert(key, (content, answer.clone()));
        answer
    }

    /// From now on this is what is answered under the key.
    pub(super) fn keeps_failing(&mut self, asked: &Asked, failure: Answer) {
        let Asked { method, path, body, key, .. } = asked.clone();
        let key = key.expect("a question with a key");
        self.keys.insert(key, (format!("{method} {path} {body}"), failure));
    }

    fn act(&mut self, asked: &Asked) -> Answer {
        let body: Fields = form_urlencoded::parse(asked.body.as_bytes()).into_owned().collect();
        let query: Fields = form_urlencoded::parse(asked.query.as_bytes()).into_owned().collect();
        let parts: Vec<_> = asked.path.trim_matches('/').split('/').collect();
        // An intent that only verifies a card is found under its own path.
        let verifies = parts.get(1) == Some(&"setup_intents");
        if parts.get(2).is_some_and(|id| id.starts_with("seti_") != verifies) {
            return Answer::missing();
        }
        match (asked.method.as_str(), parts.as_slice()) {
            ("POST", ["v1", "setup_intents"]) => self.open_setup(&body),
            ("POST", ["v1", "payment_methods"]) => self.keep_card(&body),
            ("POST", ["v1", "payment_methods", id, "detach"]) => match self.kept.remove(*id) {
                Some(_) => Answer::ok(json!({"id": id})),
                None => Answer::invalid("resource_missing"),
            },
            ("POST", ["v1", "customers"]) => {
                let id = self.name("cus");
                Answer::ok(json!({"id": id}))
            }
            ("POST", ["v1", "payment_intents"]) => self.open(&body),
            ("GET", ["v1", "payment_intents", "search"]) => self.search(&query),
            ("GET", ["v1", "payment_intents"]) => self.list(&query, "pi_"),
            ("GET", ["v1", "setup_intents"]) => self.list(&query, "seti_"),
            ("GET", ["v1", "payment_intents" | "setup_intents", id]) => {
                let booked = if self.pays_out { "available" } else { "pending" };
                self.with(id, |it| Answer::ok(it.shown_as(booked)))
            }
            ("POST", ["v1", "payment_intents" | "setup_intents", id]) => self.attach(id, &body),
            ("POST", ["v1", "payment_intents" | "setup_intents", id, "confirm"]) => {
                let back = body.get("return_url").cloned();
                let forced = body.keys().any(|field| field.contains("three_d_secure"));
                let alone = body.get("off_session").is_some_and(|text| text == "true");
                self.with(id, |intent| confirm(intent, back, forced, alone))
            }
            ("POST", ["v1", "payment_intents" | "setup_intents", id, "capture"]) => {
                let amount = body.get("amount_to_capture").and_then(|text| text.parse().ok());
                let last = body.get("final_capture").is_none_or(|text| text == "true");
                self.with(id, |intent| capture(intent, amount, last))
            }
            ("POST", ["v1", "payment_intents" | "setup_intents", id, "cancel"]) => {
                self.with(id, cancel)
            }
            ("POST", ["v1", "refunds"]) => self.refund(&body),
            ("GET", ["v1", "refunds"]) => self.refunds(&query),
            _ => Answer::missing(),
        }
    }

    fn with(&mut self, id: &str, act: impl FnOnce(&mut Intent) -> Answer) -> Answer {
        self.intents.get_mut(id).map_or_else(Answer::missing, act)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.named += 1;
        format!("{prefix}_{}", self.named)
    }

    fn keep_card(&mut self, body: &Fields) -> Answer {
        let card = body.get("card[number]").or_else(|| body.get("card[token]")).cloned();
        let Some(card) = card else { return Answer::invalid("parameter_missing") };
        if card == "4242424242424241" {
            return Answer::error(402, "card_error", "incorrect_number");
        }
        let id = self.name("pm");
        self.cards.insert(id.clone(), card);
        Answer::ok(json!({"id": id}))
    }

    fn open(&mut self, body: &Fields) -> Answer {
        let field = |name: &str| body.get(name).map(String::as_str);
        let amount = field("amount").and_then(|text| text.parse().ok());
        let Some(amount) = amount.filter(|amount| *amount > 0) else {
            return Answer::invalid("amount_too_small");
        };
        let capturing = match field("capture_method") {
            Some("manual") => Capturing::Manual,
            _ => Capturing::Automatic,
        };
        let id = self.name("pi");
        let key = field("metadata[key]").unwrap_or_default();
        let mut intent = Intent::new(&id, amount, capturing, key);
        intent.created = self.now;
        if let Some(kind) = field("payment_method_types[0]") {
            intent.kind = kind.to_owned();
            intent.card = Some(format!("scheme of {kind}"));
        }
        let answer = match field("confirm") {
            Some("true") => confirm(&mut intent, body.get("return_url").cloned(), true, false),
            _ => Answer::ok(intent.shown()),
        };
        self.intents.insert(id, intent);
        answer
    }

    /// Where nothing is charged the intent says from its beginning that the card is kept.
    fn open_setup(&mut self, body: &Fields) -> Answer {
        let field = |name: &str| body.get(name).map(String::as_str);
        if field("usage") != Some("off_session") || field("amount").is_some() {
            return Answer::invalid("parameter_unknown");
        }
        let id = self.name("seti");
        let key = field("metadata[key]").unwrap_or_default();
        let mut intent = Intent::new(&id, 0, Capturing::Automatic, key);
        intent.created = self.now;
        let answer = Answer::ok(intent.shown());
        self.intents.insert(id, intent);
        answer
    }

    fn attach(&mut self, id: &str, body: &Fields) -> Answer {
        let card = body.get("payment_method").and_then(|method| self.cards.get(method)).cloned();
        let Some(card) = card else { return Answer::invalid("resource_missing") };
        let (method, customer) = (body.get("payment_method"), body.get("customer"));
        let verifies = id.starts_with("seti_");
        if verifies && body.contains_key("setup_future_usage") {
            return Answer::invalid("parameter_unknown");
        }
        let keeps = verifies || body.contains_key("setup_future_usage");
        let kept = method.cloned().zip(customer.cloned());
        if let (Some((method, customer)), true) = (&kept, keeps) {
            self.kept.insert(method.clone(), customer.clone());
        } else if let Some((method, customer)) = &kept
            && self.kept.get(method) != Some(customer)
        {
            return Answer::invalid("payment_method_not_of_customer");
        }
        self.with(id, |intent| {
            if !intent.is(&[status::NO_METHOD, status::CONFIRM]) {
                return Answer::invalid("payment_intent_unexpected_state");
            }
            intent.card = Some(card);
            intent.kept = kept.filter(|_| keeps);
            intent.status = status::CONFIRM;
            Answer::ok(intent.shown())
        })
    }

    fn search(&self, query: &Fields) -> Answer {
        let asked = query.get("query").map(String::as_str).unwrap_or_default();
        let is_asked_for = |it: &&Intent| {
            asked.split(" OR ").any(|one| one == format!("metadata['key']:'{}'", it.key))
        };
        let found = self.intents.values().filter(is_asked_for);
        Answer::ok(json!({"data": found.map(Intent::shown).collect::<Vec<_>>()}))
    }

    /// The newest first.
    fn list(&self, query: &Fields, prefix: &str) -> Answer {
        let number = |name: &str| query.get(name).and_then(|text| text.parse::<i64>().ok());
        let from = number("created[gte]").unwrap_or(i64::MIN);
        let to = number("created[lte]").unwrap_or(i64::MAX);
        let dated = self.intents.iter().filter(|(_, it)| (from..=to).contains(&it.created));
        let mut found: Vec<_> = dated.filter(|(id, _)| id.starts_with(prefix)).collect();
        found.sort_by_key(|(id, _)| Reverse((id.len(), (*id).clone())));
        if let Some(last) = query.get("starting_after") {
            let at = found.iter().position(|(id, _)| *id == last).expect("one of the list");
            found.drain(..=at);
        }
        let limit = number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(10);
        let has_more = found.len() > limit;
        let data: Vec<_> = found.into_iter().take(limit).map(|(_, it)| it.shown()).collect();
        Answer::ok(json!({"data": data, "has_more": has_more}))
    }

    /// More time passes than keys are kept.
    pub(super) fn forgets_keys(&mut self) {
        self.now += 2 * 86_400;
        self.keys.clear();
    }

    fn refund(&mut self, body: &Fields) -> Answer {
        let amount = body.get("amount").and_then(|text| text.parse::<i64>().ok());
        let id = body.get("payment_intent").cloned().unwrap_or_default();
        let (Some(amount), Some(intent)) = (amount, self.intents.get_mut(&id)) else {
            return Answer::missing();
        };
        if intent.given_back + amount > intent.taken {
            return Answer::invalid("charge_already_refunded");
        }
        intent.given_back += amount;
        let key = body.get("metadata[key]").cloned().unwrap_or_default();
        let refund = Refund { id: self.name("re"), intent: id, amount, key };
        let shown = refund.shown();
        self.refunds.insert(refund.id.clone(), refund);
        Answer::ok(shown)
    }

    fn refunds(&self, query: &Fields) -> Answer {
        let of = query.get("payment_intent").cloned().unwrap_or_default();
        let found: Vec<_> =
            self.refunds.values().filter(|it| it.intent == of).map(Refund::shown).collect();
        Answer::ok(json!({"data": found, "has_more": false}))
    }

    /// The intent that a question is about is confirmed.
    pub(super) fn confirms(&mut self, asked: &Asked) {
        let id = asked.path.split('/').nth(3).expect("an intent");
        let intent = self.intents.get_mut(id).expect("the intent");
        assert_eq!(intent.status, status::CONFIRM, "it has a card");
        intent.charge();
    }

    pub(super) fn buyer_acts(&mut self, intent: &str, approves: bool) {
        let intent = self.intents.get_mut(intent).expect("the intent");
        assert_eq!(intent.status, status::ACT, "the buyer was asked");
        match approves {
            true => intent.charge(),
            false => intent.fail("payment_intent_authentication_failure"),
        }
    }

    pub(super) fn keeps(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn charged(&self) -> (i64, usize) {
        let charged: Vec<_> = self.intents.values().filter(|it| it.charges > 0).collect();
        (charged.iter().map(|it| it.taken).sum(), charged.iter().map(|it| it.charges).sum())
    }

    pub(super) fn given_back(&self) -> (i64, usize) {
        (self.refunds.values().map(|refund| refund.amount).sum(), self.refunds.len())
    }

    pub(super) fn held(&self) -> i64 {
        let held = self.intents.values().filter(|it| it.status == status::HELD);
        held.map(|it| it.amount - it.taken).sum()
    }

    pub(super) fn status(&self, intent: &str) -> String {
        self.intents.get(intent).map(|it| it.status.to_owned()).unwrap_or_default()
    }
}

/// Stripe's own test numbers decide.
/// `alone`: nobody is there to confirm anything.
fn confirm(intent: &mut Intent, back: Option<String>, forced: bool, alone: bool) -> Answer {
    let Some(card) =
        intent.card.clone().filter(|_| intent.is(&[status::CONFIRM, status::NO_METHOD]))
    else {
        return Answer::invalid("payment_intent_unexpected_state");
    };
    let declined = match card.as_str() {
        "4000000000000002" => Some("card_declined"),
        "4000000000000119" => Some("processing_error"),
        "4000000000000036" => Some("incorrect_zip"),
        "4000000000000341" if alone => Some("card_declined"),
        "4000000000003220" if alone => Some("authentication_required"),
        _ => None,
    };
    if let Some(code) = declined {
        intent.fail(code);
        return Answer::error(402, "card_error", code);
    }
    if forced || card == "4000000000003220" {
        intent.status = status::ACT;
        intent.back = back;
    } else {
        intent.charge();
    }
    Answer::ok(intent.shown())
}

fn capture(intent: &mut Intent, amount: Option<i64>, last: bool) -> Answer {
    let left = intent.amount - intent.taken;
    let amount = amount.unwrap_or(left);
    // Nothing is captured where some was before and the rest is let go.
    let least = i64::from(!(last && intent.taken > 0));
    if intent.status != status::HELD || !(least..=left).contains(&amount) {
        return Answer::invalid("payment_intent_unexpected_state");
    }
    intent.taken += amount;
    if last || intent.taken == intent.amount {
        intent.status = status::DONE;
    }
    Answer::ok(intent.shown())
}

fn cancel(intent: &mut Intent) -> Answer {
    if intent.is(&[status::DONE, status::OFF]) {
        return Answer::invalid("payment_intent_unexpected_state");
    }
    intent.status = status::OFF;
    Answer::ok(intent.shown())
}
