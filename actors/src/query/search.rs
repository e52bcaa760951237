//! What somebody means who types a few letters: read is what is shown.

use std::collections::BTreeSet;

use storage::{Key, ReadError, Reads, Record, Scan, Store, Table};

use super::{contract, customer, invoice, invoice_of_number, subscription, topup_of_number};
use crate::domain::billing::contract::Contract;
use crate::domain::billing::customer::{Customer, folded};
use crate::domain::billing::invoice::Invoice;
use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::billing::subscription::Subscription;
use crate::domain::ids::{ContractId, CustomerId, ID_LIMIT, InvoiceId, SellerId, SubscriptionId};
use crate::domain::payments::payment::Payment;
use crate::domain::payments::topup::TopupInvoice;
use crate::tables::{
    CONTRACTS, CUSTOMER_EMAILS, CUSTOMER_REFS, CUSTOMER_WORDS, CUSTOMERS, PAYMENT_REFS, PAYMENTS,
};

/// Behind every text that begins with another one.
const LAST: char = char::MAX;

/// Rows of an index that are looked at for each thing that is found: one may be found by several.
const ROWS_A_HIT: usize = 4;

/// Contracts that may have been made at the same time.
const AT_ONCE: usize = 256;

#[derive(Clone, Debug)]
pub enum Hit {
    Contract(Box<Contract>),
    Subscription(Box<Subscription>),
    Invoice(Box<Invoice>),
    Topup(Box<TopupInvoice>),
    Customer(Box<Customer>),
    Payment(Box<Payment>),
}

/// Up to `most` things: those of this id, contracts and documents of this number, customers whose
/// e-mail, reference or name begins so, and payments whose reference does.
pub fn search(
    store: &Store,
    seller: SellerId,
    text: &str,
    most: usize,
) -> Result<Vec<Hit>, ReadError> {
    let text = text.trim();
    let mut hits = Vec::new();
    if text.is_empty() {
        return Ok(hits);
    }
    hits.extend(of_id(store, seller, text)?);
    hits.extend(of_number(store, seller, text)?);
    hits.extend(of_contract_number(store, seller, text)?);
    let mut reads = Reads::new();
    let customers = customers(store, seller, text, most)?;
    let customers = reads.get_many(CUSTOMERS, customers.into_iter().map(|id| (seller, id)));
    let mut payments = Vec::new();
    for row in beginning(store, PAYMENT_REFS, seller, text).take(most) {
        payments.push(reads.get(PAYMENTS, &(seller, row?.1)));
    }
    let mut found = store.read(&reads)?;
    hits.extend(found.take(customers)?.into_iter().map(|one| Hit::Customer(Box::new(one))));
    for payment in payments {
        hits.extend(found.take(payment)?.map(|one| Hit::Payment(Box::new(one))));
    }
    hits.truncate(most);
    Ok(hits)
}

fn of_id(store: &Store, seller: SellerId, text: &str) -> Result<Vec<Hit>, ReadError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let id = text.parse().ok().filter(|id| digits && (1..ID_LIMIT).contains(id));
    let Some(id) = id else { return Ok(Vec::new()) };
    let contract = contract(store, seller, ContractId(id))?;
    let subscription = subscription(store, seller, SubscriptionId(id))?;
    let invoice = invoice(store, seller, InvoiceId(id))?;
    let customer = customer(store, seller, CustomerId(id))?;
    let hits = [
        contract.map(|one| Hit::Contract(Box::new(one))),
        subscription.map(|one| Hit::Subscription(Box::new(one))),
        invoice.map(|one| Hit::Invoice(Box::new(one))),
        customer.map(|one| Hit::Customer(Box::new(one))),
    ];
    Ok(hits.into_iter().flatten().collect())
}

fn of_number(store: &Store, seller: SellerId, text: &str) -> Result<Vec<Hit>, ReadError> {
    let number = InvoiceNumber::parse(&text.to_uppercase());
    let Some(number) = number else { return Ok(Vec::new()) };
    let invoice = invoice_of_number(store, seller, number)?;
    let topup = topup_of_number(store, seller, number)?;
    let invoice = invoice.map(|one| Hit::Invoice(Box::new(one)));
    Ok(invoice.into_iter().chain(topup.map(|one| Hit::Topup(Box::new(one)))).collect())
}

/// Orders of contracts go up with their ids, but for those that were made at the same time: the
/// place is found by halves, and looked around at.
fn of_contract_number(
    store: &Store,
    seller: SellerId,
    text: &str,
) -> Result<Option<Hit>, ReadError> {
    let Some(order) = Contract::order_in(text) else { return Ok(None) };
    let from = |id: u64| Scan::prefix(&(seller,)).from(&(seller, ContractId(id)));
    let (mut before, mut place) = (0, ID_LIMIT);
    while place - before > 1 {
        let middle = before + (place - before) / 2;
        let next = store.scan(CONTRACTS, from(middle).first()).keys().next().transpose()?;
        let next = next.map(|(_, id)| contract(store, seller, id)).transpose()?.flatten();
        match next {
            Some(one) if one.order.is_none_or(|other| other < order) => before = one.id.0,
            _ => place = middle,
        }
    }
    let until = Scan::prefix(&(seller,)).until(&(seller, ContractId(place))).reverse();
    let [behind, ahead] =
        [from(place), until].map(|scan| store.scan(CONTRACTS, scan).keys().take(AT_ONCE));
    for key in behind.chain(ahead) {
        let one = contract(store, seller, key?.1)?;
        if let Some(one) = one.filter(|one| one.order == Some(order)) {
            return Ok(Some(Hit::Contract(Box::new(one))));
        }
    }
    Ok(None)
}

/// In order of their ids.
fn customers(
    store: &Store,
    seller: SellerId,
    text: &str,
    most: usize,
) -> Result<BTreeSet<CustomerId>, ReadError> {
    let mut found = BTreeSet::new();
    let folded = folded(text);
    let by_email = beginning(store, CUSTOMER_EMAILS, seller, &text.to_lowercase());
    let by_reference = beginning(store, CUSTOMER_REFS, seller, text);
    for row in by_email.take(most).chain(by_reference.take(most)) {
        found.insert(row?.1);
    }
    let words = Scan::prefix(&(seller,)).from(&(seller, folded.clone()));
    let words = words.until(&(seller, format!("{folded}{LAST}")));
    for row in store.scan(CUSTOMER_WORDS, words).take(most * ROWS_A_HIT) {
        let ((_, _, id), ()) = row?;
        if found.len() == most {
            break;
        }
        found.insert(id);
    }
    Ok(found.into_iter().take(most).collect())
}

/// The rows of a seller whose text begins so.
fn beginning<V: Record>(
    store: &Store,
    table: Table<(SellerId, String), V>,
    seller: SellerId,
    text: &str,
) -> impl Iterator<Item = Result<((SellerId, String), V), ReadError>> + use<V>
where
    (SellerId, String): Key,
{
    let scan = Scan::prefix(&(seller,)).from(&(seller, text.to_owned()));
    store.scan(table, scan.until(&(seller, format!("{text}{LAST}"))))
}
