//! Seats where they are read before their period is closed.

use super::books::per_seat;
use super::workshop::Workshop;
use crate::domain::billing::invoice::LineSource;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::SEATS;
use crate::passes::Pass;

#[tokio::test(flavor = "multi_thread")]
async fn a_projection_counts_seats_up_to_the_day_that_it_is_of_and_closing_counts_them_all() {
    let shop = Workshop::open().await;
    let contract = shop.metered_contract("c").await;
    let (seller, day) = (shop.house.seller.id, shop.house.start().date());
    let contracts = &shop.house.system.contracts;
    shop.price(contract, SEATS, day, per_seat("10")).await;
    shop.house.issue_recurring(contract, "first").await.expect("issued");
    shop.noon(day.plus_days(5));
    contracts.set_seats(seller, contract, 5, None).await.expect("set");
    shop.noon(day.plus_days(10));
    let end = day.plus_months(1);
    let so_far = format!("{SEATS} counts what was used so far: its period ends on {end}");
    // The term has 30 days, and 5 seats from the sixth of them on.
    for (after, seat_days, amount_minor, goes_on) in [
        (None, "30", 1_000, true),
        (Some(4), "0", 0, true),
        (Some(6), "10", 333, true),
        (Some(15), "55", 1_833, true),
        (Some(29), "125", 4_167, true),
        (Some(30), "125", 4_167, false),
        (Some(40), "125", 4_167, false),
    ] {
        let at = after.map(|days| day.plus_days(days).start());
        let shown = contracts.upcoming_invoice(seller, contract, at).await.expect("shown");
        let seats = shown.lines.iter().filter(|line| line.source == LineSource::Seat);
        let seats: Vec<_> =
            seats.map(|line| (line.quantity.to_string(), line.amount_minor)).collect();
        assert_eq!(seats, [(seat_days.to_owned(), amount_minor)], "{after:?}");
        assert_eq!(shown.notes.contains(&so_far), goes_on, "{after:?}: {:?}", shown.notes);
    }
    shop.noon(end);
    shop.pass(Pass::UsageClose).await;
    let line = &shop.lines(contract)[0];
    assert_eq!((line.quantity.to_string(), line.amount_minor()), ("125".to_owned(), 4_167));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_has_the_seats_of_the_open_period_so_far_whether_or_not_they_have_a_price() {
    let mut shop = Workshop::open().await;
    let contract = shop.metered_contract("c").await;
    let uncovered = shop.house.contract("d").await;
    let (seller, day) = (shop.house.seller.id, shop.house.start().date());
    assert!(shop.usage(contract).await.is_empty());
    for contract in [contract, uncovered] {
        let contracts = &shop.house.system.contracts;
        contracts.set_seats(seller, contract, 5, None).await.expect("set");
    }
    // Where no period is open, nothing was used in it.
    assert!(shop.usage(uncovered).await.is_empty());
    assert_eq!(shop.used(contract, SEATS).await, "5");
    shop.noon(day.plus_days(9));
    assert_eq!(shop.used(contract, SEATS).await, "50");
    shop.price(contract, SEATS, day, per_seat("10")).await;
    shop.house.restart().await;
    let usage = shop.usage(contract).await;
    let (metric, seats) = usage.first_key_value().expect("seats");
    assert_eq!((usage.len(), metric.as_str(), seats.used.to_string().as_str()), (1, SEATS, "50"));
    let open = Span { start: day, end: day.plus_months(1) };
    assert_eq!((seats.period, seats.overflowed), (Some(open), false));
    // The next period begins with the seats that there are.
    shop.noon(open.end);
    assert_eq!(shop.used(contract, SEATS).await, "5");
    let contracts = &shop.house.system.contracts;
    contracts.set_seats(seller, contract, 0, None).await.expect("set");
    assert!(shop.usage(contract).await.is_empty());
}
