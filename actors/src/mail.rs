//! Posts the mails of contracts: a timer says that one is due, its room hands it out, a carrier
//! brings it to a mail server, and the room keeps how that went. A mail that was on its way in a
//! crash is posted again, under the same `Message-ID`.

mod retain;

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::contract::Contracts;
use crate::domain::billing::invoice::{Invoice, InvoiceLine};
use crate::domain::billing::mail::{Mail, MailRetries, Tried};
use crate::domain::ids::ContractId;
use crate::kernel::AskError;
use crate::link_tokens::LinkTokens;
use crate::queue::{Act, Outcome};
use crate::timers::{Due, TimerKind};

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
    pub invoice: Invoice,
    pub lines: Vec<InvoiceLine>,
    /// Where the invoice is paid.
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

/// Where the invoice of a mail is paid.
pub fn payment_url(links: &LinkTokens, mail: &Mail, invoice: &Invoice) -> Option<String> {
    let token = links.of_invoice(mail.seller, invoice)?;
    Some(format!("{}/pay/{token}", links.address()))
}

/// Carries out the mail timers of contracts, one mail of a contract after the other.
pub(crate) fn carry(contracts: Contracts, links: LinkTokens, carrier: Option<Carrier>) -> Act<Due> {
    Arc::new(move |timer: Due| {
        let (contracts, links, carrier) = (contracts.clone(), links.clone(), carrier.clone());
        async move {
            match post(&contracts, &links, carrier.as_ref(), timer).await {
                Ok(outcome) => outcome,
                Err(error) => Outcome::Failed(error.to_string()),
            }
        }
        .boxed()
    })
}

async fn post(
    contracts: &Contracts,
    links: &LinkTokens,
    carrier: Option<&Carrier>,
    timer: Due,
) -> Result<Outcome, AskError> {
    if links.address().is_empty() {
        return Ok(Outcome::Failed("the server does not listen yet".to_owned()));
    }
    let contract = (timer.seller, ContractId(timer.object));
    let Some((mail, invoice)) = contracts.due_mail(contract).await? else {
        let stale = contracts.mend_timer(TimerKind::Mail, timer).await?;
        let nothing = || Outcome::Failed("nothing was due".to_owned());
        return Ok(if stale { Outcome::Done } else { nothing() });
    };
    let tried = match carrier {
        _ if !mail.has_a_point(&invoice) => Tried::Pointless,
        None => Tried::Refused { reason: "no mail server is set".to_owned(), for_good: false },
        Some(Carrier(carry)) => {
            let url = payment_url(links, &mail, &invoice);
            let lines = contracts.lines_of(&mail).await?;
            match carry(Letter { mail: mail.clone(), invoice, lines, url }).await {
                Ok(Taken { attached_bytes }) => Tried::Taken { attached_bytes },
                Err(Bounce { reason, for_good }) => {
                    let (seller, id) = (mail.seller.0, mail.id.0);
                    tracing::warn!(seller, mail = id, reason, for_good, "a mail was not taken");
                    Tried::Refused { reason, for_good }
                }
            }
        }
    };
    contracts.mail_tried(mail, tried).await?;
    Ok(Outcome::Done)
}
