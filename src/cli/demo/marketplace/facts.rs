//! Everything that is checked and shown of the marketplace, read back from the API.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;

use super::Chapter;
use super::records::{Decision, Entry, Payment, Payout, Wallet};
use super::sale::{PAYOUT, Sale};
use crate::cli::demo::receiver::{Event, Receiver};
use crate::cli::demo::records::{record, records};

/// How long the last messages and webhooks are waited for.
const LOOKS: u32 = 100;
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// The state of the marketplace after the chapter.
#[derive(Debug)]
pub(super) struct Facts {
    /// In the order of the sales.
    pub(super) payments: Vec<Payment>,
    /// All payments of the account in EUR, those of the invoices among them.
    pub(super) all_payments: Vec<Payment>,
    /// Of the payees in order, then the seller's own.
    pub(super) wallets: Vec<Wallet>,
    /// The movements of each wallet, oldest first.
    pub(super) entries: Vec<Vec<Entry>>,
    /// All payouts of the account.
    pub(super) payouts: Vec<Payout>,
    pub(super) decisions: Vec<Decision>,
    /// What the webhook brought, by its event id.
    pub(super) events: BTreeMap<u64, Event>,
}

impl Chapter<'_> {
    /// Reads all of it, after wallets and webhooks have come to rest.
    pub(super) async fn read(&self, receiver: &Receiver, payout: &Payout) -> anyhow::Result<Facts> {
        self.story.show("following the money");
        let client = &self.story.client;
        let wallets = self.rest().await?;
        let mut entries = Vec::new();
        for wallet in &wallets {
            let path = format!("/payments-api/v1/wallets/{}/entries", wallet.id);
            let rows = client.list(&path, "entries").await?;
            let mut read: Vec<Entry> = records("the movements of a wallet", rows)?;
            read.reverse();
            entries.push(read);
        }
        let (mut payments, mut decisions) = (Vec::new(), Vec::new());
        for sale in Sale::ALL {
            let reference = sale.reference(self.run);
            payments.push(self.payment(&reference).await?);
            let path = format!("/payments-api/v1/payments/{reference}/split-decisions");
            let mut answer = client.get(&path).await?;
            let rows = answer["decisions"].as_array_mut().map(std::mem::take);
            let rows = rows.context("an answer without decisions")?;
            decisions.extend(records::<Decision>("the split decisions", rows)?);
        }
        let rows = client.list("/payments-api/v1/payments", "payments").await?;
        let rows = rows.into_iter().filter(|row| row["currencyCode"] == "EUR").collect();
        let all_payments = records("the payments", rows)?;
        let payouts = client.list("/payments-api/v1/payouts", "payouts").await?;
        let payouts = records("the payouts", payouts)?;
        let events = heard(receiver, payout).await;
        Ok(Facts { payments, all_payments, wallets, entries, payouts, decisions, events })
    }

    /// The wallets, once they hold what they should; after a while as they are, for the checks
    /// to tell.
    async fn rest(&self) -> anyhow::Result<Vec<Wallet>> {
        let mut wallets = self.wallets().await?;
        for _ in 0..LOOKS {
            let payees = wallets.iter().zip(expected()).take(self.setups.len());
            let right = payees.into_iter().all(|(wallet, minor)| wallet.holds() == minor);
            if right && wallets.iter().all(|wallet| wallet.pending_balance_minor == 0) {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            wallets = self.wallets().await?;
        }
        Ok(wallets)
    }

    async fn wallets(&self) -> anyhow::Result<Vec<Wallet>> {
        let client = &self.story.client;
        let rows = client.list("/payments-api/v1/wallets", "wallets").await?;
        let all: Vec<Wallet> = records("the wallets", rows)?;
        let mut wallets = Vec::new();
        for setup in &self.setups {
            let path = format!("/payments-api/v1/wallets/{}", setup.wallet.id);
            wallets.push(record("a wallet", client.get(&path).await?)?);
        }
        let main = |wallet: &Wallet| wallet.wallet_type == "main" && wallet.currency == "EUR";
        let main = all.into_iter().find(main).context("the seller has no main wallet in EUR")?;
        wallets.push(main);
        Ok(wallets)
    }
}

/// What each party's wallet holds of the sales in the end: the payees in order, then the seller.
/// The first payee was paid out.
pub(super) fn expected() -> Vec<i64> {
    let mut sums: Vec<i64> = Vec::new();
    for sale in Sale::ALL {
        let shares = sale.expected();
        sums.resize(shares.len(), 0);
        for (sum, share) in sums.iter_mut().zip(shares) {
            *sum += share;
        }
    }
    if let Some(first) = sums.first_mut() {
        *first -= PAYOUT;
    }
    sums
}

/// What the webhook brought, once it has told of the payout's end and of the refunds.
async fn heard(receiver: &Receiver, payout: &Payout) -> BTreeMap<u64, Event> {
    let mut events = receiver.inbox().events;
    for _ in 0..LOOKS {
        let told = |kind: &str| events.values().filter(|event| event.kind == kind).count();
        let paid = events
            .values()
            .any(|event| event.kind == "PayoutCompleted" && event.payload["payoutId"] == payout.id);
        if paid && told("PaymentRefunded") >= Sale::Basket.refunds().len() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        events = receiver.inbox().events;
    }
    events
}
