//! What a request says of a customer.

use serde::Deserialize;

use super::{CustomerRefusal, CustomerType};
use crate::domain::email::Email;
use crate::domain::money::Currency;

/// A customer to be found or created. What is stored already is never overwritten; an empty or
/// blank text says nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = CustomerBody))]
pub struct CustomerFields {
    /// A plain address, without a display name; compared in lower case.
    #[cfg_attr(feature = "schema", schema(format = Email, max_length = 254))]
    pub email: String,
    /// The seller's own reference, held by one customer only.
    #[cfg_attr(feature = "schema", schema(max_length = 128))]
    pub customer_ref: Option<String>,
    #[cfg_attr(feature = "schema", schema(max_length = 64))]
    pub name: Option<String>,
    #[cfg_attr(feature = "schema", schema(max_length = 32))]
    pub phone: Option<String>,
    #[cfg_attr(feature = "schema", schema(max_length = 255))]
    pub company_name: Option<String>,
    #[cfg_attr(feature = "schema", schema(max_length = 56))]
    pub company_country: Option<String>,
    /// Documents name it; with automatic tax it has to be a VAT id of the customer's country.
    #[cfg_attr(feature = "schema", schema(max_length = 64))]
    pub tax_id: Option<String>,
    /// The default billing currency: `EUR`, `USD`, `GBP`, `DKK`, `NOK` or `SEK`.
    pub currency: Option<String>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<CustomerType>))]
    pub customer_type: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerRequest {
    pub email: Email,
    pub customer_ref: Option<String>,
    pub name: Option<String>,
    pub phone: Option<String>,
    pub company_name: Option<String>,
    pub company_country: Option<String>,
    pub tax_id: Option<String>,
    pub currency: Option<Currency>,
    pub customer_type: Option<CustomerType>,
}

impl CustomerFields {
    pub fn parse(self) -> Result<CustomerRequest, CustomerRefusal> {
        if self.email.is_empty() {
            return Err(CustomerRefusal::EmailMissing);
        }
        Ok(CustomerRequest {
            email: Email::parse(&self.email).ok_or(CustomerRefusal::EmailMalformed)?,
            customer_ref: text("customerRef", self.customer_ref, 128)?,
            name: text("name", self.name, 64)?,
            phone: text("phone", self.phone, 32)?,
            company_name: text("companyName", self.company_name, 255)?,
            company_country: text("companyCountry", self.company_country, 56)?,
            tax_id: text("taxId", self.tax_id, 64)?,
            currency: given(self.currency)
                .map(|code| Currency::parse_accepted(&code).ok_or(CustomerRefusal::Currency))
                .transpose()?,
            customer_type: given(self.customer_type)
                .map(|name| CustomerType::parse(&name).ok_or(CustomerRefusal::UnknownType))
                .transpose()?,
        })
    }
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn text(
    field: &'static str,
    value: Option<String>,
    max: usize,
) -> Result<Option<String>, CustomerRefusal> {
    match given(value) {
        Some(text) if text.chars().count() > max => Err(CustomerRefusal::TooLong { field, max }),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_checked() {
        let long = "ä".repeat(300);
        let cut = |count: usize| Some(long[..count * 2].to_owned());
        let said = |text: &str| Some(text.to_owned());
        let plain = || CustomerFields { email: "a@b.de".to_owned(), ..CustomerFields::default() };
        let too_long = |field, max| CustomerRefusal::TooLong { field, max };
        for (fields, refusal) in [
            (CustomerFields { email: String::new(), ..plain() }, CustomerRefusal::EmailMissing),
            (
                CustomerFields { email: "A <a@b.de>".to_owned(), ..plain() },
                CustomerRefusal::EmailMalformed,
            ),
            (CustomerFields { customer_ref: cut(129), ..plain() }, too_long("customerRef", 128)),
            (CustomerFields { name: cut(65), ..plain() }, too_long("name", 64)),
            (CustomerFields { phone: cut(33), ..plain() }, too_long("phone", 32)),
            (CustomerFields { company_name: cut(256), ..plain() }, too_long("companyName", 255)),
            (
                CustomerFields { company_country: cut(57), ..plain() },
                too_long("companyCountry", 56),
            ),
            (CustomerFields { currency: said("CHF"), ..plain() }, CustomerRefusal::Currency),
            (CustomerFields { currency: said("eur"), ..plain() }, CustomerRefusal::Currency),
            (
                CustomerFields { customer_type: said("firm"), ..plain() },
                CustomerRefusal::UnknownType,
            ),
        ] {
            assert_eq!(fields.parse(), Err(refusal));
        }
        let full = CustomerFields {
            customer_ref: cut(128),
            name: cut(64),
            phone: cut(32),
            company_name: cut(255),
            company_country: cut(56),
            tax_id: cut(64),
            currency: said("SEK"),
            customer_type: said("company"),
            ..plain()
        };
        assert!(full.parse().is_ok());
    }

    #[test]
    fn a_blank_text_says_nothing() {
        let blank = || Some(" \t".to_owned());
        let fields = CustomerFields {
            email: "a@b.de".to_owned(),
            customer_ref: blank(),
            name: blank(),
            phone: blank(),
            company_name: blank(),
            company_country: blank(),
            tax_id: blank(),
            currency: blank(),
            customer_type: blank(),
        };
        let plain = CustomerFields { email: "a@b.de".to_owned(), ..CustomerFields::default() };
        assert_eq!(fields.parse().expect("valid"), plain.parse().expect("valid"));
    }
}
