//! Where the buyer goes after the bank (payments 4.1, decisions 11 and 13).

use super::InitiationRefusal;
use crate::domain::payments::payment::{ReturnLink, Returns};
use crate::domain::platform::seller;
use crate::domain::platform::webhook::url::WebhookUrl;

/// What a link may be for.
const RELS: [&str; 4] = ["default", "on_completed", "on_failed", "on_cancelled"];

/// What a request says of the way back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReturnsRequest {
    /// `returnUrl`.
    pub url: Option<String>,
    /// `returnLinks`.
    pub links: Option<Vec<LinkRequest>>,
}

/// One of `returnLinks`, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkRequest {
    /// What it is for.
    pub rel: Option<String>,
    /// The address.
    pub href: Option<String>,
    /// `GET`; absent counts as it.
    pub method: Option<String>,
}

/// What the seller allows.
#[derive(Clone, Copy, Debug)]
pub struct ReturnRules<'a> {
    /// Whether `http` is let through.
    pub demo: bool,
    /// The hosts that a `returnUrl` may have.
    pub hosts: &'a [String],
    /// The links of payments that name none.
    pub defaults: &'a [seller::ReturnLink],
}

impl ReturnsRequest {
    /// Where the buyer goes. A `returnUrl` alone is its own default link. Links are demanded
    /// when any were sent, and where the buyer is `away` at the scheme's page for certain.
    pub(super) fn check(
        self,
        rules: &ReturnRules<'_>,
        away: bool,
    ) -> Result<Returns, InitiationRefusal> {
        let url = self.url.filter(|url| !url.is_empty());
        if let Some(url) = &url {
            let parsed =
                WebhookUrl::parse(url, rules.demo).map_err(InitiationRefusal::ReturnUrl)?;
            let host = parsed.parts().host;
            if !rules.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)) {
                return Err(InitiationRefusal::ReturnHost);
            }
        }
        let demanded = away || self.links.is_some();
        let mut links = checked(self.links.unwrap_or_default(), rules.demo)?;
        if links.is_empty() {
            links = match &url {
                Some(url) => vec![ReturnLink { rel: "default".to_owned(), href: url.clone() }],
                None => rules.defaults.iter().map(ReturnLink::of_seller).collect(),
            };
        }
        if demanded && links.is_empty() {
            return Err(InitiationRefusal::ReturnLinks);
        }
        Ok(Returns { url, links })
    }
}

fn checked(links: Vec<LinkRequest>, demo: bool) -> Result<Vec<ReturnLink>, InitiationRefusal> {
    let mut checked: Vec<ReturnLink> = Vec::with_capacity(links.len().min(RELS.len()));
    for link in links {
        let (Some(rel), Some(href)) = (link.rel, link.href) else {
            return Err(InitiationRefusal::ReturnLinks);
        };
        let known = RELS.contains(&rel.as_str()) && link.method.is_none_or(|it| it == "GET");
        let twice = checked.iter().any(|earlier| earlier.rel == rel);
        if !known || twice || WebhookUrl::parse(&href, demo).is_err() {
            return Err(InitiationRefusal::ReturnLinks);
        }
        checked.push(ReturnLink { rel, href });
    }
    Ok(checked)
}

impl ReturnLink {
    fn of_seller(link: &seller::ReturnLink) -> Self {
        Self { rel: link.rel.clone(), href: link.href.clone() }
    }
}
