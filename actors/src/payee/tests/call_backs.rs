//! Where payouts may call back to.

use super::house::House;
use crate::delivery;
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;

#[tokio::test(flavor = "multi_thread")]
async fn a_call_back_that_could_not_be_looked_up_is_not_said_to_be_wrong() {
    let house = House::open().await;
    let seller = house.system.directory.seller(house.seller).expect("read").expect("there");
    let payees = &house.system.payees;
    let url = payees.call_back_url(&seller, "https://localhost/paid").expect("a URL");
    // All places of the seller are taken, as by names that nobody answers for.
    let held = delivery::all_unknown_of(house.seller).await;
    assert_eq!(payees.check_call_back(&seller, &url).await, Err(AskError::Busy));
    let address = payees.call_back_url(&seller, "https://127.0.0.1/paid").expect("a URL");
    let told = payees.check_call_back(&seller, &address).await;
    assert_eq!(told.map_err(|error| error.refusal().kind), Err(RefusalKind::Invalid), "not listed");
    drop(held);
    let told = payees.check_call_back(&seller, &url).await;
    assert_eq!(
        told.map_err(|error| error.refusal().kind),
        Err(RefusalKind::Invalid),
        "nor this one"
    );
    house.system.stop().await;
}
