//! What a seller room remembers, and how a change is applied to it.

use std::collections::BTreeMap;

use storage::{Batch, Key, ReadError, Reads, Record, Scan, Table, View};

use super::SellerTools;
use crate::domain::billing::usage::inbound::InboundEndpoint;
use crate::domain::billing::usage::{Metric, MetricName};
use crate::domain::ids::{AllowlistId, ApiKeyId, PersonId, SellerId, WebhookId};
use crate::domain::money::Currency;
use crate::domain::payments::safeguarding::SafeguardingAccount;
use crate::domain::payments::split::SplitRule;
use crate::domain::payments::terminal::Terminal;
use crate::domain::platform::event::ObjectKind;
use crate::domain::platform::person::Person;
use crate::domain::platform::seller::{ApiKeyEntry, Seller};
use crate::domain::platform::switches::Switches;
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::allowlist::AllowlistEntry;
use crate::domain::refusal::Refusal;
use crate::kernel::{Context, Effects, Room};
use crate::tables::{
    ALLOWLIST, API_KEYS, INBOUND_ENDPOINTS, KEY_USES, METRICS, PARKED_LETTERS, PEOPLE,
    SAFEGUARDING, SELLER_KEYS, SELLERS, SPLIT_RULES, SWITCHES, TERMINALS, WEBHOOKS,
};

/// One seller's room. Customers, top-up invoices, payment links, promo codes, dead letters and
/// uploads are read when they are asked for: there may be a million.
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
    /// At most one for each currency.
    pub(super) safeguarding: Vec<SafeguardingAccount>,
    /// The current version of each metric that was registered.
    pub(super) metrics: BTreeMap<MetricName, Metric>,
    pub(super) endpoints: Vec<InboundEndpoint>,
    /// How many dead letters are parked.
    pub(super) parked: u64,
    pub(super) people: Vec<Person>,
    pub(super) keys: Vec<ApiKeyEntry>,
}

pub enum Change {
    Account(Box<Seller>),
    Switches(Switches),
    Webhook(Box<Webhook>),
    WebhookDeleted(WebhookId),
    Allowed(AllowlistEntry),
    Disallowed(AllowlistId),
    Terminal(Box<Terminal>),
    SplitRule(Box<SplitRule>),
    Safeguarding(SafeguardingAccount),
    Metric(Box<Metric>),
    Endpoint(Box<InboundEndpoint>),
    /// How many dead letters are parked.
    Parked(u64),
    Person(Box<Person>),
    PersonGone(PersonId),
    Key(Box<ApiKeyEntry>),
    KeyGone(ApiKeyId),
}

impl Room for SellerRoom {
    type Id = SellerId;
    type Change = Change;
    type Tools = SellerTools;
    const WORKER: &'static str = "rest of sellers";
    const KIND: &'static str = "seller";
    const TELLS_OF: ObjectKind = ObjectKind::Seller;

    fn seller(id: SellerId) -> SellerId {
        id
    }

    fn object(id: SellerId) -> u64 {
        id.0
    }

    fn load(id: SellerId, store: &View, _: &SellerTools) -> Result<Self, ReadError> {
        let all = Scan::prefix(&(id,));
        let mut reads = Reads::new();
        let seller = reads.get(SELLERS, &id);
        let switches = reads.get(SWITCHES, &id);
        let webhooks = reads.values(WEBHOOKS, all.clone());
        let allowlist = reads.values(ALLOWLIST, all.clone());
        let terminals = reads.values(TERMINALS, all.clone());
        let split_rules = reads.values(SPLIT_RULES, all.clone());
        let safeguarding = reads.values(SAFEGUARDING, all.clone());
        let metrics = reads.values(METRICS, all.clone());
        let endpoints = reads.values(INBOUND_ENDPOINTS, all.clone());
        let people = reads.values(PEOPLE, all.clone());
        let keys = reads.values(SELLER_KEYS, all);
        let parked = reads.get(PARKED_LETTERS, &id);
        let mut found = store.read(&reads)?;
        // The versions of a metric come in order: the last one is the current one.
        let metrics = found.take(metrics)?.into_iter();
        Ok(Self {
            id,
            seller: found.take(seller)?,
            switches: found.take(switches)?.unwrap_or_default(),
            webhooks: found.take(webhooks)?,
            allowlist: found.take(allowlist)?,
            terminals: found.take(terminals)?,
            split_rules: found.take(split_rules)?,
            safeguarding: found.take(safeguarding)?,
            metrics: metrics.map(|metric| (metric.name.clone(), metric)).collect(),
            endpoints: found.take(endpoints)?,
            people: found.take(people)?,
            keys: found.take(keys)?,
            parked: found.take(parked)?.unwrap_or_default(),
        })
    }

    fn apply(&mut self, change: Change, rows: &mut Batch) {
        let id = self.id;
        match change {
            Change::Account(account) => self.keep_account(*account, rows),
            Change::Switches(switches) => self.keep_switches(switches, rows),
            Change::Webhook(one) => keep(rows, WEBHOOKS, id, &mut self.webhooks, *one, |it| it.id),
            Change::WebhookDeleted(one) => {
                remove(rows, WEBHOOKS, id, &mut self.webhooks, one, |it| it.id)
            }
            Change::Allowed(one) => keep(rows, ALLOWLIST, id, &mut self.allowlist, one, |it| it.id),
            Change::Disallowed(one) => {
                remove(rows, ALLOWLIST, id, &mut self.allowlist, one, |it| it.id)
            }
            Change::Terminal(terminal) => self.keep_terminal(*terminal, rows),
            Change::SplitRule(one) => {
                keep(rows, SPLIT_RULES, id, &mut self.split_rules, *one, |it| it.id)
            }
            Change::Safeguarding(one) => {
                keep(rows, SAFEGUARDING, id, &mut self.safeguarding, one, |it| it.currency)
            }
            Change::Metric(metric) => self.keep_metric(*metric, rows),
            Change::Endpoint(one) => {
                keep(rows, INBOUND_ENDPOINTS, id, &mut self.endpoints, *one, |it| it.id)
            }
            Change::Parked(count) => self.keep_parked(count, rows),
            Change::Person(one) => keep(rows, PEOPLE, id, &mut self.people, *one, |it| it.id),
            Change::PersonGone(one) => remove(rows, PEOPLE, id, &mut self.people, one, |it| it.id),
            Change::Key(key) => self.keep_key(*key, rows),
            Change::KeyGone(key) => self.remove_key(key, rows),
        }
    }
}

impl SellerRoom {
    pub(super) fn account(&self) -> Result<&Seller, Refusal> {
        self.seller.as_ref().ok_or_else(Refusal::missing)
    }

    pub(super) fn safeguarding(&self, currency: Currency) -> Option<&SafeguardingAccount> {
        self.safeguarding.iter().find(|account| account.currency == currency)
    }

    /// Effects on what the directory keeps of a seller: it forgets once they are durable.
    pub(super) fn configuring(&self, cx: &Context<Self>) -> Effects<Self> {
        let (directory, seller) = (cx.services().directory.clone(), self.id);
        let mut effects = Effects::new();
        effects.once_durable(move || directory.forget(seller));
        effects
    }

    fn keep_account(&mut self, seller: Seller, rows: &mut Batch) {
        rows.put(SELLERS, &self.id, &seller);
        self.seller = Some(seller);
    }

    fn keep_switches(&mut self, switches: Switches, rows: &mut Batch) {
        rows.put(SWITCHES, &self.id, &switches);
        self.switches = switches;
    }

    /// The newest one is the last.
    fn keep_terminal(&mut self, terminal: Terminal, rows: &mut Batch) {
        rows.put(TERMINALS, &(self.id, terminal.id), &terminal);
        self.terminals.retain(|known| known.id != terminal.id);
        self.terminals.push(terminal);
    }

    fn keep_metric(&mut self, metric: Metric, rows: &mut Batch) {
        rows.put(METRICS, &(self.id, metric.name.clone(), metric.version), &metric);
        self.metrics.insert(metric.name.clone(), metric);
    }

    fn keep_parked(&mut self, count: u64, rows: &mut Batch) {
        rows.put(PARKED_LETTERS, &self.id, &count);
        self.parked = count;
    }

    fn keep_key(&mut self, key: ApiKeyEntry, rows: &mut Batch) {
        rows.put(API_KEYS, &key.hash, &key.record(self.id));
        keep(rows, SELLER_KEYS, self.id, &mut self.keys, key, |it| it.id);
    }

    fn remove_key(&mut self, id: ApiKeyId, rows: &mut Batch) {
        if let Some(key) = self.keys.iter().find(|key| key.id == id) {
            rows.delete(API_KEYS, &key.hash);
        }
        rows.delete(KEY_USES, &(self.id, id));
        remove(rows, SELLER_KEYS, self.id, &mut self.keys, id, |it| it.id);
    }
}

/// Writes one down of which the seller has several, and keeps it in its place.
fn keep<I: Key + PartialEq, V: Record>(
    rows: &mut Batch,
    table: Table<(SellerId, I), V>,
    seller: SellerId,
    all: &mut Vec<V>,
    one: V,
    id: impl Fn(&V) -> I,
) {
    rows.put(table, &(seller, id(&one)), &one);
    match all.iter_mut().find(|known| id(known) == id(&one)) {
        Some(known) => *known = one,
        None => all.push(one),
    }
}

/// Takes one of several away.
fn remove<I: Key + Copy + PartialEq, V: Record>(
    rows: &mut Batch,
    table: Table<(SellerId, I), V>,
    seller: SellerId,
    all: &mut Vec<V>,
    one: I,
    id: impl Fn(&V) -> I,
) {
    rows.delete(table, &(seller, one));
    all.retain(|known| id(known) != one);
}
