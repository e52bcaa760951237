//! Line items: the components of a contract.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::value::RawValue;

use super::refusal::LineProblem;
use crate::domain::billing::tax::{StatedTax, TaxCategory, TaxKind};
use crate::domain::ids::LineItemId;
use crate::domain::json::{self, JsonFault, Members, Name, Numbers};
use crate::domain::money::AMOUNT_LIMIT;
use crate::domain::names::names;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::text;

pub const MAX_LINE_ITEMS: usize = 100;

/// How many bytes a configuration may have, as JSON without spaces: 16 KiB.
const MAX_CONFIG_BYTES: usize = 16 * 1024;

/// How many bytes it may be sent as.
const MAX_SENT_BYTES: usize = 64 * 1024;

/// The most levels of objects and lists within one another in a configuration.
const MAX_CONFIG_LEVELS: usize = 64;

/// References that a configuration must not carry.
const FORBIDDEN_REFS: [&str; 3] = ["milestoneDefinitionRef", "projectRef", "splitRuleRef"];

names! {
    /// What a line item is, and which engine reads it.
    ComponentType;
    0 Recurring = "recurring",
    1 Usage = "usage",
    2 OneTime = "one_time",
    3 Milestone = "milestone",
    4 Project = "project",
    5 Marketplace = "marketplace",
    6 Credit = "credit",
    7 Adjustment = "adjustment",
    8 Hybrid = "hybrid",
}

impl ComponentType {
    /// Whether a billing engine reads an amount from the configuration.
    fn carries_amount(self) -> bool {
        matches!(self, Self::OneTime | Self::Adjustment | Self::Project | Self::Milestone)
    }

    /// Whether the configuration may say that the work is done.
    fn carries_status(self) -> bool {
        matches!(self, Self::Project | Self::Milestone)
    }
}

/// A configuration: a JSON object as text without spaces and with its names in order, so that
/// equal objects are equal texts. Its numbers are as they were written, digit for digit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct ComponentConfig(#[n(0)] String);

impl ComponentConfig {
    fn parse(kind: ComponentType, config: Option<&RawValue>) -> Result<Self, LineProblem> {
        let Some(config) = config.filter(|config| config.get() != "null") else {
            check_engine_fields(kind, &Members::new())?;
            return Ok(Self("{}".to_owned()));
        };
        if !config.get().starts_with('{') {
            return Err(LineProblem::NotAnObject);
        }
        if config.get().len() > MAX_SENT_BYTES {
            return Err(LineProblem::TooLarge);
        }
        let config = &*json::seen(config)?;
        let object = json::members(config)?;
        let carries = |name: &&str| object.contains_key(&Name((*name).into()));
        if let Some(forbidden) = FORBIDDEN_REFS.into_iter().find(carries) {
            return Err(LineProblem::Forbidden(forbidden));
        }
        check_engine_fields(kind, &object)?;
        let text = json::canonical(config, Numbers::AsWritten, MAX_CONFIG_LEVELS)?;
        if text.len() > MAX_CONFIG_BYTES {
            return Err(LineProblem::TooLarge);
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same with another `status`, and all else as it was written.
    pub(super) fn with_status(&self, status: &'static str) -> Self {
        let read = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(&self.0);
        let (Ok(mut members), Ok(status)) = (read, serde_json::value::to_raw_value(status)) else {
            return self.clone();
        };
        members.insert("status".to_owned(), status);
        serde_json::to_string(&members).map_or_else(|_| self.clone(), Self)
    }
}

impl fmt::Debug for ComponentConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a line item says, without its id: by this two items are told apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, minicbor::Encode, minicbor::Decode)]
pub struct LineItemContent {
    #[n(0)]
    pub component_type: ComponentType,
    #[n(1)]
    pub quantity: Quantity,
    #[n(2)]
    pub component_config: ComponentConfig,
}

impl LineItemContent {
    /// Looks at the three fields of a line item as a request states them. A configuration that
    /// is absent is empty. `one_time`, `adjustment`, `project` and `milestone` need an integer
    /// `amountMinor` within 10^15 either way; `description`, `taxRate`, `taxCategory`,
    /// `taxKind` and, of the latter two, `status` are checked where they are stated.
    pub fn parse(
        component_type: Option<&str>,
        quantity: Option<&str>,
        component_config: Option<&RawValue>,
    ) -> Result<Self, LineProblem> {
        let kind = component_type.and_then(ComponentType::parse).ok_or(LineProblem::UnknownType)?;
        Ok(Self {
            component_type: kind,
            quantity: quantity.and_then(Quantity::parse).ok_or(LineProblem::Quantity)?,
            component_config: ComponentConfig::parse(kind, component_config)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LineItem {
    /// `lineItemId`; stays with the item through amendments.
    #[n(0)]
    pub id: LineItemId,
    #[n(1)]
    pub content: LineItemContent,
}

fn check_engine_fields(kind: ComponentType, object: &Members<'_>) -> Result<(), LineProblem> {
    if !kind.carries_amount() {
        return Ok(());
    }
    let field = |name: &str| object.get(&Name(name.into())).map(|value| value.get());
    let amount = field("amountMinor").and_then(|value| serde_json::from_str::<i64>(value).ok());
    if !amount.is_some_and(|minor| (-AMOUNT_LIMIT..=AMOUNT_LIMIT).contains(&minor)) {
        return Err(LineProblem::Amount);
    }
    let stated = |name: &str, valid: fn(&str) -> bool| {
        let text = |value| serde_json::from_str::<String>(value).is_ok_and(|text| valid(&text));
        field(name).is_none_or(text)
    };
    if !stated("description", |text| {
        (1..=512).contains(&text.chars().count()) && text::line(text).is_ok()
    }) {
        return Err(LineProblem::Description);
    }
    if !stated("taxRate", |text| TaxRate::parse(text).is_some()) {
        return Err(LineProblem::TaxRate);
    }
    if !stated("taxCategory", |text| TaxCategory::parse(text).is_some()) {
        return Err(LineProblem::TaxCategory);
    }
    if !stated("taxKind", |text| TaxKind::parse(text).is_some()) {
        return Err(LineProblem::TaxKind);
    }
    let text = |name| field(name).and_then(|value| serde_json::from_str::<String>(value).ok());
    let tax = StatedTax {
        rate: text("taxRate").as_deref().and_then(TaxRate::parse),
        category: text("taxCategory").as_deref().and_then(TaxCategory::parse),
        kind: text("taxKind").as_deref().and_then(TaxKind::parse),
    };
    if let Some((_, problem)) = tax.contradiction() {
        return Err(LineProblem::ContradictoryTax(problem));
    }
    if kind.carries_status() && !stated("status", |text| matches!(text, "pending" | "completed")) {
        return Err(LineProblem::Status);
    }
    Ok(())
}

impl From<JsonFault> for LineProblem {
    fn from(fault: JsonFault) -> Self {
        match fault {
            JsonFault::TooDeep(levels) => Self::TooDeep(levels),
            JsonFault::NotText => Self::NotText,
            JsonFault::Control => Self::Control,
        }
    }
}
