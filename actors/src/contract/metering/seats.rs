//! Changing the seats of a contract (billing 2.7).

use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::{Write, unexpected};
use crate::domain::billing::usage::{ChangeSeats, MetricName, SeatChange};
use crate::domain::ids::SeatChangeId;
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::tables::{SEAT_CHANGES, ids};

/// A change of seats that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatsChanged {
    /// The change.
    pub change: SeatChange,
    /// How many seats there are now.
    pub seats: i64,
}

impl ContractRoom {
    pub(super) fn change_seats(
        &mut self,
        desk: &Desk<Self>,
        request: ChangeSeats,
        reply: Answer<SeatsChanged>,
    ) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let meter = self.metering.meters.get(&MetricName::seats());
        let closed_until = meter.and_then(|meter| meter.row.closed.last()).map(|span| span.end);
        let id = SeatChangeId(desk.next_id(ids::SEAT_CHANGE));
        let seats = &mut self.metering.ledger.seats;
        let change = match seats.change(id, request, closed_until, write.now) {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        seats.take(&change);
        let answer = SeatsChanged { seats: seats.on(write.now.date()), change: change.clone() };
        write.batch.put(SEAT_CHANGES, &(self.seller, self.id, id), &change);
        write.finish(self, desk, reply, |result| result.map(|_| answer).map_err(unexpected));
    }
}
