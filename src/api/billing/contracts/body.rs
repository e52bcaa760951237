//! What requests say of a contract.

use actors::domain::billing::contract::{
    AmendedLineItem, Amendment, ComponentType, ContractRefusal, ContractStatus, LineItemContent,
    NewContract, StatedDetails,
};
use actors::domain::ids::{CustomerId, LineItemId};
use actors::domain::money::Currency;
use actors::domain::time::Date;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::api::wire::{accepted_currencies, stated};

/// A component of a contract.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineItemBody {
    /// Of an amendment: the item of the current version that this is, whatever else changes.
    line_item_id: Option<LineItemId>,
    #[schema(value_type = ComponentType)]
    component_type: String,
    /// A decimal, not negative: up to 18 digits before and 9 after the point.
    #[schema(pattern = "^[0-9]{1,18}([.][0-9]{1,9})?$")]
    quantity: String,
    /// At most 16 KiB. `one_time`, `adjustment`, `project` and `milestone` need an integer
    /// `amountMinor`, and may state `description`, `taxRate`, `taxCategory` and `taxKind`; the
    /// latter two also `status`, `pending` or `completed`. Other types store what they are given.
    /// Numbers come back digit for digit; controls of direction and characters without a width are
    /// left out of texts and names, and other control characters than line ends and tabs are
    /// refused.
    #[schema(value_type = Option<Object>)]
    component_config: Option<Box<RawValue>>,
}

/// A contract to be made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewContractBody {
    /// One of the seller's own customers.
    seller_customer_id: CustomerId,
    #[schema(schema_with = accepted_currencies)]
    currency: String,
    /// From the same day one year ago to the same day ten years ahead.
    start_date: Date,
    /// Not before `startDate`, at most ten years ahead.
    end_date: Option<Date>,
    #[schema(max_items = 100)]
    line_items: Option<Vec<LineItemBody>>,
    /// The customer's own unless it is stated; so are the other details.
    #[schema(max_length = 128)]
    customer_name: Option<String>,
    #[schema(max_length = 32)]
    customer_phone: Option<String>,
    #[schema(max_length = 255)]
    customer_company_name: Option<String>,
    #[schema(max_length = 56)]
    customer_company_country: Option<String>,
}

/// The next version of a contract. What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AmendmentBody {
    /// The version that the caller has seen.
    #[schema(minimum = 1)]
    expected_base_version: u64,
    #[schema(value_type = Option<ContractStatus>)]
    status: Option<String>,
    start_date: Option<Date>,
    /// An end that was stated cannot be cleared again.
    #[serde(default, deserialize_with = "stated")]
    end_date: Option<Option<Date>>,
    /// The full set from now on; `[]` clears it.
    #[schema(max_items = 100)]
    line_items: Option<Vec<LineItemBody>>,
    /// An empty or blank text clears a detail.
    #[schema(max_length = 128)]
    customer_name: Option<String>,
    #[schema(max_length = 32)]
    customer_phone: Option<String>,
    #[schema(max_length = 255)]
    customer_company_name: Option<String>,
    #[schema(max_length = 56)]
    customer_company_country: Option<String>,
}

impl NewContractBody {
    /// The command, and its shape judged: all that depends on neither time nor state.
    pub(super) fn parse(self) -> Result<NewContract, ContractRefusal> {
        let items = self.line_items.unwrap_or_default();
        let new = NewContract {
            customer: self.seller_customer_id,
            currency: Currency::parse_accepted(&self.currency).ok_or(ContractRefusal::Currency)?,
            start_date: self.start_date,
            end_date: self.end_date,
            line_items: items.iter().enumerate().map(content).collect::<Result<_, _>>()?,
            details: StatedDetails {
                name: self.customer_name,
                phone: self.customer_phone,
                company_name: self.customer_company_name,
                company_country: self.customer_company_country,
            },
        };
        new.check_shape()?;
        Ok(new)
    }
}

impl AmendmentBody {
    pub(super) fn parse(self) -> Result<Amendment, ContractRefusal> {
        let status = |name: &str| ContractStatus::parse(name).ok_or(ContractRefusal::UnknownStatus);
        let item = |(index, item): (usize, &LineItemBody)| {
            let content = content((index, item))?;
            Ok(AmendedLineItem { id: item.line_item_id, content })
        };
        let items = |items: Vec<LineItemBody>| items.iter().enumerate().map(item).collect();
        Ok(Amendment {
            expected_base_version: self.expected_base_version,
            status: self.status.as_deref().map(status).transpose()?,
            start_date: self.start_date,
            end_date: self.end_date,
            line_items: self.line_items.map(items).transpose()?,
            details: StatedDetails {
                name: self.customer_name,
                phone: self.customer_phone,
                company_name: self.customer_company_name,
                company_country: self.customer_company_country,
            },
        })
    }
}

fn content((index, item): (usize, &LineItemBody)) -> Result<LineItemContent, ContractRefusal> {
    let LineItemBody { component_type, quantity, component_config, .. } = item;
    LineItemContent::parse(Some(component_type), Some(quantity), component_config.as_deref())
        .map_err(|error| error.at(index))
}
