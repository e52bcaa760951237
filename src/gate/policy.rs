//! What a route demands of its callers, and the words with which it says so.

use actors::domain::ids::SellerId;
use actors::domain::platform::limits::QuotaKind;
use actors::domain::platform::seller::Scope;
use hyper::Method;
use hyper::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderMap, HeaderValue};

use super::{Request, Route, audit};
use crate::app::App;
use crate::http::router::RouteError;
use crate::http::{ApiError, Response};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    Billing,
    Payments,
    Backoffice,
    /// What people reach with a session, or on their way to one.
    Dashboard,
    /// Pages that a person opens in a browser.
    Page,
    /// Health, metrics, the API document, and the files that pages are made of.
    Operations,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    SellerKey,
    /// A person's cookie.
    Session,
    /// The operator; without an operator's token the route is not there.
    Operator,
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Idempotency {
    /// Nothing; the header is not read.
    None,
    /// 1-128 characters, where there is one.
    Optional,
    /// 1-128 characters.
    Billing,
    /// A UUID.
    Payments,
    /// A UUID, demanded before the caller is known.
    PaymentsFirst,
}

#[derive(Clone, Debug, Default)]
pub struct Policy {
    surface: Option<Surface>,
    access: Option<Access>,
    key: Key,
    pub(super) quota: Option<QuotaKind>,
    refusal_page: Option<RefusalPage>,
    scopes: Vec<Scope>,
    /// A POST that may only read: its handler checks what writes.
    may_only_read: bool,
    from_any_origin: bool,
    /// What it does with a key is told in the account's audit log.
    audited: bool,
    account: Option<AccountOf>,
}

/// The account that a request is about.
pub type AccountOf = fn(&App, &Request) -> Option<SellerId>;

/// What a browser is shown in place of a refusal, in the language that it asks for.
pub type RefusalPage = fn(Option<&HeaderValue>, ApiError) -> Response;

/// How a caller wants its answer.
#[derive(Clone, Debug, Default)]
pub struct Wants {
    accept: Option<HeaderValue>,
    language: Option<HeaderValue>,
}

impl Wants {
    pub fn of(headers: &HeaderMap) -> Self {
        let header = |name| headers.get(name).cloned();
        Self { accept: header(ACCEPT), language: header(ACCEPT_LANGUAGE) }
    }
}

/// Whether a key is demanded; the surface says of which form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    #[default]
    None,
    Optional,
    AfterCaller,
    BeforeCaller,
}

/// Whether a caller is a program that asks for JSON, and no browser.
pub fn prefers_json(accept: Option<&HeaderValue>) -> bool {
    let accept = accept.and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("application/json") && !accept.contains("text/html")
}

/// Bytes of a body that anybody may send to a page: forms are small.
pub const FORM_LIMIT: usize = 64 * 1024;

impl Surface {
    /// Who may call its routes unless they say otherwise.
    fn access(self) -> Access {
        match self {
            Self::Billing | Self::Payments => Access::SellerKey,
            Self::Backoffice => Access::Operator,
            Self::Dashboard => Access::Session,
            Self::Page | Self::Operations => Access::Open,
        }
    }
}

impl Route {
    #[must_use]
    pub fn open(mut self) -> Self {
        self.policy.access = Some(Access::Open);
        self
    }

    /// It belongs to `surface`, whatever group it stands in.
    #[must_use]
    pub fn on(mut self, surface: Surface) -> Self {
        self.policy.surface = Some(surface);
        self
    }

    /// It belongs to `surface` unless it says otherwise.
    #[must_use]
    pub(crate) fn within(mut self, surface: Surface) -> Self {
        self.policy.surface = self.policy.surface.or(Some(surface));
        match self.surface() {
            Surface::Page if surface == Surface::Page => self.body_limit(FORM_LIMIT).page(),
            Surface::Page => self.body_limit(FORM_LIMIT),
            _ => self,
        }
    }

    /// It demands an `Idempotency-Key` of the form of its surface.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.policy.key = Key::AfterCaller;
        self
    }

    /// It takes an `Idempotency-Key` and does not demand one.
    #[must_use]
    pub fn takes_key(mut self) -> Self {
        self.policy.key = Key::Optional;
        self
    }

    /// It demands an `Idempotency-Key`, a UUID, before it asks who is calling.
    #[must_use]
    pub fn idempotent_first(mut self) -> Self {
        self.policy.key = Key::BeforeCaller;
        self
    }

    /// People open it: whoever does not ask for JSON is shown a page in place of a refusal.
    #[must_use]
    pub fn refuses_with(mut self, page: RefusalPage) -> Self {
        self.policy.refusal_page = Some(page);
        self
    }

    pub(super) fn refuses_in_words(&self) -> bool {
        self.policy.refusal_page.is_some()
    }

    /// The answer to a caller who is refused.
    pub(super) fn refused(&self, wants: &Wants, error: ApiError) -> Response {
        match self.policy.refusal_page.filter(|_| !prefers_json(wants.accept.as_ref())) {
            Some(page) => page(wants.language.as_ref(), error),
            None => error.into(),
        }
    }

    #[must_use]
    pub fn quota(mut self, quota: QuotaKind) -> Self {
        self.policy.quota = Some(quota);
        self
    }

    /// A key needs this scope for it, rather than the one of its surface and method.
    #[must_use]
    pub fn needs(self, scope: Scope) -> Self {
        self.needs_one_of(&[scope])
    }

    /// A key needs one of these scopes for it; what each of them lets it see, its handler knows.
    #[must_use]
    pub fn needs_one_of(mut self, scopes: &[Scope]) -> Self {
        self.policy.scopes = scopes.to_vec();
        self
    }

    /// What a key needs for it: one of these.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> {
        let reads = self.method() == Method::GET;
        let of_surface = match (self.surface(), reads) {
            (Surface::Payments, true) => Scope::PaymentsRead,
            (Surface::Payments, false) => Scope::PaymentsWrite,
            (_, true) => Scope::BillingRead,
            (_, false) => Scope::BillingWrite,
        };
        let stated = &self.policy.scopes;
        stated.iter().copied().chain(stated.is_empty().then_some(of_surface))
    }

    /// It is a POST that may only read: what it writes is checked where it is.
    #[must_use]
    pub fn may_only_read(mut self) -> Self {
        self.policy.may_only_read = true;
        self
    }

    /// Whether the pipeline checks that there is room for what it writes.
    pub(super) fn writes(&self) -> bool {
        self.method() != Method::GET && !self.policy.may_only_read
    }

    /// What it does with a key is told in the account's audit log: for writes that are seldom and
    /// change where data goes, since an entry costs a row.
    #[must_use]
    pub fn audited(mut self) -> Self {
        self.policy.audited = true;
        self
    }

    pub(super) fn is_audited(&self) -> bool {
        self.policy.audited
    }

    /// What the operator does with it is told in the audit log of the account that `find` finds,
    /// where the path does not name it as `sellerAccountId`.
    #[must_use]
    pub fn about(mut self, find: AccountOf) -> Self {
        self.policy.account = Some(find);
        self
    }

    /// The same of the account that the body names as `sellerAccountId`.
    #[must_use]
    pub fn about_account_in_body(self) -> Self {
        self.about(|_, request| audit::named_in_body(request))
    }

    /// The account that a request of the operator is about.
    pub(super) fn account(&self, app: &App, request: &Request) -> Option<SellerId> {
        let in_path = request.id(audit::ACCOUNT, SellerId).ok();
        in_path.or_else(|| self.policy.account.and_then(|find| find(app, request)))
    }

    #[cfg(test)]
    pub(crate) fn tells_an_account(&self) -> bool {
        self.parameters().any(|name| name == audit::ACCOUNT) || self.policy.account.is_some()
    }

    /// Pages of other origins may cause it.
    #[must_use]
    pub fn from_any_origin(mut self) -> Self {
        self.policy.from_any_origin = true;
        self
    }

    /// Whether it is refused to pages of other origins.
    pub(super) fn asks_for_origin(&self) -> bool {
        let changes = self.method() != Method::GET;
        self.surface() == Surface::Dashboard && changes && !self.policy.from_any_origin
    }

    pub fn surface(&self) -> Surface {
        self.policy.surface.unwrap_or(Surface::Operations)
    }

    pub fn access(&self) -> Access {
        self.policy.access.unwrap_or(self.surface().access())
    }

    pub fn idempotency(&self) -> Idempotency {
        match (self.policy.key, self.surface()) {
            (Key::None, _) => Idempotency::None,
            (Key::Optional, _) => Idempotency::Optional,
            (Key::BeforeCaller, _) => Idempotency::PaymentsFirst,
            (Key::AfterCaller, Surface::Payments) => Idempotency::Payments,
            (Key::AfterCaller, _) => Idempotency::Billing,
        }
    }

    /// A declaration that contradicts itself stops the start rather than a caller.
    pub(super) fn check(&self) -> Result<(), RouteError> {
        if self.policy.quota.is_some() && self.access() != Access::SellerKey {
            return Err(RouteError::of(self, "has a quota, but no seller who fills it"));
        }
        if self.streamed && self.access() != Access::SellerKey {
            return Err(RouteError::of(self, "takes uploads, but no seller has a place for them"));
        }
        if self.idempotency() != Idempotency::None && self.method() != Method::POST {
            return Err(RouteError::of(self, "takes an idempotency key, but is no POST"));
        }
        Ok(())
    }
}
