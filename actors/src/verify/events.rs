//! Events: a sequence without a gap, and a delivery to each webhook that each was for.

use storage::{ReadError, Scan};

use super::run::{At, Run};
use crate::domain::ids::SellerId;
use crate::domain::platform::delivery::delivery_id;
use crate::domain::platform::event::EventSequence;
use crate::tables::{DELIVERIES, EVENTS, EXPANDED};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let reading = run.reading;
    let expanded = reading.get(EXPANDED, &seller)?.unwrap_or(0);
    run.count(EXPANDED.name(), 1);
    run.each(EVENTS, Scan::prefix(&(seller,)), |reading, (seller, sequence), event, found| {
        if *sequence > expanded {
            return Ok(());
        }
        for place in 0..event.webhooks.len() {
            let id = delivery_id(event.id, place);
            found.names(reading, DELIVERIES, &(*seller, id))?;
        }
        Ok(())
    })?;
    let mut last: Option<u64> = None;
    for key in reading.scan(EVENTS, Scan::prefix(&(seller,))).keys() {
        let Ok((_, sequence)) = key else { continue };
        // Old ones are deleted, the oldest first: the first that is there may be any.
        if let Some(before) = last.filter(|before| before + 1 != sequence) {
            run.settle(&At::new(EVENTS, &(seller, sequence)), |reading, found, _| {
                let mut first = reading.scan(EVENTS, Scan::prefix(&(seller,)).first()).keys();
                let kept = first.next().transpose()?.is_some_and(|(_, first)| first <= before);
                if kept && !reading.contains(EVENTS, &(seller, before + 1))? {
                    found.same("events without a gap", before + 1, sequence);
                }
                Ok(())
            })?;
        }
        last = Some(sequence);
    }
    let Some(last) = last else { return Ok(()) };
    run.settle(&At::new(EVENTS, &(seller, last)), |reading, found, _| {
        let mut newest = reading.scan(EVENTS, Scan::prefix(&(seller,)).reverse().first()).keys();
        // Where all are deleted nothing tells how many there were.
        let Some((_, last)) = newest.next().transpose()? else { return Ok(()) };
        found.same("last event", reading.drawn(&EventSequence(seller))?, last);
        let expanded = reading.get(EXPANDED, &seller)?.unwrap_or(0);
        found.holds("deliveries made up to an event that is there", expanded <= last, &expanded);
        Ok(())
    })
}
