//! Metered usage as the test counts it itself: weeks that are over are closed once, at what was
//! used of them in time; what comes later is corrected.

use std::collections::BTreeMap;

use super::books::LATE_USAGE;
use super::{ALL, Life, Random};
use crate::contract::NewPrice;
use crate::contract::tests::house::House;
use crate::domain::billing::invoice::Origin;
use crate::domain::billing::pricing::PriceConfigRequest;
use crate::domain::billing::subscription::{Frequency, NewSubscription};
use crate::domain::billing::usage::registry::NewMetric;
use crate::domain::billing::usage::{CorrectLate, EventKey, MetricName, NewEvent};
use crate::domain::ids::{ContractId, UsageEventId, UsageLineId};
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;
use crate::query;

/// So many weeks are over when a life begins; the next one is not.
const WEEKS: i64 = 8;

#[derive(Debug, Default)]
pub(super) struct Usage {
    /// The first day that is metered.
    first: Option<Date>,
    /// What was used in time, by week.
    counted: BTreeMap<i64, i64>,
    /// What came later, with its week, and is not corrected.
    late: Vec<(UsageEventId, i64, i64)>,
    /// The price of a unit from the beginning of a week on, minor units, in order of time.
    prices: Vec<(i64, i64)>,
    /// The weeks that are closed, with the price they were closed at.
    closed: BTreeMap<i64, (UsageLineId, i64)>,
    charged: i64,
    corrected: i64,
}

fn metric() -> MetricName {
    MetricName::parse("calls").expect("a name")
}

impl Usage {
    /// Meters a contract from some weeks ago on, without a price so far.
    /// Its passes rest, which every start would let run beside the test.
    pub(super) async fn begin(
        house: &House,
        contract: ContractId,
        tax_rate: Option<TaxRate>,
    ) -> Self {
        house.switch(Switch::UsageClosePass, false).await;
        house.switch(Switch::UsageInvoicePass, false).await;
        let (system, seller) = (&house.system, house.seller.id);
        let new = NewMetric {
            name: Some("calls".to_owned()),
            unit: Some("call".to_owned()),
            aggregation: Some("sum".to_owned()),
            unique_key: None,
            description: None,
        };
        system.sellers.register_metric(seller, new).await.expect("registered");
        let first = house.start().date().plus_days(-7 * WEEKS);
        let monthly = NewSubscription::monthly(&first.to_string(), 0);
        let new = NewSubscription { frequency: Frequency::Weekly, tax_rate, ..monthly };
        let made = system.contracts.create_subscription(seller, contract, new, "m".to_owned());
        made.await.expect("a subscription");
        Self { first: Some(first), ..Self::default() }
    }

    fn first(&self) -> Date {
        self.first.expect("a day")
    }

    /// The price of a week: of those from its first day or from before, the one of the latest
    /// day, and of several of that day the newest.
    fn price_of(&self, week: i64) -> Option<i64> {
        let in_force = self.prices.iter().filter(|(from, _)| *from <= week);
        in_force.max_by_key(|(from, _)| *from).map(|(_, minor)| *minor)
    }

    /// Takes note of weeks that were closed.
    pub(super) fn look(&mut self, house: &House, contract: ContractId) {
        let lines = query::usage_lines(&house.store, house.seller.id, contract, ALL).expect("read");
        assert!(lines.items.len() <= usize::try_from(WEEKS).expect("few"));
        for line in lines.items {
            let week = line.span.start.days_since(self.first()) / 7;
            if self.closed.get(&week).is_some_and(|(known, _)| *known == line.id) {
                continue;
            }
            assert_eq!(line.span.days(), 7);
            let price = self.price_of(week).expect("a price");
            let used = self.counted.get(&week).copied().unwrap_or(0);
            assert_eq!(line.amount_minor(), used * price, "week {week}");
            assert_eq!(self.closed.insert(week, (line.id, price)), None, "week {week} again");
            self.charged += used * price;
        }
    }

    /// What usage comes to in all that can be billed.
    pub(super) fn owed(&self) -> i64 {
        self.charged + self.corrected
    }
}

/// A price of a unit, minor units below 100.
fn per_unit(minor: i64) -> PriceConfigRequest {
    PriceConfigRequest {
        scheme: Some("per_unit".to_owned()),
        currency: Some("EUR".to_owned()),
        rounding: Some("half_up".to_owned()),
        unit_price: Some(format!("0.{minor:02}")),
        ..PriceConfigRequest::default()
    }
}

impl Random {
    fn week(&mut self) -> i64 {
        i64::try_from(self.below(WEEKS.unsigned_abs())).expect("small")
    }
}

impl Life {
    pub(super) async fn price_usage(&mut self) {
        let (week, minor) = (self.random.week(), self.random.minor(99));
        let effective_from = self.usage.first().plus_days(7 * week);
        let config = per_unit(minor).check().expect("a price");
        let new = NewPrice { metric: metric(), effective_from, config };
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        contracts.set_price(seller, self.contract, new).await.expect("priced");
        self.usage.prices.push((week, minor));
    }

    /// Uses some of a week that is over or, as the last of them, of the one that is not.
    pub(super) async fn use_some(&mut self) {
        let days = self.random.below(7 * WEEKS.unsigned_abs() + 1);
        let day = self.usage.first().plus_days(i64::try_from(days).expect("small"));
        let (week, used) = (day.days_since(self.usage.first()) / 7, self.random.minor(50));
        let event = NewEvent::new(
            self.contract,
            metric(),
            Quantity::whole(u32::try_from(used).expect("small")),
            day.start(),
            EventKey::parse(&self.key("u")).expect("a key"),
            None,
        );
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        let recorded = contracts.record_usage(seller, self.contract, vec![event]).await;
        let told = recorded.expect("a contract").remove(0).expect("taken");
        let late = self.usage.closed.contains_key(&week);
        assert_eq!((told.late, told.metered), (late, true), "week {week}");
        if late {
            self.usage.late.push((told.event, week, used));
        } else {
            *self.usage.counted.entry(week).or_default() += used;
        }
    }

    /// Closes what is over and has a price.
    pub(super) async fn close_usage(&mut self) {
        self.house.switch(Switch::UsageClosePass, true).await;
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        contracts.run_usage_close(seller, self.contract).await.expect("run");
        self.house.switch(Switch::UsageClosePass, false).await;
        self.usage.look(&self.house, self.contract);
        let priced: Vec<i64> =
            (0..WEEKS).filter(|week| self.usage.price_of(*week).is_some()).collect();
        assert!(priced.iter().all(|week| self.usage.closed.contains_key(week)), "{priced:?}");
    }

    /// Corrects some of what came late: by the prices of its weeks, or by an amount of any sign.
    pub(super) async fn correct_usage(&mut self) {
        let some = 1 + self.random.of(&self.usage.late).unwrap_or(0);
        let late: Vec<_> = self.usage.late.iter().take(some).copied().collect();
        if late.is_empty() {
            return;
        }
        let stated = match self.random.below(3) {
            0 => None,
            1 => Some(self.random.minor(2_000)),
            _ => Some(-self.random.minor(2_000)),
        };
        let priced = |(_, week, used): &(_, i64, i64)| self.usage.closed[week].1 * used;
        let amount = stated.unwrap_or_else(|| late.iter().map(priced).sum());
        let request = CorrectLate {
            events: late.iter().map(|(event, ..)| *event).collect(),
            amount_minor: stated,
            description: LATE_USAGE.to_owned(),
            key: self.key("c"),
        };
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        let made = contracts.correct_late_usage(seller, self.contract, request).await;
        assert_eq!(made.expect("corrected").amount_minor, amount);
        self.usage.late.drain(..late.len());
        self.usage.corrected += amount;
    }

    /// Whether there was usage to bill.
    pub(super) async fn bill_usage(&mut self) -> bool {
        let request = House::asking(self.contract, Origin::Usage);
        let billed = self.house.issue(self.contract, &self.key("w"), request, None).await.is_ok();
        self.books.look(&self.house, self.contract);
        billed
    }

    /// All usage is on documents that stand, but for credit that waits for the next of them or
    /// has become stored credit.
    pub(super) fn judge_usage(&self) {
        let (store, seller) = (&self.house.store, self.house.seller.id);
        let known = query::adjustments(store, seller, self.contract, ALL).expect("read").items;
        let open: Vec<i64> = known.iter().map(|one| one.open_minor()).collect();
        assert!(open.iter().all(|minor| *minor <= 0), "{open:?}");
        let waits: i64 = open.iter().sum();
        let credited: i64 = known.iter().map(|one| one.credited_minor).sum();
        assert_eq!(self.books.late_usage_net, -credited, "credit of late usage");
        assert_eq!(
            self.books.billed_net(Origin::Usage),
            self.usage.owed() - waits - credited,
            "what usage came to"
        );
    }
}
