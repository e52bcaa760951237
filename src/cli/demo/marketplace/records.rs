//! The parts of the payments answers that the chapter reads.

use serde::Deserialize;

use crate::cli::cents::Cents;

/// A payment (payments 2.2).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Payment {
    pub(super) payment_id: String,
    pub(super) status: String,
    pub(super) amount: Cents,
    pub(super) payment_method: String,
    pub(super) action_url: Option<String>,
    pub(super) failure_code: u32,
    pub(super) retry: Option<String>,
    pub(super) failure_category: Option<String>,
    pub(super) failure_stage: Option<String>,
    pub(super) captured_amount: Cents,
    pub(super) refunded_amount: Cents,
    pub(super) refunds: Vec<Refund>,
}

/// A refund (decisions 7).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Refund {
    pub(super) refund_id: u64,
    pub(super) status: String,
    pub(super) amount: Cents,
}

/// What `POST /payees/setup` made.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Setup {
    pub(super) payee: Payee,
    pub(super) payout_method: Method,
    pub(super) wallet: Wallet,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Payee {
    pub(super) id: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Method {
    pub(super) id: u64,
}

/// A wallet (decisions 7 and 11).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Wallet {
    pub(super) id: u64,
    pub(super) payee_id: Option<u64>,
    #[serde(rename = "type")]
    pub(super) wallet_type: String,
    pub(super) currency: String,
    pub(super) pending_balance_minor: i64,
    pub(super) available_balance_minor: i64,
    pub(super) reserved_balance_minor: i64,
    pub(super) withdrawable_balance_minor: i64,
}

/// A movement of a wallet's money, in double entry.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) cause: String,
    pub(super) payment_id: Option<String>,
    pub(super) payout_id: Option<u64>,
    pub(super) postings: Vec<Posting>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Posting {
    pub(super) account: String,
    pub(super) amount_minor: i64,
}

/// A split decision (payments 2.6).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decision {
    pub(super) payment_id: String,
    pub(super) inputs: Inputs,
    pub(super) outcome: Outcome,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inputs {
    pub(super) rule_id: Option<u64>,
    pub(super) allocation_mode: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    pub(super) gross_amount_minor: i64,
    pub(super) remainder_minor: i64,
    pub(super) shares: Vec<Share>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Share {
    pub(super) payee_id: u64,
    pub(super) share_amount_minor: i64,
    pub(super) fee_amount_minor: i64,
    pub(super) net_amount_minor: i64,
}

/// A payout (decisions 7).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Payout {
    pub(super) id: u64,
    pub(super) amount_minor: i64,
    pub(super) status: String,
    pub(super) approval_status: String,
    pub(super) provider_reference: Option<String>,
    pub(super) destination: Destination,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Destination {
    #[serde(default)]
    pub(super) iban: String,
}

impl Entry {
    /// What it brings to an account, or takes from it.
    pub(super) fn of(&self, account: &str) -> i64 {
        let of_account = self.postings.iter().filter(|posting| posting.account == account);
        of_account.map(|posting| posting.amount_minor).sum()
    }

    /// What it brings to the wallet as a whole.
    pub(super) fn brought(&self) -> i64 {
        ["pending", "available", "reserved"].iter().map(|account| self.of(account)).sum()
    }
}

impl Wallet {
    /// All that is in it.
    pub(super) fn holds(&self) -> i64 {
        self.pending_balance_minor + self.available_balance_minor + self.reserved_balance_minor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_tells_what_it_brings() {
        let posting =
            |account: &str, amount_minor| Posting { account: account.to_owned(), amount_minor };
        let entry = Entry {
            cause: "payout_reserved".to_owned(),
            payment_id: None,
            payout_id: Some(1),
            postings: vec![posting("available", -5), posting("reserved", 5)],
        };
        assert_eq!((entry.of("available"), entry.brought()), (-5, 0));
    }
}
