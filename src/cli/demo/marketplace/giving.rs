//! What goes out again: refunds to a buyer, a payout to a payee.

use std::time::Duration;

use anyhow::bail;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::Chapter;
use super::records::{Payment, Payout, Refund, Wallet};
use super::sale::{PAYOUT, Sale};
use crate::cli::cents::Cents;
use crate::cli::demo::records::record;

/// How often something is looked at that comes by itself.
const LOOKS: u32 = 300;
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// What became of the refunds and the payout.
#[derive(Debug)]
pub(super) struct Given {
    /// The answers to the first refund's request, sent twice.
    pub(super) repeated: (Refund, StatusCode, Refund),
    /// The answer to a payout of more than there is.
    pub(super) refused: (StatusCode, String),
    /// The payout as it ended.
    pub(super) payout: Payout,
    /// The answer to the payout's request, sent again.
    pub(super) payout_again: StatusCode,
}

impl Chapter<'_> {
    /// Waits until what was captured is settled.
    pub(super) async fn settle(&self) -> anyhow::Result<()> {
        self.story.show("waiting for the sales to settle");
        for sale in Sale::ALL.into_iter().filter(|sale| !sale.captures().is_empty()) {
            self.stands(sale, "settled").await?;
        }
        Ok(())
    }

    /// Refunds the basket in parts and pays a payee out.
    pub(super) async fn give(&self) -> anyhow::Result<Given> {
        self.story.show("refunding a part of the basket");
        let path = format!("/payments/{}/refund", Sale::Basket.reference(self.run));
        let mut repeated = None;
        for minor in Sale::Basket.refunds() {
            let (key, body) =
                (Self::key(), json!({"amount": Cents(*minor).json(), "reason": "returned"}));
            let (_, first) = self.refund(&path, &key, &body).await?;
            self.stands(Sale::Basket, "settled").await?;
            let (status, again) = self.refund(&path, &key, &body).await?;
            repeated.get_or_insert((first, status, again));
        }
        let Some(repeated) = repeated else { bail!("the basket has no refunds") };
        let (refused, payout, payout_again) = self.pay_out().await?;
        Ok(Given { repeated, refused, payout, payout_again })
    }

    async fn refund(
        &self,
        path: &str,
        key: &str,
        body: &Value,
    ) -> anyhow::Result<(StatusCode, Refund)> {
        let path = format!("/payments-api/v1{path}");
        let headers = [("idempotency-key", key)];
        let answer = self.story.client.send(Method::POST, &path, &headers, Some(body)).await?;
        let status = answer.status;
        Ok((status, record("a refund", answer.success(Method::POST, &path)?)?))
    }

    async fn pay_out(&self) -> anyhow::Result<((StatusCode, String), Payout, StatusCode)> {
        self.story.show("paying a payee out");
        let setup = &self.setups[0];
        let payee = setup.payee.id;
        self.covered(setup.wallet.id).await?;
        let path = format!("/payments-api/v1/payees/{payee}/payouts");
        let body = |name: &str, amount: &str| {
            json!({
                "payoutMethodId": setup.payout_method.id, "amount": amount,
                "idempotencyKey": format!("demo:{}:{name}", self.run),
            })
        };
        let client = &self.story.client;
        let above = body("above", "100000.00");
        let refused = client.send(Method::POST, &path, &[], Some(&above)).await?;
        let error = refused.body["error"].as_str().unwrap_or_default().to_owned();
        let body = body("payout", &Cents(PAYOUT).text());
        let made: Payout = record("a payout", client.post(&path, &body).await?)?;
        let again = client.send(Method::POST, &path, &[], Some(&body)).await?;
        let path = format!("/payments-api/v1/payouts/{}", made.id);
        for _ in 0..LOOKS {
            let payout: Payout = record("a payout", client.get(&path).await?)?;
            if ["completed", "failed", "cancelled"].contains(&payout.status.as_str()) {
                return Ok(((refused.status, error), payout, again.status));
            }
            tokio::time::sleep(PAUSE).await;
        }
        bail!("payout {} did not end in time", made.id)
    }

    /// Waits until a wallet lets the payout be taken: its payee is verified, its shares settled.
    async fn covered(&self, wallet: u64) -> anyhow::Result<()> {
        let path = format!("/payments-api/v1/wallets/{wallet}");
        for _ in 0..LOOKS {
            let wallet: Wallet = record("a wallet", self.story.client.get(&path).await?)?;
            if wallet.withdrawable_balance_minor >= PAYOUT {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        bail!("wallet {wallet} did not get its shares in time")
    }

    async fn stands(&self, sale: Sale, status: &str) -> anyhow::Result<()> {
        let reference = sale.reference(self.run);
        for _ in 0..LOOKS {
            let payment: Payment = self.payment(&reference).await?;
            if payment.status == status {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        bail!("payment {reference} did not become {status} in time")
    }
}
