use crate::domain::country::Country;
use crate::domain::email::Email;
use crate::domain::platform::seller::{Address, Seller};

/// Who issues a document, as of the day of issue: what a seller changes later does not change the
/// documents that are out.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SellerParty {
    #[n(0)]
    pub name: String,
    #[n(1)]
    pub email: Email,
    #[n(2)]
    pub phone: Option<String>,
    #[n(3)]
    pub country: Option<Country>,
    #[n(4)]
    pub tax_id: Option<String>,
    #[n(5)]
    pub address: Address,
}

impl From<&Seller> for SellerParty {
    fn from(seller: &Seller) -> Self {
        Self {
            name: seller.name.clone(),
            email: seller.email.clone(),
            phone: seller.phone.clone(),
            country: seller.country,
            tax_id: seller.tax_id.clone(),
            address: seller.address.clone(),
        }
    }
}
