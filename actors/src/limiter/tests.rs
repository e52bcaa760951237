//! The limiter over a real store.

use std::net::IpAddr;

use storage::testing::{AfterFailure, TempStore};

use super::*;
use crate::health::Health;
use crate::testing::until;

const SELLER: SellerId = SellerId(1);
const BUDGET: Budget = Budget { per_hour: 3_600, burst: 2 };

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(0).plus_seconds(seconds)
}

fn open(store: &TempStore) -> Limiter {
    supervised(store).0
}

fn supervised(store: &TempStore) -> (Limiter, Supervisor) {
    let supervisor = Supervisor::start(Health::default()).expect("a supervisor");
    let limiter = Limiter::open((**store).clone(), Clock::by_hand(at(0)), &supervisor);
    (limiter, supervisor)
}

#[tokio::test]
async fn every_seller_and_surface_has_a_bucket_of_its_own() {
    let store = TempStore::new();
    let limiter = open(&store);
    let passes = |seller, surface, now| {
        let verdict = limiter.request(SellerId(seller), surface, BUDGET, at(now)).expect("reached");
        matches!(verdict, Verdict::Admitted(_))
    };
    assert!(passes(1, Surface::Billing, 0) && passes(1, Surface::Billing, 0));
    assert!(!passes(1, Surface::Billing, 0));
    assert!(passes(1, Surface::Payments, 0));
    assert!(passes(2, Surface::Billing, 0));
    assert!(passes(1, Surface::Billing, 1));
}

#[tokio::test]
async fn a_bucket_that_is_full_again_is_forgotten() {
    let store = TempStore::new();
    let limiter = open(&store);
    for seller in 1..=1_000 {
        limiter.request(SellerId(seller), Surface::Billing, BUDGET, at(0)).expect("reached");
    }
    limiter.state.sweep();
    assert_eq!(limiter.state.sellers.len(), 1_000);
    limiter.state.clock.push(at(1));
    limiter.state.sweep();
    assert_eq!(limiter.state.sellers.len(), 0);
}

#[tokio::test]
async fn an_address_is_a_client_whatever_its_notation() {
    let store = TempStore::new();
    let limiter = open(&store);
    let passes = |kind, address: &str| {
        let address: IpAddr = address.parse().expect("an address");
        limiter.address(kind, address, 1, at(0)).expect("reached").is_ok()
    };
    assert!(passes(AddressKind::Page, "192.0.2.1"));
    assert!(!passes(AddressKind::Page, "::ffff:192.0.2.1"));
    assert!(passes(AddressKind::Page, "192.0.2.2"));
    assert!(passes(AddressKind::SandboxMint, "192.0.2.1"));
    assert!(passes(AddressKind::Page, "2001:db8:0:1::1"));
    assert!(!passes(AddressKind::Page, "2001:db8:0:1:ffff::2"));
    assert!(passes(AddressKind::Page, "2001:db8:0:2::1"));
    for kind in [AddressKind::Page, AddressKind::SandboxMint, AddressKind::WrongToken] {
        assert_eq!(limiter.address(kind, [192, 0, 2, 1].into(), 0, at(0)), Ok(Ok(())));
    }
}

#[tokio::test]
async fn no_hour_has_more_mints_of_an_address_and_no_minute_more_wrong_tokens() {
    let store = TempStore::new();
    let limiter = open(&store);
    let takes = |kind, most, now| {
        limiter.address(kind, [192, 0, 2, 1].into(), most, at(now)).expect("reached")
    };
    for (kind, most, period) in
        [(AddressKind::SandboxMint, 30, 3_600), (AddressKind::WrongToken, 10, 60)]
    {
        // As many at once, and one each second from then on.
        let mut taken: Vec<i64> = (0..most).map(|_| 0).collect();
        assert!(taken.iter().all(|now| takes(kind, most, *now).is_ok()));
        taken.extend((1..3 * period).filter(|now| takes(kind, most, *now).is_ok()));
        let within = |from: i64| taken.iter().filter(move |at| (from..from + period).contains(at));
        let densest = (0..2 * period).map(|from| within(from).count()).max();
        assert_eq!(densest, usize::try_from(most).ok(), "{kind:?}");
    }
    let refused = takes(AddressKind::WrongToken, 10, 3 * 60 - 1);
    assert!(refused.is_err_and(|full| (1..=60).contains(&full.retry_after_seconds)));
}

#[tokio::test]
async fn counts_outlive_a_restart_and_leave_memory_when_idle() {
    let store = TempStore::new();
    let limiter = open(&store);
    for left in (0..3).rev() {
        let verdict = limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await;
        assert_eq!(verdict, Ok(QuotaVerdict::Admitted { remaining: left }));
    }
    limiter.close().await;
    assert_eq!(limiter.state.quotas.len(), 1);
    limiter.state.clock.push(at(700));
    limiter.state.sweep();
    assert_eq!(limiter.state.quotas.len(), 0);

    let again = open(&store);
    let refused = QuotaVerdict::Refused { retry_after_seconds: 86_400 - 60 };
    assert_eq!(again.quota(SELLER, QuotaKind::Contracts, 3, at(60)).await, Ok(refused));
    assert_eq!(limiter.quota(SELLER, QuotaKind::Contracts, 3, at(60)).await, Ok(refused));
    let other = again.quota(SELLER, QuotaKind::Invoices, 3, at(60)).await;
    assert_eq!(other, Ok(QuotaVerdict::Admitted { remaining: 2 }));
}

#[tokio::test]
async fn counts_are_written_within_seconds_without_a_close() {
    let store = TempStore::new();
    let limiter = open(&store);
    limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await.expect("reached");
    let key = (SELLER, QuotaKind::Contracts.tag());
    until("it is counted", || store.contains(QUOTA_COUNTS, &key).expect("readable")).await;
}

#[tokio::test]
async fn while_counts_cannot_be_written_none_are_answered() {
    let store = TempStore::new();
    let limiter = open(&store);
    store.fail_at(1, AfterFailure::StaysFailed);
    let take = || limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0));
    assert_eq!(take().await, Ok(QuotaVerdict::Admitted { remaining: 2 }));
    until("it fails", || limiter.state.failing.load(Ordering::Acquire)).await;
    assert_eq!(take().await, Err(Unreachable));
    store.fail_at(0, AfterFailure::WorksOn);
    until("it works", || !limiter.state.failing.load(Ordering::Acquire)).await;
    assert_eq!(take().await, Ok(QuotaVerdict::Admitted { remaining: 1 }));
}

#[cfg(feature = "faults")]
#[tokio::test]
async fn a_worker_that_panics_is_told_of_and_counts_are_written_when_it_runs_again() {
    let store = TempStore::new();
    let health = Health::default();
    let supervisor = Supervisor::start(health.clone()).expect("a supervisor");
    let limiter = Limiter::open((*store).clone(), Clock::by_hand(at(0)), &supervisor);
    supervisor.break_worker("limiter", true);
    limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await.expect("reached");
    until("word of it", || health.faults().iter().any(|(name, _)| *name == "limiter")).await;
    supervisor.break_worker("limiter", false);
    let key = (SELLER, QuotaKind::Contracts.tag());
    until("it is counted", || store.contains(QUOTA_COUNTS, &key).expect("readable")).await;
    until("no fault", || health.faults().is_empty()).await;
    assert!(supervisor.figures()[0].restarts > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_on_their_way_when_the_worker_is_stopped_are_written_at_the_close() {
    let store = TempStore::new();
    let (limiter, supervisor) = supervised(&store);
    limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await.expect("reached");
    // What is dropped while it waits for the disk has written nothing for certain.
    let mut writing = Box::pin(limiter.state.write_some());
    let _ = futures::poll!(&mut writing);
    drop(writing);
    supervisor.stop().await;
    limiter.close().await;
    let taken = limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await;
    assert_eq!(taken, Ok(QuotaVerdict::Admitted { remaining: 1 }));
    let key = (SELLER, QuotaKind::Contracts.tag());
    assert!(store.contains(QUOTA_COUNTS, &key).expect("readable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_first_uses_are_all_counted() {
    let store = TempStore::new();
    let limiter = open(&store);
    let callers = (0..50).map(|_| {
        let limiter = limiter.clone();
        tokio::spawn(async move { limiter.quota(SELLER, QuotaKind::Amendments, 20, at(0)).await })
    });
    let mut admitted = 0;
    for caller in callers.collect::<Vec<_>>() {
        let verdict = caller.await.expect("no panic").expect("reached");
        admitted += u32::from(matches!(verdict, QuotaVerdict::Admitted { .. }));
    }
    assert_eq!(admitted, 20);
}

#[tokio::test]
async fn without_a_store_no_quota_is_answered_but_the_unmetered() {
    let store = TempStore::new();
    let limiter = open(&store);
    store.close();
    let answer = limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await;
    assert_eq!(answer, Err(Unreachable));
    let answer = limiter.quota(SELLER, QuotaKind::Contracts, 0, at(0)).await;
    assert_eq!(answer, Ok(QuotaVerdict::Unmetered));
    let answer = limiter.request(SELLER, Surface::Billing, BUDGET, at(0));
    assert!(matches!(answer, Ok(Verdict::Admitted(_))));
}

#[cfg(feature = "faults")]
#[tokio::test]
async fn cut_off_it_answers_nothing_but_the_unmetered() {
    let store = TempStore::new();
    let limiter = open(&store);
    limiter.cut_off(true);
    let budget = limiter.request(SELLER, Surface::Billing, BUDGET, at(0));
    assert_eq!(budget, Err(Unreachable));
    let page = limiter.address(AddressKind::Page, [192, 0, 2, 1].into(), 1, at(0));
    assert_eq!(page, Err(Unreachable));
    assert_eq!(limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await, Err(Unreachable));
    let unmetered = limiter.quota(SELLER, QuotaKind::Contracts, 0, at(0)).await;
    assert_eq!(unmetered, Ok(QuotaVerdict::Unmetered));
    limiter.cut_off(false);
    assert!(limiter.quota(SELLER, QuotaKind::Contracts, 3, at(0)).await.is_ok());
}
