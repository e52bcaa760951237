//! Customers of a seller: found or created by e-mail, filled in where something is missing
//! (billing 2.3, 4.2; decisions 3 and 11).

mod merge;
mod refusal;
mod request;

use storage::CborRecord;

pub use merge::{CustomerChange, merge};
pub use refusal::CustomerRefusal;
pub use request::{CustomerFields, CustomerRequest};

use crate::domain::email::Email;
use crate::domain::ids::{CustomerId, SellerId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    /// Whether a person or a firm pays.
    CustomerType;
    /// A person.
    0 Individual = "individual",
    /// A firm.
    1 Company = "company",
}

/// Who pays the seller.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Customer {
    /// `sellerCustomerId`.
    #[n(0)]
    pub id: CustomerId,
    /// Whose customer it is.
    #[n(1)]
    pub seller: SellerId,
    /// The address as first given; compared in lower case.
    #[n(2)]
    pub email: Email,
    /// The seller's own reference, held by one customer only.
    #[n(3)]
    pub customer_ref: Option<String>,
    /// The person.
    #[n(4)]
    pub name: Option<String>,
    /// A telephone number, as given.
    #[n(5)]
    pub phone: Option<String>,
    /// The firm.
    #[n(6)]
    pub company_name: Option<String>,
    /// The firm's country, as given.
    #[n(7)]
    pub company_country: Option<String>,
    /// The currency the customer is billed in by default.
    #[n(8)]
    pub currency: Option<Currency>,
    /// Person or firm.
    #[n(9)]
    pub customer_type: Option<CustomerType>,
    /// When the customer was made.
    #[n(10)]
    pub created_at: Timestamp,
}

impl CborRecord for Customer {}
