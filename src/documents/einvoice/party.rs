//! Seller and buyer, and what they lack.

use actors::domain::billing::invoice::{BillTo, Invoice};
use actors::domain::billing::tax::{TaxCategory, is_in_eu, is_vat_id_of};
use actors::domain::country::Country;

use crate::documents::countries;

#[derive(Debug)]
pub(super) struct Party {
    pub(super) name: String,
    /// What the seller is known by where it has no VAT id: a tax number alone identifies nobody
    /// (EN 16931, BR-CO-26).
    pub(super) identifier: Option<String>,
    pub(super) lines: [Option<String>; 2],
    pub(super) city: Option<String>,
    pub(super) postal_code: Option<String>,
    pub(super) country: Country,
    /// With the prefix of its country.
    pub(super) vat_id: Option<String>,
    /// Of a seller: its number at the tax office, where that is no VAT id.
    pub(super) tax_number: Option<String>,
    /// Of a buyer: its number in a register, where that is no VAT id.
    pub(super) registration: Option<String>,
    pub(super) email: String,
    pub(super) phone: Option<String>,
}

pub(super) fn missing(invoice: &Invoice) -> Vec<&'static str> {
    let (seller, bill_to) = (&invoice.seller, &invoice.bill_to);
    let any = |wanted: &[TaxCategory]| wanted.iter().any(|one| super::has(invoice, *one));
    let abroad = any(&[TaxCategory::IntraCommunity, TaxCategory::Export]);
    let taxed = !any(&[TaxCategory::OutOfScope]);
    let (own, theirs) = (filled(&seller.tax_id), filled(&bill_to.tax_id));
    let lacks_own = taxed && own.is_none() || abroad && own_vat_id(invoice).is_none();
    let lacks_theirs = any(&[TaxCategory::ReverseCharge]) && theirs.is_none()
        || any(&[TaxCategory::IntraCommunity]) && their_vat_id(invoice).is_none();
    let fields = [
        (seller.name.trim().is_empty(), "seller.name"),
        (seller.country.is_none(), "seller.country"),
        (lacks_own, "seller.taxId"),
        (buyer_name(bill_to).is_none(), "billTo.name"),
        (buyer_country(bill_to).is_none(), "billTo.country"),
        (lacks_theirs, "billTo.taxId"),
    ];
    fields.into_iter().filter(|(lacks, _)| *lacks).map(|(_, field)| field).collect()
}

/// Both; none where one of them has no name or country.
pub(super) fn parties(invoice: &Invoice) -> Option<(Party, Party)> {
    Some((seller(invoice)?, buyer(invoice)?))
}

/// The tax id of a party; what is out of the scope of VAT may not name any.
fn tax_id<'a>(invoice: &Invoice, of: &'a Option<String>) -> Option<&'a str> {
    filled(of).filter(|_| !super::has(invoice, TaxCategory::OutOfScope))
}

fn seller(invoice: &Invoice) -> Option<Party> {
    let of = &invoice.seller;
    let tax_id = tax_id(invoice, &of.tax_id);
    let vat_id = own_vat_id(invoice);
    let agreement = invoice.number.map(|number| number.series.agreement.to_string());
    let text = |of: &Option<String>| filled(of).map(str::to_owned);
    Some(Party {
        name: of.name.clone(),
        identifier: agreement.filter(|_| vat_id.is_none()),
        lines: [text(&of.address.line1), text(&of.address.line2)],
        city: text(&of.address.city),
        postal_code: text(&of.address.postal_code),
        country: of.country?,
        tax_number: tax_id.filter(|_| vat_id.is_none()).map(str::to_owned),
        vat_id,
        registration: None,
        email: of.email.as_str().to_owned(),
        phone: text(&of.phone),
    })
}

fn buyer(invoice: &Invoice) -> Option<Party> {
    let of = &invoice.bill_to;
    let text = |of: &Option<String>| filled(of).map(str::to_owned);
    let tax_id = tax_id(invoice, &of.tax_id);
    let vat_id = their_vat_id(invoice);
    Some(Party {
        name: buyer_name(of)?.to_owned(),
        identifier: None,
        lines: [text(&of.address_line1), text(&of.address_line2)],
        city: text(&of.city),
        postal_code: text(&of.postal_code),
        country: buyer_country(of)?,
        tax_number: None,
        registration: tax_id.filter(|_| vat_id.is_none()).map(str::to_owned),
        vat_id,
        email: of.email.as_str().to_owned(),
        phone: text(&of.phone),
    })
}

fn buyer_name(of: &BillTo) -> Option<&str> {
    filled(&of.company_name).or_else(|| filled(&of.name))
}

/// A country that is stated by its code, in capitals or not.
fn buyer_country(of: &BillTo) -> Option<Country> {
    let stated = filled(&of.country).or_else(|| filled(&of.company_country))?;
    countries::stated(stated)
}

fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.trim().is_empty())
}

fn own_vat_id(invoice: &Invoice) -> Option<String> {
    let of = &invoice.seller;
    vat_id(of.country?, tax_id(invoice, &of.tax_id)?)
}

fn their_vat_id(invoice: &Invoice) -> Option<String> {
    let of = &invoice.bill_to;
    vat_id(buyer_country(of)?, tax_id(invoice, &of.tax_id)?)
}

fn prefix_of(country: Country) -> String {
    // Greece has letters of its own here.
    if country.code() == "GR" { "EL".to_owned() } else { country.to_string() }
}

/// A VAT id with the prefix of its country, and without what people write between: of a party's own
/// country, or of a member of the EU in which it is registered too.
fn vat_id(home: Country, text: &str) -> Option<String> {
    let id: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let id = id.to_ascii_uppercase();
    if is_vat_id_of(home, &id) {
        let prefix = prefix_of(home);
        let number = id.strip_prefix(home.code()).or_else(|| id.strip_prefix(&prefix));
        return Some(format!("{prefix}{}", number.unwrap_or(&id)));
    }
    let (prefix, number) = id.split_at_checked(2)?;
    let registered = Country::all().find(|country| prefix_of(*country) == prefix)?;
    let known = match is_in_eu(registered) {
        true => is_vat_id_of(registered, &id),
        false => registered == home && number.bytes().any(|byte| byte.is_ascii_digit()),
    };
    known.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vat_id_begins_with_its_country() {
        for (home, text, id) in [
            ("DE", "DE123456788", Some("DE123456788")),
            ("DE", "de 123 456 788", Some("DE123456788")),
            ("DE", "123456788", Some("DE123456788")),
            ("DE", "DE123456789", None),
            ("DE", "PL 526-000-12-46", Some("PL5260001246")),
            ("DE", "HRB 1234", None),
            ("US", "DE123456788", Some("DE123456788")),
            ("GR", "EL094259216", Some("EL094259216")),
            ("GR", "GR094259216", Some("EL094259216")),
            ("GR", "094259216", Some("EL094259216")),
            ("CH", "CHE-123.456.788 MWST", Some("CHE123456788MWST")),
            ("DE", "CHE-123.456.788", None),
            ("NO", "999999999", None),
            ("DE", "", None),
        ] {
            let home = Country::parse(home).expect("a country");
            assert_eq!(vat_id(home, text).as_deref(), id, "{text}");
        }
    }
}
