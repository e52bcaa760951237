//! Inbound endpoints in a running system.

use storage::testing::TempStore;
use storage::{Batch, Scan, Shard, Table};

use crate::clock::Clock;
use crate::domain::billing::usage::inbound::{EndpointStatus, TokenHash};
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::query;
use crate::system::{System, SystemSettings};
use crate::tables::INBOUND_TOKENS;

async fn start(store: &TempStore, key: u8) -> System {
    let clock = Clock::by_hand(Timestamp::parse("2026-11-21T09:00:00Z").expect("an instant"));
    let settings = SystemSettings::testing();
    let started = System::start(store.store().clone(), clock, &[key; 32], settings).await;
    started.expect("started")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_whose_address_is_lost_is_revoked_beside_rows_that_cannot_be_read() {
    let mut store = TempStore::new();
    let system = start(&store, 7).await;
    let client = std::net::Ipv4Addr::LOCALHOST.into();
    let seller = system.sellers.mint_sandbox(client).await.expect("minted").seller.id;
    let opened = system.sellers.open_endpoint(seller, None).await.expect("opened").endpoint;
    system.stop().await;
    store.reopen();

    // Of other sellers, wherever a token of this one's may be found.
    let raw: Table<TokenHash, Vec<u8>> = Table::new(INBOUND_TOKENS.tag(), INBOUND_TOKENS.name());
    let mut batch = Batch::new();
    for shard in [seller.shard(), Shard::FIRST].into_iter().flat_map(|shard| [shard; 8]) {
        let place = TokenHash::of(&Entropy.token_in(shard));
        batch.put(raw, &place, &vec![0xFF, 0xFF]);
    }
    store.write_blocking(batch).expect("durable");
    let tokens = |store: &TempStore| store.scan(INBOUND_TOKENS, Scan::all()).keys().count();
    assert_eq!(tokens(&store), 17);

    let system = start(&store, 8).await;
    let revoked = system.sellers.revoke_endpoint(seller, opened.id).await.expect("revoked");
    assert_eq!(revoked.status, EndpointStatus::Revoked);
    assert_eq!(tokens(&store), 16, "nothing leads to it");
    let kept = query::inbound_endpoints(&store, seller, query::Paging { limit: 9, cursor: None });
    assert_eq!(kept.expect("read").items, [revoked]);
    system.stop().await;
}
