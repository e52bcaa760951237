use super::line_item::{LineItem, LineItemContent, MAX_LINE_ITEMS};
use super::{Contract, ContractRefusal, ContractStatus, ContractVersion, StatedDetails, dates};
use crate::domain::billing::customer::Customer;
use crate::domain::ids::{ContractId, CustomerId, LineItemId};
use crate::domain::money::Currency;
use crate::domain::time::{Date, Timestamp};

/// What `POST /contracts` asks for; also the intent that a repeated key is compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewContract {
    pub customer: CustomerId,
    pub currency: Currency,
    pub start_date: Date,
    pub end_date: Option<Date>,
    /// What is agreed on; absent and empty are the same.
    pub line_items: Vec<LineItemContent>,
    /// Stated details; what is not stated comes from the customer.
    pub details: StatedDetails,
}

impl NewContract {
    /// Checks what depends on neither time nor state, and so comes before the look at the
    /// idempotency key.
    pub fn check_shape(&self) -> Result<(), ContractRefusal> {
        if self.line_items.len() > MAX_LINE_ITEMS {
            return Err(ContractRefusal::TooManyLineItems);
        }
        self.details.check()
    }
}

/// Makes version 1, a draft without a number. `customer` is the one that the request names;
/// `fresh` draws line item ids.
pub fn create(
    new: &NewContract,
    id: ContractId,
    fresh: &mut impl FnMut() -> LineItemId,
    customer: &Customer,
    now: Timestamp,
) -> Result<Contract, ContractRefusal> {
    if customer.id != new.customer {
        return Err(ContractRefusal::UnknownCustomer);
    }
    new.check_shape()?;
    let today = now.date();
    dates::check_start(new.start_date, today)?;
    dates::check_order(new.start_date, new.end_date)?;
    if let Some(end) = new.end_date {
        dates::check_end(end, today)?;
    }
    let identified = |content: &LineItemContent| LineItem { id: fresh(), content: content.clone() };
    Ok(Contract {
        id,
        seller: customer.seller,
        order: None,
        customer: customer.id,
        currency: new.currency,
        created_at: now,
        current: ContractVersion {
            version: 1,
            created_at: now,
            status: ContractStatus::Draft,
            start_date: new.start_date,
            end_date: new.end_date,
            details: new.details.over(&customer.into()),
            line_items: new.line_items.iter().map(identified).collect(),
        },
    })
}

/// Makes the contract that an ad-hoc invoice needs when its customer has none in its currency:
/// active from today, open-ended, without line items.
pub fn create_for_ad_hoc(
    id: ContractId,
    customer: &Customer,
    currency: Currency,
    now: Timestamp,
) -> Contract {
    Contract {
        id,
        seller: customer.seller,
        order: None,
        customer: customer.id,
        currency,
        created_at: now,
        current: ContractVersion {
            version: 1,
            created_at: now,
            status: ContractStatus::Active,
            start_date: now.date(),
            end_date: None,
            details: customer.into(),
            line_items: Vec::new(),
        },
    }
}
