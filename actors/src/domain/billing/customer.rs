//! Customers of a seller: found or created by e-mail, filled in where something is missing.

mod merge;
mod refusal;
mod request;
mod search_words;

use storage::CborRecord;

pub use merge::{CustomerChange, merge};
pub use refusal::CustomerRefusal;
pub use request::{CustomerFields, CustomerRequest};
pub use search_words::folded;

use crate::domain::billing::tax::{eu_country, is_vat_id_of};
use crate::domain::email::Email;
use crate::domain::ids::{CustomerId, SellerId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    CustomerType;
    0 Individual = "individual",
    1 Company = "company",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Customer {
    #[n(0)]
    pub id: CustomerId,
    #[n(1)]
    pub seller: SellerId,
    /// The address as first given; compared in lower case.
    #[n(2)]
    pub email: Email,
    /// The seller's own reference, held by one customer only.
    #[n(3)]
    pub customer_ref: Option<String>,
    #[n(4)]
    pub name: Option<String>,
    #[n(5)]
    pub phone: Option<String>,
    #[n(6)]
    pub company_name: Option<String>,
    #[n(7)]
    pub company_country: Option<String>,
    #[n(8)]
    pub currency: Option<Currency>,
    #[n(9)]
    pub customer_type: Option<CustomerType>,
    #[n(10)]
    pub created_at: Timestamp,
    /// A VAT id, where tax goes by those.
    #[n(11)]
    pub tax_id: Option<String>,
}

impl CborRecord for Customer {}

impl Customer {
    /// Where tax goes by VAT ids: that its own is one of its country, if that has any.
    pub fn check_tax_id(&self) -> Result<(), CustomerRefusal> {
        let country = self.company_country.as_deref().and_then(eu_country);
        match (&self.tax_id, country) {
            (Some(id), Some(country)) if !is_vat_id_of(country, id) => {
                Err(CustomerRefusal::NoVatId(country))
            }
            _ => Ok(()),
        }
    }
}
