//! What a request says of a customer (billing 4.2, 8).

use super::{CustomerRefusal, CustomerType};
use crate::domain::email::Email;
use crate::domain::money::Currency;

/// The texts of a request, before they are looked at. An empty text says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct CustomerFields<'a> {
    /// `email`, required.
    pub email: Option<&'a str>,
    /// `customerRef`, at most 128 characters.
    pub customer_ref: Option<&'a str>,
    /// `name`, at most 64 characters.
    pub name: Option<&'a str>,
    /// `phone`, at most 32 characters.
    pub phone: Option<&'a str>,
    /// `companyName`, at most 255 characters.
    pub company_name: Option<&'a str>,
    /// `companyCountry`, at most 56 characters.
    pub company_country: Option<&'a str>,
    /// `currency`, one of the accepted ones.
    pub currency: Option<&'a str>,
    /// `customerType`.
    pub customer_type: Option<&'a str>,
}

/// What a request says of a customer, all of it valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerRequest {
    /// By which the customer is found.
    pub email: Email,
    /// The seller's own reference.
    pub customer_ref: Option<String>,
    /// The person.
    pub name: Option<String>,
    /// A telephone number.
    pub phone: Option<String>,
    /// The firm.
    pub company_name: Option<String>,
    /// The firm's country.
    pub company_country: Option<String>,
    /// The default billing currency.
    pub currency: Option<Currency>,
    /// Person or firm.
    pub customer_type: Option<CustomerType>,
}

impl CustomerRequest {
    /// Looks at the texts of a request.
    ///
    /// # Errors
    /// The first field at fault.
    pub fn parse(fields: &CustomerFields<'_>) -> Result<Self, CustomerRefusal> {
        let email = given(fields.email).ok_or(CustomerRefusal::EmailMissing)?;
        Ok(Self {
            email: Email::parse(email).ok_or(CustomerRefusal::EmailMalformed)?,
            customer_ref: text("customerRef", fields.customer_ref, 128)?,
            name: text("name", fields.name, 64)?,
            phone: text("phone", fields.phone, 32)?,
            company_name: text("companyName", fields.company_name, 255)?,
            company_country: text("companyCountry", fields.company_country, 56)?,
            currency: given(fields.currency)
                .map(|code| Currency::parse_accepted(code).ok_or(CustomerRefusal::Currency))
                .transpose()?,
            customer_type: given(fields.customer_type)
                .map(|name| CustomerType::parse(name).ok_or(CustomerRefusal::UnknownType))
                .transpose()?,
        })
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn text(
    field: &'static str,
    value: Option<&str>,
    max: usize,
) -> Result<Option<String>, CustomerRefusal> {
    let value = given(value);
    if value.is_some_and(|text| text.chars().count() > max) {
        return Err(CustomerRefusal::TooLong { field, max });
    }
    Ok(value.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_checked() {
        let long = "ä".repeat(300);
        let cut = |count: usize| &long[..count * 2];
        let plain = CustomerFields { email: Some("a@b.de"), ..CustomerFields::default() };
        let too_long = |field, max| CustomerRefusal::TooLong { field, max };
        for (fields, refusal) in [
            (CustomerFields { email: None, ..plain }, CustomerRefusal::EmailMissing),
            (CustomerFields { email: Some(""), ..plain }, CustomerRefusal::EmailMissing),
            (
                CustomerFields { email: Some("A <a@b.de>"), ..plain },
                CustomerRefusal::EmailMalformed,
            ),
            (
                CustomerFields { customer_ref: Some(cut(129)), ..plain },
                too_long("customerRef", 128),
            ),
            (CustomerFields { name: Some(cut(65)), ..plain }, too_long("name", 64)),
            (CustomerFields { phone: Some(cut(33)), ..plain }, too_long("phone", 32)),
            (
                CustomerFields { company_name: Some(cut(256)), ..plain },
                too_long("companyName", 255),
            ),
            (
                CustomerFields { company_country: Some(cut(57)), ..plain },
                too_long("companyCountry", 56),
            ),
            (CustomerFields { currency: Some("CHF"), ..plain }, CustomerRefusal::Currency),
            (CustomerFields { currency: Some("eur"), ..plain }, CustomerRefusal::Currency),
            (CustomerFields { customer_type: Some("firm"), ..plain }, CustomerRefusal::UnknownType),
        ] {
            assert_eq!(CustomerRequest::parse(&fields), Err(refusal));
        }
        let full = CustomerFields {
            customer_ref: Some(cut(128)),
            name: Some(cut(64)),
            phone: Some(cut(32)),
            company_name: Some(cut(255)),
            company_country: Some(cut(56)),
            currency: Some("SEK"),
            customer_type: Some("company"),
            ..plain
        };
        assert!(CustomerRequest::parse(&full).is_ok());
    }
}
