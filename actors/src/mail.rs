//! Posts the mails of contracts, payment links and invitations: a timer says that one is due, its
//! room hands it out, a carrier brings it to a mail server, and the room keeps how that went. A mail
//! that was on its way in a crash is posted again, under the same `Message-ID`.

mod bounces;
mod retain;

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::clock::Clock;
use crate::contract::Contracts;
use crate::domain::billing::invoice::InvoiceLine;
use crate::domain::billing::mail::{About, Mail, MailContent, MailRetries, Tried};
use crate::domain::ids::{ContractId, LinkSubscriptionId};
use crate::kernel::AskError;
use crate::link_subscription::LinkSubscriptions;
use crate::link_tokens::LinkTokens;
use crate::queue::{Act, Outcome};
use crate::seller::Sellers;
use crate::timers::{Due, TimerKind};

pub(crate) use bounces::Bounces;
pub(crate) use retain::Retention;

/// How the rooms write mails.
#[derive(Clone, Copy, Debug, Default)]
pub struct MailPolicy {
    /// Whether a mail server is set; without one mails are kept and not sent.
    pub posts: bool,
    pub retries: MailRetries,
}

/// How mails are posted.
#[derive(Clone, Debug, Default)]
pub struct MailSettings {
    /// Absent where no mail server is set.
    pub carrier: Option<Carrier>,
    pub retries: MailRetries,
}

/// A mail to be posted.
#[derive(Clone, Debug)]
pub struct Letter {
    pub mail: Mail,
    pub about: About,
    /// Of an invoice.
    pub lines: Vec<InvoiceLine>,
    /// Where it leads.
    pub url: Option<String>,
}

/// Why a mail was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounce {
    pub reason: String,
    /// Whether no other attempt would do better.
    pub for_good: bool,
}

/// A mail that a server has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How large the document was that went with it; none went where it could not be made.
    pub attached_bytes: Option<u64>,
}

type Carry = dyn Fn(Letter) -> BoxFuture<'static, Result<Taken, Bounce>> + Send + Sync;

/// Brings a mail to a mail server.
#[derive(Clone)]
pub struct Carrier(Arc<Carry>);

impl Carrier {
    pub fn new(
        carry: impl Fn(Letter) -> BoxFuture<'static, Result<Taken, Bounce>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(carry))
    }
}

impl fmt::Debug for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Carrier")
    }
}

/// Where a mail leads: to the page where that is paid what it is about, or where somebody joins.
pub fn url_of(links: &LinkTokens, mail: &Mail, about: &About) -> Option<String> {
    let path = match about {
        About::Invoice(invoice) => format!("pay/{}", links.of_invoice(mail.seller, invoice)?),
        About::Link(link, _) => format!("pay/{}", links.of_payment_link(link)),
        About::Subscription(of, _) => format!("pay/{}", links.of_link_subscription(of)),
        About::Invitation(person, seller) => {
            let open = person.invitation.as_ref()?;
            let content = mail.content_or(MailContent::of_invitation(person, seller));
            // One that was sent anew has another link, which is in another mail.
            let drawn = open.drawn.as_deref().filter(|_| content.until == Some(open.expires_at))?;
            format!("dashboard/invite/{}", links.of_invitation(mail.seller, drawn).reveal())
        }
    };
    Some(format!("{}/{path}", links.address()))
}

/// What posts mails.
#[derive(Clone)]
pub(crate) struct Post {
    pub(crate) contracts: Contracts,
    pub(crate) sellers: Sellers,
    pub(crate) subscriptions: LinkSubscriptions,
    pub(crate) links: LinkTokens,
    pub(crate) clock: Clock,
    pub(crate) carrier: Option<Carrier>,
    pub(crate) bounces: Bounces,
}

impl Post {
    /// Carries out the mail timers of contracts, one mail of a contract after the other.
    pub(crate) fn of_contracts(&self) -> Act<Due> {
        let post = self.clone();
        Arc::new(move |timer: Due| {
            let post = post.clone();
            async move { ended(post.of_contract(timer).await) }.boxed()
        })
    }

    /// Carries out the timers of mails about payment links, or those of invitations.
    pub(crate) fn of_sellers(&self, kind: TimerKind) -> Act<Due> {
        let post = self.clone();
        Arc::new(move |timer: Due| {
            let post = post.clone();
            async move { ended(post.of_seller(kind, timer).await) }.boxed()
        })
    }

    /// Carries out the timers of mails about subscriptions by payment link.
    pub(crate) fn of_subscriptions(&self) -> Act<Due> {
        let post = self.clone();
        Arc::new(move |timer: Due| {
            let post = post.clone();
            async move { ended(post.of_subscription(timer).await) }.boxed()
        })
    }

    async fn of_contract(&self, timer: Due) -> Result<Outcome, AskError> {
        if self.links.address().is_empty() {
            return Ok(early());
        }
        let contract = (timer.seller, ContractId(timer.object));
        let Some((mail, invoice)) = self.contracts.due_mail(contract).await? else {
            let stale = self.contracts.mend_timer(TimerKind::Mail, timer).await?;
            let nothing = || Outcome::Failed("nothing was due".to_owned());
            return Ok(if stale { Outcome::Done } else { nothing() });
        };
        let tried = self.tried(&mail, About::Invoice(Box::new(invoice))).await?;
        self.contracts.mail_tried(mail, tried).await?;
        Ok(Outcome::Done)
    }

    async fn of_seller(&self, kind: TimerKind, timer: Due) -> Result<Outcome, AskError> {
        if self.links.address().is_empty() {
            return Ok(early());
        }
        if let Some((mail, about)) = self.sellers.due_mail(kind, timer).await? {
            let tried = match about {
                Some(about) => self.tried(&mail, about).await?,
                None => Tried::Pointless,
            };
            self.sellers.mail_tried(mail, tried).await?;
        }
        Ok(Outcome::Done)
    }

    async fn of_subscription(&self, timer: Due) -> Result<Outcome, AskError> {
        if self.links.address().is_empty() {
            return Ok(early());
        }
        let id = LinkSubscriptionId(timer.object);
        let Some((mail, about)) = self.subscriptions.due_mail(timer.seller, id).await? else {
            let kind = TimerKind::SubscriptionMail;
            let stale = self.subscriptions.mend_timer(kind, timer).await?;
            let nothing = || Outcome::Failed("nothing was due".to_owned());
            return Ok(if stale { Outcome::Done } else { nothing() });
        };
        let tried = self.tried(&mail, about).await?;
        self.subscriptions.mail_tried(id, mail, tried).await?;
        Ok(Outcome::Done)
    }

    async fn tried(&self, mail: &Mail, about: About) -> Result<Tried, AskError> {
        if !mail.has_a_point(&about, self.clock.now()) {
            return Ok(Tried::Pointless);
        }
        let Some(Carrier(carry)) = &self.carrier else {
            let reason = "no mail server is set".to_owned();
            return Ok(Tried::Refused { reason, for_good: false });
        };
        let url = url_of(&self.links, mail, &about);
        let lines = match &about {
            About::Invoice(_) => self.contracts.lines_of(mail).await?,
            About::Link(..) | About::Subscription(..) | About::Invitation(..) => Vec::new(),
        };
        Ok(match carry(Letter { mail: mail.clone(), about, lines, url }).await {
            Ok(Taken { attached_bytes }) => {
                self.bounces.end();
                Tried::Taken { attached_bytes }
            }
            Err(Bounce { reason, for_good }) => {
                let (seller, id) = (mail.seller.0, mail.id.0);
                if for_good || self.bounces.note(&reason) {
                    tracing::warn!(seller, mail = id, reason, for_good, "a mail was not taken");
                } else {
                    tracing::debug!(seller, mail = id, reason, "a mail was not taken either");
                }
                Tried::Refused { reason, for_good }
            }
        })
    }
}

fn early() -> Outcome {
    Outcome::Failed("the server does not listen yet".to_owned())
}

fn ended(posted: Result<Outcome, AskError>) -> Outcome {
    posted.unwrap_or_else(|error| Outcome::Failed(error.to_string()))
}
