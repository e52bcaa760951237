//! All that a seller owns lies in one shard, and a folder from before shards is moved into them.

use std::collections::BTreeSet;
use std::path::Path;

use actors::domain::ids::SellerId;
use actors::tables::*;
use actors::verify::{Rows, verify};
use storage::{FIRST_RESERVED_TAG, Options, RawRow, SEQUENCES, Shard, Store};

use super::scenario;
use crate::support::response::id;
use crate::support::{Seller, Server, Value, fresh_uuid, json};

/// What is of nobody, or is looked for by what anybody may type.
const OF_NOBODY: [u16; 7] = [
    LOGINS.tag(),
    SELLER_EMAILS.tag(),
    MINTS.tag(),
    SANDBOX_ENDS.tag(),
    CREDIT_COUNTED.tag(),
    SECRETS_KEY.tag(),
    BACKFILLS.tag(),
];

/// What tokens open.
const OF_TOKENS: [u16; 6] = [
    API_KEYS.tag(),
    INBOUND_TOKENS.tag(),
    LINKS.tag(),
    PAYMENT_LINK_PAGES.tag(),
    LINK_SUBSCRIPTION_PAGES.tag(),
    CHECKOUTS.tag(),
];

/// What ids lead to that the operator alone knows.
const OF_IDS: [u16; 3] = [PAYEE_HOMES.tag(), PAYOUT_HOMES.tag(), VENDOR_HOMES.tag()];

fn opened(data: &Path) -> Store {
    let options = Options { shard_of: Some(shard_of), ..Options::default() };
    Store::open(data, options).expect("nobody uses it")
}

/// All rows but that which shuts older programs out.
fn rows(store: &Store) -> Vec<RawRow> {
    let all = store.export().map(|row| row.expect("readable"));
    all.filter(|row| row.tag() != 0xFFEF).collect()
}

fn number(key: &[u8], skipped: usize) -> u64 {
    u64::from_be_bytes(*key[skipped..].first_chunk().expect("a number"))
}

/// Demands that a row is where it belongs.
fn look_at(row: &RawRow, sellers: &BTreeSet<Shard>) {
    let (tag, key) = (row.tag(), row.key_in_table());
    let Some(shard) = row.shard() else {
        assert!(tag >= FIRST_RESERVED_TAG, "a row of table {tag} is in no shard");
        return;
    };
    match tag {
        _ if OWNED.contains(&tag) => assert_eq!(shard, Shard::of(number(key, 0)), "table {tag}"),
        _ if tag == TIMERS.tag() => assert_eq!(shard, Shard::of(number(key, 1))),
        _ if OF_IDS.contains(&tag) => {
            assert_eq!(shard, Shard::of(number(key, 0)), "table {tag}");
            assert!(sellers.contains(&shard), "an id of table {tag} says {shard}");
        }
        _ if OF_TOKENS.contains(&tag) => {
            assert!(sellers.contains(&shard), "a token of table {tag} says {shard}");
        }
        _ if OF_NOBODY.contains(&tag) => assert_eq!(shard, Shard::FIRST, "table {tag}"),
        SEQUENCES if key.starts_with(b"agreements") => assert_eq!(shard, Shard::FIRST),
        SEQUENCES if key.starts_with(b"contract-ids") => assert!(sellers.contains(&shard)),
        SEQUENCES => assert_eq!(shard, shard_of(tag, key), "{}", key.escape_ascii()),
        // Ids.
        FIRST_RESERVED_TAG.. => assert!(sellers.contains(&shard) || shard == Shard::FIRST),
        _ => panic!("nobody has said where the rows of table {tag} belong"),
    }
}

async fn with_endpoint(seller: &Seller) {
    seller.billing.post("/usage/webhook-endpoints", &json!({})).await.is(201);
}

#[tokio::test]
async fn all_that_a_seller_owns_lies_in_its_shard_with_what_its_tokens_open() {
    let server = Server::start().await;
    let made = scenario::live(&server).await;
    let other = server.seller().await;
    other.paid(json!({})).await;
    with_endpoint(&other).await;
    let sellers = [made.seller, SellerId(other.id)];
    server
        .closing(move |data| {
            let store = opened(data);
            let shards = sellers.map(SellerId::shard).into();
            let all = rows(&store);
            all.iter().for_each(|row| look_at(row, &shards));
            let there: BTreeSet<u16> = all.iter().map(RawRow::tag).collect();
            for tag in OF_TOKENS.iter().chain(&OF_IDS) {
                assert!(there.contains(tag), "the scenario has rows of table {tag}");
            }
            store.close();
        })
        .await;
}

#[tokio::test]
async fn ids_of_a_sellers_objects_say_its_shard() {
    let server = Server::start().await;
    for seller in [server.seller().await, server.seller().await] {
        let contract = seller.contract("2027-01-15").await;
        let invoice = id(&seller.one_time(contract, 700).await);
        let vendor = json!({"displayName": "Nord", "email": "nord@example.com", "country": "SE"});
        let vendor = seller.payments.create("/vendors", &fresh_uuid(), &vendor).await.is(201);
        for id in [contract, invoice, seller.payee(0), id(&vendor)] {
            assert_eq!(Shard::of(id), SellerId(seller.id).shard());
        }
    }
    server.close().await;
}

async fn lists(seller: &Seller) -> Vec<Value> {
    let mut all = Vec::new();
    for path in
        ["/contracts", "/invoices", "/customers", "/subscriptions", "/usage/webhook-endpoints"]
    {
        all.push(seller.billing.get(path).await.is(200));
    }
    for path in ["/payments", "/payees", "/wallets", "/webhooks", "/payouts", "/vendors"] {
        all.push(seller.payments.get(path).await.is(200));
    }
    all
}

#[tokio::test]
async fn a_folder_from_before_shards_is_moved_at_the_start_and_all_of_it_is_there() {
    let mut server = Server::start().await;
    scenario::live(&server).await;
    let seller = server.seller().await;
    seller.paid(json!({})).await;
    let first = seller.contract("2027-01-15").await;
    let sellers = server.operator.get("/sellers").await.is(200);
    let before = lists(&seller).await;
    server
        .restart_after(|data| {
            let store = opened(data);
            let all = rows(&store);
            store.lay_out_as_before(usize::MAX);
            let moved = rows(&store).into_iter().filter(|row| row.shard().is_none()).count();
            assert!(moved * 10 > all.len() * 9, "{moved} of {} rows", all.len());
            store.close();
            let store = opened(data);
            assert_eq!(rows(&store), all);
            let report = verify(&store, Rows::Still).expect("readable");
            assert!(report.faults.is_empty(), "{:#?}", report.faults);
            store.lay_out_as_before(usize::MAX);
            store.close();
        })
        .await;
    let seller = server.again(&seller);
    assert_eq!(lists(&seller).await, before);
    assert_eq!(server.operator.get("/sellers").await.is(200), sellers);
    assert!(seller.contract("2027-01-15").await > first, "ids go on rising");
    server.close().await;
}
