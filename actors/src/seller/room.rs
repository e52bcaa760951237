//! The state of a seller room and its dispatcher.

use storage::{ReadError, Scan, Store};

use super::handle::{Command, SellerTools};
use super::topups::Funding;
use super::usage::Usage;
use crate::domain::billing::customer::Customer;
use crate::domain::ids::SellerId;
use crate::domain::payments::split::SplitRule;
use crate::domain::payments::terminal::Terminal;
use crate::domain::platform::seller::Seller;
use crate::domain::platform::switches::Switches;
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::allowlist::AllowlistEntry;
use crate::query;
use crate::room::{Desk, Recent, Room};
use crate::tables::{ALLOWLIST, SELLERS, SWITCHES, TERMINALS, WEBHOOKS};

/// One seller's room. Customers are read when they are asked for: there may be a million.
#[derive(Debug)]
pub struct SellerRoom {
    pub(super) id: SellerId,
    /// Absent until the account is made.
    pub(super) seller: Option<Seller>,
    pub(super) switches: Switches,
    pub(super) webhooks: Vec<Webhook>,
    pub(super) allowlist: Vec<AllowlistEntry>,
    pub(super) terminals: Vec<Terminal>,
    pub(super) split_rules: Vec<SplitRule>,
    pub(super) customers: Recent<String, Customer>,
    pub(super) customer_refs: Recent<String, u64>,
    pub(super) adhoc_contracts: Recent<(u64, String), u64>,
    /// Keys that this room is just spending.
    pub(super) spent: Recent<(&'static str, String), ()>,
    pub(super) funding: Funding,
    pub(super) usage: Usage,
}

impl Room for SellerRoom {
    type Id = SellerId;
    type Command = Command;
    type Tools = SellerTools;
    const KIND: &'static str = "seller";

    fn load(id: SellerId, store: &Store, _: &SellerTools) -> Result<Self, ReadError> {
        Ok(Self {
            id,
            seller: store.get(SELLERS, &id)?,
            switches: store.get(SWITCHES, &id)?.unwrap_or_default(),
            webhooks: store
                .scan(WEBHOOKS, Scan::prefix(&(id,)))
                .map(|row| row.map(|(_, webhook)| webhook))
                .collect::<Result<_, _>>()?,
            allowlist: store
                .scan(ALLOWLIST, Scan::prefix(&(id,)))
                .map(|row| row.map(|(_, entry)| entry))
                .collect::<Result<_, _>>()?,
            terminals: store
                .scan(TERMINALS, Scan::prefix(&(id,)))
                .map(|row| row.map(|(_, terminal)| terminal))
                .collect::<Result<_, _>>()?,
            split_rules: query::split_rules(store, id)?,
            customers: Recent::default(),
            customer_refs: Recent::default(),
            adhoc_contracts: Recent::default(),
            spent: Recent::default(),
            funding: Funding::load(store, id)?,
            usage: Usage::load(store, id)?,
        })
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        match command {
            Command::MintSandbox { reply } => self.mint_sandbox(desk, reply),
            Command::OpenLive { new, reply } => self.open_live(desk, new, reply),
            Command::Patch { patch, reply } => self.patch(desk, &patch, reply),
            Command::Switch { switch, enabled, reply } => self.turn(desk, switch, enabled, reply),
            Command::Customer { request, reply } => self.customer(desk, request, reply),
            Command::AdhocContract { customer, currency, reply } => {
                self.adhoc_contract(desk, customer, currency, reply);
            }
            Command::RegisterWebhook { registration, spend, reply } => {
                self.register_webhook(desk, registration, spend, reply);
            }
            Command::PatchWebhook { webhook, patch, reply } => {
                self.patch_webhook(desk, webhook, patch, reply);
            }
            Command::Allow { entry, spend, reply } => self.allow(desk, entry, spend, reply),
            Command::Spend { spend, reply } => self.spend(desk, spend, reply),
            Command::Disallow { entry, reply } => self.disallow(desk, entry, reply),
            Command::SaveTerminal { terminal, new, reply } => {
                self.save_terminal(desk, terminal, *new, reply);
            }
            Command::Splits(command) => self.splits(desk, command),
            Command::Funding(command) => self.funding(desk, command),
            Command::Usage(command) => self.usage(desk, command),
            #[cfg(feature = "faults")]
            Command::Panic { .. } => panic!("a test asked the seller room to panic"),
        }
    }
}
