//! Credit notes and modified documents, voids and write-offs, and money that comes besides.

use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{StatedTax, TaxCategory, TaxSubtotal};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::{ContractId, InvoiceId, PaymentId};
use crate::domain::money::{Currency, Money};
use crate::domain::platform::event::EventType;
use crate::domain::refusal::Refusal;

fn number(invoice: &Invoice) -> String {
    invoice.number.expect("it is issued").to_string()
}

fn note(of: &Invoice, lines: Vec<NewLine>) -> NewInvoice {
    NewInvoice {
        contract: None,
        invoice_type: Some(InvoiceType::CreditNote),
        corrects: Some(number(of)),
        ..request(lines)
    }
}

/// The lines of what [`sent`] and [`issued`] issue.
fn corrected_lines() -> Vec<InvoiceLine> {
    compose(&request(vec![line("1", 1000)])).expect("an invoice").lines
}

fn compose_note(of: &Invoice, asked: NewInvoice) -> Result<Composed, InvoiceRefusal> {
    let filled = asked.filled(of, &corrected_lines())?;
    compose_correction(InvoiceId(6), of, &contract(), &seller(), &filled, on("2026-11-25"))
}

/// What a note takes off that comes to so much, as its tax summary says it.
fn off(minor: i64) -> [TaxSubtotal; 1] {
    let category = TaxCategory::ZeroRated;
    [TaxSubtotal { category, rate: rate("0"), taxable_minor: -minor, tax_minor: 0 }]
}

fn text(refused: Result<Composed, InvoiceRefusal>) -> String {
    Refusal::from(refused.expect_err("refused")).text
}

#[test]
fn a_credit_note_is_stated_in_positive_amounts_and_kept_in_negative_ones() {
    let corrected = sent();
    let asked = NewLine { discount_minor: Some(100), ..line("1.5", 301) };
    let composed = compose_note(&corrected, note(&corrected, vec![asked])).expect("a note");
    let totals = composed.invoice.totals;
    // 1.5 × 301 is 451.5, rounded to 452; less 100 it is 352, and 21% of that 73.92.
    assert_eq!((totals.subtotal_minor, totals.discount_minor), (-452, -100));
    assert_eq!((totals.tax_minor, totals.grand_total_minor), (-74, -426));
    let line = &composed.lines[0];
    assert_eq!((line.unit_price_minor, line.discount_minor), (Some(-301), -100));
    assert_eq!((line.amount_minor, line.tax_minor), (-352, -74));
    assert!(composed.send);
    let issued = issue(composed, 2, None);
    let note = &issued.invoice;
    assert_eq!((note.status, note.invoice_type), (InvoiceStatus::Sent, InvoiceType::CreditNote));
    assert_eq!((note.collectible_minor, note.outstanding_minor), (0, 0));
    assert_eq!((note.due_date, &note.link, note.paid_at), (None, &None, None));
    assert_eq!(note.corrects, corrected.number);
    let kinds: Vec<_> = issued.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventType::InvoiceIssued, EventType::InvoiceSent]);
    assert_eq!(issued.timeline[0].kind, TimelineKind::CreditNoteIssued);
    assert_eq!(fall_overdue(note, on("2030-01-01")), None);
}

#[test]
fn a_correction_takes_over_what_it_does_not_state_and_must_not_state_otherwise() {
    let corrected = sent();
    let whole = || note(&corrected, vec![line("1", 100)]);
    let filled = whole().filled(&corrected, &corrected_lines()).expect("filled");
    assert_eq!((filled.contract, filled.currency), (Some(ContractId(11)), Some(Currency::EUR)));
    assert_eq!(filled.lines()[0].tax.rate, Some(rate("21")));
    let same = NewInvoice {
        contract: Some(ContractId(11)),
        currency: Some(Currency::EUR),
        bill_to: StatedBillTo { email: Some("ADA@example.com".to_owned()), ..Default::default() },
        ..whole()
    };
    assert_eq!(compose_note(&corrected, same).map(|_| ()), Ok(()));
    let other = StatedBillTo { name: Some("Eve".to_owned()), ..Default::default() };
    for (asked, field) in [
        (NewInvoice { contract: Some(ContractId(12)), ..whole() }, "contractId"),
        (NewInvoice { origin: Origin::Milestone, ..whole() }, "origin"),
        (NewInvoice { currency: Some(currency("USD")), ..whole() }, "currency"),
        (NewInvoice { bill_to: other, ..whole() }, "billTo"),
        (
            NewInvoice { collection_method: Some(CollectionMethod::BankTransfer), ..whole() },
            "collectionMethod",
        ),
    ] {
        let refused = format!("{field} must be that of the corrected invoice");
        assert_eq!(text(compose_note(&corrected, asked)), refused);
    }
}

#[test]
fn a_note_is_taxed_as_the_invoice_is_unless_a_line_says_otherwise() {
    let mut lines = corrected_lines();
    lines.push(InvoiceLine {
        description: "Book".to_owned(),
        tax_rate: rate("9"),
        ..lines[0].clone()
    });
    let corrected = sent();
    let rates = |asked: Vec<NewLine>| {
        let filled = note(&corrected, asked).filled(&corrected, &lines)?;
        Ok::<_, InvoiceRefusal>(filled.lines().iter().map(|line| line.tax.rate).collect::<Vec<_>>())
    };
    let book = NewLine { description: "Book".to_owned(), ..line("1", 10) };
    let own = NewLine {
        tax: StatedTax::of_rate(Some(rate("0"))),
        description: "Else".to_owned(),
        ..line("1", 10)
    };
    let expected = vec![Some(rate("9")), Some(rate("0")), Some(rate("21"))];
    assert_eq!(rates(vec![book, own, line("1", 10)]), Ok(expected));
    let unknown = NewLine { description: "Else".to_owned(), ..line("1", 10) };
    assert_eq!(rates(vec![unknown]), Err(InvoiceRefusal::RateOfSeveral(0)));
}

#[test]
fn what_cannot_be_corrected_is_refused() {
    let corrected = sent();
    let voided = void(&corrected, "twice", on("2026-11-22")).expect("voided").change.invoice;
    let composed = compose_note(&corrected, note(&corrected, vec![line("1", 100)]));
    let of_note = issue(composed.expect("a note"), 2, None).invoice;
    let hundred = |of: &Invoice| compose_note(of, note(of, vec![line("1", 100)]));
    assert_eq!(hundred(&voided), Err(InvoiceRefusal::CorrectsVoided));
    assert_eq!(hundred(&of_note), Err(InvoiceRefusal::CorrectsNote));
    let nothing = compose_note(&corrected, note(&corrected, vec![line("0", 100)]));
    assert_eq!(nothing, Err(InvoiceRefusal::CreditNoteOfNothing));
    let negative = compose_note(&corrected, note(&corrected, vec![line("1", -100)]));
    assert!(text(negative).starts_with("lines[0].unitPriceMinor must not be negative"));
    let due =
        NewInvoice { due_date: Some(day("2026-12-24")), ..note(&corrected, vec![line("1", 1)]) };
    assert_eq!(
        compose_note(&corrected, due),
        Err(InvoiceRefusal::DueDateNotAccepted(InvoiceType::CreditNote))
    );
    let bare = NewInvoice { lines: None, ..note(&corrected, Vec::new()) };
    assert_eq!(
        text(compose_note(&corrected, bare)),
        "lines are required for invoiceType credit_note"
    );
}

#[test]
fn notes_together_never_exceed_their_invoice() {
    let mut corrected = sent();
    for (price, left) in [(500, 605), (499, 1), (1, 0)] {
        let composed = compose_note(&corrected, note(&corrected, vec![line("1", price)]));
        let taken = composed.expect("a note").invoice.tax_summary;
        let beyond = compose_note(&corrected, note(&corrected, vec![line("1", 1001)]));
        let left_minor = corrected.creditable_minor();
        assert_eq!(beyond, Err(InvoiceRefusal::CreditNoteTooLarge { left_minor }));
        corrected =
            correct(&corrected, &taken, on("2026-11-25")).expect("corrected").change.invoice;
        assert_eq!((corrected.creditable_minor(), corrected.outstanding_minor), (left, left));
    }
    assert_eq!(corrected.status, InvoiceStatus::Paid);
    assert_eq!(corrected.paid_via, Some(PaidVia::CreditNote));
}

#[test]
fn a_modified_document_is_a_full_one_of_its_own() {
    let corrected = sent();
    let asked = NewInvoice {
        invoice_type: Some(InvoiceType::Modified),
        ..note(&corrected, vec![line("2", 1000)])
    };
    let composed = compose_note(&corrected, asked).expect("a document");
    let invoice = issue(composed, 2, Some(link())).invoice;
    assert_eq!(
        (invoice.invoice_type, invoice.status),
        (InvoiceType::Modified, InvoiceStatus::Sent)
    );
    assert_eq!((invoice.collectible_minor, invoice.outstanding_minor), (2420, 2420));
    assert_eq!(invoice.corrects, corrected.number);
}

#[test]
fn what_is_given_back_is_first_money_and_then_stored_credit() {
    // 12.10, of which credit paid 3.10 and the buyer 4.00: 5.00 are open.
    let drawn = Invoice {
        credit_applied_minor: 310,
        collectible_minor: 900,
        outstanding_minor: 900,
        ..sent()
    };
    let paid = pay(&drawn, payment(7, 400), on("2026-11-25")).expect("taken").expect("a change");
    for (note, open, money, credit) in
        [(500, 0, 0, 0), (501, 0, 1, 0), (900, 0, 400, 0), (901, 0, 400, 1), (1210, 0, 400, 310)]
    {
        let after = correct(&paid.change.invoice, &off(note), on("2026-11-26")).expect("corrected");
        let invoice = &after.change.invoice;
        assert_eq!((invoice.outstanding_minor, invoice.status), (open, InvoiceStatus::Paid));
        assert_eq!((after.given_back_minor, after.credit_returned_minor), (money, credit));
        assert_eq!(after.change.timeline[0].amount_minor, Some(400));
    }
    let part = correct(&paid.change.invoice, &off(200), on("2026-11-26")).expect("corrected");
    assert_eq!((part.change.invoice.outstanding_minor, part.given_back_minor), (300, 0));
    assert!(part.change.events.is_empty());
}

#[test]
fn a_voided_invoice_asks_for_nothing_and_takes_money_as_surplus() {
    use InvoiceStatus::{Draft, Issued, Overdue, Sent, Voided, WrittenOff};
    for status in [Issued, Sent, Overdue] {
        let before = Invoice { status, ..sent() };
        let after = void(&before, "made out twice", on("2026-11-22")).expect("voided");
        let invoice = &after.change.invoice;
        assert_eq!((invoice.status, invoice.outstanding_minor), (Voided, 0));
        assert_eq!(invoice.voided_at, Some(on("2026-11-22").wall));
        assert_eq!(after.change.events[0].kind, EventType::InvoiceVoided);
        let entry = &after.change.timeline[0];
        assert_eq!((entry.kind, entry.amount_minor), (TimelineKind::InvoiceVoided, Some(1210)));
        assert_eq!(entry.detail, Some(format!("{}: made out twice", number(&before))));
        let late = pay(invoice, payment(7, 1210), on("2026-11-25")).expect("taken");
        let late = late.expect("a change");
        assert_eq!((late.surplus_minor, late.change.invoice.status), (1210, Voided));
        assert_eq!(pay(&late.change.invoice, payment(7, 1210), on("2026-11-25")), Ok(None));
    }
    for status in [Draft, InvoiceStatus::Paid, Voided, WrittenOff] {
        let before = Invoice { status, ..sent() };
        assert_eq!(void(&before, "", on("2026-11-22")), Err(InvoiceRefusal::VoidOf(status)));
        assert_eq!(
            write_off(&before, "", on("2026-11-22")),
            Err(InvoiceRefusal::WriteOffOf(status))
        );
    }
    let noted = correct(&sent(), &off(100), on("2026-11-22")).expect("corrected").change.invoice;
    assert_eq!(void(&noted, "", on("2026-11-23")), Err(InvoiceRefusal::VoidOfCredited));
}

#[test]
fn money_that_comes_for_what_was_written_off_pays_it() {
    let after = write_off(&sent(), "insolvent", on("2026-12-20")).expect("written off");
    assert_eq!(after.events[0].kind, EventType::InvoiceWrittenOff);
    assert_eq!(after.timeline[0].amount_minor, Some(1210));
    let invoice = after.invoice;
    assert_eq!((invoice.status, invoice.outstanding_minor), (InvoiceStatus::WrittenOff, 0));
    let part = pay(&invoice, payment(7, 1000), on("2026-12-21")).expect("taken").expect("a change");
    let part = part.change.invoice;
    assert_eq!((part.status, part.outstanding_minor), (InvoiceStatus::WrittenOff, 0));
    let whole = pay(&part, payment(8, 210), on("2026-12-22")).expect("taken").expect("a change");
    assert_eq!(whole.change.invoice.status, InvoiceStatus::Paid);
    assert_eq!(whole.change.events[0].kind, EventType::InvoicePaid);
}

fn euro(minor: i64) -> Money {
    Money::new(minor, Currency::EUR).expect("money")
}

#[test]
fn a_deposit_is_matched_once_by_its_reference() {
    let open = issued(CollectionMethod::BankTransfer);
    let part = deposit(&open, euro(1000), "T1", true, on("2026-11-25")).expect("taken");
    let part = part.expect("a change").change.invoice;
    assert_eq!((part.status, part.outstanding_minor), (InvoiceStatus::Issued, 210));
    assert_eq!(deposit(&part, euro(1000), "T1", true, on("2026-11-26")), Ok(None));
    let other = deposit(&part, euro(999), "T1", true, on("2026-11-26"));
    assert_eq!(other, Err(InvoiceRefusal::DepositReferenceUsed));
    let dollars = Money::new(210, currency("USD")).expect("money");
    let dollars = deposit(&part, dollars, "T2", true, on("2026-11-26"));
    assert_eq!(dollars, Err(InvoiceRefusal::DepositCurrency(Currency::EUR)));
    let beyond = deposit(&part, euro(300), "T2", false, on("2026-11-26"));
    assert_eq!(beyond, Err(InvoiceRefusal::SurplusWithoutCredits));
    let rest = deposit(&part, euro(300), "T2", true, on("2026-11-26")).expect("taken");
    let rest = rest.expect("a change");
    assert_eq!(rest.surplus_minor, 90);
    let paid = &rest.change.invoice;
    assert_eq!((paid.status, paid.paid_via), (InvoiceStatus::Paid, Some(PaidVia::BankDeposit)));
    assert_eq!(rest.change.timeline[0].amount_minor, Some(1210));
    let more = deposit(paid, euro(5), "T3", true, on("2026-11-27")).expect("taken");
    assert_eq!(more.expect("a change").surplus_minor, 5);
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Pay(i64),
    Deposit(i64),
    TakeBack(u64),
    Note(i64),
    WriteOff,
    Void,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1_i64..900).prop_map(Step::Pay),
        (1_i64..900).prop_map(Step::Deposit),
        (0_u64..8).prop_map(Step::TakeBack),
        (1_i64..900).prop_map(Step::Note),
        Just(Step::WriteOff),
        Just(Step::Void),
    ]
}

proptest! {
    /// Whatever happens to an invoice: what was given for it is what it was worth, and what is
    /// open is what the rest comes to.
    #[test]
    fn no_money_is_lost_or_made(applied in 0_i64..1210, steps in proptest::collection::vec(step(), 0..12)) {
        let collectible = 1210 - applied;
        let mut invoice = Invoice {
            credit_applied_minor: applied,
            collectible_minor: collectible,
            outstanding_minor: collectible,
            ..sent()
        };
        let totals = invoice.totals;
        // Money in, money back, credit back, notes.
        let (mut received, mut back, mut returned, mut notes) = (0, 0, 0, 0);
        let mut came = std::collections::BTreeMap::new();
        for (index, step) in (0_u64..).zip(steps) {
            let today = on("2026-11-25");
            let change = match step {
                Step::Pay(minor) => pay(&invoice, payment(index, minor), today).ok().flatten().map(|paid| {
                    came.insert(index, minor - paid.surplus_minor);
                    received += minor - paid.surplus_minor;
                    paid.change
                }),
                Step::Deposit(minor) => {
                    let taken = deposit(&invoice, euro(minor), &index.to_string(), true, today);
                    taken.ok().flatten().map(|paid| {
                        received += minor - paid.surplus_minor;
                        paid.change
                    })
                }
                Step::TakeBack(id) => reopen(&invoice, PaymentId(id), today.wall, today).inspect(|_| {
                    received -= came[&id];
                }),
                Step::Note(minor) if invoice.status != InvoiceStatus::Voided => {
                    correct(&invoice, &off(minor), today).ok().map(|after| {
                        notes += minor;
                        back += after.given_back_minor;
                        returned += after.credit_returned_minor;
                        after.change
                    })
                }
                Step::Note(_) => None,
                Step::WriteOff => write_off(&invoice, "", today).ok(),
                Step::Void => void(&invoice, "", today).ok().map(|after| {
                    back += after.given_back_minor;
                    returned += after.credit_returned_minor;
                    after.change
                }),
            };
            let Some(change) = change else { continue };
            invoice = change.invoice;
            prop_assert_eq!(invoice.totals, totals);
            prop_assert_eq!(invoice.collectible_minor, collectible);
            prop_assert_eq!((invoice.received_minor(), invoice.credited_minor), (received, notes));
            prop_assert_eq!((invoice.given_back_minor, invoice.credit_returned_minor), (back, returned));
            prop_assert!(notes <= 1210 && returned <= applied);
            let open = 1210 - notes - (applied - returned) - (received - back);
            match invoice.status {
                InvoiceStatus::Voided | InvoiceStatus::WrittenOff => {
                    prop_assert_eq!(invoice.outstanding_minor, 0);
                }
                InvoiceStatus::Paid => prop_assert_eq!((invoice.outstanding_minor, open), (0, 0)),
                _ => prop_assert!(open > 0 && invoice.outstanding_minor == open),
            }
        }
    }
}
