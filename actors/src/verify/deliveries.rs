//! Deliveries: each of an event, found among those of its webhook, among the open ones, and in
//! the line of its object.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::delivery::{index_key, line_key, open_key};
use crate::domain::ids::{DeliveryId, SellerId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, delivery_id};
use crate::domain::platform::event::Event;
use crate::tables::{DELIVERIES, DELIVERY_INDEX, DELIVERY_LINES, EVENTS, OPEN_DELIVERIES};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(DELIVERIES, all(), delivery)?;
    run.no_others(DELIVERY_INDEX, all(), |reading, key, ()| {
        let known = reading.get(DELIVERIES, &(key.0, key.4))?;
        Ok(known.is_some_and(|known| index_key(&known, known.status) == *key))
    })?;
    run.no_others(OPEN_DELIVERIES, all(), |reading, key, ()| {
        let known = reading.get(DELIVERIES, &(key.0, key.3))?;
        Ok(known.is_some_and(|known| {
            known.next_attempt_at.map(|due| open_key(&known, due)) == Some(*key)
        }))
    })?;
    run.each(DELIVERY_LINES, all(), |reading, key, id, found| {
        let known = reading.get(DELIVERIES, &(key.0, *id))?;
        let line = known.as_ref().and_then(line_key);
        found.same("delivery that stands in a line", Some(*key), line);
        let waits = known.is_some_and(|known| known.status == DeliveryStatus::Pending);
        found.holds("delivery in a line has not ended", waits, id);
        Ok(())
    })
}

fn delivery(
    reading: &Reading,
    key: &(SellerId, DeliveryId),
    delivery: &Delivery,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    found.same("delivery under its own key", *key, (delivery.seller, delivery.id));
    let event = reading.get(EVENTS, &(key.0, delivery.sequence))?;
    let is_made = |event: &Event| {
        let mut places = (0..event.webhooks.len()).zip(&event.webhooks);
        event.id == delivery.event
            && places.any(|(place, webhook)| {
                delivery_id(event.id, place) == delivery.id && *webhook == delivery.webhook
            })
    };
    let made = event.as_ref().is_some_and(is_made);
    found.holds("delivery of an event to a webhook of it", made, &delivery.sequence);
    found.wants(reading, DELIVERY_INDEX, &index_key(delivery, delivery.status), &())?;
    if let Some(due) = delivery.next_attempt_at {
        let pending = delivery.status == DeliveryStatus::Pending;
        found.holds("delivery that is due has not ended", pending, &delivery.status);
        found.wants(reading, OPEN_DELIVERIES, &open_key(delivery, due), &())?;
    }
    if delivery.is_held_back() {
        match line_key(delivery) {
            Some(line) => {
                found.agrees(reading, DELIVERY_LINES, &line, &delivery.id)?;
            }
            None => found.wrong("delivery that waits for its turn", "a line", "none"),
        }
    }
    Ok(())
}
