//! OASIS UBL 2.1: an invoice, or a credit note, which has other names for some of the same things.

use actors::domain::money::Currency;
use actors::domain::time::Date;
use rust_decimal::Decimal;

use super::line::Line;
use super::party::Party;
use super::xml::{Element, group, list, text};
use super::{EInvoice, GUIDELINE, Kind, Tax};

const INVOICE: &str = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2";
const CREDIT_NOTE: &str = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2";
const AGGREGATES: &str = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2";
const BASICS: &str = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2";

/// One, in UN/ECE Recommendation 20.
const UNIT: &str = "C62";
/// An online payment service, in UNTDID 4461.
const ONLINE: &str = "68";

/// The names in which the two documents differ.
struct Names {
    root: &'static str,
    namespace: &'static str,
    kind: &'static str,
    line: &'static str,
    quantity: &'static str,
}

const OF_INVOICE: Names = Names {
    root: "Invoice",
    namespace: INVOICE,
    kind: "cbc:InvoiceTypeCode",
    line: "cac:InvoiceLine",
    quantity: "cbc:InvoicedQuantity",
};

const OF_CREDIT_NOTE: Names = Names {
    root: "CreditNote",
    namespace: CREDIT_NOTE,
    kind: "cbc:CreditNoteTypeCode",
    line: "cac:CreditNoteLine",
    quantity: "cbc:CreditedQuantity",
};

pub(super) fn root(of: &EInvoice) -> Element<'_> {
    let names = if of.kind == Kind::CreditNote { &OF_CREDIT_NOTE } else { &OF_INVOICE };
    let head = head(of, names).into_iter().chain(parties(of)).flatten();
    let lines = of.lines.iter().map(move |one| line(one, names, of.currency));
    list(names.root, head.chain(lines))
        .with("xmlns", names.namespace)
        .with("xmlns:cac", AGGREGATES)
        .with("xmlns:cbc", BASICS)
}

fn head<'a>(of: &'a EInvoice, names: &Names) -> [Option<Element<'a>>; 10] {
    let corrects = of.corrects.as_ref().map(|number| {
        let document = group("cac:InvoiceDocumentReference", [text("cbc:ID", number).some()]);
        group("cac:BillingReference", [document.some()])
    });
    let contract = of
        .contract
        .as_ref()
        .map(|number| group("cac:ContractDocumentReference", [text("cbc:ID", number).some()]));
    [
        text("cbc:CustomizationID", GUIDELINE).some(),
        text("cbc:ID", &of.number).some(),
        text("cbc:IssueDate", of.issued).some(),
        of.due.map(|due| text("cbc:DueDate", due)),
        text(names.kind, of.kind.code()).some(),
        of.note.as_ref().map(|note| text("cbc:Note", note)),
        text("cbc:DocumentCurrencyCode", of.currency).some(),
        of.period.map(period),
        corrects,
        contract,
    ]
}

fn parties(of: &EInvoice) -> [Option<Element<'_>>; 7] {
    let means = of.pays_online.then(|| {
        let code = text("cbc:PaymentMeansCode", ONLINE);
        group("cac:PaymentMeans", [code.some(), text("cbc:PaymentID", &of.number).some()])
    });
    [
        group("cac:AccountingSupplierParty", [party(&of.seller).some()]).some(),
        group("cac:AccountingCustomerParty", [party(&of.buyer).some()]).some(),
        delivery(of),
        means,
        group("cac:PaymentTerms", [text("cbc:Note", &of.terms).some()]).some(),
        taxes(of).some(),
        totals(of).some(),
    ]
}

fn party<'a>(of: &Party) -> Element<'a> {
    let identified = of
        .identifier
        .as_ref()
        .map(|id| group("cac:PartyIdentification", [text("cbc:ID", id).some()]));
    let registration = of.registration.as_ref().map(|id| text("cbc:CompanyID", id));
    let legal = [text("cbc:RegistrationName", &of.name).some(), registration];
    let contact = [
        of.phone.as_ref().map(|phone| text("cbc:Telephone", phone)),
        text("cbc:ElectronicMail", &of.email).some(),
    ];
    group(
        "cac:Party",
        [
            text("cbc:EndpointID", &of.email).with("schemeID", "EM").some(),
            identified,
            address(of).some(),
            of.vat_id.as_ref().map(|id| tax_scheme(id, "VAT")),
            of.tax_number.as_ref().map(|id| tax_scheme(id, "TAX")),
            group("cac:PartyLegalEntity", legal).some(),
            group("cac:Contact", contact).some(),
        ],
    )
}

fn address<'a>(of: &Party) -> Element<'a> {
    let [first, second] = &of.lines;
    let country = text("cbc:IdentificationCode", of.country);
    group(
        "cac:PostalAddress",
        [
            first.as_ref().map(|line| text("cbc:StreetName", line)),
            second.as_ref().map(|line| text("cbc:AdditionalStreetName", line)),
            of.city.as_ref().map(|city| text("cbc:CityName", city)),
            of.postal_code.as_ref().map(|code| text("cbc:PostalZone", code)),
            group("cac:Country", [country.some()]).some(),
        ],
    )
}

fn tax_scheme<'a>(id: &str, scheme: &str) -> Element<'a> {
    group("cac:PartyTaxScheme", [text("cbc:CompanyID", id).some(), scheme_of(scheme).some()])
}

fn scheme_of<'a>(scheme: &str) -> Element<'a> {
    group("cac:TaxScheme", [text("cbc:ID", scheme).some()])
}

fn delivery<'a>(of: &EInvoice) -> Option<Element<'a>> {
    let place = of.delivered_to.map(|country| {
        let country = group("cac:Country", [text("cbc:IdentificationCode", country).some()]);
        let address = group("cac:Address", [country.some()]);
        group("cac:DeliveryLocation", [address.some()])
    });
    let on = text("cbc:ActualDeliveryDate", of.delivered?);
    group("cac:Delivery", [on.some(), place]).some()
}

fn taxes(of: &EInvoice) -> Element<'_> {
    let subtotals = of.taxes.iter().map(|one| tax(one, of.currency));
    let whole = amount("cbc:TaxAmount", of.tax, of.currency);
    list("cac:TaxTotal", std::iter::once(whole).chain(subtotals))
}

fn tax<'a>(of: &Tax, currency: Currency) -> Element<'a> {
    let category = group(
        "cac:TaxCategory",
        [
            text("cbc:ID", of.category.name()).some(),
            of.rate.map(|rate| text("cbc:Percent", rate)),
            of.reason.map(|reason| text("cbc:TaxExemptionReason", reason)),
            scheme_of("VAT").some(),
        ],
    );
    group(
        "cac:TaxSubtotal",
        [
            amount("cbc:TaxableAmount", of.taxable, currency).some(),
            amount("cbc:TaxAmount", of.tax, currency).some(),
            category.some(),
        ],
    )
}

fn totals<'a>(of: &EInvoice) -> Element<'a> {
    let amount = |name, sum| amount(name, sum, of.currency).some();
    group(
        "cac:LegalMonetaryTotal",
        [
            amount("cbc:LineExtensionAmount", of.net),
            amount("cbc:TaxExclusiveAmount", of.net),
            amount("cbc:TaxInclusiveAmount", of.total),
            amount("cbc:PrepaidAmount", of.prepaid),
            amount("cbc:PayableAmount", of.due_amount),
        ],
    )
}

fn line<'a>(of: &Line, names: &Names, currency: Currency) -> Element<'a> {
    let discount = of.discount.as_ref().map(|of| {
        let parts = [
            text("cbc:ChargeIndicator", of.adds).some(),
            text("cbc:AllowanceChargeReason", of.reason()).some(),
            amount("cbc:Amount", of.amount, currency).some(),
        ];
        group("cac:AllowanceCharge", parts)
    });
    let category = group(
        "cac:ClassifiedTaxCategory",
        [
            text("cbc:ID", of.category.name()).some(),
            of.rate.map(|rate| text("cbc:Percent", rate)),
            scheme_of("VAT").some(),
        ],
    );
    let item = group("cac:Item", [text("cbc:Name", &of.name).some(), category.some()]);
    let price = [
        amount("cbc:PriceAmount", of.price, currency).some(),
        of.price_of.map(|of| quantity("cbc:BaseQuantity", of)),
    ];
    group(
        names.line,
        [
            text("cbc:ID", of.id).some(),
            quantity(names.quantity, of.quantity).some(),
            amount("cbc:LineExtensionAmount", of.net, currency).some(),
            of.period.map(period),
            discount,
            item.some(),
            group("cac:Price", price).some(),
        ],
    )
}

fn period<'a>((start, last): (Date, Date)) -> Element<'a> {
    let days = [text("cbc:StartDate", start).some(), text("cbc:EndDate", last).some()];
    group("cac:InvoicePeriod", days)
}

fn amount<'a>(name: &'static str, of: Decimal, currency: Currency) -> Element<'a> {
    text(name, of).with("currencyID", currency)
}

fn quantity<'a>(name: &'static str, of: Decimal) -> Element<'a> {
    text(name, of.normalize()).with("unitCode", UNIT)
}
