use super::fixtures::*;
use crate::domain::billing::invoice::CollectionMethod::{BankTransfer, PaymentLink as ByLink};
use crate::domain::billing::invoice::*;
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::{InvoiceId, PaymentId};
use crate::domain::platform::event::EventType;

fn kinds(change: &Change) -> Vec<EventType> {
    change.events.iter().map(|event| event.kind).collect()
}

fn entered(change: &Change) -> Vec<(TimelineKind, Option<i64>)> {
    change.timeline.iter().map(|entry| (entry.kind, entry.amount_minor)).collect()
}

fn in_status(status: InvoiceStatus) -> Invoice {
    Invoice { status, ..sent() }
}

#[test]
fn an_invoice_is_issued_and_goes_out_in_one_step() {
    let composed = compose(&request(vec![line("1", 1000)])).expect("an invoice");
    assert!(composed.send);
    let change = issue(composed.clone(), 28, Some(link()));
    let invoice = &change.invoice;
    assert_eq!(invoice.number.map(|n| n.to_string()).as_deref(), Some("1000001-2611ABB"));
    assert_eq!(
        (invoice.status, invoice.sent_at),
        (InvoiceStatus::Sent, Some(on("2026-11-21").wall))
    );
    assert_eq!(invoice.link, Some(link()));
    let told = [EventType::InvoiceIssued, EventType::PaymentLinkCreated, EventType::InvoiceSent];
    assert_eq!(kinds(&change), told);
    assert_eq!(composed.events_when_issued(), 3);
    let statuses: Vec<_> = change.events.iter().map(|event| &event.payload["status"]).collect();
    assert_eq!(statuses, ["issued", "active", "sent"]);
    assert_eq!(entered(&change), [(TimelineKind::InvoiceIssued, Some(1210))]);

    let composed = Composed { send: false, ..composed };
    assert_eq!(composed.events_when_issued(), 1);
    let kept = issue(composed, 1, None);
    assert_eq!(kinds(&kept), [EventType::InvoiceIssued]);
    assert_eq!((kept.invoice.status, kept.invoice.link), (InvoiceStatus::Issued, None));
}

#[test]
fn an_invoice_whose_due_date_the_contracts_clock_has_passed_is_overdue_at_once() {
    let asked = NewInvoice { due_date: Some(day("2026-11-25")), ..request(vec![line("1", 1000)]) };
    for (engine, status) in
        [("2026-11-25", InvoiceStatus::Sent), ("2026-11-26", InvoiceStatus::Overdue)]
    {
        let moment = Moment { engine: on(engine).engine, ..on("2026-11-21") };
        let composed = compose_manual(InvoiceId(5), &contract(), &seller(), &asked, moment);
        let composed = composed.expect("an invoice");
        let (told, head) = (composed.events_when_issued(), InvoiceHead::issuing(&composed));
        let change = issue(composed, 1, Some(link()));
        assert_eq!((change.invoice.status, change.events.len()), (status, told), "on {engine}");
        assert_eq!(head.overdue_at, overdue_at(&change.invoice), "on {engine}");
        let is_overdue = status == InvoiceStatus::Overdue;
        assert_eq!(kinds(&change).contains(&EventType::InvoiceOverdue), is_overdue);
        assert_eq!(fall_overdue(&change.invoice, moment), None);
    }
    let nothing = NewInvoice { lines: Some(vec![line("0", 1000)]), ..asked };
    let moment = Moment { engine: on("2026-11-26").engine, ..on("2026-11-21") };
    let paid = compose_manual(InvoiceId(5), &contract(), &seller(), &nothing, moment);
    let paid = issue(paid.expect("an invoice"), 1, None).invoice;
    assert_eq!(paid.status, InvoiceStatus::Paid);
}

#[test]
fn an_event_carries_the_whole_document() {
    let change = issue(compose(&request(vec![line("1", 1000)])).expect("an invoice"), 1, None);
    let event = &change.events[0];
    assert_eq!(event.occurred_at, on("2026-11-21").wall);
    assert_eq!(
        event.payload,
        serde_json::json!({
            "invoiceId": 5, "invoiceNumber": "1000001-2611AAA", "contractId": 11,
            "sellerCustomerId": 12, "origin": "project", "status": "issued",
            "invoiceType": "standard", "currency": "EUR", "grandTotalMinor": 1210,
            "collectibleMinor": 1210, "outstandingMinor": 1210, "issueDate": "2026-11-21",
            "dueDate": "2026-12-05",
        })
    );
}

#[test]
fn nothing_to_collect_is_paid_at_once() {
    let composed = compose(&request(vec![line("0", 1000)])).expect("an invoice");
    assert!(!composed.send, "no link is needed");
    assert_eq!(composed.events_when_issued(), 2);
    let change = issue(composed, 1, Some(link()));
    let invoice = &change.invoice;
    assert_eq!((invoice.status, invoice.paid_via), (InvoiceStatus::Paid, None));
    assert_eq!((invoice.link.as_ref(), invoice.sent_at), (None, None));
    assert_eq!(invoice.paid_at, Some(on("2026-11-21").wall));
    assert_eq!(kinds(&change), [EventType::InvoiceIssued, EventType::InvoicePaid]);
    let expected = [(TimelineKind::InvoiceIssued, Some(0)), (TimelineKind::InvoicePaid, Some(0))];
    assert_eq!(entered(&change), expected);
    let again = send(invoice, link(), &[], on("2026-11-22"));
    assert_eq!(again, Err(InvoiceRefusal::SendOf(InvoiceStatus::Paid)));
}

#[test]
fn sending_depends_on_method_status_and_what_was_sent() {
    use InvoiceStatus::*;
    for status in [Draft, Paid, Voided, WrittenOff] {
        let answer = send(&in_status(status), link(), &[], on("2026-11-22"));
        assert_eq!(answer, Err(InvoiceRefusal::SendOf(status)));
    }
    let by_bank = send(&issued(BankTransfer), link(), &[], on("2026-11-22"));
    assert_eq!(by_bank, Err(InvoiceRefusal::SendOfBankTransfer));
    for (before, after) in [(Issued, Sent), (Overdue, Overdue)] {
        let invoice = Invoice { status: before, ..issued(ByLink) };
        let change =
            send(&invoice, link(), &[], on("2026-11-22")).expect("sent").expect("a change");
        let told = vec![EventType::PaymentLinkCreated, EventType::InvoiceSent];
        assert_eq!((change.invoice.status, kinds(&change)), (after, told));
        assert_eq!(change.invoice.sent_at, Some(on("2026-11-22").wall));
        let other = PaymentLink { id: 99, drawn: "other".to_owned() };
        assert_eq!(send(&change.invoice, other, &[], on("2026-11-23")), Ok(None), "{before} twice");
    }
}

#[test]
fn payments_that_were_taken_back_make_room_for_others() {
    let mut invoice = sent();
    for id in 1..=200 {
        let change = pay(&invoice, payment(id, 1210), on("2026-11-25"));
        invoice = change.expect("taken").expect("a change").change.invoice;
        let at = on("2026-11-26");
        let reopened = reopen(&invoice, PaymentId(id), at.wall, at);
        invoice = reopened.expect("reopened").invoice;
    }
    assert_eq!((invoice.payments.len(), invoice.outstanding_minor), (64, 1210));
    let mut parts = sent();
    for id in 1..=64 {
        let change = pay(&parts, payment(id, 1), on("2026-11-25"));
        parts = change.expect("taken").expect("a change").change.invoice;
    }
    let more = pay(&parts, payment(65, 1), on("2026-11-25"));
    assert_eq!(more, Err(InvoiceRefusal::TooManyPayments(64)));
}

#[test]
fn a_payment_pays_once() {
    use InvoiceStatus::{Draft, Issued, Overdue, Sent};
    for status in [Issued, Sent, Overdue] {
        let change = pay(&in_status(status), payment(7, 1210), on("2026-11-25"));
        let Paid { change, surplus_minor } = change.expect("taken").expect("a change");
        assert_eq!(surplus_minor, 0);
        let invoice = &change.invoice;
        assert_eq!((invoice.status, invoice.outstanding_minor), (InvoiceStatus::Paid, 0));
        assert_eq!(invoice.paid_via, Some(PaidVia::PaymentLink));
        assert_eq!(invoice.paid_at, Some(payment(7, 1210).at));
        let by_link = invoice.link.as_ref().map(|_| EventType::PaymentLinkPaid);
        let told: Vec<_> = [EventType::InvoicePaid].into_iter().chain(by_link).collect();
        assert_eq!(kinds(&change), told);
        assert_eq!(change.events[0].payload["outstandingMinor"], 0);
        assert_eq!(entered(&change), [(TimelineKind::InvoicePaid, Some(1210))]);
        assert_eq!(pay(invoice, payment(7, 1210), on("2026-11-26")), Ok(None));
        let second = pay(invoice, payment(8, 1210), on("2026-11-26"));
        assert_eq!(second, Err(InvoiceRefusal::PaymentOf(InvoiceStatus::Paid)));
    }
    for status in [Draft, InvoiceStatus::Paid] {
        let answer = pay(&in_status(status), payment(7, 1210), on("2026-11-25"));
        assert_eq!(answer, Err(InvoiceRefusal::PaymentOf(status)));
    }
    let nothing = pay(&sent(), payment(7, 0), on("2026-11-25"));
    assert_eq!(nothing, Err(InvoiceRefusal::PaymentOfNothing));
}

#[test]
fn a_part_lowers_what_is_outstanding_and_no_payment_counts_beyond_it() {
    let part = pay(&sent(), payment(7, 1000), on("2026-11-25")).expect("taken").expect("a change");
    let part = part.change;
    assert_eq!((part.invoice.status, part.invoice.outstanding_minor), (InvoiceStatus::Sent, 210));
    assert!(part.events.is_empty() && part.timeline.is_empty());
    let rest =
        pay(&part.invoice, payment(8, 500), on("2026-11-26")).expect("taken").expect("a change");
    assert_eq!(rest.surplus_minor, 290);
    let rest = rest.change;
    assert_eq!(
        (rest.invoice.status, rest.invoice.payments[1].amount_minor),
        (InvoiceStatus::Paid, 210)
    );
    let back = reopen(&rest.invoice, PaymentId(8), at("2026-11-27T00:00:00Z"), on("2026-11-27"));
    assert_eq!(back.expect("a change").invoice.outstanding_minor, 210);
}

#[test]
fn a_payment_that_fails_at_settlement_reopens_by_due_date() {
    use InvoiceStatus::{Issued, Overdue, Sent, Voided};
    let failed = at("2026-12-01T00:00:00Z");
    let cases = [
        (sent(), "2026-12-05", Sent, vec![]),
        (issued(ByLink), "2026-12-05", Issued, vec![]),
        (sent(), "2026-12-06", Overdue, vec![EventType::InvoiceOverdue]),
        // It was told before it was paid.
        (
            fall_overdue(&sent(), on("2026-12-06")).expect("overdue").invoice,
            "2026-12-07",
            Overdue,
            vec![],
        ),
    ];
    for (before, today, status, events) in cases {
        let paid =
            pay(&before, payment(7, 1210), on("2026-11-25")).expect("taken").expect("a change");
        let paid = paid.change;
        assert_eq!(reopen(&paid.invoice, PaymentId(8), failed, on(today)), None);
        let open = reopen(&paid.invoice, PaymentId(7), failed, on(today)).expect("a change");
        assert_eq!(
            (open.invoice.status, open.invoice.outstanding_minor),
            (status, 1210),
            "{today}"
        );
        assert_eq!((open.invoice.paid_at, open.invoice.paid_via), (None, None));
        assert_eq!(kinds(&open), events);
        // Both messages may come again; another payment may pay.
        assert_eq!(reopen(&open.invoice, PaymentId(7), failed, on(today)), None);
        assert_eq!(pay(&open.invoice, payment(7, 1210), on(today)), Ok(None));
        let again = pay(&open.invoice, payment(9, 1210), on(today)).expect("taken");
        assert_eq!(again.expect("a change").change.invoice.status, InvoiceStatus::Paid);
    }
    assert_eq!(reopen(&in_status(Voided), PaymentId(7), failed, on("2026-12-01")), None);
}

#[test]
fn an_invoice_is_overdue_from_the_day_after_its_due_date() {
    use InvoiceStatus::*;
    for invoice in [sent(), issued(ByLink), issued(BankTransfer)] {
        assert_eq!(overdue_at(&invoice), Some(day("2026-12-06")));
        assert_eq!(fall_overdue(&invoice, on("2026-12-05")), None);
        let change = fall_overdue(&invoice, on("2026-12-06")).expect("a change");
        assert_eq!(
            (change.invoice.status, kinds(&change)),
            (Overdue, vec![EventType::InvoiceOverdue])
        );
        assert_eq!(entered(&change), [(TimelineKind::InvoiceOverdue, Some(1210))]);
        assert_eq!(overdue_at(&change.invoice), None);
        assert_eq!(fall_overdue(&change.invoice, on("2026-12-07")), None);
    }
    for status in [Draft, Paid, Voided, WrittenOff] {
        assert_eq!(fall_overdue(&in_status(status), on("2027-12-06")), None);
    }
    for invoice in
        [Invoice { due_date: None, ..sent() }, Invoice { outstanding_minor: 0, ..sent() }]
    {
        assert_eq!(fall_overdue(&invoice, on("2027-12-06")), None);
    }
}

#[test]
fn overdue_follows_the_contracts_clock_and_stamps_the_wall_clock() {
    let moment = Moment { engine: day("2027-01-01").start(), ..on("2026-11-21") };
    let change = fall_overdue(&sent(), moment).expect("a change");
    assert_eq!(change.events[0].occurred_at, moment.wall);
    assert_eq!(change.timeline[0].occurred_at, moment.engine);
}

#[test]
fn an_empty_trail_says_why() {
    assert_eq!(settlement_note(&issued(ByLink)), Some("invoice was never sent"));
    assert_eq!(settlement_note(&sent()), None);
    for (via, note) in [
        (PaidVia::PaymentLink, None),
        (PaidVia::SavedCard, None),
        (PaidVia::BankDeposit, Some("settled by a matched bank deposit")),
        (PaidVia::StoredCredit, Some("discharged entirely by stored credit")),
    ] {
        let paid = Invoice { paid_via: Some(via), ..issued(BankTransfer) };
        assert_eq!(settlement_note(&paid), note);
    }
}
