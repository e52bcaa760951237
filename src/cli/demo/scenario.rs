//! The vocabulary of the demonstration: a chapter is a list of steps, and what a step says is data.

use std::fmt;
use std::time::Duration;

use hyper::Method;
use rust_decimal::Decimal;
use serde_json::Value;

use super::answers::{all, decimal, plain};

/// One step. Its texts and bodies may refer to [what was kept](super::answers).
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) action: Action,
    /// Where the answer is kept.
    pub(super) keep: Option<Keep>,
    /// The step is left out unless this holds for what was kept.
    pub(super) only_if: Option<Claim>,
    /// The action is repeated until all of these hold for its answer.
    pub(super) until: Vec<Claim>,
    /// The action is repeated until it is answered twice alike.
    pub(super) steady: bool,
    /// How long it is repeated at most.
    pub(super) within: Duration,
    /// After that time the last answer is taken as it is; otherwise it is an error.
    pub(super) or_go_on: bool,
    /// What must hold for the answer, or the demonstration ends.
    pub(super) expect: Vec<Claim>,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Shows on the progress line what goes on.
    Say(&'static str),
    /// The filled text is its own answer.
    Text(String),
    Call(Call),
    /// All rows of the list at `path`, which stand in the field `rows` of its pages.
    List {
        path: String,
        rows: &'static str,
        reversed: bool,
    },
    /// The steps for each row kept as `list`, which is kept as `row` for them.
    Each {
        list: &'static str,
        row: &'static str,
        steps: Vec<Step>,
    },
    /// The buyer pays the invoice kept under this name on its hosted page.
    Pay(&'static str),
    /// The buyer approves on the page of a bank or a scheme at this address.
    Approve(&'static str),
    /// Calls carry this key of the seller's from now on.
    SignIn(&'static str),
    /// The receiver of webhooks believes this secret from now on.
    Trust(&'static str),
    /// What the receiver of webhooks has so far.
    Inbox,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Body,
    /// The name of the idempotency key: calls of one name carry the same UUID.
    pub(super) key: Option<String>,
    /// The secret that the body is signed with.
    pub(super) signed: Option<&'static str>,
    /// Whether the operator calls, not the seller.
    pub(super) by_operator: bool,
    /// See [`Step::any_status`].
    pub(super) any_status: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    None,
    Json(Value),
    /// The parts of a multipart form: name, content type and content.
    Form(Vec<(&'static str, &'static str, String)>),
}

#[derive(Clone, Debug)]
pub(super) enum Keep {
    /// Under this path.
    As(String),
    /// At the end of the list at this path.
    In(String),
}

/// What is claimed of the values at a path.
#[derive(Clone, Debug)]
pub(super) struct Claim(pub(super) &'static str, pub(super) Is);

#[derive(Clone, Debug)]
pub(super) enum Is {
    /// One of them is this.
    Some(Value),
    /// None of them is this.
    No(&'static str),
    /// One of them is one of these.
    OneOf(&'static [&'static str]),
    /// One of them is a number that is not smaller.
    AtLeast(i64),
    /// They are as many or more.
    Count(usize),
    /// They add up to this.
    Sum(Decimal),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => write!(f, "{} {}", call.method, call.path),
            Self::List { path, .. } => write!(f, "GET {path}"),
            other => write!(f, "{other:?}"),
        }
    }
}

impl Claim {
    pub(super) fn holds(&self, answer: &Value) -> bool {
        let Self(path, is) = self;
        let mut found = all(answer, path).into_iter();
        match is {
            Is::Some(wanted) => found.any(|value| value == wanted),
            Is::No(text) => found.all(|value| plain(value) != *text),
            Is::OneOf(texts) => found.any(|value| texts.contains(&plain(value).as_str())),
            Is::AtLeast(least) => found.any(|value| value.as_i64().is_some_and(|n| n >= *least)),
            Is::Count(least) => found.count() >= *least,
            Is::Sum(sum) => found.map(decimal).sum::<Decimal>() == *sum,
        }
    }
}

/// One of the values is this.
pub(super) fn be(value: impl Into<Value>) -> Is {
    Is::Some(value.into())
}

pub(super) fn say(text: &'static str) -> Step {
    Step::of(Action::Say(text))
}

pub(super) fn text(text: impl Into<String>) -> Step {
    Step::of(Action::Text(text.into()))
}

pub(super) fn get(path: impl Into<String>) -> Step {
    call(Method::GET, path.into(), Body::None)
}

pub(super) fn post(path: impl Into<String>, body: Value) -> Step {
    call(Method::POST, path.into(), Body::Json(body))
}

pub(super) fn put(path: impl Into<String>, body: Value) -> Step {
    call(Method::PUT, path.into(), Body::Json(body))
}

pub(super) fn patch(path: impl Into<String>, body: Value) -> Step {
    call(Method::PATCH, path.into(), Body::Json(body))
}

pub(super) fn upload(path: &str, parts: Vec<(&'static str, &'static str, String)>) -> Step {
    call(Method::POST, path.to_owned(), Body::Form(parts))
}

pub(super) fn list(path: impl Into<String>, rows: &'static str) -> Step {
    Step::of(Action::List { path: path.into(), rows, reversed: false })
}

/// A list that comes newest first, the other way round.
pub(super) fn oldest_first(path: impl Into<String>, rows: &'static str) -> Step {
    Step::of(Action::List { path: path.into(), rows, reversed: true })
}

pub(super) fn each(list: &'static str, row: &'static str, steps: Vec<Step>) -> Step {
    Step::of(Action::Each { list, row, steps })
}

fn call(method: Method, path: String, body: Body) -> Step {
    let (key, signed, by_operator, any_status) = (None, None, false, false);
    Step::of(Action::Call(Call { method, path, body, key, signed, by_operator, any_status }))
}

impl Step {
    pub(super) fn of(action: Action) -> Self {
        Self {
            action,
            keep: None,
            only_if: None,
            until: Vec::new(),
            steady: false,
            within: Duration::from_secs(30),
            or_go_on: false,
            expect: Vec::new(),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Call)) -> Self {
        if let Action::Call(call) = &mut self.action {
            change(call);
        }
        self
    }

    /// Sends the idempotency key of this name.
    pub(super) fn key(self, name: impl Into<String>) -> Self {
        self.with(|call| call.key = Some(name.into()))
    }

    pub(super) fn signed(self, secret: &'static str) -> Self {
        self.with(|call| call.signed = Some(secret))
    }

    pub(super) fn by_operator(self) -> Self {
        self.with(|call| call.by_operator = true).only_if("operator", be(true))
    }

    /// Keeps the answer's body, or a list's rows.
    pub(super) fn keep(mut self, path: impl Into<String>) -> Self {
        self.keep = Some(Keep::As(path.into()));
        self
    }

    /// Adds the answer to the list at `path`.
    pub(super) fn push(mut self, path: impl Into<String>) -> Self {
        self.keep = Some(Keep::In(path.into()));
        self
    }

    /// Takes any status; the answer is an object of `status`, `location` and `body`.
    pub(super) fn any_status(self) -> Self {
        self.with(|call| call.any_status = true)
    }

    /// Takes any status and keeps the whole answer.
    pub(super) fn answer(self, path: impl Into<String>) -> Self {
        self.any_status().keep(path)
    }

    pub(super) fn only_if(mut self, path: &'static str, is: Is) -> Self {
        self.only_if = Some(Claim(path, is));
        self
    }

    pub(super) fn until(mut self, path: &'static str, is: Is) -> Self {
        self.until.push(Claim(path, is));
        self
    }

    pub(super) fn until_steady(mut self) -> Self {
        self.steady = true;
        self
    }

    pub(super) fn within(mut self, seconds: u64) -> Self {
        self.within = Duration::from_secs(seconds);
        self
    }

    pub(super) fn or_go_on(mut self) -> Self {
        self.or_go_on = true;
        self
    }

    pub(super) fn expect(mut self, path: &'static str, is: Is) -> Self {
        self.expect.push(Claim(path, is));
        self
    }
}
