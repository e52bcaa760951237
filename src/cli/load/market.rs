//! The seller's wallets and the payees that payments are shared with.

use actors::entropy::Entropy;
use anyhow::Context as _;
use serde_json::{Value, json};

use super::sales::PAYEES;
use crate::cli::client::Client;

#[derive(Clone, Debug, Default)]
pub(super) struct Wallets {
    /// Of all wallets in EUR.
    pub(super) total: i64,
    /// Of it, what has not settled.
    pub(super) pending: i64,
    /// By payee, in the order that was asked for.
    pub(super) payees: Vec<i64>,
}

/// Makes the payees, each with a wallet in EUR.
pub(super) async fn payees(client: &Client) -> anyhow::Result<Vec<u64>> {
    let mut made = Vec::new();
    for nth in 0..PAYEES {
        let body = json!({"displayName": format!("Load {nth}"), "role": "contractor"});
        let key = Entropy.uuid().to_string();
        let payee = client.create("/payments-api/v1/payees", &key, &body).await?;
        let payee = payee["id"].as_u64().context("the payee has no id")?;
        let (body, key) =
            (json!({"currency": "EUR", "payeeId": payee}), Entropy.uuid().to_string());
        client.create("/payments-api/v1/wallets", &key, &body).await?;
        made.push(payee);
    }
    Ok(made)
}

pub(super) async fn wallets(client: &Client, payees: &[u64]) -> anyhow::Result<Wallets> {
    let rows = client.list("/payments-api/v1/wallets", "wallets").await?;
    let mut wallets = Wallets { payees: vec![0; payees.len()], ..Wallets::default() };
    for row in rows.iter().filter(|row| row["currency"] == "EUR") {
        let of = |field: &str| row[field].as_i64().with_context(|| format!("{field}: {row}"));
        let pending = of("pendingBalanceMinor")?;
        let minor = pending + of("availableBalanceMinor")? + of("reservedBalanceMinor")?;
        wallets.total += minor;
        wallets.pending += pending;
        let payee = row.get("payeeId").and_then(Value::as_u64);
        let place = payees.iter().position(|known| Some(*known) == payee);
        if let Some(held) = place.and_then(|place| wallets.payees.get_mut(place)) {
            *held += minor;
        }
    }
    Ok(wallets)
}
