//! Everything that is checked and shown, read back from the API after the story.

use std::time::Duration;

use anyhow::bail;

use super::receiver::{Inbox, Receiver};
use super::records::{
    ContractVersion, Delivery, Invoice, Settlement, Subscription, TestClock, TimelineEntry, record,
    records,
};
use super::story::Story;

/// The state of the server after the story, and what the receiver holds.
#[derive(Debug)]
pub(super) struct Facts {
    /// Oldest first.
    pub(super) versions: Vec<ContractVersion>,
    /// Oldest first.
    pub(super) subscriptions: Vec<Subscription>,
    /// Oldest first, with their lines.
    pub(super) invoices: Vec<Invoice>,
    /// One for each invoice, in the same order.
    pub(super) settlements: Vec<Settlement>,
    pub(super) timeline: Vec<TimelineEntry>,
    pub(super) clock: TestClock,
    pub(super) deliveries: Vec<Delivery>,
    pub(super) inbox: Inbox,
}

/// Reads all of it, after the webhooks have come to rest.
pub(super) async fn read(story: &Story, receiver: &Receiver) -> anyhow::Result<Facts> {
    let (client, contract) = (&story.client, story.contract);
    settled(story).await?;
    let deliveries = rest(story).await?;
    let inbox = receiver.inbox();
    let of_contract = format!("/billing-api/v1/contracts/{contract}");

    let versions = client.list(&format!("{of_contract}/versions"), "versions").await?;
    let mut versions: Vec<ContractVersion> = records("the versions", versions)?;
    versions.reverse();

    let path = format!("/billing-api/v1/subscriptions?contractId={contract}");
    let subscriptions = client.list(&path, "subscriptions").await?;
    let mut subscriptions: Vec<Subscription> = records("the subscriptions", subscriptions)?;
    subscriptions.reverse();

    let listed = client.list("/billing-api/v1/invoices", "invoices").await?;
    let listed: Vec<Invoice> = records("the invoices", listed)?;
    let (mut invoices, mut settlements) = (Vec::new(), Vec::new());
    for invoice in listed.iter().rev() {
        let path = format!("/billing-api/v1/invoices/{}", invoice.id);
        invoices.push(record("an invoice", client.get(&path).await?)?);
        let trail = client.get(&format!("{path}/settlement")).await?;
        settlements.push(record("a settlement trail", trail)?);
    }

    let timeline = client.list(&format!("{of_contract}/timeline"), "entries").await?;
    let timeline = records("the timeline", timeline)?;
    let clock = record("the clock", client.get(&format!("{of_contract}/test-clock")).await?)?;
    Ok(Facts { versions, subscriptions, invoices, settlements, timeline, clock, deliveries, inbox })
}

/// Waits a while for the last payment to settle: it is the last one that does. Whether it has is
/// for the tables to show.
async fn settled(story: &Story) -> anyhow::Result<()> {
    let Some(invoice) = story.attempts.keys().next_back() else { return Ok(()) };
    let path = format!("/billing-api/v1/invoices/{invoice}/settlement");
    story.show("waiting for the last payment to settle");
    for _ in 0..40 {
        let trail: Settlement = record("a settlement trail", story.client.get(&path).await?)?;
        if trail.payments.iter().any(|payment| payment.status == "settled") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Ok(())
}

/// Waits until no delivery is on its way and no new one appears.
async fn rest(story: &Story) -> anyhow::Result<Vec<Delivery>> {
    let mut before = usize::MAX;
    for _ in 0..240 {
        let rows = story.client.list("/payments-api/v1/webhook-deliveries", "deliveries").await?;
        let deliveries: Vec<Delivery> = records("the deliveries", rows)?;
        let resting = deliveries.iter().all(|delivery| delivery.status != "pending");
        if resting && deliveries.len() == before {
            return Ok(deliveries);
        }
        before = deliveries.len();
        story.show("waiting for the last webhooks");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    bail!("webhook deliveries did not come to rest within two minutes")
}
