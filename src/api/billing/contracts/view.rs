use actors::domain::billing::contract::{
    ComponentConfig, ComponentType, Contract, ContractStatus, ContractVersion, LineItem,
};
use actors::domain::money::Currency;
use actors::domain::quantity::Quantity;
use actors::domain::time::{Date, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};

/// A component of a contract.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineItemView {
    /// Stays with the item through amendments.
    line_item_id: u64,
    component_type: ComponentType,
    quantity: Quantity,
    #[serde(serialize_with = "config")]
    #[schema(value_type = Object)]
    component_config: ComponentConfig,
}

/// What a version says.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ContractTerms {
    version: u64,
    seller_customer_id: u64,
    currency: Currency,
    status: ContractStatus,
    start_date: Date,
    /// The last day; absent on an open-ended contract.
    end_date: Option<Date>,
    customer_name: Option<String>,
    customer_phone: Option<String>,
    customer_company_name: Option<String>,
    customer_company_country: Option<String>,
    /// Of a contract, when its first version was made; of a version, when that was made.
    created_at: Timestamp,
    /// Absent in the list of contracts.
    line_items: Option<Vec<LineItemView>>,
}

/// A contract, or a version of it, as it is read.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractView {
    contract_id: u64,
    /// Empty on a contract without a number.
    contract_number: String,
    #[serde(flatten)]
    terms: ContractTerms,
}

/// A contract as making and amending it answer.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractMade {
    id: u64,
    /// Absent on a contract without a number.
    contract_number: Option<String>,
    #[serde(flatten)]
    terms: ContractTerms,
}

pub type ContractList = List<ContractView>;

impl Listed for ContractView {
    const LIST: &'static str = "ContractList";
    const ITEMS: &'static str = "contracts";
    const CURSOR: Option<&'static str> = Some("nextAfterId");
}

/// A contract is listed by its versions; the cursor is the number of one.
pub struct Versions;

pub type VersionList = List<ContractView, Versions>;

impl Listed for Versions {
    const LIST: &'static str = "VersionList";
    const ITEMS: &'static str = "versions";
}

impl ContractView {
    /// `contract` without its line items, as it is listed.
    pub(super) fn brief(contract: Contract) -> Self {
        let mut view = Self::from(contract);
        view.terms.line_items = None;
        view
    }

    pub(super) fn version(contract: &Contract, version: ContractVersion) -> Self {
        let (customer, currency) = (contract.customer.0, contract.currency);
        Self {
            contract_id: contract.id.0,
            contract_number: contract.contract_number().unwrap_or_default(),
            terms: ContractTerms::new(customer, currency, version.created_at, version),
        }
    }
}

impl ContractTerms {
    fn new(
        seller_customer_id: u64,
        currency: Currency,
        created_at: Timestamp,
        version: ContractVersion,
    ) -> Self {
        let ContractVersion { version, status, start_date, end_date, details, line_items, .. } =
            version;
        Self {
            version,
            seller_customer_id,
            currency,
            status,
            start_date,
            end_date,
            customer_name: details.name,
            customer_phone: details.phone,
            customer_company_name: details.company_name,
            customer_company_country: details.company_country,
            created_at,
            line_items: Some(line_items.into_iter().map(LineItemView::from).collect()),
        }
    }

    fn of(contract: Contract) -> Self {
        Self::new(contract.customer.0, contract.currency, contract.created_at, contract.current)
    }
}

impl From<Contract> for ContractView {
    fn from(contract: Contract) -> Self {
        Self {
            contract_id: contract.id.0,
            contract_number: contract.contract_number().unwrap_or_default(),
            terms: ContractTerms::of(contract),
        }
    }
}

impl From<Contract> for ContractMade {
    fn from(contract: Contract) -> Self {
        Self {
            id: contract.id.0,
            contract_number: contract.contract_number(),
            terms: ContractTerms::of(contract),
        }
    }
}

impl From<LineItem> for LineItemView {
    fn from(item: LineItem) -> Self {
        Self {
            line_item_id: item.id.0,
            component_type: item.content.component_type,
            quantity: item.content.quantity,
            component_config: item.content.component_config,
        }
    }
}

/// The configuration is kept as JSON and goes out as it is.
fn config<S: Serializer>(config: &ComponentConfig, to: S) -> Result<S::Ok, S::Error> {
    let raw: &RawValue =
        serde_json::from_str(config.as_str()).map_err(serde::ser::Error::custom)?;
    raw.serialize(to)
}
