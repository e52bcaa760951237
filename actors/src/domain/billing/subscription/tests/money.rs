//! Money against the truth day by day: what is billed, prorated and given back in the end comes
//! to the price in force on each day served, within the rounding of each amount.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Billionths of a minor unit.
const FINE: i128 = 1_000_000_000;

#[derive(Default)]
struct Ledger {
    /// What has been charged less what has been given back, minor units.
    minor: i64,
    /// How many amounts were rounded on the way.
    rounded: i64,
}

impl Ledger {
    fn take(&mut self, change: &Change) {
        for record in &change.prorations {
            self.minor += record.charge_minor - record.credit_minor;
            self.rounded += 2;
            let signed = match record.kind {
                ProrationKind::Charge => record.amount_minor,
                ProrationKind::Credit => -record.amount_minor,
            };
            assert_eq!(signed, record.charge_minor - record.credit_minor);
        }
        if let Some(lot) = change.proration_lot {
            self.minor -= lot.net_minor;
            self.rounded += 1;
        }
    }

    fn bill(&mut self, sub: &mut Subscription, today: Date) {
        let due = sub.due_terms(today).next().map(|term| (term.start, term.amount()));
        if let Some((start, amount)) = due {
            let amount = amount.expect("an amount");
            sub.mark_billed(start, InvoiceId(1), amount, TaxTreatment::of_rate(rate()))
                .expect("a term");
            self.minor += amount;
            self.rounded += 1;
        }
    }
}

/// The exact price of days, gathered by the length of their terms.
#[derive(Default)]
pub(super) struct Truth(BTreeMap<i64, i128>);

impl Truth {
    /// Adds `today` at the price in force, if it is served and paid for.
    pub(super) fn add(&mut self, sub: &Subscription, today: Date) {
        let charged = match sub.status {
            SubscriptionStatus::Active | SubscriptionStatus::PastDue => true,
            SubscriptionStatus::Paused => sub.current_period_end.is_some_and(|end| today < end),
            _ => false,
        };
        if charged {
            let schedule = sub.schedules.last().expect("a schedule");
            let of = schedule.covering(today).days();
            *self.0.entry(of).or_default() += i128::from(sub.price().amount().expect("money"));
        }
    }

    /// How many minor units, rounded up, an amount is away from it.
    pub(super) fn away_from(&self, minor: i64) -> i64 {
        let away = (i128::from(minor) * FINE - self.fine()).abs();
        i64::try_from((away + FINE - 1) / FINE).expect("small")
    }

    fn fine(&self) -> i128 {
        self.0.iter().map(|(of, sum)| sum * FINE / i128::from(*of)).sum()
    }
}

fn act(sub: &Subscription, kind: u16, facts: &Facts, moment: Moment) -> Option<Change> {
    let n = i64::from(kind / 16);
    let ahead = Some(moment.today().plus_days(n % 50));
    let price = PlanChange { price_minor: Some(n * 37), ..PlanChange::default() };
    let done = match kind % 16 {
        0 | 1 => change_plan(sub, &price, moment),
        2 => {
            let quantity = Some(Quantity::whole(u32::try_from(n % 5).expect("small")));
            change_plan(sub, &PlanChange { quantity, ..PlanChange::default() }, moment)
        }
        3 => {
            let frequency = Some(Frequency::ALL[usize::try_from(n % 5).expect("small")]);
            let effective = ChangeTiming::PeriodEnd;
            change_plan(sub, &PlanChange { frequency, effective, ..price }, moment)
        }
        4 => pause(sub, Pause { resumes_at: ahead }, moment),
        5 => resume(sub, moment),
        6 => {
            let request =
                Cancel { mode: CancelMode::AtDate, at: ahead, reason: None, prorate: true };
            cancel(sub, &request, facts, moment)
        }
        _ => return None,
    };
    done.ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_days_served_are_paid_exactly(
        frequency in prop::sample::select(Frequency::ALL),
        price_minor in 0_i64..100_000,
        start in 0_i64..400,
        credits_on in any::<bool>(),
        end_after in prop::option::of(0_i64..500),
        days in prop::collection::vec((any::<u16>(), 0_u8..8), 1..400),
    ) {
        let facts = Facts { credits_on, ..FACTS };
        let mut today = day("2027-01-01").plus_days(start);
        let new = NewSubscription {
            frequency,
            price_minor,
            start_date: today,
            end_date: end_after.map(|days| today.plus_days(days)),
            ..monthly("2027-01-01")
        };
        let mut sub = try_create(new, noon(today)).expect("a change").subscription;
        let (mut ledger, mut truth) = (Ledger::default(), Truth::default());
        for (kind, bills) in days {
            let passed = advance(&sub, noon(today), &facts);
            ledger.take(&passed.change);
            sub = passed.change.subscription;
            if bills < 2 {
                ledger.bill(&mut sub, today);
            }
            if let Some(change) = act(&sub, kind, &facts, noon(today)) {
                ledger.take(&change);
                sub = change.subscription;
            }
            truth.add(&sub, today);
            today = today.plus_days(1);
        }
        // The end: whatever is left of the last term is given back.
        let credits = Facts { credits_on: true, ..facts };
        let passed = advance(&sub, noon(today), &credits);
        ledger.take(&passed.change);
        sub = passed.change.subscription;
        let last = Cancel {
            mode: CancelMode::Immediately,
            at: None,
            reason: None,
            prorate: true,
        };
        if let Ok(change) = cancel(&sub, &last, &credits, noon(today)) {
            ledger.take(&change);
            sub = change.subscription;
        }
        while sub.due_terms(today).next().is_some() {
            ledger.bill(&mut sub, today);
        }
        let distance = (i128::from(ledger.minor) * FINE - truth.fine()).abs();
        prop_assert!(
            distance <= i128::from(ledger.rounded) * FINE,
            "charged {}, truth {} billionths, {} roundings",
            ledger.minor, truth.fine(), ledger.rounded
        );
    }

    #[test]
    fn a_proration_is_the_exact_fraction_rounded_half_up(
        frequency in prop::sample::select(Frequency::ALL),
        (old, new) in (0_i64..1_000_000_000_000, 0_i64..1_000_000_000_000),
        (start, into) in (0_i64..3_000, 0_i64..366),
        quantity in (0_u64..500_000).prop_map(|n| format!("{}.{:03}", n / 1_000, n % 1_000)),
    ) {
        let first = day("2026-01-01").plus_days(start);
        let quantity = Quantity::parse(&quantity);
        let sub = begun(NewSubscription {
            frequency, price_minor: old, quantity, start_date: first, ..monthly("2026-01-01")
        });
        let end = sub.current_period_end.expect("a period");
        let of = end.days_since(first);
        let today = first.plus_days(into % of);
        let change = PlanChange { price_minor: Some(new), ..PlanChange::default() };
        prop_assume!(old != new);
        let record = change_plan(&sub, &change, noon(today)).expect("a change").prorations.remove(0);
        prop_assert_eq!((record.days_left, record.days_in_term), (end.days_since(today), of));
        let thousandths = quantity.expect("a quantity").value() * rust_decimal::Decimal::from(1_000);
        let thousandths: i128 = thousandths.normalize().mantissa();
        for (price, leg) in [(old, record.credit_minor), (new, record.charge_minor)] {
            let exact = i128::from(price) * thousandths;
            let whole = (2 * exact + 1_000) / 2_000;
            let days = whole * i128::from(record.days_left);
            let expected = (2 * days + i128::from(of)) / (2 * i128::from(of));
            prop_assert_eq!(i128::from(leg), expected);
        }
        let net = record.charge_minor - record.credit_minor;
        prop_assert_eq!(record.amount_minor, net.abs());
        prop_assert_eq!(record.kind == ProrationKind::Credit, net < 0);
    }
}
