//! A new account with what is shown once: the operator's answer has the same form.

use actors::domain::billing::customer::Customer;
use actors::domain::money::Currency;
use actors::domain::payments::payee::Payee;
use actors::domain::payments::wallet::Wallet;
use actors::domain::time::Timestamp;
use actors::seller::Minted;
use secrecy::ExposeSecret;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;
use uuid::Uuid;

/// A new seller account. Its key and its password are shown here and never again.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MintedView<'a> {
    seller_account_id: u64,
    #[schema(value_type = String, format = "uuid")]
    seller_account_uuid: Uuid,
    /// `demo` or `live`.
    mode: &'static str,
    /// Serves the billing and the payments API.
    api_key: &'a str,
    /// When a sandbox account ends; absent on others.
    expires_at: Option<Timestamp>,
    /// Test customers; empty on a live account, as the next two.
    customers: Vec<MintedCustomer<'a>>,
    payees: Vec<MintedPayee<'a>>,
    /// The seller's own first, then those of the payees.
    wallets: Vec<MintedWallet>,
    /// The terminal for cards.
    terminal_id: Option<u64>,
    /// A split rule that is not in force yet.
    split_rule_id: Option<u64>,
    dashboard: MintedLogin<'a>,
}

/// A test customer.
#[derive(Serialize, ToSchema)]
struct MintedCustomer<'a> {
    id: u64,
    email: &'a str,
}

/// An approved payee.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MintedPayee<'a> {
    id: u64,
    display_name: &'a str,
}

/// An empty wallet.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MintedWallet {
    id: u64,
    currency: Currency,
    /// `main`, the seller's own, or `cashout_balance`, a payee's.
    #[serde(rename = "type")]
    wallet_type: &'static str,
    payee_id: Option<u64>,
}

/// The way into the dashboard, for its owner.
#[derive(Serialize, ToSchema)]
struct MintedLogin<'a> {
    email: &'a str,
    password: &'a str,
}

impl<'a> From<&'a Minted> for MintedView<'a> {
    fn from(minted: &'a Minted) -> Self {
        let seller = &minted.seller;
        let wallets = minted.wallet.iter().chain(&minted.payee_wallets);
        Self {
            seller_account_id: seller.id.0,
            seller_account_uuid: seller.uuid,
            mode: seller.mode.name(),
            api_key: minted.key.reveal(),
            expires_at: seller.expires_at,
            customers: minted.customers.iter().map(MintedCustomer::from).collect(),
            payees: minted.payees.iter().map(MintedPayee::from).collect(),
            wallets: wallets.map(MintedWallet::from).collect(),
            terminal_id: minted.terminals.first().map(|terminal| terminal.id.0),
            split_rule_id: minted.split_rule.as_ref().map(|rule| rule.id.0),
            dashboard: MintedLogin {
                email: seller.email.as_str(),
                password: minted.password.expose_secret(),
            },
        }
    }
}

impl<'a> From<&'a Customer> for MintedCustomer<'a> {
    fn from(customer: &'a Customer) -> Self {
        Self { id: customer.id.0, email: customer.email.as_str() }
    }
}

impl<'a> From<&'a Payee> for MintedPayee<'a> {
    fn from(payee: &'a Payee) -> Self {
        Self { id: payee.id.0, display_name: &payee.display_name }
    }
}

impl From<&Wallet> for MintedWallet {
    fn from(wallet: &Wallet) -> Self {
        Self {
            id: wallet.id.0,
            currency: wallet.currency,
            wallet_type: wallet.wallet_type.name(),
            payee_id: wallet.payee.map(|payee| payee.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::ids::{
        ApiKeyId, CustomerId, PayeeId, PersonId, SellerId, SplitRuleId, TerminalId, WalletId,
    };
    use actors::domain::platform::seller::{ApiKey, Mode, NewSeller};
    use actors::domain::sandbox::{SandboxIds, SandboxSecrets, mint};
    use serde_json::{Value, json};

    use super::*;

    fn shown(minted: &Minted) -> Value {
        serde_json::to_value(MintedView::from(minted)).expect("JSON")
    }

    #[test]
    fn a_sandbox_account_is_shown_with_all_that_it_has() {
        let ids = SandboxIds {
            seller: SellerId(5),
            uuid: Uuid::nil(),
            agreement_number: 1_000_005,
            customers: [1, 2, 3].map(CustomerId),
            payees: [7, 8].map(PayeeId),
            wallets: [4, 5, 6].map(WalletId),
            terminals: [1, 2].map(TerminalId),
            split_rule: SplitRuleId(9),
            key: ApiKeyId(1),
            owner: PersonId(1),
        };
        let secrets = SandboxSecrets { key: [3; 32], password: [4; 16] };
        let made = mint(&ids, &secrets, Timestamp::from_micros(0));
        let [own, payee_wallets @ ..] = made.wallets;
        let minted = Minted {
            seller: made.seller,
            key: made.key,
            password: made.owner.password,
            customers: made.customers.into(),
            payees: made.payees.into(),
            payee_wallets: payee_wallets.into(),
            wallet: Some(own),
            terminals: made.terminals.into(),
            split_rule: Some(made.split_rule),
        };
        let shown = shown(&minted);
        assert_eq!((&shown["sellerAccountId"], &shown["mode"]), (&json!(5), &json!("demo")));
        assert_eq!(shown["apiKey"], minted.key.reveal());
        assert_eq!(shown["expiresAt"], "1970-01-15T00:00:00Z");
        assert_eq!(shown["customers"].as_array().map(Vec::len), Some(3));
        assert_eq!(shown["payees"][1]["id"], 8);
        let wallets = json!([
            {"id": 4, "currency": "EUR", "type": "main"},
            {"id": 5, "currency": "EUR", "type": "cashout_balance", "payeeId": 7},
            {"id": 6, "currency": "EUR", "type": "cashout_balance", "payeeId": 8},
        ]);
        assert_eq!(shown["wallets"], wallets);
        assert_eq!((&shown["terminalId"], &shown["splitRuleId"]), (&json!(1), &json!(9)));
        assert_eq!(shown["dashboard"]["email"], "seller-5@sandbox.example.com");
        assert!(shown["dashboard"]["password"].as_str().is_some_and(|word| word.len() == 22));
    }

    #[test]
    fn a_live_account_has_its_key_and_nothing_to_play_with() {
        let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
        let seller = new.live(SellerId(5), Uuid::nil(), 1_000_005, Timestamp::from_micros(0));
        let key = ApiKey::from_random(Mode::Live, SellerId(1), &[3; 32]);
        let minted = Minted::alone(seller, key, "a password".into());
        let expected = json!({
            "sellerAccountId": 5, "sellerAccountUuid": Uuid::nil(), "mode": "live",
            "apiKey": minted.key.reveal(), "customers": [], "payees": [], "wallets": [],
            "dashboard": {"email": "ada@example.com", "password": "a password"},
        });
        assert_eq!(shown(&minted), expected);
    }
}
