//! Accounts: made, changed by the operator, and their switches.

use std::fmt;
use std::net::IpAddr;

use secrecy::SecretString;
use storage::{Batch, Scan};

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::directory::EVERYONE;
use crate::domain::billing::customer::Customer;
use crate::domain::billing::overview::contributions::CUSTOMER;
use crate::domain::email::Email;
use crate::domain::ids::{
    ApiKeyId, ContractId, CustomerId, PayeeId, PersonId, SellerId, SplitRuleId, TerminalId,
    WalletId,
};
use crate::domain::messages::{Envelope, SellerMessage};
use crate::domain::payments::payee::Payee;
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::payments::split::SplitRule;
use crate::domain::payments::terminal::Terminal;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::limits::MINT_SECONDS;
use crate::domain::platform::seller::{
    ApiKey, ApiKeyEntry, Mode, NewSeller, Seller, SellerPatch, SellerRefusal, agreement_number,
    ask_to_go_live, patch,
};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::sandbox::{OwnerAccess, SandboxIds, SandboxSecrets, mint};
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::sums::resum;
use crate::tables::{
    CUSTOMER_EMAILS, CUSTOMER_WORDS, CUSTOMERS, LOGINS, MINTS, SAFEGUARDING, SANDBOX_ENDS,
    SELLER_EMAILS, SELLERS, SPLIT_RULES, TERMINALS, ids,
};

/// The sequence of agreement numbers.
pub(crate) const AGREEMENTS: &str = "agreements";

/// How many mints that count no more are forgotten with each new one.
const MINTS_FORGOTTEN: usize = 16;

pub struct Minted {
    pub seller: Seller,
    pub key: ApiKey,
    /// With which its owner signs in to the dashboard.
    pub password: SecretString,
    /// Test customers; sandbox accounts only, as all that follows.
    pub customers: Vec<Customer>,
    /// Payees, still to be handed to their rooms.
    pub payees: Vec<Payee>,
    pub payee_wallets: Vec<Wallet>,
    /// The seller's own wallet, still to be handed to its room.
    pub wallet: Option<Wallet>,
    /// Terminals, cards first.
    pub terminals: Vec<Terminal>,
    /// A split rule that is not in force.
    pub split_rule: Option<SplitRule>,
}

impl Minted {
    /// An account with nothing to play with.
    pub fn alone(seller: Seller, key: ApiKey, password: SecretString) -> Self {
        Self {
            seller,
            key,
            password,
            customers: Vec::new(),
            payees: Vec::new(),
            payee_wallets: Vec::new(),
            wallet: None,
            terminals: Vec::new(),
            split_rule: None,
        }
    }
}

impl fmt::Debug for Minted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minted").field("seller", &self.seller.id).finish_non_exhaustive()
    }
}

impl Sellers {
    /// `client` is the address that the account goes to: so many go to one in an hour, whatever
    /// restarts there are.
    pub async fn mint_sandbox(&self, client: IpAddr) -> Result<Minted, AskError> {
        let id = SellerId(self.store.next_id(ids::SELLER));
        self.rooms.command(id, move |room, cx| room.mint_sandbox(cx, client)).await
    }

    pub async fn open_live(&self, new: NewSeller) -> Result<Minted, AskError> {
        let id = SellerId(self.store.next_id(ids::SELLER));
        self.rooms.command(id, move |room, cx| room.open_live(cx, &new)).await
    }

    pub async fn patch(&self, id: SellerId, change: SellerPatch) -> Result<Seller, AskError> {
        let patch = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let account = room.account()?;
            let patched = patch(account, &change)?;
            // Its contracts hear it with each such request: of an account that was live before they
            // heard of it, none has been told.
            let states_live = change.mode == Some(Mode::Live);
            if !patched.changed && !states_live {
                return Ok(Decision::unchanged(patched.seller));
            }
            let mut effects = room.configuring(cx);
            let (before, after) = (account.email.folded(), patched.seller.email.folded());
            if before != after {
                if cx.contains(SELLER_EMAILS, &after)? {
                    return Err(SellerRefusal::EmailTaken.into());
                }
                effects.claim(SELLER_EMAILS, &after, &id);
                effects.delete(SELLER_EMAILS, &before);
            }
            if patched.changed {
                effects.change(Change::Account(Box::new(patched.seller.clone())));
            }
            if states_live {
                effects.send(Envelope::to_seller(id, SellerMessage::WentLive(ContractId(0))));
            }
            Ok(effects.answer(patched.seller))
        };
        self.rooms.command(id, patch).await
    }

    /// Files its owner's wish to go live.
    pub async fn ask_to_go_live(&self, id: SellerId) -> Result<Seller, AskError> {
        let ask = |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let asked = ask_to_go_live(room.account()?, cx.now())?;
            let mut effects = room.configuring(cx);
            effects.change(Change::Account(Box::new(asked.clone())));
            Ok(effects.answer(asked))
        };
        self.rooms.command(id, ask).await
    }

    /// Takes the account of a sandbox away: from then on nobody finds it, and what it owns can be
    /// removed.
    pub(crate) async fn shut_for_good(&self, id: SellerId) -> Result<(), AskError> {
        let shut = |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if !room.seller.as_ref().is_some_and(Seller::is_sandbox) {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = room.configuring(cx);
            effects.delete(SELLERS, &room.id);
            effects.start_anew();
            Ok(effects.answer(()))
        };
        self.rooms.command(id, shut).await
    }

    /// Turns a switch for one seller, or for all with [`EVERYONE`].
    pub async fn switch(
        &self,
        id: SellerId,
        switch: Switch,
        enabled: bool,
    ) -> Result<(), AskError> {
        let turn = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if room.id != EVERYONE {
                room.account()?;
            }
            let mut effects = room.configuring(cx);
            effects.change(Change::Switches(room.switches.with(switch, enabled)));
            Ok(effects.answer(()))
        };
        self.rooms.command(id, turn).await
    }
}

impl SellerRoom {
    fn mint_sandbox(
        &self,
        cx: &Context<Self>,
        client: IpAddr,
    ) -> Result<Decision<Self, Minted>, Refusal> {
        let secrets = SandboxSecrets { key: cx.entropy().bytes(), password: cx.entropy().bytes() };
        let made = mint(&sandbox_ids(self.id, cx), &secrets, cx.now());
        let [own_wallet, payee_wallets @ ..] = made.wallets;

        let mut effects = Effects::new();
        effects.change(Change::Key(Box::new(made.key_entry)));
        effects.claim(SELLER_EMAILS, &made.seller.email.folded(), &self.id);
        let password = put_owner(&mut effects, made.owner);
        count_mint(&mut effects, cx, self.id, client);
        if let Some(end) = made.seller.expires_at {
            effects.put(SANDBOX_ENDS, &(end, self.id), &());
        }
        for customer in &made.customers {
            put_customer(&mut effects.rows, customer, true);
        }
        let account = SafeguardingAccount::of_sandbox(self.id, made.seller.created_at);
        effects.put(SAFEGUARDING, &(self.id, account.currency), &account);
        for terminal in &made.terminals {
            effects.put(TERMINALS, &(self.id, terminal.id), terminal);
        }
        effects.put(SPLIT_RULES, &(self.id, made.split_rule.id), &made.split_rule);

        let minted = Minted {
            seller: made.seller,
            key: made.key,
            password,
            customers: made.customers.into(),
            payees: made.payees.into(),
            payee_wallets: payee_wallets.into(),
            wallet: Some(own_wallet),
            terminals: made.terminals.into(),
            split_rule: Some(made.split_rule),
        };
        self.open(effects, minted)
    }

    fn open_live(
        &self,
        cx: &Context<Self>,
        new: &NewSeller,
    ) -> Result<Decision<Self, Minted>, Refusal> {
        let now = cx.now();
        check_email_is_free(cx, new.email())?;
        let seller = new.clone().live(self.id, cx.entropy().uuid(), 0, now);
        let key = ApiKey::from_random(Mode::Live, self.id, &cx.entropy().bytes());
        let entry = ApiKeyEntry::first(ApiKeyId(cx.id(ids::API_KEY)), &key, &seller, now);
        let person = PersonId(cx.id(ids::PERSON));
        let owner = OwnerAccess::generated(person, &seller, &cx.entropy().bytes(), now);
        let mut effects = Effects::new();
        effects.change(Change::Key(Box::new(entry)));
        effects.claim(SELLER_EMAILS, &seller.email.folded(), &self.id);
        let password = put_owner(&mut effects, owner);
        self.open(effects, Minted::alone(seller, key, password))
    }

    fn open(
        &self,
        effects: Effects<Self>,
        minted: Minted,
    ) -> Result<Decision<Self, Minted>, Refusal> {
        let account = minted.seller.clone();
        self.open_account(effects, account, |seller| Minted { seller, ..minted })
    }

    /// Draws the agreement number in the commit that makes the account: it has no gap. The room
    /// then reads all that was made from its rows.
    pub(super) fn open_account<T: Send + 'static>(
        &self,
        mut effects: Effects<Self>,
        account: Seller,
        answer: impl FnOnce(Seller) -> T + Send + 'static,
    ) -> Result<Decision<Self, T>, Refusal> {
        if self.seller.is_some() {
            return Err(Refusal::conflict("the account is there already"));
        }
        let id = self.id;
        let numbered = effects.draw(&AGREEMENTS.to_owned(), move |number, rows| {
            let numbered = Seller { agreement_number: agreement_number(number), ..account };
            rows.put(SELLERS, &id, &numbered);
            numbered
        });
        effects.start_anew();
        Ok(effects.answer_drawn(numbered, answer))
    }
}

/// Puts the first person of an account; gives back the password.
fn put_owner(effects: &mut Effects<SellerRoom>, owner: OwnerAccess) -> SecretString {
    let OwnerAccess { person, login, password } = owner;
    effects.claim(LOGINS, &login.email.folded(), &login);
    effects.change(Change::Person(Box::new(person)));
    password
}

/// One e-mail belongs to one account and to one login.
pub(super) fn check_email_is_free(cx: &Context<SellerRoom>, email: &Email) -> Result<(), Refusal> {
    let email = email.folded();
    if cx.contains(SELLER_EMAILS, &email)? || cx.contains(LOGINS, &email)? {
        return Err(SellerRefusal::EmailTaken.into());
    }
    Ok(())
}

pub(super) fn put_customer(rows: &mut Batch, customer: &Customer, is_new: bool) {
    let Customer { id, seller, .. } = customer;
    if is_new {
        resum(rows, *seller, &[], &[CUSTOMER]);
    }
    rows.put(CUSTOMERS, &(*seller, *id), customer);
    rows.put(CUSTOMER_EMAILS, &(*seller, customer.email.folded()), id);
    // Names are filled in and never taken away.
    for words in customer.words() {
        rows.put(CUSTOMER_WORDS, &(*seller, words, *id), &());
    }
}

/// Counts an account that goes to a client's address, and takes away rows that count no more.
pub(super) fn count_mint(
    effects: &mut Effects<SellerRoom>,
    cx: &Context<SellerRoom>,
    seller: SellerId,
    client: IpAddr,
) {
    effects.put(MINTS, &(cx.now(), seller), &client.to_string());
    let counted = cx.now().plus_seconds(-MINT_SECONDS);
    let old = cx.store().scan(MINTS, Scan::all().until(&(counted,)));
    // A row that cannot be read stays, and is found by whoever looks for it.
    for (place, _) in old.take(MINTS_FORGOTTEN).flatten() {
        effects.delete(MINTS, &place);
    }
}

fn sandbox_ids(seller: SellerId, cx: &Context<SellerRoom>) -> SandboxIds {
    SandboxIds {
        seller,
        uuid: cx.entropy().uuid(),
        agreement_number: 0,
        customers: [(); 3].map(|()| CustomerId(cx.id(ids::CUSTOMER))),
        payees: [(); 2].map(|()| PayeeId(cx.id(ids::PAYEE))),
        wallets: [(); 3].map(|()| WalletId(cx.id(ids::WALLET))),
        terminals: [(); 2].map(|()| TerminalId(cx.id(ids::TERMINAL))),
        split_rule: SplitRuleId(cx.id(ids::SPLIT_RULE)),
        key: ApiKeyId(cx.id(ids::API_KEY)),
        owner: PersonId(cx.id(ids::PERSON)),
    }
}
