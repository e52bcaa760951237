use std::thread;

use actors::domain::billing::credit::{
    CreditBalances, CreditEntry, CreditKind, CreditRefusal, CreditType,
};
use actors::domain::ids::{ContractId, CreditEntryId, CustomerId, SellerId};
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use actors::query::Paging;
use actors::tables::{CREDIT_BALANCES, CREDIT_ENTRIES};
use storage::testing::TempStore;
use storage::{Batch, Store};

use super::{CreditGrantBody, ledger};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn whole() -> CreditGrantBody {
    CreditGrantBody {
        credit_type: some("promotional"),
        amount_minor: Some(500),
        currency: some("EUR"),
        expires_at: None,
        reason: some("welcome"),
        seller_customer_id: None,
    }
}

#[test]
fn neither_case_nor_blanks_make_a_difference() {
    let plain = whole().parse(CustomerId(7)).expect("a grant");
    assert_eq!((plain.credit_type, plain.customer), (CreditType::Promotional, CustomerId(7)));
    assert_eq!(plain.currency, Currency::EUR);
    let loud = CreditGrantBody {
        credit_type: some("PROMOTIONAL"),
        currency: some("eur"),
        reason: some("  welcome "),
        ..whole()
    };
    assert_eq!(loud.parse(CustomerId(7)), Ok(plain));
}

#[test]
fn every_field_of_a_grant_is_looked_at() {
    let long = "x".repeat(513);
    for (body, refusal) in [
        (CreditGrantBody { credit_type: None, ..whole() }, CreditRefusal::Required("creditType")),
        (CreditGrantBody { credit_type: some("cash"), ..whole() }, CreditRefusal::TypeUnknown),
        (
            CreditGrantBody { credit_type: some("proration"), ..whole() },
            CreditRefusal::TypeNotGranted,
        ),
        (CreditGrantBody { amount_minor: None, ..whole() }, CreditRefusal::Required("amountMinor")),
        (CreditGrantBody { amount_minor: Some(0), ..whole() }, CreditRefusal::AmountRange),
        (
            CreditGrantBody { amount_minor: Some(1_000_000_000_001), ..whole() },
            CreditRefusal::AmountRange,
        ),
        (CreditGrantBody { currency: None, ..whole() }, CreditRefusal::Required("currency")),
        (CreditGrantBody { currency: some("EU"), ..whole() }, CreditRefusal::CurrencyUnknown),
        (CreditGrantBody { expires_at: some("soon"), ..whole() }, CreditRefusal::ExpiryMalformed),
        (CreditGrantBody { reason: None, ..whole() }, CreditRefusal::Required("reason")),
        (CreditGrantBody { reason: some("  "), ..whole() }, CreditRefusal::Required("reason")),
        (CreditGrantBody { reason: some(&long), ..whole() }, CreditRefusal::ReasonTooLong(512)),
    ] {
        assert_eq!(body.parse(CustomerId(7)), Err(refusal));
    }
    for (kind, paid_for) in
        [("purchased", CreditType::Purchased), ("enterprise", CreditType::Enterprise)]
    {
        let body = CreditGrantBody {
            credit_type: some(kind),
            expires_at: some("2030-01-01T00:00:00Z"),
            ..whole()
        };
        assert_eq!(body.parse(CustomerId(7)), Err(CreditRefusal::ExpiryNotAccepted(paid_for)));
    }
    let gift = CreditGrantBody { expires_at: some("2030-01-01T00:00:00Z"), ..whole() };
    let expires_at = gift.parse(CustomerId(7)).expect("a grant").expires_at;
    assert_eq!(expires_at, Timestamp::parse("2030-01-01T00:00:00Z"));
}

/// A movement of one, which makes the balance as high as its id.
fn move_one(store: &Store, key: (SellerId, ContractId), balances: &mut CreditBalances, id: u64) {
    let entry = CreditEntry {
        id: CreditEntryId(id),
        customer: CustomerId(7),
        kind: CreditKind::Topup,
        credit_type: CreditType::Gift,
        signed_delta_minor: 1,
        currency: Currency::EUR,
        lot: None,
        invoice: None,
        expires_at: None,
        reason: "welcome".to_owned(),
        occurred_at: Timestamp::from_micros(0),
        link: None,
    };
    balances.take(&entry);
    let mut batch = Batch::new();
    batch.put(CREDIT_ENTRIES, &(key.0, key.1, entry.id), &entry);
    batch.put(CREDIT_BALANCES, &key, balances);
    store.write_blocking(batch).expect("written");
}

#[test]
fn balances_and_entries_are_of_one_moment_while_credit_moves() {
    let store = TempStore::new();
    let key = (SellerId(1), ContractId(2));
    let mut balances = CreditBalances::none(Currency::EUR);
    move_one(store.store(), key, &mut balances, 1);
    let newest = Paging { limit: 1, cursor: None };
    thread::scope(|scope| {
        let moving = scope.spawn(|| {
            (2..1_000).for_each(|id| move_one(store.store(), key, &mut balances, id));
        });
        while !moving.is_finished() {
            let read = ledger(store.store(), key, Timestamp::from_micros(0), newest);
            let (balances, page) = read.expect("read");
            let minor = balances.expect("there").total();
            assert_eq!(u64::try_from(minor), Ok(page.items[0].id.0));
        }
    });
}
