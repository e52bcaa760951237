//! Terms that prorated cancels cut and that are made whole again, billed and voided in between.

use proptest::prelude::*;

use super::money::Truth;
use super::*;
use crate::domain::ids::ProrationId;

/// A subscription with its prorations and documents, as a contract keeps them.
struct Books {
    sub: Subscription,
    records: Prorations,
    /// Documents that stand, oldest first, each with its term as it was billed.
    documents: Vec<(InvoiceId, Term)>,
    made: u64,
    /// Net of credit lots, minor units, and how many there are.
    lots: (i64, i64),
}

impl Books {
    fn begin(price_minor: i64, binds: Option<bool>) -> Self {
        let sub = begun(NewSubscription { price_minor, ..monthly("2026-01-01") });
        let (records, documents) = (Prorations::new(), Vec::new());
        let mut books = Self { sub, records, documents, made: 0, lots: (0, 0) };
        if let Some(binds) = binds {
            books.bill(binds);
        }
        books
    }

    fn open(&self) -> Prorations {
        let open = self.records.iter().filter(|(_, record)| record.is_open());
        open.map(|(id, record)| (*id, record.clone())).collect()
    }

    fn keep(&mut self, change: Change) {
        for record in change.prorations {
            let id = ProrationId(self.records.len() as u64 + 1);
            self.records.insert(id, record);
        }
        self.records.extend(change.recut);
        if let Some(lot) = change.proration_lot {
            self.lots = (self.lots.0 + lot.net_minor, self.lots.1 + 1);
        }
        self.sub = change.subscription;
    }

    fn live(&mut self, until: Date) {
        self.keep(advance(&self.sub, noon(until), &FACTS).change);
    }

    /// Acts on a day; says whether it is done.
    fn act(&mut self, on: Date, action: &Act) -> bool {
        self.live(on);
        let (open, moment) = (self.open(), noon(on));
        let done = match action {
            Act::Price(price) => {
                let plan = PlanChange { price_minor: Some(*price), ..PlanChange::default() };
                change_plan(&self.sub, &plan, moment)
            }
            Act::Cancel(ahead) => {
                let mode = match ahead {
                    Some(_) => CancelMode::AtDate,
                    None => CancelMode::Immediately,
                };
                let request = Cancel { mode, at: *ahead, reason: None, prorate: true };
                let facts = Facts { credits_on: true, ..FACTS };
                super::super::cancel(&self.sub, &request, &open, &facts, moment)
            }
            Act::Resume => super::super::resume(&self.sub, &open, moment),
        };
        done.map(|change| self.keep(change)).is_ok()
    }

    /// Bills the oldest term that waits, and all that is open of plan changes where it `binds` them.
    fn bill(&mut self, binds: bool) {
        let waits = self.sub.terms.iter().find(|term| term.billed_by.is_none());
        let Some((start, amount)) = waits.map(|term| (term.start, term.amount())) else { return };
        self.made += 1;
        let (id, tax) = (InvoiceId(self.made), TaxTreatment::of_rate(rate()));
        let billed = self.sub.mark_billed(start, id, amount.expect("an amount"), tax);
        self.documents.push((id, billed.expect("a term")));
        let open = self.records.values_mut().filter(|record| binds && record.is_open());
        for record in open {
            for part in record.parts() {
                record.claim(id, *part, record.open_minor(*part));
            }
        }
    }

    fn void(&mut self) {
        let Some((id, term)) = self.documents.pop() else { return };
        self.sub.release_term(id, &term);
        self.records.values_mut().for_each(|record| record.release(id));
    }

    /// What documents carry.
    fn billed(&self) -> i64 {
        let terms: i64 = self.documents.iter().map(|(_, term)| term.charged_minor).sum();
        let claims = self.records.values().flat_map(|record| {
            record.claims.iter().map(|claim| match record.side_of(claim.part).0 {
                ProrationKind::Charge => claim.amount_minor,
                ProrationKind::Credit => -claim.amount_minor,
            })
        });
        terms + claims.sum::<i64>()
    }

    /// What it all comes to once everything is billed.
    fn total(&self) -> i64 {
        let carried: i64 = self.documents.iter().map(|(_, term)| term.charged_minor).sum();
        let waits = self.sub.terms.iter().filter(|term| term.billed_by.is_none());
        let waits: i64 = waits.map(|term| term.amount().expect("an amount")).sum();
        let changes = self.records.values().map(|one| one.charge_minor - one.credit_minor);
        carried + waits + changes.sum::<i64>() - self.lots.0
    }
}

#[derive(Clone, Debug)]
enum Act {
    Price(i64),
    /// On a day, or at once.
    Cancel(Option<Date>),
    Resume,
}

/// Billed for 20 days by a cancel that was taken back: the eleven behind them are a charge. The
/// document is voided, and perhaps billed anew.
fn billed_cut_and_voided(anew: Option<bool>) -> Books {
    let mut books = Books::begin(3_100, None);
    assert!(books.act(day("2026-01-05"), &Act::Cancel(Some(day("2026-01-21")))));
    books.bill(true);
    assert!(books.act(day("2026-01-12"), &Act::Resume));
    assert_eq!((books.billed(), books.total()), (2_000, 3_100));
    books.void();
    assert_eq!((books.billed(), books.total()), (0, 3_100));
    if let Some(binds) = anew {
        books.bill(binds);
    }
    books
}

#[test]
fn a_document_that_is_voided_after_a_cancel_was_taken_back_charges_no_day_twice() {
    for anew in [None, Some(false), Some(true)] {
        let mut raised = billed_cut_and_voided(anew);
        assert!(raised.act(day("2026-01-25"), &Act::Price(6_200)));
        let record = raised.records.values().last().expect("a record");
        assert_eq!((record.kind, record.amount_minor), (ProrationKind::Charge, 700), "{anew:?}");
        assert_eq!((record.days_left, raised.total()), (7, 3_800));

        let mut ended = billed_cut_and_voided(anew);
        assert!(ended.act(day("2026-01-25"), &Act::Cancel(None)));
        assert_eq!(ended.total(), 2_400, "{anew:?}");

        for at in ["2026-01-28", "2026-01-21", "2026-01-16"] {
            let mut whole = billed_cut_and_voided(anew);
            assert!(whole.act(day("2026-01-13"), &Act::Cancel(Some(day(at)))));
            let served = day(at).days_since(day("2026-01-01"));
            assert_eq!(whole.total(), served * 100, "{anew:?} until {at}");
            assert!(whole.act(day("2026-01-14"), &Act::Resume));
            assert_eq!(whole.total(), 3_100, "{anew:?} until {at}");
            assert_eq!(whole.sub.current_period_end, Some(day("2026-02-01")));
        }
    }
}

#[test]
fn what_no_document_has_billed_is_cut_and_never_becomes_credit() {
    let mut books = Books::begin(1_000, Some(false));
    assert!(books.act(day("2026-01-01"), &Act::Price(100_000)));
    assert!(books.act(day("2026-01-01"), &Act::Cancel(None)));
    assert_eq!((books.lots.0, books.open()), (1_000, Prorations::new()));

    // However often the day of the cancel is put off and back.
    let mut books = Books::begin(3_100, Some(false));
    for at in ["2026-01-21", "2026-01-22", "2026-01-11", "2026-01-21"] {
        assert!(books.act(day("2026-01-05"), &Act::Cancel(Some(day(at)))));
        let served = day(at).days_since(day("2026-01-01"));
        assert_eq!(books.total(), served * 100);
        assert!(books.lots.0 <= 2_100, "{:?} until {at}", books.lots);
    }
}

#[test]
fn a_carried_change_is_given_back_and_a_later_one_that_is_not_is_cut() {
    let mut books = Books::begin(3_100, None);
    assert!(books.act(day("2026-01-01"), &Act::Price(6_200)));
    books.bill(true);
    assert!(books.act(day("2026-01-11"), &Act::Price(9_300)));
    assert!(books.act(day("2026-01-21"), &Act::Cancel(None)));
    // 62.00 were billed; ten days of them are used, ten more cost 1.00 beside.
    assert_eq!((books.billed(), books.lots.0, books.total()), (6_200, 2_200, 5_000));
    let open = books.open();
    let open: Vec<_> = open.values().map(|one| (one.days_left, one.amount_minor)).collect();
    assert_eq!(open, [(10, 1_000)]);
}

#[test]
fn a_cancel_is_taken_back_whole_whose_changes_were_carried_when_it_was_settled() {
    let mut books = Books::begin(0, None);
    assert!(books.act(day("2026-01-01"), &Act::Price(3_100)));
    let record = books.records.values_mut().next().expect("a record");
    record.claim(InvoiceId(9), ProrationPart::Net, 3_100);
    assert!(books.act(day("2026-01-11"), &Act::Cancel(Some(day("2026-01-21")))));
    assert_eq!(books.total(), 2_000);
    // The document that carried the change is voided meanwhile.
    books.records.values_mut().for_each(|record| record.release(InvoiceId(9)));
    assert!(books.act(day("2026-01-12"), &Act::Resume));
    assert_eq!(books.total(), 3_100);
}

fn any_days() -> impl Strategy<Value = Vec<(u8, i64, u8)>> {
    prop::collection::vec((0_u8..24, 0_i64..60, 0_u8..16), 1..100)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_cut_billed_and_voided_the_days_served_are_paid_exactly(
        price in 0_i64..100_000,
        voids in any::<bool>(),
        days in any_days(),
    ) {
        let mut books = Books::begin(price, None);
        let (mut truth, mut today) = (Truth::default(), day("2026-01-01"));
        for (kind, n, bills) in days {
            books.live(today);
            match kind {
                0 | 1 => { books.act(today, &Act::Price(n * 997)); }
                2 | 3 => { books.act(today, &Act::Cancel(Some(today.plus_days(1 + n / 2)))); }
                4 | 5 => { books.act(today, &Act::Resume); }
                6 if voids => books.void(),
                _ => {}
            }
            match bills {
                0 | 1 => books.bill(true),
                2 | 3 => books.bill(false),
                _ => {}
            }
            if !voids {
                prop_assert!(books.lots.0 <= books.billed(), "{:?} of {}", books.lots, books.billed());
            }
            truth.add(&books.sub, today);
            today = today.plus_days(1);
        }
        books.act(today, &Act::Cancel(None));
        let rounded = books.documents.len() + books.sub.terms.len() + 2 * books.records.len();
        let rounded = i64::try_from(rounded).expect("small") + books.lots.1;
        let away = truth.away_from(books.total());
        prop_assert!(away <= rounded, "{} is {away} away, {rounded} roundings", books.total());
    }
}
