//! Invoices fall overdue by the contract's clock.

use super::house::House;
use crate::domain::billing::invoice::{InvoiceStatus, NewInvoice, Origin};
use crate::domain::platform::event::EventType;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_issued_when_the_clock_has_passed_its_due_date_is_overdue_and_told_so_once() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let day = house.start().date();
    house.advance(contract, day.plus_months(6).start()).await.expect("advanced");
    let asked = NewInvoice {
        lines: Some(vec![House::line(1_000)]),
        due_date: Some(day.plus_days(10)),
        ..House::asking(contract, Origin::OneTime)
    };
    let issued = house.issue(contract, "k", asked, None).await.expect("issued");
    assert_eq!((issued.status, issued.outstanding_minor), (InvoiceStatus::Overdue, 1_000));
    house.until_told().await;
    assert_eq!(house.told(EventType::InvoiceOverdue), 1);
    house.advance(contract, day.plus_months(7).start()).await.expect("advanced");
    house.until_told().await;
    assert_eq!(house.told(EventType::InvoiceOverdue), 1);
    assert_eq!(house.invoices(contract)[0].status, InvoiceStatus::Overdue);
    house.assert_listed();
    house.assert_right();
}
