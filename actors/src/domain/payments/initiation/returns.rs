//! Where the buyer goes after the bank.

use super::InitiationRefusal;
use crate::domain::payments::payment::Returns;
use crate::domain::platform::seller::ReturnLink;
use crate::domain::platform::webhook::url::WebhookUrl;

const RELS: [&str; 4] = ["default", "on_completed", "on_failed", "on_cancelled"];

#[derive(Clone, Copy, Debug)]
pub struct ReturnRules<'a> {
    /// Whether `http` is let through.
    pub demo: bool,
    /// The hosts that a `returnUrl` may have.
    pub hosts: &'a [String],
    /// The links of payments that name none.
    pub defaults: &'a [ReturnLink],
}

impl ReturnRules<'_> {
    pub fn check_url(&self, url: Option<String>) -> Result<Option<String>, InitiationRefusal> {
        let Some(url) = url.filter(|url| !url.is_empty()) else { return Ok(None) };
        let parsed = WebhookUrl::parse(&url, self.demo).map_err(InitiationRefusal::ReturnUrl)?;
        let host = parsed.parts().host;
        if !self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)) {
            return Err(InitiationRefusal::ReturnHost);
        }
        Ok(Some(url))
    }

    /// One of `returnLinks`; a `method` that is absent counts as `GET`.
    pub fn check_link(
        &self,
        rel: Option<String>,
        href: Option<String>,
        method: Option<&str>,
    ) -> Result<ReturnLink, InitiationRefusal> {
        let (Some(rel), Some(href)) = (rel, href) else {
            return Err(InitiationRefusal::ReturnLinks);
        };
        let known = RELS.contains(&rel.as_str()) && method.is_none_or(|method| method == "GET");
        if !known || WebhookUrl::parse(&href, self.demo).is_err() {
            return Err(InitiationRefusal::ReturnLinks);
        }
        Ok(ReturnLink { rel, href })
    }

    /// Where the buyer goes. A `returnUrl` alone is its own default link. Links are demanded
    /// when any were sent, and where the buyer is `away` at the scheme's page for certain; two
    /// links for the same are refused.
    pub fn returns(
        &self,
        url: Option<String>,
        links: Option<Vec<ReturnLink>>,
        away: bool,
    ) -> Result<Returns, InitiationRefusal> {
        let demanded = away || links.is_some();
        let mut links = links.unwrap_or_default();
        let twice =
            |(at, link): (usize, &ReturnLink)| links[..at].iter().any(|it| it.rel == link.rel);
        if links.iter().enumerate().any(twice) {
            return Err(InitiationRefusal::ReturnLinks);
        }
        if links.is_empty() {
            links = match &url {
                Some(url) => vec![ReturnLink { rel: "default".to_owned(), href: url.clone() }],
                None => self.defaults.to_vec(),
            };
        }
        if demanded && links.is_empty() {
            return Err(InitiationRefusal::ReturnLinks);
        }
        Ok(Returns { url, links })
    }
}
