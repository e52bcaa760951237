use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::pricing::{
    PriceConfigRequest, RatingInput, UsageBreakdown, rate as price,
};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{Adjustment, MetricName, UsageLine};
use crate::domain::country::Country;
use crate::domain::ids::{
    AdjustmentId, ContractId, InvoiceId, SubscriptionId, UsageEventId, UsageLineId,
};
use crate::domain::quantity::{Quantity, TaxRate};

fn terms() -> Terms {
    let asked = NewInvoice { origin: Origin::Usage, lines: None, ..request(vec![]) };
    Terms::requested(&asked, &contract(), &seller()).expect("terms")
}

/// A closed line of this quantity at this price of one, in major units.
fn closed(id: u64, used: &str, unit_price: &str) -> UsageLine {
    let config = PriceConfigRequest {
        scheme: Some("per_unit".to_owned()),
        currency: Some("EUR".to_owned()),
        rounding: Some("half_up".to_owned()),
        unit_price: Some(unit_price.to_owned()),
        ..PriceConfigRequest::default()
    };
    let input = RatingInput {
        quantity: quantity(used).value(),
        rolled_over: Quantity::ZERO,
        any_event: true,
        trial: false,
    };
    let rating = price(&config.check().expect("a price"), &input).expect("rated");
    let span = Span { start: day("2026-10-01"), end: day("2026-11-01") };
    UsageLine {
        id: UsageLineId(id),
        metric: MetricName::parse("calls").expect("a name"),
        metric_versions: vec![1],
        subscription: SubscriptionId(1),
        span,
        term: span,
        trial: false,
        quantity: quantity(used),
        events: 1,
        overflowed: false,
        rolled_in: Quantity::ZERO,
        lapses: false,
        breakdown: UsageBreakdown { price_version: 1, rating },
        closed_at: at("2026-11-01T00:00:00Z"),
        billed_by: None,
    }
}

fn adjustment(id: u64, amount_minor: i64) -> Adjustment {
    Adjustment {
        id: AdjustmentId(id),
        contract: ContractId(11),
        events: vec![UsageEventId(1)],
        amount_minor,
        description: "Late usage".to_owned(),
        key: "k".to_owned(),
        metric: None,
        days: Span { start: day("2026-09-01"), end: day("2026-09-02") },
        subscription: None,
        created_at: at("2026-11-01T00:00:00Z"),
        carried: Vec::new(),
        credited_minor: 0,
    }
}

fn composed(
    lines: &[(UsageLine, Option<TaxRate>)],
    adjustments: &[(Adjustment, Option<TaxRate>)],
) -> Result<Composed, InvoiceRefusal> {
    composed_for((&contract(), &seller()), lines, adjustments)
}

/// Category and amount of each line where what states no rate is outside the scope of tax.
fn composed_abroad(
    lines: &[(UsageLine, Option<TaxRate>)],
    adjustments: &[(Adjustment, Option<TaxRate>)],
) -> Result<Vec<(&'static str, i64)>, InvoiceRefusal> {
    let contract = ContractFacts { customer_country: Some("US".to_owned()), ..contract() };
    let seller = SellerFacts { taxed_from: Country::parse("NL"), ..seller() };
    let document = composed_for((&contract, &seller), lines, adjustments)?;
    let of = |line: &InvoiceLine| (line.tax_category.name(), line.amount_minor);
    Ok(document.lines.iter().map(of).collect())
}

fn composed_for(
    (contract, seller): (&ContractFacts, &SellerFacts),
    lines: &[(UsageLine, Option<TaxRate>)],
    adjustments: &[(Adjustment, Option<TaxRate>)],
) -> Result<Composed, InvoiceRefusal> {
    let lines = lines.iter().map(|(line, tax_rate)| DueLine {
        line,
        words: "Calls",
        tax_rate: *tax_rate,
        collection_method: None,
    });
    let adjustments = adjustments.iter().map(|(adjustment, tax_rate)| DueAdjustment {
        adjustment,
        tax_rate: *tax_rate,
        collection_method: None,
    });
    let due = UsageDue { lines: lines.collect(), adjustments: adjustments.collect() };
    compose_usage(InvoiceId(5), contract, seller, terms(), &due, on("2026-11-21"))
}

#[test]
fn a_unit_price_stands_only_where_it_gives_the_amount() {
    for (used, price, amount, unit_price) in [
        ("25", "0.10", 250, Some(10)),
        ("0.5", "0.10", 5, Some(10)),
        ("25", "0.105", 263, None),
        ("0", "0.10", 0, None),
        // Rounding gives an amount that a whole price would give too, but it is not the price.
        ("1", "0.104", 10, None),
    ] {
        let document = composed(&[(closed(1, used, price), None)], &[]).expect("a document");
        let line = &document.lines[0];
        assert_eq!((line.amount_minor, line.unit_price_minor), (amount, unit_price), "{used}");
    }
}

#[test]
fn a_line_says_what_it_bills_and_by_which_rate() {
    let own = Some(rate("10"));
    let lines = [(closed(3, "25", "0.10"), None), (closed(4, "5", "1"), own)];
    let document = composed(&lines, &[]).expect("a document");
    let [first, second] = &document.lines[..] else { panic!("two lines") };
    assert_eq!(first.description, "Calls, 2026-10-01 to 2026-10-31");
    assert_eq!((first.source, first.usage_line()), (LineSource::Usage, Some(UsageLineId(3))));
    assert_eq!(first.metric_name.as_deref(), Some("calls"));
    assert_eq!((first.tax_rate, second.tax_rate), (rate("21"), rate("10")));
    assert_eq!(document.usage.lines, [UsageLineId(3), UsageLineId(4)]);
    assert_eq!(document.invoice.origin, Origin::Usage);
    assert_eq!(document.invoice.period_start, Some(day("2026-10-01")));
    assert!(document.send);
}

#[test]
fn only_what_costs_something_asks_for_a_document() {
    let nothing = InvoiceRefusal::NothingDue(Origin::Usage);
    assert_eq!(composed(&[], &[]).err(), Some(nothing.clone()));
    assert_eq!(composed(&[], &[(adjustment(1, -500), None)]).err(), Some(nothing));
    let charge = composed(&[], &[(adjustment(1, 500), None)]).expect("a document");
    assert_eq!(charge.invoice.totals.grand_total_minor, 605);
    let zero = composed(&[(closed(1, "0", "1"), None)], &[]).expect("a document");
    assert!(!zero.send);
}

#[test]
fn what_is_beyond_a_document_stays_behind_and_nothing_waits_for_it() {
    let billed = |lines: &[(UsageLine, Option<TaxRate>)], adjustments: &[(Adjustment, _)]| {
        let composed = composed(lines, adjustments);
        composed.map(|document| document.usage.lines.iter().map(|id| id.0).collect::<Vec<_>>())
    };
    let zero = Some(TaxRate::ZERO);
    let of = |id: u64, major: &str| (closed(id, "1000000", major), zero);
    // 6 * 10^14 each: each has a document of its own.
    let two = [of(1, "6000000"), of(2, "6000000"), of(3, "0.01")];
    assert_eq!(billed(&two, &[]), Ok(vec![1, 3]));
    assert_eq!(billed(&two[1..], &[]), Ok(vec![2, 3]));
    // With its tax one is beyond every document, until a correction lowers it.
    let taxed = [(closed(1, "1000000", "9000000"), Some(rate("21"))), of(2, "0.01")];
    assert_eq!(billed(&taxed, &[]), Ok(vec![2]));
    assert_eq!(billed(&taxed[..1], &[]), Err(InvoiceRefusal::TooLarge));
    assert!(is_beyond_a_document(900_000_000_000_000, rate("21")));
    let lowered = [(adjustment(1, -100_000_000_000_000), Some(rate("21")))];
    assert_eq!(billed(&taxed, &lowered), Ok(vec![1, 2]));
}

#[test]
fn what_cannot_stand_beside_the_first_that_asks_waits_for_a_document_of_its_own() {
    let taxed = Some(rate("20"));
    let (free, other) = ((closed(1, "10", "1"), None), (closed(2, "5", "1"), taxed));
    let both = [free.clone(), other.clone()];
    assert_eq!(composed_abroad(&both, &[]), Ok(vec![("O", 1_000)]));
    let both = [other.clone(), free.clone()];
    assert_eq!(composed_abroad(&both, &[]), Ok(vec![("S", 500)]));
    let [other_alone, free_alone] = both.each_ref().map(std::slice::from_ref);
    // Where nothing is to be paid of it as well.
    let nothing = (closed(3, "0", "1"), None);
    assert_eq!(composed_abroad(&[other, nothing], &[]), Ok(vec![("S", 500)]));
    // Charges are like lines, and a credit waits for what it can be taken off.
    let adjustments = [(adjustment(1, -100), None), (adjustment(2, 300), None)];
    assert_eq!(composed_abroad(other_alone, &adjustments), Ok(vec![("S", 500)]));
    assert_eq!(composed_abroad(&[], &adjustments), Ok(vec![("O", 300), ("O", -100)]));
    let adjustments = [(adjustment(1, -100), taxed), (adjustment(2, 300), taxed)];
    assert_eq!(composed_abroad(free_alone, &adjustments), Ok(vec![("O", 1_000)]));
    // What no document can carry keeps nothing from one.
    let beyond = (closed(4, "1000000", "9000000"), taxed);
    assert_eq!(composed_abroad(&[beyond, free], &[]), Ok(vec![("O", 1_000)]));
}

#[test]
fn charges_come_before_the_credits_that_they_bear() {
    let zero = Some(TaxRate::ZERO);
    let adjustments = [(adjustment(1, -900), zero), (adjustment(2, 400), zero)];
    let document = composed(&[(closed(1, "300", "0.01"), zero)], &adjustments).expect("composed");
    assert_eq!(document.usage.adjustments, [(AdjustmentId(2), 400), (AdjustmentId(1), -700)]);
    assert_eq!(document.invoice.totals.grand_total_minor, 0);
    // The rest of it goes on the next document.
    let mut rest = adjustment(1, -900);
    rest.carry(InvoiceId(5), -700);
    let next = composed(&[(closed(2, "300", "0.01"), zero)], &[(rest, zero)]).expect("composed");
    assert_eq!(next.usage.adjustments, [(AdjustmentId(1), -200)]);
}

fn rates() -> impl Strategy<Value = TaxRate> {
    prop_oneof![Just(rate("0")), Just(rate("21")), Just(rate("7.7")), Just(rate("100"))]
}

proptest! {
    /// A credit is taken as far as it goes: not one minor unit more would leave the document
    /// standing.
    #[test]
    fn a_document_never_falls_below_0_and_wastes_no_credit(
        lines in proptest::collection::vec((0..3_000_u32, rates()), 1..5),
        credit in (1..6_000_i64, rates()),
    ) {
        let lines: Vec<_> = lines.iter().enumerate()
            .map(|(n, (used, rate))| (closed(n as u64, &used.to_string(), "0.01"), Some(*rate)))
            .collect();
        let (amount, tax_rate) = credit;
        let document = composed(&lines, &[(adjustment(1, -amount), Some(tax_rate))])
            .expect("composed");
        let totals = document.invoice.totals;
        prop_assert!(totals.grand_total_minor >= 0);
        prop_assert!(totals.subtotal_minor >= 0);
        let taken = document.usage.adjustments.first().map_or(0, |(_, minor)| -minor);
        if taken < amount {
            // By hand: nets by rate, each taxed and rounded half up.
            let net = |rate: TaxRate| {
                let of_rate = lines.iter().filter(|(_, own)| *own == Some(rate));
                of_rate.map(|(line, _)| line.amount_minor()).sum::<i64>()
            };
            let (mut all, mut total) = (0, 0);
            for rate in [rate("0"), rate("21"), rate("7.7"), rate("100")] {
                let more = if rate == tax_rate { taken + 1 } else { 0 };
                let tenths = (rate.percent() * rust_decimal::Decimal::TEN).to_string();
                let per_mille: i64 = tenths.split('.').next().unwrap_or("0").parse().expect("whole");
                let of_rate = net(rate) - more;
                let tax = of_rate * per_mille;
                let rounded = (tax.abs() * 2 + 1_000) / 2_000 * tax.signum();
                all += of_rate;
                total += of_rate + rounded;
            }
            prop_assert!(all < 0 || total < 0, "one more would have stood: {all} {total}");
        }
    }
}
