use actors::domain::billing::invoice::{Invoice, InvoiceType};
use actors::domain::billing::numbering::InvoiceNumber;
use serde_json::json;

use super::{Missing, Syntax, missing, xml};
use crate::documents::Document;
use crate::documents::tests::{PAGE, document, line};

fn written(document: &Document, syntax: Syntax) -> String {
    String::from_utf8(xml(document, syntax).expect("all is there")).expect("text")
}

/// What stands between the tags of an element, wherever it is.
fn values<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let content = |part: &'a str| part.split_once('>')?.1.split_once("</").map(|(text, _)| text);
    xml.split(&format!("<{name}")).skip(1).filter_map(content).collect()
}

/// The same document as a credit note is kept: below zero.
fn credit_note(mut of: Document) -> Document {
    of.invoice.invoice_type = InvoiceType::CreditNote;
    of.invoice.corrects = InvoiceNumber::parse("1000001-2610AAB");
    let totals = &mut of.invoice.totals;
    for amount in [
        &mut totals.subtotal_minor,
        &mut totals.discount_minor,
        &mut totals.tax_minor,
        &mut totals.grand_total_minor,
    ] {
        *amount = -*amount;
    }
    for tax in &mut of.invoice.tax_summary {
        tax.taxable_minor = -tax.taxable_minor;
        tax.tax_minor = -tax.tax_minor;
    }
    for line in &mut of.lines {
        line.unit_price_minor = line.unit_price_minor.map(|price| -price);
        line.discount_minor = -line.discount_minor;
        line.amount_minor = -line.amount_minor;
        line.tax_minor = -line.tax_minor;
    }
    of
}

#[test]
fn both_syntaxes_say_the_same() {
    let mut discounted = line("Support & <care>", "3", 12_500);
    discounted["discountMinor"] = json!(2_500);
    let invoice = document(&[line("Platform", "1.5", 333), discounted], &json!({"memo": "Hi"}));
    let (cii, ubl) = (written(&invoice, Syntax::Cii), written(&invoice, Syntax::Ubl));
    for (in_cii, in_ubl, expected) in [
        ("ram:TypeCode", "cbc:InvoiceTypeCode", "380"),
        ("ram:Content", "cbc:Note", "Hi"),
        ("ram:GrandTotalAmount", "cbc:TaxInclusiveAmount", "422.45"),
        ("ram:DuePayableAmount", "cbc:PayableAmount", "422.45"),
        ("ram:TaxBasisTotalAmount", "cbc:TaxExclusiveAmount", "355.00"),
        ("ram:TaxTotalAmount", "cbc:TaxAmount", "67.45"),
        ("ram:BilledQuantity", "cbc:InvoicedQuantity", "1.5"),
        ("ram:ChargeAmount", "cbc:PriceAmount", "3.33"),
        ("ram:LineTotalAmount", "cbc:LineExtensionAmount", "5.00"),
        ("ram:ActualAmount", "cbc:Amount ", "25.00"),
    ] {
        assert!(values(&cii, in_cii).contains(&expected), "{in_cii} of {cii}");
        assert!(values(&ubl, in_ubl).contains(&expected), "{in_ubl} of {ubl}");
    }
    for xml in [&cii, &ubl] {
        assert!(xml.contains("Support &amp; &lt;care>") || xml.contains("&lt;care&gt;"), "{xml}");
        assert!(xml.contains(PAGE) && xml.contains("urn:cen.eu:en16931:2017"));
    }
}

#[test]
fn a_credit_note_states_above_zero_what_is_kept_below() {
    let mut discounted = line("Work", "2", 1_000);
    discounted["discountMinor"] = json!(100);
    let note = credit_note(document(&[discounted], &json!({})));
    let (cii, ubl) = (written(&note, Syntax::Cii), written(&note, Syntax::Ubl));
    assert_eq!(values(&cii, "ram:TypeCode")[0], "381");
    assert_eq!(values(&ubl, "cbc:CreditNoteTypeCode"), ["381"]);
    for (xml, names) in [
        (&cii, ["ram:ChargeAmount", "ram:ActualAmount", "ram:LineTotalAmount"]),
        (&ubl, ["cbc:PriceAmount", "cbc:Amount ", "cbc:LineExtensionAmount"]),
    ] {
        let found = names.map(|name| values(xml, name)[0]);
        assert_eq!(found, ["10.00", "1.00", "19.00"], "{xml}");
        assert!(xml.contains("1000001-2610AAB") && !xml.contains(">-"), "{xml}");
    }
    assert_eq!(values(&ubl, "cbc:CreditedQuantity"), ["2"]);
}

#[test]
fn a_deduction_is_a_quantity_below_zero_of_a_price_above() {
    let invoice = document(&[line("Work", "1", 1_000), line("Rebate", "2", -100)], &json!({}));
    let cii = written(&invoice, Syntax::Cii);
    assert_eq!(values(&cii, "ram:BilledQuantity"), ["1", "-2"]);
    assert_eq!(values(&cii, "ram:ChargeAmount"), ["10.00", "1.00"]);
    assert_eq!(values(&cii, "ram:LineTotalAmount"), ["10.00", "-2.00", "8.00"]);
}

#[test]
fn an_amount_without_a_price_of_one_has_the_price_of_all() {
    let mut invoice = document(&[line("Calls", "3", 100)], &json!({}));
    invoice.lines[0].unit_price_minor = None;
    let ubl = written(&invoice, Syntax::Ubl);
    assert_eq!(values(&ubl, "cbc:PriceAmount"), ["3.00"]);
    assert_eq!(values(&ubl, "cbc:BaseQuantity"), ["3"]);
    invoice.lines[0].quantity = actors::domain::quantity::Quantity::ZERO;
    let ubl = written(&invoice, Syntax::Ubl);
    assert_eq!(values(&ubl, "cbc:InvoicedQuantity"), ["1"]);
    assert!(values(&ubl, "cbc:BaseQuantity").is_empty());
}

#[test]
fn what_is_missing_depends_on_the_category_and_is_named() {
    let of = |category: &str, taken: fn(&mut Invoice)| {
        let line = json!({
            "description": "Work", "quantity": "1", "unitPriceMinor": 100,
            "taxCategory": category, "periodStart": "2026-11-01", "periodEnd": "2026-12-01",
        });
        let mut document = document(&[line], &json!({}));
        taken(&mut document.invoice);
        let lacks = missing(&document.invoice);
        let refused = xml(&document, Syntax::Cii).err();
        assert_eq!(refused, (!lacks.is_empty()).then(|| Missing(lacks.clone())));
        lacks
    };
    for category in ["E", "AE", "K", "G", "O", "Z"] {
        assert_eq!(of(category, |_| {}), [""; 0], "{category}");
    }
    assert_eq!(of("K", |invoice| invoice.period_end = None), ["periodEnd"]);
    let own = |invoice: &mut Invoice| invoice.seller.tax_id = None;
    let theirs = |invoice: &mut Invoice| invoice.bill_to.tax_id = None;
    let unprefixed = |invoice: &mut Invoice| {
        invoice.seller.tax_id = Some("30/123/45678".to_owned());
        invoice.bill_to.tax_id = Some("1234-56".to_owned());
    };
    assert_eq!(of("E", own), ["seller.taxId"]);
    assert_eq!(of("O", own), [""; 0]);
    assert_eq!(of("E", theirs), [""; 0]);
    assert_eq!(of("AE", theirs), ["billTo.taxId"]);
    assert_eq!(of("E", unprefixed), [""; 0]);
    assert_eq!(of("AE", unprefixed), [""; 0]);
    assert_eq!(of("G", unprefixed), ["seller.taxId"]);
    assert_eq!(of("K", unprefixed), ["seller.taxId", "billTo.taxId"]);
    let strangers = |invoice: &mut Invoice| {
        (invoice.number, invoice.seller.country) = (None, None);
        (invoice.bill_to.name, invoice.bill_to.company_name) = (None, Some(" ".to_owned()));
        invoice.bill_to.country = Some("Utopia".to_owned());
    };
    let lacks = ["invoiceNumber", "seller.country", "billTo.name", "billTo.country"];
    assert_eq!(of("E", strangers), lacks);
}

#[test]
fn a_seller_without_a_vat_id_is_known_by_the_number_of_its_agreement_too() {
    let mut invoice = document(&[line("Work", "1", 100)], &json!({}));
    let agreement = invoice.invoice.number.expect("a number").series.agreement.to_string();
    for (tax_id, known_by) in [("30/123/45678", Some(agreement.as_str())), ("DE123456788", None)] {
        invoice.invoice.seller.tax_id = Some(tax_id.to_owned());
        let (cii, ubl) = (written(&invoice, Syntax::Cii), written(&invoice, Syntax::Ubl));
        let seller = cii.split("<ram:BuyerTradeParty>").next().expect("the seller");
        assert_eq!(values(seller, "ram:ID").into_iter().find(|id| *id == agreement), known_by);
        let stands = ubl.contains(&format!("<cbc:ID>{agreement}</cbc:ID>"));
        assert_eq!(stands, known_by.is_some(), "{ubl}");
        assert!(cii.contains(tax_id) && ubl.contains(tax_id));
    }
}

#[test]
fn what_xml_cannot_hold_is_left_out() {
    let mut invoice = document(&[line("Work", "1", 100)], &json!({}));
    invoice.lines[0].description = "a\u{b}b\u{fffe}c]]>d".to_owned();
    let cii = written(&invoice, Syntax::Cii);
    assert_eq!(values(&cii, "ram:Name")[0], "abc]]&gt;d");
}
