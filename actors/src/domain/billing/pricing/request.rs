//! Price configurations as they are sent, and which of them are right.

use serde::Deserialize;

use super::bands::{Bands, MAX_BANDS};
use super::config::{Allotment, Charge, Commitment, PriceConfig, Scheme, UsageScheme};
use super::major_price::MajorPrice;
use super::names::{Rollover, Rounding, SchemeName};
use super::refusal::ConfigRefusal;
use crate::domain::money::{AMOUNT_LIMIT, Currency};
use crate::domain::quantity::Quantity;

/// The largest share, in basis points: a hundredfold. Costs that are passed on with a margin
/// are charged at more than the whole.
pub(super) const MAX_PERCENT_BPS: i64 = 1_000_000;

/// A metric's price. Which fields a scheme needs and takes: `unitPrice` for `per_unit`, `package`
/// and `per_seat`; `packageSize` for `package`; `percentBps` for `percentage`; `tiers` with
/// `unitPrice` for `graduated` and `volume`, with `flatAmount` for `tiered`. A field that would be
/// without effect is refused, but for a `unitPrice` beside `tiers` or `percentBps`, which is not
/// read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "struct PriceConfigBody")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = PriceConfigBody))]
pub struct PriceConfigRequest {
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<SchemeName>))]
    pub scheme: Option<String>,
    /// On a contract, the contract's.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Currency>))]
    pub currency: Option<String>,
    /// Used once, when the exact amount becomes minor units.
    #[cfg_attr(feature = "schema", schema(required, value_type = Option<Rounding>))]
    pub rounding: Option<String>,
    /// Major units, up to 15 digits before and 12 after the point.
    pub unit_price: Option<String>,
    /// Units of a package, above 0.
    pub package_size: Option<String>,
    /// Hundredths of a percent of the quantity, 0 to 1000000.
    pub percent_bps: Option<i64>,
    /// Bands from 0 on, at most 100.
    pub tiers: Option<Vec<TierRequest>>,
    pub allotment: Option<AllotmentRequest>,
    pub commitment: Option<CommitmentRequest>,
}

/// One band.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "struct TierBody")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = TierBody))]
pub struct TierRequest {
    /// The band's last unit; `null` on the last band.
    pub up_to: Option<String>,
    /// Of a unit, in major units; for `graduated` and `volume`.
    pub unit_price: Option<String>,
    /// Of the band, in major units; for `tiered`.
    pub flat_amount: Option<String>,
}

/// Units that cost nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "struct AllotmentBody")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = AllotmentBody))]
pub struct AllotmentRequest {
    /// The first units of each period.
    #[cfg_attr(feature = "schema", schema(required))]
    pub included_units: Option<String>,
    /// `none` (the default), or `rollover`: what is left adds to the next period alone.
    pub rollover: Option<String>,
}

/// The least and the most that a period bills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "struct CommitmentBody")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = CommitmentBody))]
pub struct CommitmentRequest {
    /// The least, in minor units.
    pub minimum_minor: Option<i64>,
    /// The most, in minor units; not below `minimumMinor`.
    pub spend_cap_minor: Option<i64>,
    /// The most units.
    pub usage_cap: Option<String>,
}

impl PriceConfigRequest {
    pub fn check(&self) -> Result<PriceConfig, ConfigRefusal> {
        let scheme = named("config.scheme", &self.scheme, SchemeName::parse, SchemeName::ALL)?;
        let currency = required("config.currency", &self.currency)?;
        let currency = Currency::parse(currency).ok_or(ConfigRefusal::Currency)?;
        let rounding = named("config.rounding", &self.rounding, Rounding::parse, Rounding::ALL)?;
        self.check_forbidden(scheme)?;
        let commitment = self.commitment.clone().unwrap_or_default();
        let scheme = match self.charge(scheme)? {
            None => Scheme::Seats(self.unit_price(scheme)?),
            Some(charge) => Scheme::Units(UsageScheme {
                charge,
                allotment: self.allotment.as_ref().map(AllotmentRequest::check).transpose()?,
                usage_cap: commitment
                    .usage_cap
                    .map(|text| quantity("config.commitment.usageCap", &text))
                    .transpose()?,
            }),
        };
        let floor = minor("config.commitment.minimumMinor", commitment.minimum_minor)?;
        let cap = minor("config.commitment.spendCapMinor", commitment.spend_cap_minor)?;
        let commitment = Commitment::new(floor, cap).ok_or(ConfigRefusal::MinimumAboveCap)?;
        Ok(PriceConfig { currency, rounding, scheme, commitment })
    }

    /// Refuses what belongs to other schemes. What would go unnoticed might be meant.
    fn check_forbidden(&self, scheme: SchemeName) -> Result<(), ConfigRefusal> {
        let banded =
            matches!(scheme, SchemeName::Graduated | SchemeName::Volume | SchemeName::Tiered);
        let seats = scheme == SchemeName::PerSeat;
        let stated = [
            ("packageSize", self.package_size.is_some() && scheme != SchemeName::Package),
            ("percentBps", self.percent_bps.is_some() && scheme != SchemeName::Percentage),
            ("tiers", self.tiers.as_ref().is_some_and(|tiers| !tiers.is_empty()) && !banded),
            ("allotment", self.allotment.is_some() && seats),
            (
                "commitment.usageCap",
                self.commitment.as_ref().is_some_and(|sent| sent.usage_cap.is_some()) && seats,
            ),
        ];
        match stated.iter().find(|(_, wrong)| *wrong) {
            Some((field, _)) => Err(ConfigRefusal::Forbidden(format!("config.{field}"), scheme)),
            None => Ok(()),
        }
    }

    fn charge(&self, scheme: SchemeName) -> Result<Option<Charge>, ConfigRefusal> {
        Ok(Some(match scheme {
            SchemeName::PerSeat => return Ok(None),
            SchemeName::PerUnit => Charge::PerUnit(self.unit_price(scheme)?),
            SchemeName::Graduated => Charge::Graduated(self.bands(scheme)?),
            SchemeName::Volume => Charge::Volume(self.bands(scheme)?),
            SchemeName::Tiered => Charge::Tiered(self.bands(scheme)?),
            SchemeName::Package => {
                let size = needed("config.packageSize", &self.package_size, scheme)?;
                let size = above_zero("config.packageSize", size)?;
                Charge::Package { size, price: self.unit_price(scheme)? }
            }
            SchemeName::Percentage => Charge::Percentage(self.percent_bps(scheme)?),
        }))
    }

    fn unit_price(&self, scheme: SchemeName) -> Result<MajorPrice, ConfigRefusal> {
        price("config.unitPrice", needed("config.unitPrice", &self.unit_price, scheme)?)
    }

    fn percent_bps(&self, scheme: SchemeName) -> Result<u32, ConfigRefusal> {
        let missing = || ConfigRefusal::MissingFor("config.percentBps".to_owned(), scheme);
        let bps = self.percent_bps.ok_or_else(missing)?;
        let within = (0..=MAX_PERCENT_BPS).contains(&bps);
        u32::try_from(bps).ok().filter(|_| within).ok_or(ConfigRefusal::PercentBps)
    }

    fn bands(&self, scheme: SchemeName) -> Result<Bands, ConfigRefusal> {
        let missing = || ConfigRefusal::MissingFor("config.tiers".to_owned(), scheme);
        let tiers = self.tiers.as_ref().ok_or_else(missing)?;
        let (last, bounded) = tiers.split_last().ok_or(ConfigRefusal::Tiers)?;
        if tiers.len() > MAX_BANDS {
            return Err(ConfigRefusal::Tiers);
        }
        let mut bands: Vec<(Quantity, MajorPrice)> = Vec::with_capacity(bounded.len());
        for (index, tier) in bounded.iter().enumerate() {
            let field = format!("config.tiers[{index}].upTo");
            let Some(text) = &tier.up_to else { return Err(ConfigRefusal::Unbounded(field)) };
            let up_to = above_zero(&field, text)?;
            if bands.last().is_some_and(|(before, _)| up_to <= *before) {
                return Err(ConfigRefusal::NotRising(field));
            }
            bands.push((up_to, tier.price(index, scheme)?));
        }
        let end = format!("config.tiers[{}].upTo", bounded.len());
        if last.up_to.is_some() {
            return Err(ConfigRefusal::LastBounded(end));
        }
        Bands::new(bands, last.price(bounded.len(), scheme)?).ok_or(ConfigRefusal::NotRising(end))
    }
}

impl TierRequest {
    /// The price that the scheme reads; the other one must not be there.
    fn price(&self, index: usize, scheme: SchemeName) -> Result<MajorPrice, ConfigRefusal> {
        let unit = (format!("config.tiers[{index}].unitPrice"), &self.unit_price);
        let flat = (format!("config.tiers[{index}].flatAmount"), &self.flat_amount);
        let (read, other) = if scheme == SchemeName::Tiered { (flat, unit) } else { (unit, flat) };
        if other.1.is_some() {
            return Err(ConfigRefusal::Forbidden(other.0, scheme));
        }
        price(&read.0, needed(&read.0, read.1, scheme)?)
    }
}

impl AllotmentRequest {
    fn check(&self) -> Result<Allotment, ConfigRefusal> {
        let field = "config.allotment.includedUnits";
        let included_units = quantity(field, required(field, &self.included_units)?)?;
        let rollover = match &self.rollover {
            None => Rollover::None,
            stated => named("config.allotment.rollover", stated, Rollover::parse, Rollover::ALL)?,
        };
        Ok(Allotment { included_units, rollover })
    }
}

fn required<'a>(field: &str, stated: &'a Option<String>) -> Result<&'a str, ConfigRefusal> {
    stated.as_deref().ok_or_else(|| ConfigRefusal::Missing(field.to_owned()))
}

fn needed<'a>(
    field: &str,
    stated: &'a Option<String>,
    scheme: SchemeName,
) -> Result<&'a str, ConfigRefusal> {
    stated.as_deref().ok_or_else(|| ConfigRefusal::MissingFor(field.to_owned(), scheme))
}

fn named<T: Copy + std::fmt::Display>(
    field: &str,
    stated: &Option<String>,
    parse: impl Fn(&str) -> Option<T>,
    all: &[T],
) -> Result<T, ConfigRefusal> {
    parse(required(field, stated)?).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(T::to_string).collect();
        ConfigRefusal::Unknown(field.to_owned(), names.join(", "))
    })
}

fn price(field: &str, text: &str) -> Result<MajorPrice, ConfigRefusal> {
    MajorPrice::parse(text).ok_or_else(|| ConfigRefusal::Price(field.to_owned()))
}

fn quantity(field: &str, text: &str) -> Result<Quantity, ConfigRefusal> {
    Quantity::parse(text).ok_or_else(|| ConfigRefusal::Quantity(field.to_owned()))
}

fn above_zero(field: &str, text: &str) -> Result<Quantity, ConfigRefusal> {
    let quantity = quantity(field, text)?;
    if quantity == Quantity::ZERO {
        return Err(ConfigRefusal::NotAboveZero(field.to_owned()));
    }
    Ok(quantity)
}

fn minor(field: &str, stated: Option<i64>) -> Result<Option<i64>, ConfigRefusal> {
    match stated {
        Some(minor) if !(0..=AMOUNT_LIMIT).contains(&minor) => {
            Err(ConfigRefusal::Minor(field.to_owned()))
        }
        stated => Ok(stated),
    }
}
