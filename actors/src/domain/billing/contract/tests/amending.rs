//! `POST /contracts/{contractId}/amendments`.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn amendment() -> Amendment {
    Amendment { expected_base_version: 5, ..Amendment::default() }
}

fn amended(contract: &Contract, amendment: &Amendment) -> Result<Contract, ContractRefusal> {
    amend(contract, amendment, &mut ids_from(100), noon("2027-01-15"))
}

fn kept(id: u64, content: LineItemContent) -> AmendedLineItem {
    AmendedLineItem { id: Some(LineItemId(id)), content }
}

fn stated(content: LineItemContent) -> AmendedLineItem {
    AmendedLineItem { id: None, content }
}

#[test]
fn only_the_moves_of_the_table_are_allowed() {
    use ContractStatus::{Active, Closed, Draft, Suspended};
    let illegal = |from, to| Err(ContractRefusal::IllegalMove { from, to });
    for (from, to, expected) in [
        (Draft, Draft, Ok(Draft)),
        (Draft, Active, Ok(Active)),
        (Draft, Suspended, illegal(Draft, Suspended)),
        (Draft, Closed, Ok(Closed)),
        (Active, Draft, illegal(Active, Draft)),
        (Active, Active, Ok(Active)),
        (Active, Suspended, Ok(Suspended)),
        (Active, Closed, Ok(Closed)),
        (Suspended, Draft, illegal(Suspended, Draft)),
        (Suspended, Active, Ok(Active)),
        (Suspended, Suspended, Ok(Suspended)),
        (Suspended, Closed, Ok(Closed)),
        (Closed, Draft, Err(ContractRefusal::Closed)),
        (Closed, Active, Err(ContractRefusal::Closed)),
        (Closed, Suspended, Err(ContractRefusal::Closed)),
        (Closed, Closed, Err(ContractRefusal::Closed)),
    ] {
        let asked = Amendment { status: Some(to), ..amendment() };
        let answered = amended(&contract(from), &asked).map(|next| next.current.status);
        assert_eq!(answered, expected, "{from:?} to {to:?}");
    }
}

#[test]
fn what_is_not_stated_stays() {
    for status in [ContractStatus::Draft, ContractStatus::Active, ContractStatus::Suspended] {
        let before = contract(status);
        let after = amended(&before, &amendment()).expect("a version");
        let now = noon("2027-01-15");
        let expected = ContractVersion { version: 6, created_at: now, ..before.current.clone() };
        assert_eq!(after, Contract { current: expected, ..before });
    }
    let closed = amended(&contract(ContractStatus::Closed), &amendment());
    assert_eq!(closed, Err(ContractRefusal::Closed));
}

#[test]
fn a_stale_version_is_refused_before_its_content_is_matched() {
    for (expected, refusal) in [
        (0, ContractRefusal::BaseVersion),
        (4, ContractRefusal::StaleVersion { expected: 4, current: 5 }),
        (6, ContractRefusal::StaleVersion { expected: 6, current: 5 }),
        (u64::MAX, ContractRefusal::StaleVersion { expected: u64::MAX, current: 5 }),
    ] {
        let line_items = Some(vec![kept(77, seat("x"))]);
        let asked = Amendment { expected_base_version: expected, line_items, ..amendment() };
        assert_eq!(amended(&contract(ContractStatus::Active), &asked), Err(refusal));
    }
}

#[test]
fn days_that_are_wrong_by_themselves_come_before_the_state() {
    use ContractRefusal::{EndBeforeStart, EndTooFar};
    let day = |text| Some(date(text));
    let closed = contract(ContractStatus::Closed);
    let open = contract(ContractStatus::Active);
    for (start_date, end_date, refusal) in [
        (day("2027-06-30"), day("2027-06-29"), EndBeforeStart),
        (None, day("2037-01-16"), EndTooFar(date("2037-01-15"))),
    ] {
        let end_date = Some(end_date);
        let stale = Amendment { expected_base_version: 4, start_date, end_date, ..amendment() };
        assert_eq!(amended(&open, &stale), Err(refusal.clone()));
        let asked = Amendment { start_date, end_date, ..amendment() };
        assert_eq!(amended(&closed, &asked), Err(refusal));
    }
    // What only the current version makes wrong is judged after the version is known to be it.
    let end_date = Some(day("2026-11-20"));
    let stale = Amendment { expected_base_version: 4, end_date, ..amendment() };
    let expected = ContractRefusal::StaleVersion { expected: 4, current: 5 };
    assert_eq!(amended(&open, &stale), Err(expected));
}

#[test]
fn days_are_held_against_what_stays() {
    use ContractRefusal::{EndBeforeStart, EndCleared, EndTooFar, StartOutsideWindow};
    let open = contract(ContractStatus::Active);
    let mut ended = open.clone();
    ended.current.end_date = Some(date("2027-11-20"));
    let window = StartOutsideWindow { from: date("2026-01-15"), to: date("2037-01-15") };
    let day = |text| Some(date(text));
    for (contract, start_date, end_date, expected) in [
        (&open, None, Some(day("2027-06-30")), Ok((date("2026-11-21"), day("2027-06-30")))),
        (&open, None, Some(None), Ok((date("2026-11-21"), None))),
        (&open, None, Some(day("2026-11-20")), Err(EndBeforeStart)),
        (&open, None, Some(day("2037-01-16")), Err(EndTooFar(date("2037-01-15")))),
        (&open, day("2026-01-14"), None, Err(window.clone())),
        (&open, day("2037-01-16"), None, Err(window)),
        (&ended, None, Some(None), Err(EndCleared)),
        (&ended, None, Some(day("2028-01-01")), Ok((date("2026-11-21"), day("2028-01-01")))),
        (&ended, day("2027-11-21"), None, Err(EndBeforeStart)),
        (&ended, day("2027-11-20"), None, Ok((date("2027-11-20"), day("2027-11-20")))),
    ] {
        let asked = Amendment { start_date, end_date, ..amendment() };
        let answered =
            amended(contract, &asked).map(|next| (next.current.start_date, next.current.end_date));
        assert_eq!(answered, expected);
    }
}

#[test]
fn a_first_day_of_long_ago_may_be_repeated() {
    let old = contract(ContractStatus::Active);
    let asked = Amendment { start_date: Some(old.current.start_date), ..amendment() };
    let answered = amend(&old, &asked, &mut ids_from(100), noon("2031-01-01"));
    assert_eq!(answered.err(), None);
}

#[test]
fn a_detail_is_replaced_kept_or_cleared() {
    let details = StatedDetails {
        name: Some("Grace".to_owned()),
        phone: None,
        company_name: Some(String::new()),
        company_country: None,
    };
    let asked = Amendment { details, ..amendment() };
    let after = amended(&contract(ContractStatus::Active), &asked).expect("a version").current;
    assert_eq!(after.details.name.as_deref(), Some("Grace"));
    assert_eq!(after.details.company_name, None);
    assert_eq!(after.details.company_country.as_deref(), Some("United Kingdom"));

    let details = StatedDetails { phone: Some("x".repeat(33)), ..StatedDetails::default() };
    let refusal = ContractRefusal::DetailTooLong { field: "customerPhone", max: 32 };
    let asked = Amendment { details, ..amendment() };
    assert_eq!(amended(&contract(ContractStatus::Active), &asked), Err(refusal));
}

#[test]
fn line_items_keep_their_ids_by_name_or_by_content() {
    // The current version has 1: a, 2: b, 3: b.
    let unknown = |index| Err(LineProblem::UnknownId.at(index));
    let repeated = |index| Err(LineProblem::RepeatedId.at(index));
    for (items, expected) in [
        (None, Ok(vec![1, 2, 3])),
        (Some(vec![]), Ok(vec![])),
        (Some(vec![stated(seat("b")), stated(seat("a"))]), Ok(vec![2, 1])),
        (Some(vec![stated(seat("b")); 3]), Ok(vec![2, 3, 100])),
        (
            Some(vec![stated(seat("c")), stated(seat("a")), stated(seat("d"))]),
            Ok(vec![100, 1, 101]),
        ),
        (Some(vec![kept(1, seat("z")), stated(seat("a"))]), Ok(vec![1, 100])),
        // An item that is named is no match for another one, wherever it stands.
        (Some(vec![stated(seat("b")), kept(2, seat("b"))]), Ok(vec![3, 2])),
        (Some(vec![stated(seat("b")), stated(seat("b")), kept(2, seat("q"))]), Ok(vec![3, 100, 2])),
        (Some(vec![kept(9, seat("a"))]), unknown(0)),
        (Some(vec![stated(seat("a")), kept(100, seat("a"))]), unknown(1)),
        (Some(vec![kept(2, seat("a")), kept(2, seat("b"))]), repeated(1)),
    ] {
        let asked = Amendment { line_items: items.clone(), ..amendment() };
        let answered = amended(&contract(ContractStatus::Active), &asked)
            .map(|next| next.current.line_items.iter().map(|item| item.id.0).collect());
        assert_eq!(answered, expected, "{items:?}");
    }
    let many = Some(vec![stated(seat("a")); 101]);
    let asked = Amendment { line_items: many, ..amendment() };
    let refusal = ContractRefusal::TooManyLineItems;
    assert_eq!(amended(&contract(ContractStatus::Active), &asked), Err(refusal));
}

proptest! {
    /// Whatever a set of items is replaced by: the content asked for is what is stored, in
    /// order; ids never meet; a named item keeps its id; and of each content as many ids go on
    /// as unnamed items ask for and current, unnamed ones have.
    #[test]
    fn no_kept_line_item_loses_its_id(
        before in proptest::collection::vec(0_u8..4, 0..12),
        asked in proptest::collection::vec((0_u8..4, any::<Option<u8>>()), 0..12),
    ) {
        let name = |n: u8| seat(&n.to_string());
        let line_items = before.iter().map(|n| name(*n)).collect();
        let draft = made(&NewContract { line_items, ..request() });
        let known = &draft.current.line_items;
        let mut named = BTreeSet::new();
        let mut items = Vec::new();
        for (content, pick) in asked {
            let id = pick
                .filter(|_| !known.is_empty())
                .map(|pick| known[usize::from(pick) % known.len()].id)
                .filter(|id| named.insert(*id));
            items.push(AmendedLineItem { id, content: name(content) });
        }
        let asked = Amendment {
            expected_base_version: 1,
            line_items: Some(items.clone()),
            ..Amendment::default()
        };
        let after = amended(&draft, &asked).expect("a version").current.line_items;

        prop_assert_eq!(after.len(), items.len());
        let ids: BTreeSet<_> = after.iter().map(|item| item.id).collect();
        prop_assert_eq!(ids.len(), after.len());
        for (stored, item) in after.iter().zip(&items) {
            prop_assert_eq!(&stored.content, &item.content);
            prop_assert!(item.id.is_none_or(|id| id == stored.id));
        }
        for content in (0..4).map(name) {
            let unnamed = |item: &&LineItem| item.content == content && !named.contains(&item.id);
            let free: BTreeSet<_> = known.iter().filter(unnamed).map(|item| item.id).collect();
            let wanted =
                items.iter().filter(|item| item.id.is_none() && item.content == content).count();
            let going_on = after
                .iter()
                .filter(|item| item.content == content && free.contains(&item.id))
                .count();
            prop_assert_eq!(going_on, free.len().min(wanted));
        }
    }
}
