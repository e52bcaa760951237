use super::*;
use crate::domain::ids::{PaymentId, PayoutId, WalletId};
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::payments::payout::{PayoutPlaces, PayoutStatus};
use crate::listing::Facet;
use crate::query::{self, PayoutFilter};
use crate::tables::{PLACES, WALLET_PAYOUTS};

const COUNT: u64 = 10_000;

/// The places of payouts, and of payments, that are nearly all completed and of one wallet.
fn house() -> TempStore {
    let ids: Vec<u64> = (1..=COUNT).collect();
    stored(&ids, |batch, id| {
        let rare = id % 2_500 == 3;
        let wallet = WalletId(if rare { 2 } else { 1 });
        let (status, payment) = match rare {
            true => (PayoutStatus::Pending, PaymentStatus::Failed),
            false => (PayoutStatus::Completed, PaymentStatus::ProviderCompleted),
        };
        batch.put(WALLET_PAYOUTS, &(SELLER, wallet, PayoutId(*id)), &PayoutPlaces(Vec::new()));
        batch.put(PLACES, &(SELLER, Facet::PayoutStatus as u8, status as u64, *id), &());
        let place = (SELLER, Facet::PaymentStatus as u8, payment as u64, PaymentId(*id).0);
        batch.put(PLACES, &place, &());
    })
}

/// Of what is not there each page reads the places and looks for the object in vain.
#[test]
fn payouts_and_payments_are_found_by_their_places() {
    let house = house();
    for filter in [
        PayoutFilter { status: Some(PayoutStatus::Pending), ..PayoutFilter::default() },
        PayoutFilter { wallet: Some(WalletId(2)), ..PayoutFilter::default() },
        PayoutFilter {
            wallet: Some(WalletId(1)),
            status: Some(PayoutStatus::Pending),
            ..PayoutFilter::default()
        },
        PayoutFilter { wallet: Some(WalletId(9)), ..PayoutFilter::default() },
    ] {
        let list = |paging| query::payouts(house.store(), SELLER, filter, paging);
        let (_, pages, most) = paged(&house, list);
        assert!(pages == 0 && most <= MOST_READ, "{filter:?}: {most} rows read");
    }
    let failed = Some(PaymentStatus::Failed);
    let list = |paging| query::payments(house.store(), SELLER, failed, paging);
    assert!(paged(&house, list).2 <= MOST_READ);
}
