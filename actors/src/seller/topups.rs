//! Money that a seller brings in itself: its safeguarding accounts, and the top-up invoices that
//! are paid to them (payments 2.5, decisions 13).

mod handle;

use std::sync::Arc;

use parking_lot::Mutex;
use storage::{Batch, ReadError, Scan, Store};

use super::account::unexpected;
use super::handle::{SpendKey, Spent};
use super::room::SellerRoom;
use crate::domain::ids::{MessageId, SellerId, TopupId};
use crate::domain::messages::{DepositNotice, Envelope, PayeeMessage};
use crate::domain::money::Currency;
use crate::domain::payments::safeguarding::{SafeguardingAccount, SafeguardingTerms};
use crate::domain::payments::topup::{Draft, NewDeposit, NewTopup, TopupInvoice};
use crate::domain::payments::wallet::OWN;
use crate::domain::refusal::Refusal;
use crate::outbox::Outbox;
use crate::room::{Desk, Recent, Reply};
use crate::tables::{SAFEGUARDING, TOPUP_NUMBERS, TOPUPS, ids};

type Answer<T> = Reply<Result<T, Refusal>>;

/// A command to what a seller brings in.
#[derive(Debug)]
pub enum Command {
    /// Sets the safeguarding account of a currency.
    Safeguard { currency: Currency, terms: SafeguardingTerms, reply: Answer<SafeguardingAccount> },
    /// Makes a top-up invoice.
    Issue { new: NewTopup, spend: SpendKey, reply: Answer<Spent<TopupInvoice>> },
    /// Matches money that came to a top-up invoice.
    Deposit { topup: TopupId, deposit: NewDeposit, reply: Answer<TopupInvoice> },
}

/// What a seller room remembers of it. Invoices are read when they are asked for.
#[derive(Debug)]
pub(super) struct Funding {
    accounts: Vec<SafeguardingAccount>,
    /// Invoices that this room changed lately.
    topups: Recent<TopupId, TopupInvoice>,
}

impl Funding {
    pub(super) fn load(store: &Store, seller: SellerId) -> Result<Self, ReadError> {
        let rows = store.scan(SAFEGUARDING, Scan::prefix(&(seller,)));
        let accounts = rows.map(|row| row.map(|(_, account)| account)).collect::<Result<_, _>>()?;
        Ok(Self { accounts, topups: Recent::default() })
    }

    fn account(&self, currency: Currency) -> Option<&SafeguardingAccount> {
        self.accounts.iter().find(|account| account.currency == currency)
    }
}

impl SellerRoom {
    pub(super) fn funding(&mut self, desk: &Desk<Self>, command: Command) {
        match command {
            Command::Safeguard { currency, terms, reply } => {
                self.safeguard(desk, currency, terms, reply);
            }
            Command::Issue { new, spend, reply } => self.issue_topup(desk, new, spend, reply),
            Command::Deposit { topup, deposit, reply } => {
                self.deposit(desk, topup, &deposit, reply);
            }
        }
    }

    fn safeguard(
        &mut self,
        desk: &Desk<Self>,
        currency: Currency,
        terms: SafeguardingTerms,
        reply: Answer<SafeguardingAccount>,
    ) {
        let Some(seller) = &self.seller else { return reply.send(Err(Refusal::missing())) };
        let known = self.funding.account(currency);
        let of = (self.id, currency);
        let account = SafeguardingAccount::set(known, of, terms, seller.mode, desk.now());
        let mut batch = Batch::new();
        if known != Some(&account) {
            batch.put(SAFEGUARDING, &of, &account);
            self.funding.accounts.retain(|other| other.currency != currency);
            self.funding.accounts.push(account.clone());
        }
        desk.commit(batch, reply, |result| result.map(|_| account).map_err(unexpected));
    }

    /// The number is drawn in the commit that stores the invoice: it leaves no gap among those of
    /// contracts.
    fn issue_topup(
        &mut self,
        desk: &Desk<Self>,
        new: NewTopup,
        spend: SpendKey,
        reply: Answer<Spent<TopupInvoice>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let Some(seller) = &self.seller else { return reply.send(Err(Refusal::missing())) };
        let account = self.funding.account(new.amount.currency);
        let id = TopupId(desk.next_id(ids::TOPUP));
        let draft = match Draft::compose(new, seller, account, id, desk.now()) {
            Ok(draft) => draft,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let mut batch = Batch::new();
        self.put_spent(desk, &mut batch, spend, id.0);
        let (seller, series) = (self.id, draft.series);
        let draw = batch.draw(&series.sequence(seller));
        let slot = Arc::new(Mutex::new(None));
        let issued = Arc::clone(&slot);
        batch.with_numbers(move |numbers, rows| {
            let order = numbers[draw];
            let topup = draft.issue(order);
            rows.put(TOPUPS, &(seller, id), &topup);
            rows.put(TOPUP_NUMBERS, &(seller, series.year, series.month, order), &id.0);
            *issued.lock() = Some(topup);
        });
        desk.commit(batch, reply, move |result| {
            result.map_err(unexpected)?;
            slot.lock().take().map(Spent::Made).ok_or_else(Refusal::fault)
        });
    }

    /// The invoice and the message that brings the money to the main wallet are one write. A
    /// deposit that was taken before is answered behind the commit that took it.
    fn deposit(
        &mut self,
        desk: &Desk<Self>,
        id: TopupId,
        deposit: &NewDeposit,
        reply: Answer<TopupInvoice>,
    ) {
        let known = match self.topup(desk, id) {
            Ok(known) => known,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let now = desk.now();
        let mut batch = Batch::new();
        let (topup, letter) = match known.deposited(deposit, now) {
            Ok(None) => (known, None),
            Ok(Some(after)) => {
                batch.put(TOPUPS, &(self.id, id), &after);
                self.funding.topups.note(desk, id, after.clone());
                let notice = DepositNotice {
                    reference: after.number.to_string(),
                    amount: deposit.amount,
                    at: now,
                    mode: after.mode,
                };
                let message = MessageId(desk.next_id(ids::MESSAGE));
                let content = PayeeMessage::Deposited(notice);
                let envelope = Envelope::to_payee(self.id, OWN, content);
                Outbox::stage(&mut batch, message, &envelope);
                (after, Some((message, envelope)))
            }
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let outbox = desk.tools().outbox.clone();
        desk.commit(batch, reply, move |result| {
            result.map_err(unexpected)?;
            if let Some((message, envelope)) = letter {
                outbox.notify(message, envelope);
            }
            Ok(topup)
        });
    }

    fn topup(&self, desk: &Desk<Self>, id: TopupId) -> Result<TopupInvoice, Refusal> {
        let read = || desk.store().get(TOPUPS, &(self.id, id));
        let known = self.funding.topups.get(&id, read).map_err(|error| {
            tracing::error!(%error, "a seller room cannot read a top-up invoice");
            Refusal::fault()
        })?;
        known.ok_or_else(Refusal::missing)
    }
}
