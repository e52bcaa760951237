//! Making an account, the operator's changes, and the switches.

use std::fmt;

use secrecy::SecretString;
use storage::Batch;

use super::room::SellerRoom;
use crate::directory::EVERYONE;
use crate::domain::billing::customer::Customer;
use crate::domain::ids::{CustomerId, PayeeId, SellerId, SplitRuleId, TerminalId, WalletId};
use crate::domain::payments::payee::Payee;
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::payments::split::SplitRule;
use crate::domain::payments::terminal::Terminal;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::seller::{
    ApiKey, ApiKeyRecord, Mode, NewSeller, Seller, SellerPatch, agreement_number, patch,
};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::sandbox::{SandboxIds, SandboxSecrets, mint};
use crate::room::{Desk, Refused, Reply};
use crate::tables::{
    API_KEYS, CUSTOMER_EMAILS, CUSTOMERS, LOGINS, SAFEGUARDING, SELLERS, SPLIT_RULES, SWITCHES,
    TERMINALS, ids,
};

/// The name of the sequence that agreement numbers come from.
const AGREEMENTS: &str = "agreements";

/// A new account with the secrets that are shown once.
pub struct Minted {
    /// The account.
    pub seller: Seller,
    /// The key.
    pub key: ApiKey,
    /// The dashboard's password; sandbox accounts only.
    pub password: Option<SecretString>,
    /// Test customers; sandbox accounts only, as all that follows.
    pub customers: Vec<Customer>,
    /// Payees, still to be handed to their rooms.
    pub payees: Vec<Payee>,
    /// The wallets of the payees, still to be handed to their rooms.
    pub payee_wallets: Vec<Wallet>,
    /// The seller's own wallet, still to be handed to its room.
    pub wallet: Option<Wallet>,
    /// Terminals, cards first.
    pub terminals: Vec<Terminal>,
    /// A split rule that is not in force.
    pub split_rule: Option<SplitRule>,
}

impl fmt::Debug for Minted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minted").field("seller", &self.seller.id).finish_non_exhaustive()
    }
}

impl SellerRoom {
    pub(super) fn mint_sandbox(
        &mut self,
        desk: &Desk<Self>,
        reply: Reply<Result<Minted, Refusal>>,
    ) {
        if self.seller.is_some() {
            return reply.send(Err(Refusal::conflict("the account is there already")));
        }
        let ids = fresh_ids(self.id, desk);
        let secrets =
            SandboxSecrets { key: desk.entropy().bytes(), password: desk.entropy().bytes() };
        let made = mint(&ids, &secrets, desk.now());
        let [own_wallet, payee_wallets @ ..] = made.wallets;

        let mut batch = Batch::new();
        batch.put(API_KEYS, &made.key.hash(), &made.key_record);
        batch.claim(LOGINS, &made.login.email.folded(), &made.login);
        for customer in &made.customers {
            put_customer(&mut batch, customer);
        }
        let account = SafeguardingAccount::of_sandbox(self.id, made.seller.created_at);
        batch.put(SAFEGUARDING, &(self.id, account.currency), &account);
        for terminal in &made.terminals {
            batch.put(TERMINALS, &(self.id, terminal.id), terminal);
        }
        batch.put(SPLIT_RULES, &(self.id, made.split_rule.id), &made.split_rule);

        let minted = Minted {
            seller: made.seller,
            key: made.key,
            password: Some(made.password),
            customers: made.customers.into(),
            payees: made.payees.into(),
            payee_wallets: payee_wallets.into(),
            wallet: Some(own_wallet),
            terminals: made.terminals.into(),
            split_rule: Some(made.split_rule),
        };
        self.open(desk, batch, minted, reply);
    }

    pub(super) fn open_live(
        &mut self,
        desk: &Desk<Self>,
        new: NewSeller,
        reply: Reply<Result<Minted, Refusal>>,
    ) {
        if self.seller.is_some() {
            return reply.send(Err(Refusal::conflict("the account is there already")));
        }
        let now = desk.now();
        let key = ApiKey::from_random(Mode::Live, &desk.entropy().bytes());
        let record =
            ApiKeyRecord { seller: self.id, created_at: now, expires_at: None, mode: Mode::Live };
        let mut batch = Batch::new();
        batch.put(API_KEYS, &key.hash(), &record);
        let minted = Minted {
            seller: new.live(self.id, desk.entropy().uuid(), 0, now),
            key,
            password: None,
            customers: Vec::new(),
            payees: Vec::new(),
            payee_wallets: Vec::new(),
            wallet: None,
            terminals: Vec::new(),
            split_rule: None,
        };
        self.open(desk, batch, minted, reply);
    }

    /// Draws the agreement number in the commit that makes the account: it has no gap.
    fn open(
        &mut self,
        desk: &Desk<Self>,
        mut batch: Batch,
        mut minted: Minted,
        reply: Reply<Result<Minted, Refusal>>,
    ) {
        let order = batch.draw(&AGREEMENTS.to_owned());
        let (id, account) = (self.id, minted.seller.clone());
        batch.with_numbers(move |numbers, rows| {
            let numbered = Seller { agreement_number: agreement_number(numbers[order]), ..account };
            rows.put(SELLERS, &id, &numbered);
        });
        // The room knows its account only by the row: the number is not drawn yet.
        desk.commit(batch, reply, move |result| match result {
            Ok(receipt) => {
                minted.seller.agreement_number = agreement_number(receipt.numbers[order]);
                Ok(minted)
            }
            Err(refused) => Err(unexpected(refused)),
        });
        desk.retire();
    }

    pub(super) fn patch(
        &mut self,
        desk: &Desk<Self>,
        command: &SellerPatch,
        reply: Reply<Result<Seller, Refusal>>,
    ) {
        let Some(seller) = &self.seller else { return reply.send(Err(Refusal::missing())) };
        let change = match patch(seller, command) {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        self.seller = Some(change.seller.clone());
        let mut batch = Batch::new();
        if change.changed {
            batch.put(SELLERS, &self.id, &change.seller);
        }
        let (directory, id) = (desk.tools().directory.clone(), self.id);
        desk.commit(batch, reply, move |result| {
            directory.forget(id);
            result.map(|_| change.seller).map_err(unexpected)
        });
    }

    pub(super) fn turn(
        &mut self,
        desk: &Desk<Self>,
        switch: Switch,
        enabled: bool,
        reply: Reply<Result<(), Refusal>>,
    ) {
        if self.seller.is_none() && self.id != EVERYONE {
            return reply.send(Err(Refusal::missing()));
        }
        self.switches = self.switches.with(switch, enabled);
        let mut batch = Batch::new();
        batch.put(SWITCHES, &self.id, &self.switches);
        let (directory, id) = (desk.tools().directory.clone(), self.id);
        desk.commit(batch, reply, move |result| {
            directory.forget(id);
            result.map(|_| ()).map_err(unexpected)
        });
    }
}

/// The rows of a customer: itself, and where it is found.
pub(super) fn put_customer(batch: &mut Batch, customer: &Customer) {
    let Customer { id, seller, .. } = customer;
    batch.put(CUSTOMERS, &(*seller, *id), customer);
    batch.put(CUSTOMER_EMAILS, &(*seller, customer.email.folded()), &id.0);
}

/// A refused batch where no claim can fail: the store could not write.
pub(super) fn unexpected(refused: Refused) -> Refusal {
    tracing::error!(?refused, "a seller room's batch was refused");
    Refusal::fault()
}

fn fresh_ids(seller: SellerId, desk: &Desk<SellerRoom>) -> SandboxIds {
    SandboxIds {
        seller,
        uuid: desk.entropy().uuid(),
        agreement_number: 0,
        customers: [(); 3].map(|()| CustomerId(desk.next_id(ids::CUSTOMER))),
        payees: [(); 2].map(|()| PayeeId(desk.next_id(ids::PAYEE))),
        wallets: [(); 3].map(|()| WalletId(desk.next_id(ids::WALLET))),
        terminals: [(); 2].map(|()| TerminalId(desk.next_id(ids::TERMINAL))),
        split_rule: SplitRuleId(desk.next_id(ids::SPLIT_RULE)),
    }
}
