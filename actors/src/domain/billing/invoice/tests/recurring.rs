use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::ProrationKind::{Charge, Credit};
use crate::domain::billing::subscription::ProrationPart;
use crate::domain::billing::tax::{StatedTax, TaxCategory};
use crate::domain::country::Country;
use crate::domain::ids::{InvoiceId, ProrationId};
use crate::domain::quantity::TaxRate;

fn terms() -> Terms {
    let asked = NewInvoice { origin: Origin::Recurring, lines: None, ..request(vec![]) };
    Terms::requested(&asked, &contract(), &seller()).expect("terms")
}

fn composed(due: &[RecurringLine], prorations: &[ProrationLine]) -> Composed {
    let moment = on("2026-11-21");
    compose_recurring(InvoiceId(5), &contract(), &seller(), terms(), due, prorations, moment)
        .expect("an invoice")
}

fn took(proration: u64, amount_minor: i64, left_minor: i64) -> ConsumedProration {
    let part = ProrationPart::Net;
    ConsumedProration { proration: ProrationId(proration), part, amount_minor, left_minor }
}

#[test]
fn an_uncut_term_follows_the_line_formula() {
    let document = composed(&[term(1, "2.5", 999)], &[]);
    let line = &document.lines[0];
    assert_eq!((line.amount_minor, line.unit_price_minor), (2498, Some(999)));
    assert_eq!((line.source, line.breakdown.as_ref()), (LineSource::Subscription, None));
    assert_eq!(
        (line.period_start, line.period_end),
        (Some(day("2026-11-01")), Some(day("2026-12-01")))
    );
    assert_eq!(document.invoice.origin, Origin::Recurring);
    assert_eq!(document.invoice.period_end, Some(day("2026-12-01")));
}

#[test]
fn a_cut_term_carries_its_amount_and_says_how_it_came_about() {
    for (amount, amount_minor, unit_price) in [
        ("1", 484, Some(484)),
        ("2", 484, Some(242)),
        ("3", 484, None),
        ("0", 0, None),
        ("0.5", 484, Some(968)),
    ] {
        let cut = CutTerm { days: 15, term_days: 31, amount_minor };
        let document = composed(&[RecurringLine { cut: Some(cut), ..term(1, amount, 1000) }], &[]);
        let line = &document.lines[0];
        assert_eq!(
            (line.amount_minor, line.unit_price_minor),
            (amount_minor, unit_price),
            "{amount}"
        );
        let charged =
            DaysCharged { price_minor: 1000, quantity: quantity(amount), days: 15, term_days: 31 };
        assert_eq!(line.breakdown, Some(RatingBreakdown::CutTerm(charged)));
    }
}

#[test]
fn a_subscription_without_a_rate_takes_the_sellers() {
    let own = RecurringLine { tax_rate: Some(rate("9")), ..term(2, "1", 1000) };
    let document = composed(&[term(1, "1", 1000), own], &[proration(7, 1, Charge, 500)]);
    let rates: Vec<_> = document.lines.iter().map(|line| line.tax_rate).collect();
    assert_eq!(rates, [rate("21"), rate("9"), rate("21")]);
    assert_eq!(document.invoice.totals.tax_minor, 210 + 90 + 105);
}

#[test]
fn a_charge_is_a_line_and_a_credit_a_discount() {
    let prorations = [proration(7, 1, Credit, 1000), proration(8, 1, Charge, 1548)];
    let document = composed(&[term(1, "1", 3000)], &prorations);
    let rows: Vec<_> = document
        .lines
        .iter()
        .map(|line| (line.source, line.unit_price_minor, line.discount_minor, line.amount_minor))
        .collect();
    assert_eq!(
        rows,
        [
            (LineSource::Subscription, Some(3000), 1000, 2000),
            (LineSource::Proration, Some(1548), 0, 1548),
        ]
    );
    let credit = &document.lines[0].credits[0];
    assert_eq!((credit.breakdown.proration, credit.amount_minor), (ProrationId(7), 1000));
    assert_eq!(credit.breakdown.carried_minor(), -1000);
    assert_eq!(document.prorations, [took(8, 1548, 0), took(7, 1000, 0)]);
    assert_eq!(document.invoice.period_start, Some(day("2026-10-16")));
    let totals = document.invoice.totals;
    assert_eq!((totals.subtotal_minor, totals.discount_minor), (4548, 1000));
    assert_eq!((totals.tax_minor, totals.grand_total_minor), (745, 4293));
}

#[test]
fn a_credit_reaches_as_far_as_its_own_subscriptions_line() {
    let due = [term(1, "1", 1000), term(2, "1", 5000), term(3, "1", 0)];
    let prorations = [
        proration(7, 1, Credit, 400),
        proration(8, 1, Credit, 700),
        proration(9, 1, Credit, 50),
        // No line of these on the document, or none with anything to take off.
        proration(10, 4, Credit, 300),
        proration(11, 3, Credit, 300),
        // Charges are billed whichever subscription's term is due; empty ones are closed.
        proration(12, 4, Charge, 250),
        proration(13, 2, Charge, 0),
        proration(14, 2, Credit, 0),
    ];
    let document = composed(&due, &prorations);
    let nets: Vec<_> = document.lines.iter().map(|line| line.amount_minor).collect();
    assert_eq!(nets, [0, 5000, 0, 250]);
    assert_eq!(
        document.prorations,
        [took(12, 250, 0), took(13, 0, 0), took(7, 400, 0), took(8, 600, 100), took(14, 0, 0)]
    );
}

#[test]
fn a_last_credit_of_another_rate_takes_all_that_a_document_has() {
    let at = |percent: &str| Some(rate(percent));
    // Net, taken of the credit: the next minor unit would leave less than 0 with tax.
    for (price, credit, taken) in [(197, 10_322, 177), (200, 1_158, 180), (100, 50, 50)] {
        let due = [RecurringLine { tax_rate: at("7"), ..term(1, "1", price) }];
        let credit =
            ProrationLine { tax_rate: at("19"), last: true, ..proration(7, 1, Credit, credit) };
        let document = composed(&due, std::slice::from_ref(&credit));
        assert_eq!(document.prorations, [took(7, taken, credit.open_minor - taken)]);
        if taken < credit.open_minor {
            assert_eq!(document.invoice.totals.grand_total_minor, 0);
        }
    }
}

#[test]
fn a_credit_is_taxed_at_the_rate_at_which_its_term_was_billed() {
    let at = |percent: &str| Some(rate(percent));
    // Billed at, the plan's own rate, the total, lines: the term is at 21 per cent.
    for (billed, own, total, lines) in [
        (at("21"), None, 726, 1),
        (None, None, 726, 1),
        (at("0"), None, 1_210 - 400, 2),
        (at("19"), None, 1_210 - 476, 2),
        (at("19"), at("21"), 726, 1),
    ] {
        let credit = ProrationLine {
            billed_tax: billed.filter(|_| own.is_none()).map(|rate| StatedTax::of_rate(Some(rate))),
            tax_rate: own,
            ..proration(7, 1, Credit, 400)
        };
        let document = composed(&[term(1, "1", 1_000)], &[credit]);
        assert_eq!(document.prorations, [took(7, 400, 0)]);
        let totals = document.invoice.totals;
        assert_eq!((totals.grand_total_minor, document.lines.len()), (total, lines));
    }
}

#[test]
fn a_taxed_credit_of_who_has_left_the_union_becomes_stored_credit_whole() {
    let outside = ContractFacts { customer_country: Some("US".to_owned()), ..contract() };
    let seller = SellerFacts { taxed_from: Country::parse("NL"), ..seller() };
    let credit = |rate_then, category| ProrationLine {
        billed_tax: Some(StatedTax { category, ..StatedTax::of_rate(Some(rate(rate_then))) }),
        ..proration(7, 1, Credit, 400)
    };
    let billed = |credit: &ProrationLine| {
        let (moment, due) = (on("2026-11-21"), [term(1, "1", 1_000)]);
        let (id, open) = (InvoiceId(5), std::slice::from_ref(credit));
        let document = compose_recurring(id, &outside, &seller, terms(), &due, open, moment);
        let document = document.expect("an invoice");
        let left = credits_left(open, &document.lines, &document.prorations);
        let left: Vec<_> = left.iter().map(|rest| rest.net_minor).collect();
        (document.invoice.totals.grand_total_minor, left)
    };
    assert_eq!(billed(&credit("21", None)), (1_000, vec![400]));
    assert_eq!(billed(&credit("0", Some(TaxCategory::ReverseCharge))), (1_000, vec![400]));
    // Without a tax that would be lost it is a discount as any other.
    assert_eq!(billed(&credit("0", None)), (600, vec![]));
    assert_eq!(billed(&credit("0", Some(TaxCategory::OutOfScope))), (600, vec![]));
}

#[test]
fn a_credit_keeps_the_tax_category_of_its_term() {
    let abroad = ContractFacts { customer_country: Some("DE".to_owned()), ..contract() };
    let seller = SellerFacts { taxed_from: Country::parse("NL"), ..seller() };
    let moment = on("2026-11-21");
    // The term is taxed at the 19 per cent of Germany by now.
    for (category, left) in [
        (TaxCategory::ReverseCharge, 0),
        (TaxCategory::ZeroRated, 0),
        (TaxCategory::OutOfScope, 400),
    ] {
        let then =
            StatedTax { category: Some(category), ..StatedTax::of_rate(Some(TaxRate::ZERO)) };
        let credit = ProrationLine { billed_tax: Some(then), ..proration(7, 1, Credit, 400) };
        let (due, open) = ([term(1, "1", 1_000)], std::slice::from_ref(&credit));
        let id = InvoiceId(5);
        let document = compose_recurring(id, &abroad, &seller, terms(), &due, open, moment);
        let document = document.expect("an invoice");
        let rests = credits_left(open, &document.lines, &document.prorations);
        assert_eq!(rests.iter().map(|rest| rest.net_minor).sum::<i64>(), left);
        let below_zero = document.lines.iter().filter(|line| line.amount_minor < 0);
        let below_zero: Vec<_> =
            below_zero.map(|line| (line.tax_category, line.amount_minor)).collect();
        let carried = (left == 0).then_some((category, -400));
        assert_eq!(below_zero, Vec::from_iter(carried));
        assert_eq!(document.lines[0].tax_category, TaxCategory::Standard);
    }
}

#[test]
fn a_line_takes_so_many_credits_and_leaves_the_rest_open() {
    let credits: Vec<_> = (1..=30).map(|id| proration(id, 1, Credit, 1)).collect();
    let mut wordy = term(1, "123456789012345678.123456789", 0);
    wordy.description = "\u{1F9FE}".repeat(256);
    wordy.cut = Some(CutTerm { days: 30, term_days: 31, amount_minor: 500_000_000_000_000 });
    let document = composed(&[wordy], &credits);
    let line = &document.lines[0];
    assert_eq!((line.credits.len(), line.discount_minor), (24, 24));
    assert_eq!(document.prorations.len(), 24);
    assert!(storage::cbor_encode(line).len() < 8 * 1024);
    let left = |credits: &[ProrationLine]| {
        let document = composed(&[term(1, "1", 500)], credits);
        credits_left(credits, &document.lines, &document.prorations).len()
    };
    assert_eq!(left(&credits), 0);
    // A line of which nothing is left has no room, nor has the next one.
    let large: Vec<_> = (1..=30).map(|id| proration(id, 1, Credit, 100)).collect();
    assert_eq!(left(&large), 25);
}

#[test]
fn what_is_beyond_a_document_stays_behind_and_nothing_waits_for_it() {
    let at = |percent: &str, term: RecurringLine| RecurringLine {
        tax_rate: Some(rate(percent)),
        ..term
    };
    let billed = |due: &[RecurringLine], prorations: &[ProrationLine]| {
        let (moment, terms) = (on("2026-11-21"), terms());
        let (contract, seller) = (contract(), seller());
        let id = InvoiceId(5);
        compose_recurring(id, &contract, &seller, terms, due, prorations, moment).map(|document| {
            let of = |line: &InvoiceLine| line.subscription.map(|subscription| subscription.0);
            document.lines.iter().filter_map(of).collect::<Vec<_>>()
        })
    };
    let large = |id, percent| at(percent, term(id, "600", 1_000_000_000_000));
    let due = [large(1, "0"), large(2, "0"), term(3, "1", 100)];
    assert_eq!(billed(&due, &[]), Ok(vec![1, 3]));
    assert_eq!(billed(&due[1..], &[]), Ok(vec![2, 3]));
    // With its tax one is beyond every document.
    let due = [large(1, "100"), term(3, "1", 100)];
    assert_eq!(billed(&due, &[]), Ok(vec![3]));
    assert_eq!(billed(&due[..1], &[]), Err(InvoiceRefusal::TooLarge));
    // So is a charge, whether it waits for a term or is due alone.
    let charge = proration(7, 4, Charge, 1_000_000_000_000_000);
    let alone = ProrationLine { last: true, ..charge.clone() };
    assert_eq!(billed(&due, std::slice::from_ref(&charge)), Ok(vec![3]));
    assert_eq!(billed(&[], &[charge, alone]), Err(InvoiceRefusal::TooLarge));
}

#[test]
fn a_wrong_due_date_is_said_before_that_nothing_is_due() {
    let early = Terms { due_date: Some(day("2026-11-20")), ..terms() };
    let moment = on("2026-11-21");
    let answer = compose_recurring(InvoiceId(5), &contract(), &seller(), early, &[], &[], moment);
    assert_eq!(answer, Err(InvoiceRefusal::DueBeforeIssue(day("2026-11-21"))));
}

#[test]
fn the_pass_goes_on_from_the_last_document() {
    let prior = Invoice { origin: Origin::Recurring, ..sent() };
    assert!(continues_from(&prior));
    for other in [
        Invoice { origin: Origin::Project, ..prior.clone() },
        Invoice { invoice_type: InvoiceType::CreditNote, ..prior.clone() },
        Invoice { invoice_type: InvoiceType::Simplified, ..prior.clone() },
        Invoice { status: InvoiceStatus::Voided, ..prior.clone() },
        Invoice { status: InvoiceStatus::Draft, ..prior.clone() },
    ] {
        assert!(!continues_from(&other), "{other:?}");
    }
    let next = Terms::continued(&prior);
    assert_eq!(next.bill_to, prior.bill_to);
    assert_eq!(next.collection_method, Some(CollectionMethod::PaymentLink));
    let by_bank = Invoice { collection_method: CollectionMethod::BankTransfer, ..prior };
    let next = Terms::continued(&by_bank);
    assert_eq!(next.collection_method, Some(CollectionMethod::BankTransfer));
}

#[test]
fn the_engine_alone_makes_the_lines_of_recurring_and_usage() {
    assert_eq!(require_due(Origin::Usage, 0), Err(InvoiceRefusal::NothingDue(Origin::Usage)));
    assert_eq!(require_due(Origin::Usage, 1), Ok(()));
    let asked = NewInvoice { origin: Origin::Recurring, lines: None, ..request(vec![]) };
    assert_eq!(compose(&asked), Err(InvoiceRefusal::NothingDue(Origin::Recurring)));
}

proptest! {
    /// Nothing is billed twice or lost: what the document nets is the terms and the charges less
    /// the credits it says it took, and no credit is taken beyond what was open.
    #[test]
    fn prorations_conserve_money(
        prices in proptest::collection::vec(0_i64..100_000, 1..6),
        prorations in proptest::collection::vec((0_u64..7, any::<bool>(), 0_i64..60_000), 0..20),
    ) {
        let due: Vec<_> = (0_u64..).zip(&prices).map(|(id, price)| term(id, "1", *price)).collect();
        let open: Vec<_> = (0_u64..)
            .zip(&prorations)
            .map(|(id, (subscription, is_charge, amount))| {
                proration(id, *subscription, if *is_charge { Charge } else { Credit }, *amount)
            })
            .collect();
        let document = composed(&due, &open);
        let mut expected: i64 = prices.iter().sum();
        for taken in &document.prorations {
            let before = &open[usize::try_from(taken.proration.0).expect("small")];
            prop_assert!(taken.amount_minor >= 0 && taken.left_minor >= 0);
            prop_assert_eq!(taken.amount_minor + taken.left_minor, before.open_minor);
            match before.kind {
                Charge => expected += taken.amount_minor,
                Credit => expected -= taken.amount_minor,
            }
        }
        let totals = document.invoice.totals;
        prop_assert_eq!(totals.subtotal_minor - totals.discount_minor, expected);
        prop_assert_eq!(totals.grand_total_minor, expected + totals.tax_minor);
        let mut named: Vec<_> = document.prorations.iter().map(|taken| taken.proration).collect();
        named.sort_unstable();
        named.dedup();
        prop_assert_eq!(named.len(), document.prorations.len());
        for line in &document.lines {
            prop_assert!(line.amount_minor >= 0);
            let credits: i64 = line.credits.iter().map(|credit| credit.amount_minor).sum();
            prop_assert_eq!(credits, line.discount_minor);
        }
        // A credit stays open only where its line has nothing left.
        for credit in open.iter().filter(|line| line.kind == Credit && line.open_minor > 0) {
            let id = credit.breakdown.proration;
            let taken = document.prorations.iter().find(|taken| taken.proration == id);
            let left = taken.map_or(credit.open_minor, |taken| taken.left_minor);
            let line = document.lines.iter().find(|line| {
                line.subscription == Some(credit.subscription)
                    && line.source == LineSource::Subscription
            });
            prop_assert!(left == 0 || line.is_none_or(|line| line.amount_minor == 0));
        }
    }

    /// A last credit stays open only where one minor unit more of it would leave the lines of its
    /// subscription, or the document, below 0, with tax or without.
    #[test]
    fn last_credits_take_all_that_there_is(
        terms in proptest::collection::vec((0_i64..3_000, 0_usize..4), 1..5),
        credits in proptest::collection::vec((0_u64..5, 1_i64..3_000, 0_usize..4), 1..8),
    ) {
        // Ten thousandths of a percent.
        const RATES: [i128; 4] = [0, 70_000, 77_000, 190_000];
        let at = |index: usize| Some(rate(["0", "7", "7.7", "19"][index]));
        let due: Vec<_> = (0_u64..)
            .zip(&terms)
            .map(|(id, (price, of))| RecurringLine { tax_rate: at(*of), ..term(id, "1", *price) })
            .collect();
        let open: Vec<_> = (0_u64..)
            .zip(&credits)
            .map(|(id, (subscription, minor, of))| {
                let line = proration(id, *subscription, Credit, *minor);
                ProrationLine { tax_rate: at(*of), last: true, ..line }
            })
            .collect();
        let document = composed(&due, &open);
        let stands = |lines: &[(Option<u64>, i64, TaxRate)]| {
            let net: i128 = lines.iter().map(|line| i128::from(line.1)).sum();
            let tax = |(index, scaled): (usize, &i128)| {
                let of_rate = lines.iter().filter(|line| Some(line.2) == at(index));
                let exact = of_rate.map(|line| i128::from(line.1)).sum::<i128>() * scaled;
                (2 * exact.abs() + 1_000_000) / 2_000_000 * exact.signum()
            };
            net >= 0 && net + RATES.iter().enumerate().map(tax).sum::<i128>() >= 0
        };
        let of = |line: &InvoiceLine| (line.subscription.map(|id| id.0), line.amount_minor, line.tax_rate);
        let lines: Vec<_> = document.lines.iter().map(of).collect();
        prop_assert!(stands(&lines));
        for (id, (subscription, minor, of)) in (0_u64..).zip(&credits) {
            let taken = document.prorations.iter().filter(|taken| taken.proration == ProrationId(id));
            if taken.map(|taken| taken.amount_minor).sum::<i64>() == *minor {
                continue;
            }
            let mut more = lines.clone();
            more.push((Some(*subscription), -1, at(*of).expect("a rate")));
            let own: Vec<_> = more.iter().copied().filter(|line| line.0 == Some(*subscription)).collect();
            prop_assert!(!stands(&own) || !stands(&more));
        }
    }
}

#[test]
fn what_cannot_stand_beside_the_first_term_waits_for_a_document_of_its_own() {
    let outside = ContractFacts { customer_country: Some("US".to_owned()), ..contract() };
    let seller = SellerFacts { taxed_from: Country::parse("NL"), ..seller() };
    let at = |percent: &str| Some(rate(percent));
    let billed = |due: &[RecurringLine], prorations: &[ProrationLine]| {
        let (id, moment) = (InvoiceId(5), on("2026-11-21"));
        compose_recurring(id, &outside, &seller, terms(), due, prorations, moment).map(|document| {
            let of = |line: &InvoiceLine| (line.tax_category.name(), line.amount_minor);
            document.lines.iter().map(of).collect::<Vec<_>>()
        })
    };
    let taxed = RecurringLine { tax_rate: at("21"), ..term(2, "1", 500) };
    let free = term(1, "1", 1_000);
    let both = [free.clone(), taxed.clone()];
    assert_eq!(billed(&both, &[]), Ok(vec![("O", 1_000)]));
    let both = [taxed, free.clone()];
    assert_eq!(billed(&both, &[]), Ok(vec![("S", 500)]));
    // What no document can carry decides nothing.
    let beyond = RecurringLine { tax_rate: at("100"), ..term(3, "600", 1_000_000_000_000) };
    assert_eq!(billed(&[beyond, free.clone()], &[]), Ok(vec![("O", 1_000)]));
    // A charge waits, and one that is due by itself is billed by itself.
    let charge = ProrationLine { tax_rate: at("21"), ..proration(7, 1, Charge, 300) };
    assert_eq!(billed(&[free], std::slice::from_ref(&charge)), Ok(vec![("O", 1_000)]));
    let (alone, waits) = (ProrationLine { last: true, ..charge }, proration(6, 4, Charge, 200));
    assert_eq!(billed(&[], &[waits, alone]), Ok(vec![("S", 300)]));
}
