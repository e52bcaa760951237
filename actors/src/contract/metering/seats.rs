//! Changing the seats of a contract.

use super::Change;
use crate::contract::Contracts;
use crate::contract::room::{self, Context, ContractRoom, Effects};
use crate::domain::billing::usage::{ChangeSeats, MetricName, SeatChange, SeatRefusal, Seats};
use crate::domain::ids::{ContractId, SeatChangeId, SellerId};
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::tables::ids;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatsChanged {
    pub change: SeatChange,
    pub seats: i64,
}

impl Contracts {
    pub async fn change_seats(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: ChangeSeats,
    ) -> Result<SeatsChanged, AskError> {
        self.change_seats_by(seller, contract, move |_, _| Ok(request.clone())).await
    }

    /// Sets how many seats there are from an instant on, now by default, when the later changes
    /// are left as they are.
    pub async fn set_seats(
        &self,
        seller: SellerId,
        contract: ContractId,
        seats: i64,
        at: Option<Timestamp>,
    ) -> Result<SeatsChanged, AskError> {
        let by = move |known: &Seats, now: Timestamp| known.set(seats, at, now);
        self.change_seats_by(seller, contract, by).await
    }

    async fn change_seats_by(
        &self,
        seller: SellerId,
        contract: ContractId,
        by: impl Fn(&Seats, Timestamp) -> Result<ChangeSeats, SeatRefusal> + Send + Sync + 'static,
    ) -> Result<SeatsChanged, AskError> {
        let make = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            cx.seller()?;
            let meter = room.metering.meters.get(&MetricName::seats());
            let closed_until = meter.and_then(|meter| meter.row.closed.last()).map(|span| span.end);
            let id = SeatChangeId(cx.id(ids::SEAT_CHANGE));
            let known = &room.metering.ledger.seats;
            let change = known.change(id, by(known, cx.now())?, closed_until, cx.now())?;
            // A change never lies ahead, so that today counts it.
            let seats = known.on(cx.now().date()) + change.delta;
            let mut effects = Effects::new();
            effects.change(room::Change::Usage(Change::Seats(change.clone())));
            Ok(effects.answer(SeatsChanged { change, seats }))
        };
        self.rooms.command((seller, contract), make).await
    }
}
