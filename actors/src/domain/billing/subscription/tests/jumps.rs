//! One long advance against many short ones.

use proptest::prelude::*;

use super::*;
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::platform::event::EventType;

#[derive(Clone, Debug)]
struct Story {
    new: NewSubscription,
    actions: Vec<(i64, u8, i64)>,
    days: i64,
    cuts: Vec<i64>,
    card_saved: bool,
    credits_on: bool,
}

fn any_story() -> impl Strategy<Value = Story> {
    let trial = prop_oneof![
        Just((None, None)),
        (1_i64..60).prop_map(|days| (Some(days), None)),
        (1_i64..60).prop_map(|days| (None, Some(days))),
    ];
    let new = (
        prop::sample::select(Frequency::ALL),
        -200_i64..60,
        trial,
        prop::option::of(200_i64..900),
        prop::sample::select(TrialEndBehavior::ALL),
        any::<bool>(),
    )
        .prop_map(|(frequency, start, (trial_days, trial_end), end, behavior, card)| {
            let today = day("2026-06-15");
            let start_date = today.plus_days(start);
            NewSubscription {
                frequency,
                start_date,
                trial_days,
                trial_end: trial_end.map(|days| start_date.plus_days(days)),
                end_date: end.map(|days| today.plus_days(days)),
                trial_end_behavior: Some(behavior),
                require_payment_method: card,
                ..monthly("2026-06-15")
            }
        });
    let actions = prop::collection::vec((0_i64..40, 0_u8..7, 0_i64..120), 0..5);
    (
        new,
        actions,
        1_i64..700,
        prop::collection::vec(0_i64..700, 0..12),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(new, actions, days, cuts, card_saved, credits_on)| Story {
            new,
            actions,
            days,
            cuts,
            card_saved,
            credits_on,
        })
}

fn act(sub: &Subscription, kind: u8, n: i64, facts: &Facts, moment: Moment) -> Option<Change> {
    let ahead = Some(moment.today().plus_days(n));
    let change = PlanChange { price_minor: Some(1_000 + n), ..PlanChange::default() };
    let later = PlanChange { effective: ChangeTiming::PeriodEnd, ..change };
    let done = match kind {
        0 => pause(sub, Pause { resumes_at: ahead }, moment),
        1 => cancel(sub, &Cancel::default(), facts, moment),
        2 => {
            let prorate = n % 2 == 0;
            let request = Cancel { mode: CancelMode::AtDate, at: ahead, reason: None, prorate };
            cancel(sub, &request, facts, moment)
        }
        3 => change_plan(sub, &change, moment),
        4 => {
            let frequency = Some(Frequency::ALL[n as usize % Frequency::ALL.len()]);
            change_plan(sub, &PlanChange { frequency, ..later }, moment)
        }
        5 => resume(sub, moment),
        _ => return None,
    };
    done.ok()
}

type Reported = (Vec<(EventType, String)>, Vec<TimelineEntry>);

fn reported(change: &Change) -> Reported {
    let events = change.events.iter().map(|e| (e.kind, e.payload.to_string())).collect();
    (events, change.timeline.clone())
}

fn add(mut sum: Counts, more: Counts) -> Counts {
    sum += more;
    Counts { skipped: 0, ..sum }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn one_jump_does_what_many_steps_do(story in any_story()) {
        let facts = Facts {
            card_saved: story.card_saved,
            credits_on: story.credits_on,
            ..FACTS
        };
        let mut today = day("2026-06-15");
        let (id, contract, customer) = (SubscriptionId(7), ContractId(3), CustomerId(5));
        let created = create(id, contract, customer, story.new, &facts, noon(today));
        prop_assume!(created.is_ok());
        let mut sub = created.expect("a change").subscription;
        for (days, kind, n) in story.actions {
            today = today.plus_days(days);
            sub = advance(&sub, noon(today), &facts).change.subscription;
            if let Some(change) = act(&sub, kind, n, &facts, noon(today)) {
                sub = change.subscription;
            }
        }

        let end = today.plus_days(story.days);
        let jump = advance(&sub, noon(end), &facts);
        let mut stops: Vec<_> =
            story.cuts.iter().map(|cut| today.plus_days(cut % story.days)).collect();
        stops.sort();
        stops.push(end);
        let (mut walker, mut counts) = (sub.clone(), Counts::default());
        let (mut events, mut timeline) = (Vec::new(), Vec::new());
        for stop in stops {
            let step = advance(&walker, noon(stop), &facts);
            prop_assert!(next_wakeup(&step.change.subscription).is_none_or(|at| at > noon(stop).engine));
            let (more_events, more_timeline) = reported(&step.change);
            events.extend(more_events);
            timeline.extend(more_timeline);
            counts = add(counts, step.counts);
            walker = step.change.subscription;
        }
        prop_assert_eq!(&walker, &jump.change.subscription);
        prop_assert_eq!(counts, add(Counts::default(), jump.counts));
        prop_assert_eq!((events, timeline), reported(&jump.change));
        prop_assert_eq!(jump.counts.skipped == 1, jump.change.is_empty());
    }

    #[test]
    fn the_timer_is_exactly_when_something_happens(story in any_story()) {
        let start = day("2026-06-15");
        let created = try_create(story.new, noon(start));
        prop_assume!(created.is_ok());
        let mut sub = created.expect("a change").subscription;
        let mut today = start;
        for _ in 0..story.days {
            let due = next_wakeup(&sub).is_some_and(|at| at.date() <= today);
            let step = advance(&sub, noon(today), &FACTS);
            prop_assert_eq!(due, !step.change.is_empty());
            sub = step.change.subscription;
            today = today.plus_days(1);
        }
    }
}
