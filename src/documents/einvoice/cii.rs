//! UN/CEFACT Cross Industry Invoice, whose order of elements its schema prescribes.

use actors::domain::time::Date;
use rust_decimal::Decimal;

use super::line::Line;
use super::party::Party;
use super::xml::{Element, group, list, text};
use super::{EInvoice, GUIDELINE, Tax};

const ROOT: &str = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100";
const AGGREGATES: &str =
    "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100";
const UNQUALIFIED: &str = "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100";
const QUALIFIED: &str = "urn:un:unece:uncefact:data:standard:QualifiedDataType:100";

/// One, in UN/ECE Recommendation 20.
const UNIT: &str = "C62";
/// An online payment service, in UNTDID 4461.
const ONLINE: &str = "68";

pub(super) fn root(of: &EInvoice) -> Element<'_> {
    let guideline =
        group("ram:GuidelineSpecifiedDocumentContextParameter", [text("ram:ID", GUIDELINE).some()]);
    let root = group(
        "rsm:CrossIndustryInvoice",
        [
            group("rsm:ExchangedDocumentContext", [guideline.some()]).some(),
            head(of).some(),
            transaction(of).some(),
        ],
    );
    root.with("xmlns:rsm", ROOT)
        .with("xmlns:ram", AGGREGATES)
        .with("xmlns:qdt", QUALIFIED)
        .with("xmlns:udt", UNQUALIFIED)
}

fn head<'a>(of: &EInvoice) -> Element<'a> {
    let note = |note: &String| group("ram:IncludedNote", [text("ram:Content", note).some()]);
    group(
        "rsm:ExchangedDocument",
        [
            text("ram:ID", &of.number).some(),
            text("ram:TypeCode", of.kind.code()).some(),
            date("ram:IssueDateTime", of.issued).some(),
            of.note.as_ref().map(note),
        ],
    )
}

fn transaction(of: &EInvoice) -> Element<'_> {
    let rest = [agreement(of), delivery(of), settlement(of)];
    list("rsm:SupplyChainTradeTransaction", of.lines.iter().map(line).chain(rest))
}

fn line<'a>(of: &Line) -> Element<'a> {
    let id = group("ram:AssociatedDocumentLineDocument", [text("ram:LineID", of.id).some()]);
    let name = text("ram:Name", &of.name);
    let basis = of.price_of.map(|of| quantity("ram:BasisQuantity", of));
    let price = [text("ram:ChargeAmount", of.price).some(), basis];
    let price = group("ram:NetPriceProductTradePrice", price);
    let billed = quantity("ram:BilledQuantity", of.quantity);
    group(
        "ram:IncludedSupplyChainTradeLineItem",
        [
            id.some(),
            group("ram:SpecifiedTradeProduct", [name.some()]).some(),
            group("ram:SpecifiedLineTradeAgreement", [price.some()]).some(),
            group("ram:SpecifiedLineTradeDelivery", [billed.some()]).some(),
            line_settlement(of).some(),
        ],
    )
}

fn line_settlement<'a>(of: &Line) -> Element<'a> {
    let tax = group(
        "ram:ApplicableTradeTax",
        [
            text("ram:TypeCode", "VAT").some(),
            text("ram:CategoryCode", of.category.name()).some(),
            of.rate.map(|rate| text("ram:RateApplicablePercent", rate)),
        ],
    );
    let discount = of.discount.as_ref().map(|of| {
        let indicator = group("ram:ChargeIndicator", [text("udt:Indicator", of.adds).some()]);
        let amount = text("ram:ActualAmount", of.amount);
        let reason = text("ram:Reason", of.reason());
        let parts = [indicator.some(), amount.some(), reason.some()];
        group("ram:SpecifiedTradeAllowanceCharge", parts)
    });
    let total = text("ram:LineTotalAmount", of.net);
    let total = group("ram:SpecifiedTradeSettlementLineMonetarySummation", [total.some()]);
    group(
        "ram:SpecifiedLineTradeSettlement",
        [tax.some(), of.period.map(period), discount, total.some()],
    )
}

fn agreement<'a>(of: &EInvoice) -> Element<'a> {
    let contract =
        of.contract.as_ref().map(|number| reference("ram:ContractReferencedDocument", number));
    group(
        "ram:ApplicableHeaderTradeAgreement",
        [
            party("ram:SellerTradeParty", &of.seller).some(),
            party("ram:BuyerTradeParty", &of.buyer).some(),
            contract,
        ],
    )
}

fn party<'a>(name: &'static str, of: &Party) -> Element<'a> {
    let registered = of
        .registration
        .as_ref()
        .map(|number| group("ram:SpecifiedLegalOrganization", [text("ram:ID", number).some()]));
    let phone = of.phone.as_ref().map(|phone| {
        let number = text("ram:CompleteNumber", phone);
        group("ram:TelephoneUniversalCommunication", [number.some()])
    });
    let mail = text("ram:URIID", &of.email);
    let mail = group("ram:EmailURIUniversalCommunication", [mail.some()]);
    let contact = group("ram:DefinedTradeContact", [phone, mail.some()]);
    let endpoint = text("ram:URIID", &of.email).with("schemeID", "EM");
    let endpoint = group("ram:URIUniversalCommunication", [endpoint.some()]);
    group(
        name,
        [
            of.identifier.as_ref().map(|id| text("ram:ID", id)),
            text("ram:Name", &of.name).some(),
            registered,
            contact.some(),
            address(of).some(),
            endpoint.some(),
            of.vat_id.as_ref().map(|id| registration("VA", id)),
            of.tax_number.as_ref().map(|id| registration("FC", id)),
        ],
    )
}

fn address<'a>(of: &Party) -> Element<'a> {
    let [first, second] = &of.lines;
    group(
        "ram:PostalTradeAddress",
        [
            of.postal_code.as_ref().map(|code| text("ram:PostcodeCode", code)),
            first.as_ref().map(|line| text("ram:LineOne", line)),
            second.as_ref().map(|line| text("ram:LineTwo", line)),
            of.city.as_ref().map(|city| text("ram:CityName", city)),
            text("ram:CountryID", of.country).some(),
        ],
    )
}

fn registration<'a>(scheme: &str, id: &str) -> Element<'a> {
    let id = text("ram:ID", id).with("schemeID", scheme);
    group("ram:SpecifiedTaxRegistration", [id.some()])
}

fn delivery<'a>(of: &EInvoice) -> Element<'a> {
    let place = of.delivered_to.map(|country| {
        let address = group("ram:PostalTradeAddress", [text("ram:CountryID", country).some()]);
        group("ram:ShipToTradeParty", [address.some()])
    });
    let event = of.delivered.map(|on| {
        let on = date("ram:OccurrenceDateTime", on);
        group("ram:ActualDeliverySupplyChainEvent", [on.some()])
    });
    group("ram:ApplicableHeaderTradeDelivery", [place, event])
}

fn settlement(of: &EInvoice) -> Element<'_> {
    let means = of.pays_online.then(|| {
        let code = text("ram:TypeCode", ONLINE);
        group("ram:SpecifiedTradeSettlementPaymentMeans", [code.some()])
    });
    let head = [
        text("ram:PaymentReference", &of.number).some(),
        text("ram:InvoiceCurrencyCode", of.currency).some(),
        means,
    ];
    let terms = [
        text("ram:Description", &of.terms).some(),
        of.due.map(|due| date("ram:DueDateDateTime", due)),
    ];
    let corrects = of.corrects.as_ref();
    let rest = [
        of.period.map(period),
        group("ram:SpecifiedTradePaymentTerms", terms).some(),
        summation(of).some(),
        corrects.map(|number| reference("ram:InvoiceReferencedDocument", number)),
    ];
    let all = head.into_iter().flatten().chain(of.taxes.iter().map(tax));
    list("ram:ApplicableHeaderTradeSettlement", all.chain(rest.into_iter().flatten()))
}

fn tax<'a>(of: &Tax) -> Element<'a> {
    group(
        "ram:ApplicableTradeTax",
        [
            text("ram:CalculatedAmount", of.tax).some(),
            text("ram:TypeCode", "VAT").some(),
            of.reason.map(|reason| text("ram:ExemptionReason", reason)),
            text("ram:BasisAmount", of.taxable).some(),
            text("ram:CategoryCode", of.category.name()).some(),
            of.rate.map(|rate| text("ram:RateApplicablePercent", rate)),
        ],
    )
}

fn summation<'a>(of: &EInvoice) -> Element<'a> {
    group(
        "ram:SpecifiedTradeSettlementHeaderMonetarySummation",
        [
            text("ram:LineTotalAmount", of.net).some(),
            text("ram:TaxBasisTotalAmount", of.net).some(),
            text("ram:TaxTotalAmount", of.tax).with("currencyID", of.currency).some(),
            text("ram:GrandTotalAmount", of.total).some(),
            text("ram:TotalPrepaidAmount", of.prepaid).some(),
            text("ram:DuePayableAmount", of.due_amount).some(),
        ],
    )
}

fn reference<'a>(name: &'static str, number: &str) -> Element<'a> {
    group(name, [text("ram:IssuerAssignedID", number).some()])
}

fn period<'a>((start, last): (Date, Date)) -> Element<'a> {
    let days = [date("ram:StartDateTime", start).some(), date("ram:EndDateTime", last).some()];
    group("ram:BillingSpecifiedPeriod", days)
}

fn date<'a>(name: &'static str, of: Date) -> Element<'a> {
    let (year, month, day) = of.parts();
    let day = format!("{year:04}{month:02}{day:02}");
    group(name, [text("udt:DateTimeString", day).with("format", "102").some()])
}

fn quantity<'a>(name: &'static str, of: Decimal) -> Element<'a> {
    text(name, of.normalize()).with("unitCode", UNIT)
}
