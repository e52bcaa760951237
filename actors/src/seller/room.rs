//! What a seller room remembers, and how a change is applied to it.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, Reads, Scan, View};

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

/// One seller's room. Customers, top-up invoices, payment links, promo codes, dead letters and uploads are read when they are
/// asked for: there may be a million.
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
        match change {
            Change::Account(seller) => {
                rows.put(SELLERS, &self.id, &seller);
                self.seller = Some(*seller);
            }
            Change::Switches(switches) => {
                rows.put(SWITCHES, &self.id, &switches);
                self.switches = switches;
            }
            Change::Webhook(webhook) => {
                rows.put(WEBHOOKS, &(self.id, webhook.id), &webhook);
                replace(&mut self.webhooks, *webhook, |webhook| webhook.id);
            }
            Change::WebhookDeleted(id) => {
                rows.delete(WEBHOOKS, &(self.id, id));
                self.webhooks.retain(|webhook| webhook.id != id);
            }
            Change::Allowed(entry) => {
                rows.put(ALLOWLIST, &(self.id, entry.id), &entry);
                replace(&mut self.allowlist, entry, |entry| entry.id);
            }
            Change::Disallowed(id) => {
                rows.delete(ALLOWLIST, &(self.id, id));
                self.allowlist.retain(|entry| entry.id != id);
            }
            Change::Terminal(terminal) => {
                rows.put(TERMINALS, &(self.id, terminal.id), &terminal);
                self.terminals.retain(|known| known.id != terminal.id);
                self.terminals.push(*terminal);
            }
            Change::SplitRule(rule) => {
                rows.put(SPLIT_RULES, &(self.id, rule.id), &rule);
                replace(&mut self.split_rules, *rule, |rule| rule.id);
            }
            Change::Safeguarding(account) => {
                rows.put(SAFEGUARDING, &(self.id, account.currency), &account);
                replace(&mut self.safeguarding, account, |account| account.currency);
            }
            Change::Metric(metric) => {
                rows.put(METRICS, &(self.id, metric.name.clone(), metric.version), &metric);
                self.metrics.insert(metric.name.clone(), *metric);
            }
            Change::Endpoint(endpoint) => {
                rows.put(INBOUND_ENDPOINTS, &(self.id, endpoint.id), &endpoint);
                replace(&mut self.endpoints, *endpoint, |endpoint| endpoint.id);
            }
            Change::Parked(count) => {
                rows.put(PARKED_LETTERS, &self.id, &count);
                self.parked = count;
            }
            Change::Person(person) => {
                rows.put(PEOPLE, &(self.id, person.id), &person);
                replace(&mut self.people, *person, |person| person.id);
            }
            Change::PersonGone(id) => {
                rows.delete(PEOPLE, &(self.id, id));
                self.people.retain(|person| person.id != id);
            }
            Change::Key(key) => {
                rows.put(SELLER_KEYS, &(self.id, key.id), &key);
                rows.put(API_KEYS, &key.hash, &key.record(self.id));
                replace(&mut self.keys, *key, |key| key.id);
            }
            Change::KeyGone(id) => {
                if let Some(key) = self.keys.iter().find(|key| key.id == id) {
                    rows.delete(API_KEYS, &key.hash);
                }
                rows.delete(SELLER_KEYS, &(self.id, id));
                rows.delete(KEY_USES, &(self.id, id));
                self.keys.retain(|key| key.id != id);
            }
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
}

fn replace<T, K: PartialEq>(all: &mut Vec<T>, one: T, key: impl Fn(&T) -> K) {
    match all.iter_mut().find(|known| key(known) == key(&one)) {
        Some(known) => *known = one,
        None => all.push(one),
    }
}
