//! Questions to a processor, as a payment asks them.

use std::sync::Arc;

use actors::connector::{
    Cancel, Capture, Challenge, Charge, Confirm, Create, Forgotten, LookUp, Processor, Processors,
    Refund, Simulator,
};
use actors::domain::ids::{SellerId, TerminalId};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::card::CardInput;
use actors::domain::payments::method::Method;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};
use actors::domain::payments::saved_card::{CardToken, OpenedCard};
use actors::domain::payments::source::Source;
use actors::domain::payments::terminal::{
    BaseUrl, Connector, NewTerminal, Rail, Terminal, TerminalStatus,
};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::secrets::{Place, SecretBox};

/// What every payment here is about, in cents.
pub(crate) const AMOUNT: i64 = 12_50;

/// A processor, asked as one payment asks it.
pub(crate) struct Asker {
    processor: Arc<dyn Processor>,
    /// What the keys of the payment begin with.
    root: String,
    /// What it is about, in cents.
    minor: i64,
}

impl Asker {
    /// The payment `root` at the Stripe-compatible processor that listens at `url`.
    pub(crate) fn new(url: &str, secret_key: &str, root: &str) -> Self {
        let secrets = SecretBox::new(&[7; 32]);
        let processors = Processors::new(Arc::new(Simulator), secrets);
        let processor = processors.of(&terminal(url, secret_key)).expect("a processor");
        Self { processor, root: root.to_owned(), minor: AMOUNT }
    }

    /// The same with nothing to be charged: a card is verified.
    pub(crate) fn verifying(self) -> Self {
        Self { minor: 0, ..self }
    }

    /// Begins a payment with `method`.
    pub(crate) async fn create(&self, method: Method, capture: CaptureMode) -> ProviderOutcome {
        self.processor.create(self.creation("create", method, capture)).await
    }

    fn creation(&self, word: &str, method: Method, capture: CaptureMode) -> Create {
        let phone = (method == Method::MbWay).then(|| "+351912345678".to_owned());
        Create {
            key: self.key(word),
            amount: money(self.minor),
            reference: format!("order {}", self.root),
            method,
            source: Source::Local,
            billing: None,
            capture,
            challenge: Challenge::Ask,
            forced: None,
            phone,
            description: None,
            return_url: Some("https://shop.example.com/back".to_owned()),
            keeps_card: false,
        }
    }

    /// Opens a card payment, and answers its name.
    pub(crate) async fn open(&self, capture: CaptureMode) -> String {
        self.open_under("create", capture).await
    }

    /// The same under the key that ends with `word`.
    pub(crate) async fn open_under(&self, word: &str, capture: CaptureMode) -> String {
        match self.processor.create(self.creation(word, Method::Card, capture)).await {
            ProviderOutcome::Opened { token } => token,
            other => panic!("not opened: {other:?}"),
        }
    }

    /// Charges an open payment. Without a challenge there is nowhere to come back to.
    pub(crate) async fn charge(
        &self,
        token: &str,
        number: &str,
        challenge: Challenge,
    ) -> ProviderOutcome {
        self.processor.charge(self.charge_of(token, card(number), challenge)).await
    }

    /// Charges an open payment with a card that the processor is to keep.
    pub(crate) async fn charge_and_keep(&self, token: &str, number: &str) -> ProviderOutcome {
        let ask = self.charge_of(token, card(number), Challenge::Ask);
        self.processor.charge(Charge { keeps_card: true, ..ask }).await
    }

    /// Charges an open payment with a card that the processor has kept.
    pub(crate) async fn charge_kept(&self, token: &str, kept: &CardToken) -> ProviderOutcome {
        let summary = card("4242424242424242").summary().expect("a card");
        let opened = Source::Saved(OpenedCard::new(kept.as_str().into(), summary).into());
        self.processor.charge(self.charge_of(token, opened, Challenge::Skip)).await
    }

    /// Has the processor forget a card that it has kept.
    pub(crate) async fn forget(&self, kept: &CardToken) -> Forgotten {
        let summary = card("4242424242424242").summary().expect("a card");
        self.processor.forget(OpenedCard::new(kept.as_str().into(), summary)).await
    }

    fn charge_of(&self, token: &str, source: Source, challenge: Challenge) -> Charge {
        let back = (challenge != Challenge::Skip).then_some("https://shop.example.com/back");
        Charge {
            key: self.key("charge"),
            token: token.to_owned(),
            source,
            billing: None,
            challenge,
            return_url: back.map(str::to_owned),
            keeps_card: false,
        }
    }

    /// Asks after the buyer's confirmation.
    pub(crate) async fn confirm(&self, token: &str) -> ProviderOutcome {
        let (key, amount) = (self.key("confirm"), money(self.minor));
        self.processor.confirm(Confirm { key, token: token.to_owned(), amount }).await
    }

    /// Takes `minor` of what is held; the `nth` time.
    pub(crate) async fn capture(
        &self,
        token: &str,
        (nth, minor): (u32, i64),
        last: bool,
    ) -> ProviderOutcome {
        let (key, amount) = (self.key(&format!("capture-{nth}")), money(minor));
        let token = token.to_owned();
        self.processor.capture(Capture { key, token, amount, last, forced: None }).await
    }

    /// Calls the payment off.
    pub(crate) async fn cancel(&self, token: &str) -> ProviderOutcome {
        self.processor.cancel(Cancel { key: self.key("cancel"), token: token.to_owned() }).await
    }

    /// Gives `minor` back; the `nth` time.
    pub(crate) async fn refund(&self, token: &str, (nth, minor): (u32, i64)) -> ProviderOutcome {
        let (key, amount) = (self.key(&format!("refund-{nth}")), money(minor));
        let (token, reason) = (token.to_owned(), Some("too small".to_owned()));
        self.processor.refund(Refund { key, token, amount, reason, forced: None }).await
    }

    /// Looks up what became of the question whose key ends with `word`.
    pub(crate) async fn look_up(
        &self,
        kind: CallKind,
        word: &str,
        token: Option<&str>,
    ) -> ProviderOutcome {
        self.find(self.lost(kind, word, token)).await
    }

    /// The question after what became of the one whose key ends with `word`.
    pub(crate) fn lost(&self, kind: CallKind, word: &str, token: Option<&str>) -> LookUp {
        LookUp {
            key: self.key(word),
            kind,
            reference: format!("order {}", self.root),
            token: token.map(str::to_owned),
            amount: money(self.minor),
            method: Method::Card,
            challenge: Challenge::Ask,
            taken: None,
            asked_long_ago: None,
        }
    }

    /// The same question about an opening, asked when its key may be forgotten.
    pub(crate) async fn look_up_long_after(&self) -> ProviderOutcome {
        let lost = self.lost(CallKind::Create, "create", None);
        self.find(LookUp { asked_long_ago: Some(Timestamp::from_micros(0)), ..lost }).await
    }

    pub(crate) async fn find(&self, lost: LookUp) -> ProviderOutcome {
        self.processor.look_up(lost).await
    }

    fn key(&self, word: &str) -> String {
        format!("{}-{word}", self.root)
    }
}

fn terminal(url: &str, secret_key: &str) -> Terminal {
    let new = NewTerminal {
        name: "Live".to_owned(),
        rail: Rail::Card,
        methods: vec![Method::Card],
        currencies: vec![Currency::EUR],
        countries: Vec::new(),
        mode: Mode::Live,
        connector: Connector::Stripe,
        base_url: Some(BaseUrl::parse(url).expect("a base URL")),
        secret_key: Some(secret_key.into()),
        status: TerminalStatus::Active,
        multicapture: false,
    };
    let place = Place::TerminalKey(SellerId(1), TerminalId(1));
    let seal = |key: &str| SecretBox::new(&[7; 32]).seal(place, key.as_bytes(), [1; 24]);
    new.saved(TerminalId(1), SellerId(1), None, seal).expect("a terminal")
}

/// A good card of this number.
pub(crate) fn card(number: &str) -> Source {
    let input = CardInput {
        number: number.into(),
        cvv: "123".into(),
        exp_month: Some(12),
        exp_year: Some(2030),
        holder: String::new(),
        ..CardInput::default()
    };
    Source::Card(input.check().expect("a card").into())
}

fn money(minor: i64) -> Money {
    Money::new(minor, Currency::EUR).expect("money")
}
