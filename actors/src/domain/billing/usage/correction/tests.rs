use super::*;
use crate::domain::billing::usage::{EventKey, UsageEvent};
use crate::domain::quantity::Quantity;

fn request() -> CorrectLate {
    CorrectLate {
        events: vec![UsageEventId(1), UsageEventId(2)],
        amount_minor: Some(400),
        description: "Late usage".to_owned(),
        key: "k".to_owned(),
    }
}

fn late(metric: &str, on: &str) -> Option<LateEvent> {
    let at = Date::parse(on).expect("a date").start();
    let event = UsageEvent {
        id: UsageEventId(1),
        key: EventKey::parse("k").expect("a key"),
        quantity: Quantity::ONE,
        occurred_at: at,
        received_at: at,
        metadata: None,
        version: 1,
    };
    let metric = MetricName::parse(metric).expect("a name");
    Some(LateEvent { metric, event, corrected_by: None })
}

fn decided(
    request: &CorrectLate,
    late: &[Option<LateEvent>],
) -> Result<Adjustment, CorrectionRefusal> {
    let now = Date::parse("2026-05-01").expect("a date").start();
    request.check()?;
    let late = request.uncorrected(late.to_vec())?;
    let (of, amount) = ((ContractId(1), AdjustmentId(7)), request.amount_minor.unwrap_or(0));
    request.decide(of, &late, amount, |_| Some(SubscriptionId(3)), now)
}

#[test]
fn what_is_out_of_its_range_is_refused() {
    let ids = |ids: &[u64]| ids.iter().map(|id| UsageEventId(*id)).collect::<Vec<_>>();
    let many: Vec<_> = (0..101).collect();
    for (request, refusal) in [
        (CorrectLate { events: vec![], ..request() }, CorrectionRefusal::Events),
        (CorrectLate { events: ids(&[4, 5, 4]), ..request() }, CorrectionRefusal::Events),
        (CorrectLate { events: ids(&many), ..request() }, CorrectionRefusal::Events),
        (CorrectLate { amount_minor: Some(0), ..request() }, CorrectionRefusal::Amount),
        (
            CorrectLate { amount_minor: Some(1_000_000_000_001), ..request() },
            CorrectionRefusal::Amount,
        ),
        (CorrectLate { amount_minor: Some(i64::MIN), ..request() }, CorrectionRefusal::Amount),
        (CorrectLate { description: String::new(), ..request() }, CorrectionRefusal::Description),
        (CorrectLate { description: "x".repeat(513), ..request() }, CorrectionRefusal::Description),
        (CorrectLate { key: String::new(), ..request() }, CorrectionRefusal::Key),
        (CorrectLate { key: "a b".to_owned(), ..request() }, CorrectionRefusal::Key),
    ] {
        assert_eq!(request.check(), Err(refusal.clone()));
        assert_eq!(refusal.kind(), RefusalKind::Invalid);
    }
    assert_eq!(request().check(), Ok(()));
}

#[test]
fn a_correction_settles_late_events_that_none_has_settled() {
    let found = [late("calls", "2026-03-04"), late("calls", "2026-03-02")];
    let made = decided(&request(), &found).expect("corrected");
    assert_eq!((made.days.start.to_string(), made.days.days()), ("2026-03-02".to_owned(), 3));
    assert_eq!(made.metric.as_ref().map(MetricName::as_str), Some("calls"));
    assert_eq!((made.open_minor(), made.subscription), (400, Some(SubscriptionId(3))));
    let mixed = [late("calls", "2026-03-04"), late("bytes", "2026-03-02")];
    assert_eq!(decided(&request(), &mixed).expect("corrected").metric, None);
    let missing = [late("calls", "2026-03-04"), None];
    let refused = decided(&request(), &missing);
    assert_eq!(refused, Err(CorrectionRefusal::NotLate(UsageEventId(2))));
    let mut settled = [late("calls", "2026-03-04"), late("calls", "2026-03-02")];
    if let Some(late) = &mut settled[0] {
        late.corrected_by = Some(AdjustmentId(5));
    }
    let refused = decided(&request(), &settled);
    assert_eq!(refused, Err(CorrectionRefusal::Corrected(UsageEventId(1))));
}

#[test]
fn a_repeated_request_is_compared() {
    let found = [late("calls", "2026-03-04"), late("calls", "2026-03-02")];
    let made = decided(&request(), &found).expect("corrected");
    let turned = CorrectLate { events: vec![UsageEventId(2), UsageEventId(1)], ..request() };
    assert_eq!(turned.repeats(&made), Ok(()));
    for (request, field) in [
        (CorrectLate { events: vec![UsageEventId(1)], ..request() }, "eventIds"),
        (CorrectLate { amount_minor: Some(-400), ..request() }, "amountMinor"),
        (CorrectLate { description: "Other".to_owned(), ..request() }, "description"),
    ] {
        assert_eq!(request.repeats(&made), Err(CorrectionRefusal::KeyReused(field)));
    }
}
