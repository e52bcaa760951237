//! One row is changed by another hand, and the fault is named.

mod subscriptions;

use std::collections::BTreeSet;

use actors::chunked::Chunked;
use actors::domain::billing::contract::{Contract, ContractStatus};
use actors::domain::billing::credit::{CreditKind, CreditType};
use actors::domain::billing::usage::{Measured, Units};
use actors::domain::ids::{
    ContractId, CreditEntryId, CustomerId, InvoiceId, LineItemId, MessageId, SellerId,
};
use actors::domain::messages::{Addressee, DepositNotice, Message, PayeeMessage};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::ledger::{Account, Entry};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::tables::*;
use actors::timers::TimerKind;
use actors::verify::{Fault, Rows, TABLES, verify};
use storage::{Batch, Key, Options, Record, Scan, Store, Sum, Table};

use super::scenario::{self, Made};
use crate::support::Server;

type Undo = Box<dyn FnOnce(&mut Batch)>;

/// A folder whose rows are changed, and changed back.
struct Folder {
    store: Store,
    made: Made,
    undo: Vec<Undo>,
    /// A table without the row that a case is about.
    lacks: Option<&'static str>,
}

impl Folder {
    fn put<K: Key + Clone + 'static, V: Record + 'static>(
        &mut self,
        table: Table<K, V>,
        key: K,
        row: &V,
    ) {
        self.remember(table, key.clone());
        let mut batch = Batch::new();
        batch.put(table, &key, row);
        self.store.write_blocking(batch).expect("durable");
    }

    fn delete<K: Key + Clone + 'static, V: Record + 'static>(
        &mut self,
        table: Table<K, V>,
        key: K,
    ) {
        self.remember(table, key.clone());
        let mut batch = Batch::new();
        batch.delete(table, &key);
        self.store.write_blocking(batch).expect("durable");
    }

    fn remember<K: Key + 'static, V: Record + 'static>(&mut self, table: Table<K, V>, key: K) {
        let before = self.store.get(table, &key).expect("readable");
        self.undo.push(Box::new(move |batch| match before {
            Some(row) => batch.put(table, &key, &row),
            None => batch.delete(table, &key),
        }));
    }

    fn changed_back(&mut self) {
        let mut batch = Batch::new();
        self.undo.drain(..).for_each(|undo| undo(&mut batch));
        self.store.write_blocking(batch).expect("durable");
    }

    /// The first row of a table that is as it should be for the test.
    fn first<K: Key, V: Record>(
        &mut self,
        table: Table<K, V>,
        fits: impl Fn(&K, &V) -> bool,
    ) -> Option<(K, V)> {
        let mut rows = self.store.scan(table, Scan::all()).map(|row| row.expect("readable"));
        let found = rows.find(|(key, row)| fits(key, row));
        if found.is_none() {
            self.lacks = Some(table.name());
        }
        found
    }

    /// Deletes the first row of a table.
    fn lose<K: Key + Clone + 'static, V: Record + 'static>(&mut self, table: Table<K, V>) {
        if let Some((key, _)) = self.first(table, |_, _| true) {
            self.delete(table, key);
        }
    }

    /// Changes the first row that fits.
    fn change<K: Key + Clone + 'static, V: Record + 'static>(
        &mut self,
        table: Table<K, V>,
        fits: impl Fn(&V) -> bool,
        change: impl FnOnce(&mut V),
    ) {
        if let Some((key, mut row)) = self.first(table, |_, row| fits(row)) {
            change(&mut row);
            self.put(table, key, &row);
        }
    }

    /// Makes noise of the first row of a table.
    fn damage<K: Key + 'static, V: Record + 'static>(&mut self, table: Table<K, V>) {
        let raw: Table<K, Vec<u8>> = Table::new(table.tag(), table.name());
        if let Some((key, row)) = self.first(table, |_, _| true) {
            let mut batch = Batch::new();
            batch.put(raw, &key, &vec![0xFF; 9]);
            self.store.write_blocking(batch).expect("durable");
            self.undo.push(Box::new(move |batch| batch.put(table, &key, &row)));
        }
    }

    /// Puts the first row that fits under another key.
    fn copy<K: Key + Clone + 'static, V: Record + 'static>(
        &mut self,
        table: Table<K, V>,
        to: impl FnOnce(K) -> K,
    ) {
        if let Some((key, row)) = self.first(table, |_, _| true) {
            self.put(table, to(key), &row);
        }
    }

    /// The faults, each with its table.
    fn faults(&self) -> BTreeSet<(String, String)> {
        let report = verify(&self.store, Rows::Still).expect("it could look");
        let told = |fault: &Fault| (fault.what.to_owned(), table_of(&fault.place));
        let mut found: BTreeSet<_> = report.faults.iter().map(told).collect();
        // Nearly all rows are in these: where something else is wrong, they are wrong for it.
        let is_sum = |(what, _): &(String, String)| what == SUMS;
        if !found.iter().all(is_sum) {
            found.retain(|fault| !is_sum(fault));
        }
        found
    }
}

/// The table of a place, which begins with its name, or names it in a sentence.
fn table_of(place: &str) -> String {
    let tables = TABLES.iter().map(|table| table.name);
    let named =
        tables.filter(|name| place.starts_with(name) || place.contains(&format!("of {name} ")));
    let longest = named.max_by_key(|name| name.len());
    longest.unwrap_or_else(|| place.split('(').next().unwrap_or_default()).to_owned()
}

/// What is changed, how, and what is found then: rules, each with the table that it is told of.
struct Case(&'static str, fn(&mut Folder), &'static [(&'static str, &'static str)]);

/// An id that nothing has.
const NOBODY: u64 = 999_999;

const MISSING: &str = "row that is missing";
const DIFFERS: &str = "row that differs";
const UNWANTED: &str = "row that nothing wants";
const CREDIT_OF_ALL: &str = "credit of all contracts of an account";
const SUMS: &str = "sums of the objects of an account";
const UNREADABLE: &str = "row that cannot be read";

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case("a contract's place among the active ones", |f| f.lose(ACTIVE_CONTRACTS),
        &[(MISSING, "active contracts")]),
    Case("a contract's status",
        |f| f.change(CONTRACTS, is_active, |row| whole(row).current.status = ContractStatus::Suspended),
        &[("current version of a contract", "contracts"), (UNWANTED, "active contracts")]),
    Case("a contract's version", |f| f.lose(CONTRACT_VERSIONS),
        &[("contract versions without a gap", "contracts")]),
    Case("a contract's number", |f| f.change(CONTRACTS, |_| true, |row| whole(row).order = Some(7)),
        &[("contract numbers without a gap", "contracts")]),
    Case("a key of a contract", |f| f.lose(CONTRACT_KEYS),
        &[("contract without the key that made it", "contracts")]),
    Case("a key of no invoice",
        |f| f.change(INVOICE_KEYS, |_| true, |row| row.invoice = InvoiceId(NOBODY)),
        &[("row that names what is not there", "invoice keys")]),
    Case("where a subscription is", |f| f.lose(SUBSCRIPTION_HOMES),
        &[(MISSING, "subscription homes")]),
    Case("the claim of a term", |f| f.lose(TERM_CLAIMS), &[(MISSING, "term claims")]),
    Case("the claim of an item that is billed once", |f| f.lose(ITEM_CLAIMS),
        &[(MISSING, "item claims")]),
    Case("a claim of no item",
        |f| f.copy(ITEM_CLAIMS, |key| (key.0, key.1, LineItemId(NOBODY))),
        &[(UNWANTED, "item claims")]),
    Case("a claim of no term",
        |f| f.copy(TERM_CLAIMS, |key| (key.0, key.1, key.2.plus_days(-400))),
        &[(UNWANTED, "term claims")]),
    Case("the amount of a plan change",
        |f| f.change(PRORATIONS, |_| true, |row| row.amount_minor += 1),
        &[("amount of a proration", "prorations")]),
    Case("the order of a timeline", |f| f.change(TIMELINE, |row| row.0.len() > 1, |row| row.0.swap(0, 1)),
        &[("timeline row under its first entry", "timeline"), ("timeline entries in order", "timeline")]),
    Case("a subtotal", |f| f.change(INVOICES, |_| true, |row| row.totals.subtotal_minor += 1),
        &[("totals of an invoice", "invoices"), (DIFFERS, "invoice numbers")]),
    Case("the name on an invoice",
        |f| f.change(INVOICES, |_| true, |row| row.bill_to.name = Some("Somebody else".to_owned())),
        &[(DIFFERS, "invoice numbers")]),
    Case("what a line says",
        |f| f.change(INVOICE_LINES, |_| true, |row| row.0[0].description.push('!')),
        &[(DIFFERS, "invoice numbers")]),
    Case("what a number was given to",
        |f| f.change(INVOICE_NUMBERS, |_| true, |row| row.digest[0] ^= 1),
        &[(DIFFERS, "invoice numbers"), ("chain of invoice numbers", "invoice numbers")]),
    Case("what is outstanding",
        |f| f.change(INVOICES, |row| row.outstanding_minor > 1, |row| row.outstanding_minor -= 1),
        &[("outstanding amount", "invoices")]),
    Case("what credit notes take off an invoice",
        |f| f.change(INVOICES, |row| row.credited_minor > 0, |row| row.credited_minor -= 1),
        &[
            ("credit note that its invoice counts", "invoices"),
            ("credit notes of an invoice", "invoices"),
            ("outstanding amount", "invoices"),
        ]),
    Case("the tax that credit notes give back",
        |f| f.change(INVOICES, |row| !row.credited_taxes.is_empty(), |row| {
            row.credited_taxes[0].tax_minor += 1;
        }),
        &[("tax of the credit notes of an invoice", "invoices")]),
    Case("the balance of a credit ledger",
        |f| f.change(CREDIT_BALANCES, |_| true, |row| row.add(CreditType::Gift, 1)),
        &[
            ("credit ledger that replays to its balances", "credit balances"),
            (CREDIT_OF_ALL, "credit totals"),
        ]),
    Case("what all contracts have",
        |f| f.change(CREDIT_TOTALS, |_| true, |row| *row = Sum::new(row.value() - 1)),
        &[(CREDIT_OF_ALL, "credit totals")]),
    Case("how many objects an account has",
        |f| f.change(OVERVIEW_COUNTS, |_| true, |row| *row = Sum::new(row.value() + 1)),
        &[(SUMS, "overview counts")]),
    Case("what subscriptions bring a month",
        |f| f.change(OVERVIEW_RECURRING, |_| true, |row| *row = Sum::new(row.value() + 1)),
        &[(SUMS, "overview counts")]),
    Case("what documents of a month come to",
        |f| f.change(OVERVIEW_MONTHS, |_| true, |row| *row = Sum::new(row.value() + 1)),
        &[(SUMS, "overview counts")]),
    Case("what documents wait for",
        |f| f.change(OVERVIEW_OUTSTANDING, |_| true, |row| *row = Sum::new(row.value() + 1)),
        &[(SUMS, "overview counts")]),
    Case("the total of a type of credit", |f| f.lose(CREDIT_TOTALS),
        &[(CREDIT_OF_ALL, "credit totals")]),
    Case("what is left of a lot of credit",
        |f| f.change(OPEN_LOTS, |_| true, |row| row.left_minor += 1),
        &[(DIFFERS, "open credit lots")]),
    Case("a deduction from credit",
        |f| f.change(CREDIT_ENTRIES, |row| row.kind == CreditKind::Deduction && row.signed_delta_minor < -1,
            |row| row.signed_delta_minor += 1),
        &[
            ("credit ledger that replays to its balances", "credit balances"),
            (DIFFERS, "drawn credit"),
            (MISSING, "open credit lots"),
            ("chain of a credit ledger", "credit balances"),
        ]),
    Case("why credit was granted",
        |f| f.change(CREDIT_ENTRIES, |row| row.kind == CreditKind::Topup, |row| row.reason.push('!')),
        &[("chain of a credit ledger", "credit balances")]),
    Case("what an invoice has drawn", |f| f.change(DRAWN_CREDIT, |_| true, |row| row.amount_minor += 1),
        &[(DIFFERS, "drawn credit"), ("stored credit of an invoice", "invoices")]),
    Case("a key of no grant",
        |f| f.change(CREDIT_KEYS, |_| true, |row| row.entry = CreditEntryId(NOBODY)),
        &[("row that names what is not there", "credit keys")]),
    Case("the tax of a line", |f| f.change(INVOICE_LINES, |_| true, |row| row.0[0].tax_minor += 1),
        &[
            ("tax on the lines of one rate", "invoices"),
            ("tax summary of an invoice", "invoices"),
            ("totals of an invoice", "invoices"),
            (DIFFERS, "invoice numbers"),
        ]),
    Case("the tax summary of an invoice",
        |f| f.change(INVOICES, |_| true, |row| row.tax_summary[0].taxable_minor += 1),
        &[("tax summary of an invoice", "invoices"), (DIFFERS, "invoice numbers")]),
    Case("a chunk of lines", |f| f.copy(INVOICE_LINES, |key| (key.0, InvoiceId(NOBODY), 0)),
        &[(UNWANTED, "invoice lines")]),
    Case("the head of an invoice",
        |f| f.change(CONTRACT_INVOICES, |_| true, |row| row.customer = CustomerId(NOBODY)),
        &[(DIFFERS, "contract invoices")]),
    Case("an invoice that others may go on from", |f| f.lose(FOLLOWABLE_INVOICES),
        &[(MISSING, "followable invoices")]),
    Case("one of an origin that is none",
        |f| f.copy(FOLLOWABLE_INVOICES, |key| (key.0, key.1, 9, key.3)),
        &[(UNWANTED, "followable invoices")]),
    Case("the day on which an invoice falls overdue",
        |f| f.copy(WAITING_INVOICES, |key| (key.0, key.1, key.2.plus_days(9), key.3)),
        &[(UNWANTED, "waiting invoices")]),
    Case("a contract that collects", |f| f.lose(COLLECTING_CONTRACTS),
        &[(MISSING, "collecting contracts")]),
    Case("a contract that collects nothing",
        |f| f.copy(COLLECTING_CONTRACTS, |key| (key.0, key.1, ContractId(NOBODY))),
        &[(UNWANTED, "collecting contracts")]),
    Case("an invoice number", |f| f.copy(INVOICE_NUMBERS, |key| (key.0, key.1, key.2, 77)),
        &[
            ("invoice numbers without a gap", "invoice numbers"),
            ("document of an invoice number", "invoice numbers"),
            ("last invoice number", "invoice numbers"),
            ("chain of invoice numbers", "invoice numbers"),
        ]),
    Case("a place in a list", |f| f.lose(PLACES), &[(MISSING, "places")]),
    Case("a place of nothing", |f| f.put(PLACES, (f.made.seller, 2, 1, NOBODY), &()),
        &[(UNWANTED, "places")]),
    Case("a payment link", |f| f.lose(LINKS), &[("number of payment links", "SellerId")]),
    Case("what a day's events come to", count_one_more,
        &[("events that add up to their day", "usage days")]),
    Case("a chunk of events", |f| f.lose(USAGE_CHUNKS),
        &[("sealed events of a day", "usage days"), ("events that add up to their day", "usage days")]),
    Case("the values of a day", |f| f.lose(USAGE_VALUES), &[(MISSING, "usage values")]),
    Case("the claim of a closed period",
        |f| f.copy(USAGE_CLAIMS, |key| (key.0, key.1, key.2, key.3.plus_days(-400))),
        &[(UNWANTED, "usage claims")]),
    Case("who has billed a closed line",
        |f| f.change(USAGE_LINES, |row| row.billed_by.is_some(), |row| row.billed_by = Some(InvoiceId(NOBODY))),
        &[
            ("usage line of a document", "invoices"),
            ("usage line on the document that bills it", "usage lines"),
        ]),
    Case("a metric that was used", |f| f.lose(METERED), &[(MISSING, "metered contracts")]),
    Case("a price", |f| f.copy(PRICES, |key| (key.0, key.1, key.2, 9)),
        &[("price under its own key", "prices")]),
    Case("the price of a closed period", |f| f.lose(PRICES),
        &[("row that names what is not there", "usage lines")]),
    Case("what a correction settles",
        |f| f.change(LATE_EVENTS, |_| true, |row| row.corrected_by = None),
        &[
            ("event that a correction settles", "usage adjustments"),
            ("late event of a closed period that is corrected", "corrected usage"),
        ]),
    Case("where a late event is", |f| f.lose(LATE_HOMES), &[(MISSING, "late homes")]),
    Case("how many letters are parked", |f| f.change(PARKED_LETTERS, |_| true, |row| *row += 1),
        &[("number of parked letters", "parked letters")]),
    Case("where a payee is", |f| f.lose(PAYEE_HOMES), &[(MISSING, "payee homes")]),
    Case("a payee's name", name_a_payee, &[(UNWANTED, "payee contracts")]),
    Case("a balance", |f| f.change(WALLETS, |_| true, |row| row.available_minor += 1),
        &[
            ("ledger that replays to its balances", "wallets"),
            ("settled money by its places", "wallets"),
        ]),
    Case("one side of a posting", |f| f.change(POSTINGS, |_| true, |row| shift(row, 0, 1)),
        &[("postings that sum to zero", "wallets"), ("chain of a ledger", "wallets")]),
    Case("when money moved",
        |f| f.change(POSTINGS, |_| true, |row| row.at = row.at.plus_seconds(1)),
        &[("chain of a ledger", "wallets")]),
    Case("the end of a ledger", |f| f.change(WALLETS, |row| row.last_link.is_some(), |row| row.last_link = None),
        &[("end of the chain of a ledger", "wallets")]),
    Case("both sides of a posting",
        |f| f.change(POSTINGS, |row| row.payment.is_some(), |row| shift(row, 1, -1)),
        &[
            ("ledger that replays to its balances", "wallets"),
            ("share by the ledger of its wallet", "wallets"),
            ("chain of a ledger", "wallets"),
        ]),
    Case("a share of a payment", |f| f.change(SHARES, |_| true, |row| row.credited_minor += 1),
        &[
            ("money in equals money out", "payments"),
            ("shares of a payment", "payments"),
            ("share by the ledger of its wallet", "wallets"),
        ]),
    Case("what was captured", capture_less,
        &[("money in equals money out", "payments"), ("shares of a payment", "payments")]),
    Case("the key of a payment",
        |f| f.change(PAYMENTS, |row| row.order.is_some(), |row| {
            row.order.iter_mut().for_each(|order| order.key.push('!'));
        }),
        &[("payment of an idempotency key", "payments")]),
    Case("a refund", |f| f.change(REFUNDS, |_| true, |row| row.amount.minor += 1),
        &[("refunds of a payment", "payments")]),
    Case("the one payment of an invoice", |f| f.lose(OPEN_PAYMENTS), &[(MISSING, "open payments")]),
    Case("where a payment is open", |f| f.lose(OPEN_AT_TERMINALS),
        &[(MISSING, "payments open at terminals")]),
    Case("who may not be archived", |f| f.lose(OPEN_SHARES), &[(MISSING, "open shares")]),
    Case("a payout's amount", |f| f.change(PAYOUTS, |row| !row.is_open(), |row| row.amount_minor += 1),
        &[("money that a payout took", "payouts"), ("payouts by the ledger", "wallets")]),
    Case("where a payout took its money", |f| f.lose(TAKEN_SPANS), &[(MISSING, "taken spans")]),
    Case("a payout's key", |f| f.lose(PAYOUT_KEYS), &[("key of a payout", "payouts")]),
    Case("what was deposited", |f| f.change(TOPUPS, |_| true, |row| row.received_minor += 1),
        &[
            ("deposits of a top-up", "top-up invoices"),
            ("deposits that reached the main wallet", "top-up invoices"),
        ]),
    Case("an event in the middle", |f| f.delete(EVENTS, (f.made.seller, 2)),
        &[
            ("events without a gap", "events"),
            ("delivery of an event to a webhook of it", "deliveries"),
        ]),
    Case("a delivery's place", |f| f.lose(DELIVERY_INDEX), &[(MISSING, "delivery index")]),
    Case("a delivery's turn", lose_a_turn, &[(MISSING, "delivery lines")]),
    Case("a timer", |f| f.lose(TIMERS), &[(MISSING, "timers")]),
    Case("a timer of nothing",
        |f| f.copy(TIMERS, |key| (key.0, key.1, key.2.plus_seconds(1), key.3)),
        &[(UNWANTED, "timers")]),
    Case("a message to nobody", send_to_nobody, &[("addressee of a message", "outbox")]),
    Case("a customer's e-mail", |f| f.lose(CUSTOMER_EMAILS), &[(MISSING, "customer e-mails")]),
    Case("an account's e-mail", |f| f.lose(SELLER_EMAILS), &[(MISSING, "seller e-mails")]),
    Case("the row of a stranger",
        |f| f.copy(METERED, |key| (SellerId(NOBODY), key.1, key.2)),
        &[("row of an account that is there", "metered contracts")]),
    Case("how often a payment link was used",
        |f| f.change(PAYMENT_LINKS, |link| link.usage_count == 1, |link| link.usage_count = 2),
        &[("uses of a payment link", "own payment links"), ("uses of a link for one", "own payment links")]),
    Case("the page of a payment link", |f| f.lose(PAYMENT_LINK_PAGES),
        &[("number of own payment links", "SellerId")]),
    Case("what a payment link took", |f| f.lose(PAYMENT_LINK_USES),
        &[("uses of a payment link", "own payment links"),
          ("payment of a link that is counted or goes back", "payments")]),
    Case("the payment that a link for one is held by", |f| f.lose(OPEN_LINK_PAYMENTS),
        &[(MISSING, "open payments of links")]),
    Case("a card that was declined at a link", |f| f.lose(LINK_DECLINES),
        &[(MISSING, "declines at links")]),
    Case("how often a promo code was redeemed",
        |f| f.change(PROMO_CODES, |code| code.redeemed == 1, |code| code.redeemed = 2),
        &[("redemptions of a promo code", "promo codes")]),
    Case("a redemption that was reserved",
        |f| f.change(PROMO_CODES, |_| true, |code| code.reserved += 1),
        &[("reserved redemptions of a promo code", "promo codes")]),
    Case("what a promo code is looked up by", |f| f.lose(PROMO_NAMES),
        &[(MISSING, "names of promo codes")]),
    Case("the end of a payment link", end_no_link,
        &[(MISSING, "timers")]),
    Case("a row that cannot be read", |f| f.damage(CUSTOMERS),
        &[(UNREADABLE, "customers")]),
    Case("a total of credit that cannot be read", |f| f.damage(CREDIT_TOTALS),
        &[(UNREADABLE, "credit totals")]),
    Case("a sum of an overview that cannot be read", |f| f.damage(OVERVIEW_COUNTS),
        &[(UNREADABLE, "overview counts")]),
];

fn whole(row: &mut Chunked<Contract>) -> &mut Contract {
    match row {
        Chunked::Whole(contract) => contract,
        Chunked::Parts(_) => panic!("the contracts of the scenario are small"),
    }
}

fn is_active(row: &Chunked<Contract>) -> bool {
    matches!(row, Chunked::Whole(contract) if contract.current.status == ContractStatus::Active)
}

/// Moves the side of the wallet and that of the payments.
fn shift(entry: &mut Entry, own: i64, clearing: i64) {
    for side in &mut entry.postings {
        side.amount_minor += if side.account == Account::Clearing { clearing } else { own };
    }
}

fn count_one_more(f: &mut Folder) {
    let Some((key, mut day)) = f.first(USAGE_DAYS, |_, day| day.events() > 50) else { return };
    let part = day.versions()[0].clone();
    day.count(Measured {
        version: part.version,
        aggregation: part.aggregation,
        quantity: Units::whole(1),
        at: key.3.start(),
        value: None,
        times: 1,
    });
    f.put(USAGE_DAYS, key, &day);
}

fn name_a_payee(f: &mut Folder) {
    let seller = f.made.seller;
    if let Some(((_, payee), _)) = f.first(PAYEES, |_, _| true) {
        f.put(PAYEE_CONTRACTS, (seller, "somebody".to_owned()), &payee);
    }
}

fn capture_less(f: &mut Folder) {
    let reference = f.made.payment.clone();
    f.change(
        PAYMENTS,
        |payment| payment.reference == reference,
        |payment| payment.captured_minor = payment.captured_minor.map(|minor| minor - 1),
    );
}

fn lose_a_turn(f: &mut Folder) {
    let Some((_, held)) = f.first(DELIVERIES, |_, one| one.is_held_back()) else { return };
    if let Some((line, _)) = f.first(DELIVERY_LINES, |_, id| *id == held.id) {
        f.delete(DELIVERY_LINES, line);
    }
}

fn send_to_nobody(f: &mut Folder) {
    let notice = DepositNotice {
        reference: "nothing".to_owned(),
        amount: Money::new(1, Currency::EUR).expect("money"),
        at: Timestamp::from_micros(0),
        mode: Mode::Demo,
    };
    let to = Addressee::Contract(f.made.seller, ContractId(NOBODY)).row(MessageId(1));
    f.put(OUTBOX, to, &Message::Payee(PayeeMessage::Deposited(notice)));
}

fn end_no_link(f: &mut Folder) {
    let kind = TimerKind::LinkExpiry as u8;
    if let Some((key, ())) = f.first(TIMERS, |key, ()| key.0 == kind) {
        f.delete(TIMERS, key);
    }
}

#[tokio::test]
async fn one_row_that_is_changed_is_the_fault_that_is_found() {
    let server = Server::start().await;
    let made = scenario::live(&server).await;
    server
        .closing(|data| {
            let store = Store::open(data, Options::default()).expect("nobody uses it");
            let mut folder = Folder { store, made, undo: Vec::new(), lacks: None };
            assert_eq!(folder.faults(), BTreeSet::new(), "before anything is changed");
            let mut wrong = Vec::new();
            for Case(what, change, expected) in CASES.iter().chain(subscriptions::CASES) {
                change(&mut folder);
                let expected: BTreeSet<_> = expected
                    .iter()
                    .map(|(rule, table)| ((*rule).to_owned(), (*table).to_owned()))
                    .collect();
                let found = folder.faults();
                if let Some(table) = folder.lacks.take() {
                    wrong.push(format!("{what}: the scenario has no such row of {table}"));
                } else if found != expected {
                    wrong.push(format!("{what}: expected {expected:#?}, found {found:#?}"));
                }
                folder.changed_back();
            }
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            assert_eq!(folder.faults(), BTreeSet::new(), "all is changed back");
            folder.store.close();
        })
        .await;
}
