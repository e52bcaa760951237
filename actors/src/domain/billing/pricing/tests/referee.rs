//! Random configurations and chains of periods, against a second reading of the rules: plain
//! fractions, one step after the other, sharing no code with the first.

use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::collection::vec;
use proptest::prelude::*;

use super::fixtures::{day, quantity, text};
use crate::domain::billing::pricing::{
    AllotmentRequest, Basis, ClosedPeriod, CommitmentRequest, EvaluationRefusal, Exact, Flags,
    LinePrice, PeriodUsage, PriceConfigRequest, TierRequest, UsageBreakdown, back_test, rate_seats,
};
use crate::domain::billing::subscription::Span;
use crate::domain::ids::SubscriptionId;

const SCHEMES: [&str; 6] = ["per_unit", "graduated", "volume", "tiered", "package", "percentage"];
const ROUNDINGS: [&str; 4] = ["half_up", "half_even", "up", "down"];
const LIMIT: i64 = 1_000_000_000_000_000;

type Fraction = BigRational;

fn whole(number: i64) -> Fraction {
    Fraction::from_integer(BigInt::from(number))
}

fn fraction(text: &str) -> Fraction {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigInt = format!("{whole}{part}").parse().expect("digits");
    Fraction::new(digits, BigInt::from(10).pow(u32::try_from(part.len()).expect("short")))
}

/// A configuration as its figures.
#[derive(Clone, Debug)]
struct Figures {
    scheme: &'static str,
    rounding: &'static str,
    /// Currency, and how many minor units make a major one.
    currency: (&'static str, i64),
    price: String,
    size: String,
    bps: i64,
    /// Rising bounds.
    bounds: Vec<i64>,
    /// One more than bounds.
    prices: Vec<String>,
    included: Option<(String, bool)>,
    usage_cap: Option<String>,
    minimum: Option<i64>,
    spend_cap: Option<i64>,
}

/// A period as its figures.
#[derive(Clone, Debug)]
struct Month {
    quantity: String,
    silent: bool,
    trial: bool,
    lapses: bool,
}

/// What a period comes to: minor units, the four flags, and what it leaves.
type Outcome = Option<(i64, [bool; 4], Fraction)>;

impl Figures {
    fn request(&self) -> PriceConfigRequest {
        let banded = ["graduated", "volume", "tiered"].contains(&self.scheme);
        let ends = self.bounds.iter().map(|end| Some(end.to_string())).chain([None]);
        let tiers = ends.zip(&self.prices).map(|(up_to, price)| {
            let flat = self.scheme == "tiered";
            let (unit_price, flat_amount) =
                if flat { (None, text(price)) } else { (text(price), None) };
            TierRequest { up_to, unit_price, flat_amount }
        });
        PriceConfigRequest {
            scheme: text(self.scheme),
            currency: text(self.currency.0),
            rounding: text(self.rounding),
            unit_price: text(&self.price),
            package_size: text(&self.size).filter(|_| self.scheme == "package"),
            percent_bps: Some(self.bps).filter(|_| self.scheme == "percentage"),
            tiers: banded.then(|| tiers.collect()),
            allotment: self.included.as_ref().map(|(units, rolls)| AllotmentRequest {
                included_units: text(units),
                rollover: text(if *rolls { "rollover" } else { "none" }),
            }),
            commitment: Some(CommitmentRequest {
                minimum_minor: self.minimum,
                spend_cap_minor: self.spend_cap,
                usage_cap: self.usage_cap.clone(),
            }),
        }
    }

    /// What `units` cost, in major units.
    fn charge(&self, units: &Fraction, silent: bool) -> Fraction {
        let end = |index: usize| self.bounds.get(index).map(|end| whole(*end));
        let landing = (0..self.prices.len())
            .find(|index| end(*index).is_none_or(|end| *units <= end))
            .expect("the last has no end");
        match self.scheme {
            "per_unit" => units * fraction(&self.price),
            "percentage" => units * whole(self.bps) / whole(10_000),
            "package" => (units / fraction(&self.size)).ceil() * fraction(&self.price),
            "volume" => units * fraction(&self.prices[landing]),
            "tiered" if silent => whole(0),
            "tiered" => fraction(&self.prices[landing]),
            _ => {
                let mut sum = whole(0);
                for index in 0..=landing {
                    let from = if index == 0 { whole(0) } else { whole(self.bounds[index - 1]) };
                    let to =
                        if index == landing { units.clone() } else { end(index).expect("one") };
                    sum += (to - from) * fraction(&self.prices[index]);
                }
                sum
            }
        }
    }

    fn round(&self, exact: &Fraction) -> BigInt {
        let half = Fraction::new(1.into(), 2.into());
        let floor = exact.floor();
        let rest = exact - &floor;
        let odd = floor.to_integer() % BigInt::from(2) != BigInt::from(0);
        let up = match self.rounding {
            "up" => rest > whole(0),
            "down" => false,
            "half_up" => rest >= half,
            _ => rest > half || (rest == half && odd),
        };
        floor.to_integer() + BigInt::from(u8::from(up))
    }

    /// A rounded amount between minimum and cap, with the flags of the two.
    fn commit(&self, minor: BigInt) -> Option<(i64, bool, bool)> {
        let (floor, cap) = (self.minimum.unwrap_or(0), self.spend_cap.unwrap_or(i64::MAX));
        let raised = minor < BigInt::from(floor);
        let minor = minor.max(BigInt::from(floor));
        let lowered = minor > BigInt::from(cap);
        let minor = i64::try_from(minor.min(BigInt::from(cap))).ok()?;
        (minor <= LIMIT).then_some((minor, raised, lowered))
    }

    fn month(&self, month: &Month, rolled_over: &Fraction) -> Outcome {
        if month.trial {
            return Some((0, [false; 4], whole(0)));
        }
        let used = fraction(&month.quantity);
        let own = self.included.as_ref().map_or(whole(0), |(units, _)| fraction(units));
        let rolled_in = rolled_over.clone().min(used.clone());
        let of_own = own.clone().min(&used - &rolled_in);
        let free = &rolled_in + &of_own;
        let mut units = &used - &free;
        let mut cut = false;
        if let Some(cap) = self.usage_cap.as_ref().map(|cap| fraction(cap)) {
            cut = units > cap;
            units = units.min(cap);
        }
        let exact = self.charge(&units, month.silent) * whole(self.currency.1);
        let (minor, raised, lowered) = self.commit(self.round(&exact))?;
        let rolls = self.included.as_ref().is_some_and(|(_, rolls)| *rolls);
        let left = if rolls { own - of_own } else { whole(0) };
        Some((minor, [free > whole(0), cut, raised, lowered], left))
    }
}

/// A decimal of at most so many digits, often a round or a small one.
fn decimal(whole_digits: u32, decimals: u32) -> impl Strategy<Value = String> {
    let whole_part = prop_oneof![
        4 => 0..=20_u64,
        3 => 0..=10_000_u64,
        1 => 0..10_u64.pow(whole_digits),
    ];
    let length = prop_oneof![3 => Just(0), 3 => 1..=3_u32.min(decimals), 1 => 0..=decimals];
    (whole_part, any::<u64>(), length).prop_map(|(whole_part, digits, length)| match length {
        0 => whole_part.to_string(),
        length => {
            let part = digits % 10_u64.pow(length);
            format!("{whole_part}.{part:0width$}", width = length as usize)
        }
    })
}

fn minor() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![3 => Just(None), 2 => (0..5_000_i64).prop_map(Some), 1 => (0..=LIMIT).prop_map(Some)]
}

fn figures() -> impl Strategy<Value = Figures> {
    let bands = vec((1..50_i64, decimal(15, 12)), 0..5);
    let currency = prop_oneof![Just(("EUR", 100)), Just(("JPY", 1)), Just(("KWD", 1_000))];
    let included = prop::option::of((decimal(18, 9), any::<bool>()));
    let cap = prop::option::weighted(0.3, decimal(18, 9));
    let size = decimal(18, 9).prop_filter("above 0", |size| fraction(size) > whole(0));
    (
        (prop::sample::select(&SCHEMES[..]), prop::sample::select(&ROUNDINGS[..]), currency),
        (decimal(15, 12), size, 0..=1_000_000_i64, bands, decimal(15, 12)),
        (included, cap, minor(), minor()),
    )
        .prop_map(|((scheme, rounding, currency), (price, size, bps, bands, last), limits)| {
            let (included, usage_cap, minimum, spend_cap) = limits;
            let mut end = 0;
            let bounds = bands.iter().map(|(width, _)| {
                end += width;
                end
            });
            let bounds = bounds.collect();
            let prices = bands.into_iter().map(|(_, price)| price).chain([last]).collect();
            let spend_cap = spend_cap.map(|cap| cap.max(minimum.unwrap_or(0)));
            Figures {
                scheme,
                rounding,
                currency,
                price,
                size,
                bps,
                bounds,
                prices,
                included,
                usage_cap,
                minimum,
                spend_cap,
            }
        })
}

fn months() -> impl Strategy<Value = Vec<Month>> {
    let month = (decimal(18, 9), 0..10_u8).prop_map(|(quantity, dice)| Month {
        quantity: if dice == 0 { "0".to_owned() } else { quantity },
        silent: dice == 0,
        trial: dice == 1,
        lapses: dice == 2,
    });
    vec(month, 1..6)
}

fn flags(flags: Flags) -> [bool; 4] {
    let Flags { included_units_applied, usage_cap_applied, minimum_applied, spend_cap_applied } =
        flags;
    [included_units_applied, usage_cap_applied, minimum_applied, spend_cap_applied]
}

/// A day for each month, so that one ends where the next begins.
fn closed(months: &[Month]) -> Vec<ClosedPeriod> {
    let first = day("2026-01-01");
    let spans =
        (0..).map(|index| Span { start: first.plus_days(index), end: first.plus_days(index + 1) });
    let period = |(month, span): (&Month, Span)| ClosedPeriod {
        span,
        subscription: SubscriptionId(1),
        usage: PeriodUsage::Units {
            quantity: quantity(&month.quantity).value(),
            any_event: !month.silent,
        },
        trial: month.trial,
        lapses: month.lapses,
        billed_minor: 0,
    };
    months.iter().zip(spans).map(period).collect()
}

/// What a line charges, from its own figures.
fn line_amount(line: &crate::domain::billing::pricing::RatedLine) -> Fraction {
    let units = fraction(&line.quantity.to_string());
    match &line.price {
        LinePrice::Unit(price) => units * fraction(&price.to_string()),
        LinePrice::Flat(price) => fraction(&price.to_string()),
        LinePrice::Package { price, size, packages } => {
            let begun = (units / fraction(&size.to_string())).ceil();
            assert_eq!(begun, fraction(&packages.to_string()));
            begun * fraction(&price.to_string())
        }
        LinePrice::Share(bps) => units * whole((*bps).into()) / whole(10_000),
    }
}

/// Follows a breakdown from line to amount, as a person would.
fn recompute(figures: &Figures, breakdown: &UsageBreakdown) {
    let rating = &breakdown.rating;
    let Basis::Units(units) = &rating.basis else { panic!("no units") };
    let sum = units.lines.iter().fold(whole(0), |sum, line| {
        let amount = line_amount(line);
        assert_eq!(amount, fraction(&line.amount.to_string()));
        sum + amount
    });
    assert_eq!(sum, fraction(&units.exact.to_string()));
    if !units.lines.is_empty() {
        let charged =
            units.lines.iter().fold(Exact::default(), |sum, line| sum.plus(&line.quantity));
        assert_eq!(charged, units.billable);
    }
    let minor = figures.round(&(sum * whole(figures.currency.1)));
    let expected = if rating.trial { 0 } else { figures.commit(minor).expect("bounded").0 };
    assert_eq!(rating.amount_minor, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn chains_come_to_what_plain_fractions_say(figures in figures(), months in months()) {
        let config = figures.request().right();
        let periods = closed(&months);
        let ever = Span { start: day("2026-01-01"), end: day("2027-01-01") };
        let mut left = whole(0);
        let mut expected = Vec::new();
        for (month, period) in months.iter().zip(&periods) {
            let Some((minor, set, unused)) = figures.month(month, &left) else {
                let refusal = EvaluationRefusal::PeriodTooLarge(period.span.start);
                prop_assert_eq!(back_test(&config, &periods, ever), Err(refusal));
                return Ok(());
            };
            expected.push((minor, set, unused.clone()));
            left = if month.lapses { whole(0) } else { unused };
        }
        let tested = back_test(&config, &periods, ever).expect("amounts");
        prop_assert_eq!(tested.len(), expected.len());
        for (one, (minor, set, unused)) in tested.into_iter().zip(expected) {
            let rating = one.rating;
            prop_assert_eq!(rating.amount_minor, minor);
            prop_assert_eq!(flags(rating.flags), set);
            prop_assert_eq!(fraction(&rating.unused().to_string()), unused);
            let breakdown = UsageBreakdown { price_version: 1, rating };
            let kept = storage::cbor_encode(&breakdown);
            let kept: UsageBreakdown = storage::cbor_decode(&kept).expect("the same");
            prop_assert_eq!(&kept, &breakdown);
            recompute(&figures, &kept);
        }
    }

    #[test]
    fn seats_come_to_what_plain_fractions_say(
        figures in figures(),
        seat_days in prop_oneof![0..100_i64, 0..=3_660_000_000_i64],
        period_days in 1..=366_i64,
    ) {
        let request = PriceConfigRequest {
            scheme: text("per_seat"),
            package_size: None,
            percent_bps: None,
            tiers: None,
            allotment: None,
            commitment: Some(CommitmentRequest {
                minimum_minor: figures.minimum,
                spend_cap_minor: figures.spend_cap,
                usage_cap: None,
            }),
            ..figures.request()
        };
        let exact = fraction(&figures.price) * whole(figures.currency.1) * whole(seat_days)
            / whole(period_days);
        let expected = figures.commit(figures.round(&exact));
        let rated = rate_seats(&request.right(), seat_days, period_days, false).ok();
        let found = rated.map(|rating| {
            (rating.amount_minor, rating.flags.minimum_applied, rating.flags.spend_cap_applied)
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn exact_numbers_are_those_of_fractions(a in decimal(18, 9), b in decimal(18, 9)) {
        let (x, y) = (Exact::from(quantity(&a)), Exact::from(quantity(&b)));
        let (p, q) = (fraction(&a), fraction(&b));
        prop_assert_eq!(fraction(&x.plus(&y).to_string()), &p + &q);
        prop_assert_eq!(fraction(&x.times(&y).to_string()), &p * &q);
        prop_assert_eq!(fraction(&x.less(&y).to_string()), (&p - &q).max(whole(0)));
        prop_assert_eq!(x.cmp(&y), p.cmp(&q));
        if q > whole(0) {
            prop_assert_eq!(fraction(&x.parts_begun(&y).to_string()), (p / q).ceil());
        }
    }
}
