//! What subscriptions come to, by a calendar of its own.

use crate::domain::billing::subscription::CancelMode;
use crate::domain::ids::SubscriptionId;
use crate::domain::quantity::TaxRate;
use crate::domain::time::Date;

/// A monthly subscription whose terms begin on a day that every month has.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) id: SubscriptionId,
    price: i64,
    /// First day of the running term and of the next.
    term: (Date, Date),
    /// What the running term may still be credited.
    charged: i64,
    /// The first day that is not served.
    ends: Option<Date>,
    owed: i64,
}

#[derive(Debug)]
pub(super) struct Plans {
    pub(super) all: Vec<Plan>,
    /// The tax of them all, which what they come to is without.
    pub(super) rate: Option<TaxRate>,
}

impl Plans {
    pub(super) fn taxed(rate: &str) -> Self {
        Self { all: Vec::new(), rate: TaxRate::parse(rate) }
    }

    pub(super) fn begin(&mut self, id: SubscriptionId, start: Date, today: Date, price: i64) {
        let term = (start, a_month_after(start));
        let mut plan = Plan { id, price, term, charged: price, ends: None, owed: price };
        plan.live_until(today);
        self.all.push(plan);
    }

    pub(super) fn live_until(&mut self, today: Date) {
        self.all.iter_mut().for_each(|plan| plan.live_until(today));
    }

    pub(super) fn owed(&self) -> i64 {
        self.all.iter().map(|plan| plan.owed).sum()
    }
}

impl Plan {
    fn live_until(&mut self, today: Date) {
        while self.term.1 <= today && self.ends.is_none_or(|end| self.term.1 < end) {
            self.term = (self.term.1, a_month_after(self.term.1));
            self.charged = self.price;
            self.owed += self.price;
        }
    }

    /// The days left cost the new price and no more the old one.
    pub(super) fn change(&mut self, price: i64, today: Date) {
        if price == self.price {
            return;
        }
        let (left, all) = (self.term.1.days_since(today), self.term.1.days_since(self.term.0));
        let of_days = |price: i64| (price * left * 2 + all) / (all * 2);
        let change = of_days(price) - of_days(self.price).min(self.charged);
        self.charged += change;
        self.owed += change;
        self.price = price;
    }

    /// What has begun stays due.
    pub(super) fn cancel(&mut self, mode: CancelMode, today: Date) {
        self.ends = Some(match mode {
            CancelMode::Immediately => today,
            _ => self.term.1,
        });
    }
}

fn a_month_after(day: Date) -> Date {
    let (year, month, of_month) = day.parts();
    let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    Date::parse(&format!("{year:04}-{month:02}-{of_month:02}")).expect("a day of every month")
}
