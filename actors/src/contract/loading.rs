//! A contract's rows on their way into the memory of its room.
//!
//! What the contract's key leads to is read with one request. Some of those rows name others: the
//! parts of what is too large for one row, mails, lines and corrections of usage that wait. All of
//! them are read with a second request, as of the same moment; most contracts have none.

use std::collections::BTreeMap;

use storage::{ReadError, Reads, Scan, View};

use super::agenda::Agenda;
use super::credit::CreditLots;
use super::invoice_rows::Prior;
use super::mails::OpenMails;
use super::metering::Metering;
use super::prorations::OpenProrations;
use super::room::{ContractKey, ContractRoom};
use crate::domain::billing::usage::Coverage;
use crate::tables::{
    AUTO_TOPUPS, CARDS_ON_FILE, CLOCKS, COLLECTIONS, CONTRACT_PARTS, CONTRACTS, FOLLOWED_INVOICES,
    MAILS, OPEN_MAILS, PRORATIONS, REMINDERS, SUBSCRIPTION_PARTS, SUBSCRIPTIONS, WAITING_INVOICES,
};

impl ContractRoom {
    /// The room of a contract as its rows stand at one moment.
    pub(super) fn read(key: ContractKey, rows: &View) -> Result<Self, ReadError> {
        let all = Scan::prefix(&key);
        let mut reads = Reads::new();
        let contract = reads.get(CONTRACTS, &key);
        let clock = reads.get(CLOCKS, &key);
        let card_on_file = reads.contains(CARDS_ON_FILE, &key);
        let followed = reads.get(FOLLOWED_INVOICES, &key);
        let auto_topup = reads.get(AUTO_TOPUPS, &key);
        let subscriptions = reads.scan(SUBSCRIPTIONS, all.clone());
        let prorations = reads.scan(PRORATIONS, all.clone());
        let waiting = reads.keys(WAITING_INVOICES, all.clone());
        let reminders = reads.keys(REMINDERS, all.clone());
        let collections = reads.keys(COLLECTIONS, all.clone());
        let mails = reads.keys(OPEN_MAILS, all);
        let credit = CreditLots::ask(&mut reads, key);
        let metering = Metering::ask(&mut reads, key);
        let mut found = rows.read(&reads)?;

        let mut room = Self::of_nothing(key);
        room.clock = found.take(clock)?;
        room.card_on_file = found.take(card_on_file)?;
        let Some(contract) = found.take(contract)? else { return Ok(room) };

        let mut reads = Reads::new();
        let contract = contract.ask(&mut reads, CONTRACTS, CONTRACT_PARTS, &key);
        let subscriptions: Vec<_> = found
            .take(subscriptions)?
            .into_iter()
            .map(|(key, row)| row.ask(&mut reads, SUBSCRIPTIONS, SUBSCRIPTION_PARTS, &key))
            .collect();
        let mails = found.take(mails)?.into_iter().map(|(seller, _, mail)| (seller, mail));
        let mails = reads.get_many(MAILS, mails);
        let metering = metering.follow(&mut found, &mut reads)?;
        let mut followed_rows = rows.read(&reads)?;

        room.contract = Some(contract.take(&mut followed_rows)?);
        for subscription in subscriptions {
            let subscription = subscription.take(&mut followed_rows)?;
            room.agenda.subscription(None, &subscription);
            room.subscriptions.insert(subscription.id, subscription);
        }
        room.coverage = Coverage::of(room.subscriptions.values());
        for ((_, _, id), proration) in found.take(prorations)? {
            room.prorations.keep(id, proration);
        }
        for subscription in room.subscriptions.values() {
            let due = room.prorations.due_by_themselves(subscription);
            room.agenda.prorations(subscription.id, due);
        }
        for (_, _, overdue_at, invoice) in found.take(waiting)? {
            room.agenda.overdue.note(invoice, Some(overdue_at));
        }
        for (_, _, day, invoice) in found.take(reminders)? {
            room.agenda.reminders.note(invoice, Some(day));
        }
        for (_, _, day, invoice) in found.take(collections)? {
            room.agenda.collections.note(invoice, Some(day));
        }
        let followed = found.take(followed)?.unwrap_or_default();
        room.continues_from = followed.by_recurring.map(|invoice| Prior::new(invoice, None));
        room.usage_follows = followed.by_usage.map(|invoice| Prior::new(invoice, None));
        room.credit = credit.take(&mut found)?;
        room.auto_topup = found.take(auto_topup)?;
        room.metering = metering.take(&mut followed_rows)?;
        room.mails = OpenMails::of(followed_rows.take(mails)?);
        Ok(room)
    }

    fn of_nothing((seller, id): ContractKey) -> Self {
        Self {
            seller,
            id,
            contract: None,
            subscriptions: BTreeMap::new(),
            coverage: Coverage::default(),
            prorations: OpenProrations::default(),
            clock: None,
            continues_from: None,
            usage_follows: None,
            metering: Metering::default(),
            credit: CreditLots::default(),
            auto_topup: None,
            agenda: Agenda::default(),
            card_on_file: false,
            mails: OpenMails::default(),
        }
    }
}
