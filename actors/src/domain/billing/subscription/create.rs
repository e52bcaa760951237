use super::change::{Change, Facts};
use super::draft::{Draft, LifecycleEvent};
use super::lifecycle::{Counts, run};
use super::names::{Frequency, SubscriptionStatus, TrialEndBehavior};
use super::price::{Price, check_price};
use super::refusal::SubscriptionRefusal;
use super::{CollectionMethod, Subscription};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{ContractId, CustomerId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

const DESCRIPTION_CHARACTERS: usize = 256;
const TRIAL_DAYS: std::ops::RangeInclusive<i64> = 1..=730;
const MONTHS_BACK: u32 = 12;
const MONTHS_AHEAD: u32 = 120;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSubscription {
    pub frequency: Frequency,
    /// Minor units for one unit and term, 0 to 10^12.
    pub price_minor: i64,
    pub currency: Currency,
    /// First day, of the trial if there is one; one year past to ten years ahead.
    pub start_date: Date,
    /// Units; one by default.
    pub quantity: Option<Quantity>,
    /// At most 256 characters.
    pub description: Option<String>,
    /// Last day served.
    pub end_date: Option<Date>,
    /// Days of the trial, 1 to 730; not with `trial_end`.
    pub trial_days: Option<i64>,
    /// First paid day, at most ten years after the first one; not with `trial_days`.
    pub trial_end: Option<Date>,
    /// `activate` by default.
    pub trial_end_behavior: Option<TrialEndBehavior>,
    /// Whether the trial may only convert with a saved card.
    pub require_payment_method: bool,
    pub tax_rate: Option<TaxRate>,
    /// `payment_link` by default.
    pub collection_method: Option<CollectionMethod>,
}

impl NewSubscription {
    /// Checks what can be checked without knowing the time or the contract.
    pub fn check(&self) -> Result<(), SubscriptionRefusal> {
        check_price(self.price())?;
        let described = self.description.as_ref().map_or(0, |text| text.chars().count());
        if described > DESCRIPTION_CHARACTERS {
            return Err(SubscriptionRefusal::DescriptionTooLong);
        }
        if self.trial_days.is_some() && self.trial_end.is_some() {
            return Err(SubscriptionRefusal::TrialStatedTwice);
        }
        if self.trial_days.is_some_and(|days| !TRIAL_DAYS.contains(&days)) {
            return Err(SubscriptionRefusal::TrialDaysOutOfRange);
        }
        if self.trial_end.is_some_and(|end| end <= self.start_date) {
            return Err(SubscriptionRefusal::TrialEndNotAfterStart);
        }
        let latest = self.start_date.plus_months(MONTHS_AHEAD);
        if self.trial_end.is_some_and(|end| end > latest) {
            return Err(SubscriptionRefusal::TrialEndTooLate(latest));
        }
        if self.end_date.is_some_and(|last| last < self.start_date) {
            return Err(SubscriptionRefusal::EndBeforeStart);
        }
        if let (Some(last), Some(first_paid)) = (self.end_date, self.first_paid_after_trial()) {
            // A subscription that ends within its trial would have no way to end by the table of
            // statuses, and nothing to pay.
            if last < first_paid {
                return Err(SubscriptionRefusal::EndBeforeTrialEnd);
            }
        }
        Ok(())
    }

    fn check_against(&self, facts: &Facts, today: Date) -> Result<(), SubscriptionRefusal> {
        if self.currency != facts.currency {
            return Err(SubscriptionRefusal::OtherCurrency(facts.currency));
        }
        let earliest = today.minus_months(MONTHS_BACK);
        if self.start_date < earliest {
            return Err(SubscriptionRefusal::StartTooEarly(earliest));
        }
        let latest = today.plus_months(MONTHS_AHEAD);
        if self.start_date > latest {
            return Err(SubscriptionRefusal::StartTooLate(latest));
        }
        if self.end_date.is_some_and(|last| last < today) {
            return Err(SubscriptionRefusal::EndInThePast(today));
        }
        if facts.contract_closed {
            return Err(SubscriptionRefusal::ContractClosed);
        }
        Ok(())
    }

    fn price(&self) -> Price {
        Price {
            price_minor: self.price_minor,
            quantity: self.quantity.unwrap_or(Quantity::ONE),
            tax_rate: self.tax_rate,
        }
    }

    fn first_paid_after_trial(&self) -> Option<Date> {
        self.trial_end.or_else(|| self.trial_days.map(|days| self.start_date.plus_days(days)))
    }
}

/// Creates the subscription `id` on a contract and begins all of its terms up to the contract's
/// day. A trial that is over by then has been: the first paid term began at its end.
pub fn create(
    id: SubscriptionId,
    contract: ContractId,
    customer: CustomerId,
    new: NewSubscription,
    facts: &Facts,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    new.check()?;
    new.check_against(facts, moment.today())?;
    let trial_end = new.first_paid_after_trial();
    let mut draft = Draft::of_new(record(id, contract, customer, new, moment), moment);
    if let Some(first_paid) = trial_end.filter(|end| *end <= moment.today()) {
        draft.sub.trial_start = Some(draft.sub.start_date);
        draft.begin_paid(first_paid, SubscriptionStatus::Active, LifecycleEvent::Activated);
    }
    run(&mut draft, facts, &mut Counts::default());
    draft.record_first(LifecycleEvent::Created, moment.engine);
    Ok(draft.finish_new())
}

fn record(
    id: SubscriptionId,
    contract: ContractId,
    customer: CustomerId,
    new: NewSubscription,
    moment: Moment,
) -> Subscription {
    Subscription {
        id,
        contract,
        customer,
        status: SubscriptionStatus::Scheduled,
        frequency: new.frequency,
        price_minor: new.price_minor,
        quantity: new.quantity.unwrap_or(Quantity::ONE),
        currency: new.currency,
        trial_end: new.first_paid_after_trial(),
        description: new.description,
        start_date: new.start_date,
        end_date: new.end_date,
        trial_start: None,
        trial_end_behavior: new.trial_end_behavior.unwrap_or(TrialEndBehavior::Activate),
        trial_notice_sent: false,
        past_due_for: Vec::new(),
        require_payment_method: new.require_payment_method,
        tax_rate: new.tax_rate,
        collection_method: new.collection_method.unwrap_or(CollectionMethod::PaymentLink),
        current_period_start: None,
        current_period_end: None,
        scheduled_cancel: None,
        canceled_at: None,
        cancel_reason: None,
        canceled_on: None,
        paused_at: None,
        paused_from: None,
        resumes_at: None,
        pending_change: None,
        schedules: Vec::new(),
        gaps: Vec::new(),
        terms: Vec::new(),
        created_at: moment.wall,
    }
}
