use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::ProrationKind;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::refusal::{Refusal, RefusalKind};

fn refused(request: &NewInvoice) -> (RefusalKind, String) {
    let refusal = Refusal::from(compose(request).expect_err("the request was taken"));
    (refusal.kind, refusal.text)
}

fn with(change: impl FnOnce(&mut NewInvoice)) -> NewInvoice {
    let mut request = request(vec![line("2", 1000)]);
    change(&mut request);
    request
}

fn with_line(change: impl FnOnce(&mut NewLine)) -> NewInvoice {
    let mut changed = line("2", 1000);
    change(&mut changed);
    request(vec![line("1", 1), changed])
}

fn with_recipient(change: impl FnOnce(&mut StatedBillTo)) -> NewInvoice {
    with(|request| change(&mut request.bill_to))
}

fn adhoc_with(change: impl FnOnce(&mut NewInvoice)) -> NewInvoice {
    let mut request = adhoc();
    change(&mut request);
    request
}

#[test]
fn what_is_wrong_with_a_request_is_named() {
    let long = |length| Some("é".repeat(length));
    let cases = [
        (with(|r| r.contract = None), "contractId is required for origin project"),
        (
            adhoc_with(|r| r.contract = Some(ContractId(11))),
            "contractId is not accepted for origin adhoc",
        ),
        (adhoc_with(|r| r.bill_to.email = None), "billTo.email is required for origin adhoc"),
        (adhoc_with(|r| r.currency = None), "currency is required for origin adhoc"),
        (adhoc_with(|r| r.currency = Some(currency("JPY"))), "currency JPY is not supported"),
        (with(|r| r.currency = Some(currency("USD"))), "currency must be the contract's, EUR"),
        (with(|r| r.lines = None), "lines are required for origin project"),
        (with(|r| r.lines = Some(vec![])), "lines are required for origin project"),
        (with(|r| r.lines = Some(vec![line("1", 1); 201])), "lines may hold at most 200 items"),
        (with(|r| r.origin = Origin::Recurring), "lines are not accepted for origin recurring"),
        (with(|r| r.origin = Origin::Usage), "lines are not accepted for origin usage"),
        (
            with(|r| r.invoice_type = Some(InvoiceType::CreditNote)),
            "corrects is required for invoiceType credit_note",
        ),
        (
            with(|r| r.invoice_type = Some(InvoiceType::Modified)),
            "corrects is required for invoiceType modified",
        ),
        (
            with(|r| r.corrects = Some("1-2611AAA".to_owned())),
            "corrects is not accepted for invoiceType standard",
        ),
        (
            with(|r| r.due_date = Some(day("2026-11-20"))),
            "dueDate is before the issue date, 2026-11-21",
        ),
        (with(|r| r.memo = long(1025)), "memo may have at most 1024 characters"),
        (
            with_recipient(|b| b.email = Some("Ada <ada@example.com>".to_owned())),
            "billTo.email must be a plain e-mail address",
        ),
        (
            with_recipient(|b| b.email = Some(String::new())),
            "billTo.email must be a plain e-mail address",
        ),
        (with_recipient(|b| b.name = long(129)), "billTo.name may have at most 128 characters"),
        (with_recipient(|b| b.phone = long(33)), "billTo.phone may have at most 32 characters"),
        (
            with_recipient(|b| b.company_name = long(256)),
            "billTo.companyName may have at most 255 characters",
        ),
        (
            with_recipient(|b| b.company_country = long(57)),
            "billTo.companyCountry may have at most 56 characters",
        ),
        (with_recipient(|b| b.tax_id = long(65)), "billTo.taxId may have at most 64 characters"),
        (
            with_recipient(|b| b.address_line1 = long(256)),
            "billTo.addressLine1 may have at most 255 characters",
        ),
        (
            with_recipient(|b| b.address_line2 = long(256)),
            "billTo.addressLine2 may have at most 255 characters",
        ),
        (with_recipient(|b| b.city = long(129)), "billTo.city may have at most 128 characters"),
        (
            with_recipient(|b| b.postal_code = long(33)),
            "billTo.postalCode may have at most 32 characters",
        ),
        (with_recipient(|b| b.country = long(57)), "billTo.country may have at most 56 characters"),
        (
            with_line(|l| l.description = " ".to_owned()),
            "lines[1].description must have 1 to 512 characters",
        ),
        (
            with_line(|l| l.description = "x".repeat(513)),
            "lines[1].description must have 1 to 512 characters",
        ),
        (with_line(|l| l.unit_price_minor = i64::MIN), "lines[1].unitPriceMinor is beyond 10^15"),
        (
            with_line(|l| l.unit_price_minor = 500_000_000_000_001),
            "lines[1].quantity times unitPriceMinor is beyond 10^15",
        ),
        (
            with_line(|l| {
                (l.quantity, l.unit_price_minor) =
                    (quantity("999999999999999999.999999999"), 999_999_999_999_999)
            }),
            "lines[1].quantity times unitPriceMinor is beyond 10^15",
        ),
        (
            with_line(|l| l.discount_minor = Some(-1)),
            "lines[1].discountMinor must be between 0 and quantity times unitPriceMinor",
        ),
        (
            with_line(|l| l.discount_minor = Some(2001)),
            "lines[1].discountMinor must be between 0 and quantity times unitPriceMinor",
        ),
        (
            with_line(|l| (l.unit_price_minor, l.discount_minor) = (-10, Some(1))),
            "lines[1].discountMinor must be between 0 and quantity times unitPriceMinor",
        ),
        (
            with_line(|l| {
                (l.period_start, l.period_end) = (Some(day("2026-11-02")), Some(day("2026-11-02")))
            }),
            "lines[1].periodEnd must be after periodStart",
        ),
        (
            with(|r| r.lines = Some(vec![line("1", 1_000_000_000_000_000); 2])),
            "lines amount to more than 10^15 minor units",
        ),
    ];
    for (request, text) in cases {
        assert_eq!(refused(&request), (RefusalKind::Invalid, text.to_owned()));
    }
}

#[test]
fn what_does_not_apply_is_unprocessable() {
    let correcting = |kind| {
        with(|r| {
            r.invoice_type = Some(kind);
            r.corrects = Some("1000001-2611AAA".to_owned());
        })
    };
    let due = |origin| {
        with(|r| {
            r.origin = origin;
            r.lines = None;
        })
    };
    let cases = [
        (correcting(InvoiceType::CreditNote), "invoiceType credit_note is not available yet"),
        (correcting(InvoiceType::Modified), "invoiceType modified is not available yet"),
        (due(Origin::Usage), "nothing is due: the contract has no unbilled closed usage"),
        (
            with(|r| {
                (r.collection_method, r.send) = (Some(CollectionMethod::BankTransfer), Some(true))
            }),
            "send does not apply: the invoice is collected by bank transfer",
        ),
        (
            with(|r| r.lines = Some(vec![line("1", 10), line("1", -11)])),
            "lines amount to less than 0 with tax",
        ),
    ];
    for (request, text) in cases {
        assert_eq!(refused(&request), (RefusalKind::Unprocessable, text.to_owned()));
    }
    assert_eq!(
        compose_recurring(
            InvoiceId(5),
            &contract(),
            &seller(),
            Terms::requested(&due(Origin::Recurring), &contract(), &seller()).expect("terms"),
            &[],
            &[proration(1, 1, ProrationKind::Charge, 100)],
            on("2026-11-21"),
        ),
        Err(InvoiceRefusal::NothingDue(Origin::Recurring))
    );
}

#[test]
fn the_edges_of_what_is_taken_are_taken() {
    for request in [
        with(|r| r.lines = Some(vec![line("1", 1); 200])),
        with(|r| r.due_date = Some(day("2026-11-21"))),
        with(|r| r.invoice_type = Some(InvoiceType::Simplified)),
        with(|r| r.currency = Some(currency("EUR"))),
        with_line(|l| l.discount_minor = Some(2000)),
        with_line(|l| l.quantity = quantity("0")),
        with_line(|l| l.description = "é".repeat(512)),
        with(|r| r.lines = Some(vec![line("1", 10), line("1", -10)])),
        with(|r| {
            r.lines = Some(vec![NewLine { tax: taxed("0"), ..line("1", 1_000_000_000_000_000) }]);
        }),
        adhoc(),
    ] {
        assert_eq!(compose(&request).map(|_| ()), Ok(()), "{request:?}");
    }
}
