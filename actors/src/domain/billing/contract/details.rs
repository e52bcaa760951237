//! The counterparty's details as agreed on a contract.

use super::ContractRefusal;
use crate::domain::billing::customer::Customer;

#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Details {
    #[n(0)]
    pub name: Option<String>,
    #[n(1)]
    pub phone: Option<String>,
    #[n(2)]
    pub company_name: Option<String>,
    #[n(3)]
    pub company_country: Option<String>,
}

/// What a request states of the details. Absent says nothing; an empty or blank text says that
/// there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedDetails {
    /// `customerName`, at most 128 characters.
    pub name: Option<String>,
    /// `customerPhone`, at most 32 characters.
    pub phone: Option<String>,
    /// `customerCompanyName`, at most 255 characters.
    pub company_name: Option<String>,
    /// `customerCompanyCountry`, at most 56 characters.
    pub company_country: Option<String>,
}

impl StatedDetails {
    pub(super) fn check(&self) -> Result<(), ContractRefusal> {
        for (field, value, max) in [
            ("customerName", &self.name, 128),
            ("customerPhone", &self.phone, 32),
            ("customerCompanyName", &self.company_name, 255),
            ("customerCompanyCountry", &self.company_country, 56),
        ] {
            if value.as_ref().is_some_and(|text| text.chars().count() > max) {
                return Err(ContractRefusal::DetailTooLong { field, max });
            }
        }
        Ok(())
    }

    /// What is stated in place of `before`, and `before` where nothing is.
    pub(super) fn over(&self, before: &Details) -> Details {
        Details {
            name: replaced(&self.name, &before.name),
            phone: replaced(&self.phone, &before.phone),
            company_name: replaced(&self.company_name, &before.company_name),
            company_country: replaced(&self.company_country, &before.company_country),
        }
    }

    /// The first field whose stated value is not that of `stored`.
    pub(super) fn difference(&self, stored: &Details) -> Option<&'static str> {
        let differs = |stated: &Option<String>, stored: &Option<String>| {
            let stored = said(stored.as_deref().unwrap_or_default());
            stated.as_deref().is_some_and(|text| said(text) != stored)
        };
        [
            ("customerName", differs(&self.name, &stored.name)),
            ("customerPhone", differs(&self.phone, &stored.phone)),
            ("customerCompanyName", differs(&self.company_name, &stored.company_name)),
            ("customerCompanyCountry", differs(&self.company_country, &stored.company_country)),
        ]
        .into_iter()
        .find_map(|(field, differs)| differs.then_some(field))
    }
}

impl From<&Customer> for Details {
    fn from(customer: &Customer) -> Self {
        Self {
            name: customer.name.clone(),
            phone: customer.phone.clone(),
            company_name: customer.company_name.clone(),
            company_country: customer.company_country.clone(),
        }
    }
}

fn replaced(stated: &Option<String>, before: &Option<String>) -> Option<String> {
    match stated {
        None => before.clone(),
        Some(text) => Some(text.clone()).filter(|text| !said(text).is_empty()),
    }
}

/// A blank text counts as an empty one.
fn said(text: &str) -> &str {
    if text.trim().is_empty() { "" } else { text }
}
