//! Rows that are read back, names that are parsed back, terms that leave the row.

use storage::Record;

use super::*;

#[test]
fn a_row_reads_back_as_it_was() {
    let new = NewSubscription {
        description: Some("Seats".to_owned()),
        quantity: Quantity::parse("2.5"),
        tax_rate: TaxRate::parse("21"),
        end_date: Some(day("2026-04-14")),
        ..monthly("2026-01-01")
    };
    let up = PlanChange { price_minor: Some(6_200), ..PlanChange::default() };
    let change = change_plan(&begun(new), &up, at("2026-01-11")).expect("a change");
    let later = PlanChange { price_minor: Some(1), effective: ChangeTiming::PeriodEnd, ..up };
    let sub = change_plan(&change.subscription, &later, at("2026-01-12")).expect("a change");
    let sub = cancel(&sub.subscription, &Cancel::default(), &FACTS, at("2026-01-12"));
    let sub = pause(&sub.expect("a change").subscription, Pause::default(), at("2026-01-13"));
    let sub = billed(sub.expect("a change").subscription);
    assert_eq!(Subscription::decode(1, &sub.encode()), Ok(sub));
    let mut record = change.prorations[0].clone();
    record.claim(InvoiceId(4), ProrationPart::Net, 10);
    assert_eq!(Proration::decode(1, &record.encode()), Ok(record));
}

#[test]
fn billed_terms_leave_the_row_when_they_are_over() {
    let sub = passed(&begun(monthly("2026-01-01")), "2026-03-01");
    let mut sub = billed(sub);
    let starts = |sub: &Subscription| sub.terms.iter().map(|t| t.start).collect::<Vec<_>>();
    assert_eq!(starts(&sub), ["2026-02-01", "2026-03-01"].map(day));
    // Newest first: the running term stays, billed or not.
    let claimed = sub
        .mark_billed(day("2026-03-01"), InvoiceId(2), 3_100, TaxTreatment::of_rate(rate()))
        .expect("a term");
    assert_eq!((claimed.billed_by, claimed.charged_minor), (Some(InvoiceId(2)), 3_100));
    assert_eq!(
        sub.mark_billed(day("2026-03-01"), InvoiceId(3), 3_100, TaxTreatment::of_rate(rate())),
        None
    );
    assert_eq!(starts(&sub), ["2026-02-01", "2026-03-01"].map(day));
    let sub = billed(sub);
    assert_eq!(starts(&sub), [day("2026-03-01")]);
    assert_eq!(sub.next_unbilled_due(), None);
    assert_eq!(starts(&passed(&sub, "2026-04-01")), [day("2026-04-01")]);
}

#[test]
fn every_name_leads_back_to_its_word() {
    for word in SubscriptionStatus::ALL {
        assert_eq!(SubscriptionStatus::parse(word.name()), Some(*word));
    }
    for word in Frequency::ALL {
        assert_eq!(Frequency::parse(word.name()), Some(*word));
        let json = serde_json::to_string(word).expect("json");
        assert_eq!(serde_json::from_str::<Frequency>(&json).expect("a word"), *word);
    }
    let unknown = serde_json::from_str::<CancelMode>("\"later\"").expect_err("an error");
    assert!(unknown.to_string().contains("at_date"), "{unknown}");
}

#[test]
fn a_proration_is_open_until_all_of_it_is_carried() {
    let down = PlanChange { price_minor: Some(0), ..PlanChange::default() };
    let change = change_plan(&begun(monthly("2026-01-01")), &down, at("2026-01-22"));
    let mut record = change.expect("a change").prorations.remove(0);
    assert!(record.is_open());
    let net = ProrationPart::Net;
    assert_eq!(record.parts(), [net]);
    record.claim(InvoiceId(1), net, 400);
    assert_eq!((record.open_minor(net), record.is_open()), (600, true));
    record.claim(InvoiceId(2), net, 9_999);
    assert_eq!((record.open_minor(net), record.is_open()), (0, false));
    assert_eq!(record.claims.len(), 2);
}

#[test]
fn legs_of_two_rates_are_carried_each_by_itself() {
    let sub = begun(NewSubscription { tax_rate: TaxRate::parse("9"), ..monthly("2026-01-01") });
    let taxed = PlanChange { tax_rate: TaxRate::parse("21"), ..PlanChange::default() };
    let change = change_plan(&sub, &taxed, at("2026-01-22"));
    let mut record = change.expect("a change").prorations.remove(0);
    let (charge, credit) = (ProrationPart::Charge, ProrationPart::Credit);
    assert_eq!(record.parts(), [charge, credit]);
    assert_eq!(record.side_of(charge), (ProrationKind::Charge, record.new));
    assert_eq!(record.side_of(credit), (ProrationKind::Credit, record.old));
    record.claim(InvoiceId(1), charge, 1_000);
    record.claim(InvoiceId(1), credit, 300);
    assert_eq!((record.open_minor(charge), record.open_minor(credit)), (0, 700));
    assert!(record.is_open());
    let read = Proration::decode(Proration::VERSION, &record.encode());
    assert_eq!(read.as_ref(), Ok(&record));
    record.claim(InvoiceId(2), credit, 700);
    assert!(!record.is_open());
}

#[test]
fn a_cut_line_has_a_unit_price_only_where_it_is_whole() {
    let new = NewSubscription {
        quantity: Quantity::parse("3"),
        end_date: Some(day("2026-01-10")),
        ..monthly("2026-01-01")
    };
    let line = |new: NewSubscription| begun(new).terms[0].line(Some("Seats")).expect("a line");
    let whole = line(new.clone());
    assert_eq!((whole.amount_minor, whole.unit_price_minor), (3_000, Some(1_000)));
    let broken = line(NewSubscription { price_minor: 1_000, ..new.clone() });
    assert_eq!((broken.amount_minor, broken.unit_price_minor), (968, None));
    let uncut = line(NewSubscription { end_date: None, quantity: Quantity::parse("0.5"), ..new });
    assert_eq!((uncut.amount_minor, uncut.unit_price_minor), (1_550, Some(3_100)));
    assert_eq!(uncut.description, "Seats");
}
