use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{AutomaticTax, StatedTax, TaxCategory, TaxKind, TaxRules};
use crate::domain::country::Country;
use crate::domain::ids::ContractId;
use crate::domain::money::Currency;

fn intent(request: &NewInvoice) -> Intent {
    Intent::of(request, Currency::EUR, &contract().bill_to, &TaxRules::manual(rate("21")))
}

fn base() -> NewInvoice {
    request(vec![line("1.5", 1000), line("2", 500)])
}

fn with(change: impl FnOnce(&mut NewInvoice)) -> NewInvoice {
    let mut request = base();
    change(&mut request);
    request
}

fn with_line(change: impl FnOnce(&mut NewLine)) -> NewInvoice {
    with(|request| change(&mut request.lines.as_mut().expect("lines")[1]))
}

fn differs(a: &NewInvoice, b: &NewInvoice) -> Option<&'static str> {
    let forth = first_difference(&intent(a), &intent(b));
    assert_eq!(forth, first_difference(&intent(b), &intent(a)), "the order matters");
    forth
}

#[test]
fn a_default_that_is_stated_is_no_difference() {
    for same in [
        base(),
        with(|r| r.invoice_type = Some(InvoiceType::Standard)),
        with(|r| r.currency = Some(Currency::EUR)),
        with(|r| r.collection_method = Some(CollectionMethod::PaymentLink)),
        with(|r| r.send = Some(true)),
        with(|r| r.due_date = Some(day("2027-01-01"))),
        with(|r| r.bill_to.email = Some("ADA@Example.com".to_owned())),
        with(|r| r.bill_to.name = Some("Ada Byron".to_owned())),
        with(|r| r.bill_to.city = Some(String::new())),
        with_line(|l| l.quantity = quantity("2.000")),
        with_line(|l| l.discount_minor = Some(0)),
        with_line(|l| l.tax = taxed("21.0")),
    ] {
        assert_eq!(differs(&base(), &same), None, "{same:?}");
    }
    assert_eq!(Origin::parse("subscription"), Some(Origin::Recurring));
}

#[test]
fn a_difference_is_named() {
    let cases = [
        (with(|r| r.contract = Some(ContractId(99))), "contractId"),
        (with(|r| r.origin = Origin::Milestone), "origin"),
        (with(|r| r.invoice_type = Some(InvoiceType::Simplified)), "invoiceType"),
        (with(|r| r.corrects = Some("1-2611AAA".to_owned())), "corrects"),
        (with(|r| r.currency = Some(currency("USD"))), "currency"),
        (with(|r| r.lines = Some(vec![line("1.5", 1000)])), "lines"),
        (with(|r| r.lines.as_mut().expect("lines").reverse()), "lines"),
        (with_line(|l| l.description.push('!')), "lines"),
        (with_line(|l| l.quantity = quantity("2.1")), "lines"),
        (with_line(|l| l.unit_price_minor = 501), "lines"),
        (with_line(|l| l.discount_minor = Some(1)), "lines"),
        (with_line(|l| l.tax = taxed("9")), "lines"),
        (with_line(|l| l.period_start = Some(day("2026-11-01"))), "lines"),
        (with_line(|l| l.period_end = Some(day("2026-11-01"))), "lines"),
        (with(|r| r.collection_method = Some(CollectionMethod::BankTransfer)), "collectionMethod"),
        (with(|r| r.send = Some(false)), "send"),
        (with(|r| r.memo = Some("Thanks".to_owned())), "memo"),
        (with(|r| r.bill_to.email = Some("eve@example.com".to_owned())), "billTo.email"),
        (with(|r| r.bill_to.name = Some("Eve".to_owned())), "billTo.name"),
        (with(|r| r.bill_to.country = Some("NL".to_owned())), "billTo.country"),
    ];
    for (other, field) in cases {
        assert_eq!(differs(&base(), &other), Some(field), "{other:?}");
    }
    let due = |text| with(|r| r.due_date = Some(day(text)));
    assert_eq!(differs(&due("2027-01-01"), &due("2027-01-02")), Some("dueDate"));
}

#[test]
fn what_was_stated_in_neither_request_may_have_changed_since() {
    let first = intent(&base());
    let renamed = BillTo { name: Some("Ada Lovelace".to_owned()), ..contract().bill_to };
    let later = Intent::of(&base(), Currency::EUR, &renamed, &TaxRules::manual(rate("25")));
    assert_eq!(first_difference(&first, &later), None);

    // Stated now, and no longer what the default was then.
    let named = with(|r| r.bill_to.name = Some("Ada Lovelace".to_owned()));
    let later = Intent::of(&named, Currency::EUR, &renamed, &TaxRules::manual(rate("25")));
    assert_eq!(first_difference(&first, &later), Some("billTo.name"));
    let rated = with_line(|l| l.tax = taxed("25"));
    let later = Intent::of(&rated, Currency::EUR, &renamed, &TaxRules::manual(rate("25")));
    assert_eq!(first_difference(&first, &later), Some("lines"));
}

#[test]
fn what_the_subscriptions_decide_is_compared_where_a_request_states_it() {
    use CollectionMethod::{BankTransfer, PaymentLink};
    let asked = |method, send| NewInvoice {
        lines: None,
        collection_method: method,
        send,
        ..with(|request| request.origin = Origin::Recurring)
    };
    let plain = (None, None);
    for (by_default, first, again, expected) in [
        (PaymentLink, plain, plain, None),
        (PaymentLink, plain, (Some(PaymentLink), Some(true)), None),
        (PaymentLink, plain, (Some(BankTransfer), None), Some("collectionMethod")),
        (PaymentLink, plain, (None, Some(false)), Some("send")),
        (PaymentLink, (None, Some(false)), plain, Some("send")),
        (PaymentLink, (Some(BankTransfer), None), plain, Some("collectionMethod")),
        (BankTransfer, plain, plain, None),
        (BankTransfer, plain, (Some(BankTransfer), Some(false)), None),
        (BankTransfer, plain, (Some(PaymentLink), None), Some("collectionMethod")),
        (BankTransfer, (Some(BankTransfer), None), plain, None),
    ] {
        let [first, again] = [first, again].map(|(method, send)| intent(&asked(method, send)));
        let made = first.of_document(by_default);
        assert_eq!(first_difference(&made, &again), expected, "{made:?} {again:?}");
    }
    // Of a key from before that was kept nobody knows what they decided.
    let first = intent(&asked(None, None));
    let again = intent(&asked(Some(BankTransfer), Some(false)));
    assert_eq!(first_difference(&first, &again), None);
}

#[test]
fn a_rate_that_the_countries_gave_is_no_difference_when_it_is_stated() {
    let country = |code| Country::parse(code).expect("a country");
    let on = day("2026-11-22");
    let automatic = Some(AutomaticTax::between(country("NL"), Some("DE"), None, on));
    let rules = TaxRules { default_rate: rate("33"), automatic };
    let of = |request: &NewInvoice| Intent::of(request, Currency::EUR, &contract().bill_to, &rules);
    let reduced = |tax: StatedTax| StatedTax { kind: Some(TaxKind::Reduced), ..tax };
    let of_category = |code| StatedTax { category: TaxCategory::parse(code), ..Default::default() };
    for (first, again, same) in [
        (StatedTax::default(), taxed("19"), true),
        (StatedTax::default(), taxed("33"), false),
        (StatedTax::default(), of_category("S"), true),
        (StatedTax::default(), of_category("AE"), false),
        (reduced(StatedTax::default()), reduced(taxed("7")), true),
        (reduced(StatedTax::default()), reduced(taxed("19")), false),
        (reduced(StatedTax::default()), StatedTax::default(), false),
        (of_category("AE"), of_category("E"), false),
    ] {
        let (a, b) = (with_line(|line| line.tax = first), with_line(|line| line.tax = again));
        let expected = if same { None } else { Some("lines") };
        assert_eq!(first_difference(&of(&a), &of(&b)), expected, "{first:?} {again:?}");
        assert_eq!(first_difference(&of(&b), &of(&a)), expected, "{again:?} {first:?}");
    }
}

#[test]
fn an_adhoc_request_is_compared_by_what_it_says_itself() {
    let known = adhoc().adhoc_recipient().expect("a recipient");
    let of = |request: &NewInvoice| {
        Intent::of(request, Currency::EUR, &known, &TaxRules::manual(rate("21")))
    };
    assert_eq!(first_difference(&of(&adhoc()), &of(&adhoc())), None);
    let mut other = adhoc();
    other.bill_to.email = Some("eve@example.com".to_owned());
    assert_eq!(first_difference(&of(&adhoc()), &of(&other)), Some("billTo.email"));
}
