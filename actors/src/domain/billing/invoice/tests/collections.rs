//! Invoices that are charged to a saved card, and what else happens to them meanwhile.

use super::fixtures::*;
use crate::domain::billing::collection::Collection;
use crate::domain::billing::invoice::*;
use crate::domain::ids::SavedCardId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::SavedCharge;

#[test]
fn an_invoice_that_is_sent_while_it_is_charged_hears_of_its_charge() {
    let charge = SavedCharge { attempt: 1, card: SavedCardId(1) };
    let begun = Collection::from(day("2026-11-21")).begun(charge);
    let charged = Invoice {
        collection: Some(Collection { next_on: None, ..begun }),
        ..issued(CollectionMethod::PaymentLink)
    };
    let sent = send(&charged, link(), &[], on("2026-11-22")).expect("it is open");
    let sent = sent.expect("it goes out").invoice;
    assert_eq!(sent.collection, charged.collection);
    let code = Some(FailureCode::Declined);
    assert!(charge_failed(&sent, charge, code, on("2026-11-22")).is_some());

    let interrupted = Some(FailureCode::Interrupted);
    let waits = charge_failed(&charged, charge, interrupted, on("2026-11-22")).expect("heard");
    let waits = waits.invoice.collection.expect("known");
    assert!(waits.was_interrupted() && !waits.gave_up, "another is ordered when somebody looks");

    let never = send(&issued(CollectionMethod::PaymentLink), link(), &[], on("2026-11-22"));
    let never = never.expect("it is open").expect("it goes out").invoice;
    assert_eq!(collect_at(&never), Some(day("2026-11-22")), "its attempts begin");
}
