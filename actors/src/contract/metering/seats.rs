//! Changing the seats of a contract.

use super::Change;
use crate::contract::Contracts;
use crate::contract::room::{self, Context, ContractRoom, Effects};
use crate::domain::billing::usage::{ChangeSeats, MetricName, SeatChange, SeatRefusal, Seats};
use crate::domain::ids::{ContractId, SeatChangeId, SellerId};
use crate::domain::time::{Date, Timestamp};
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
        let by = move |known: &Seats, cx: &Context, closed_until: Option<Date>| {
            let id = SeatChangeId(cx.id(ids::SEAT_CHANGE));
            let change = known.change(id, request.clone(), closed_until, cx.now());
            change.map(|change| (change, None))
        };
        self.change_seats_by(seller, contract, by).await
    }

    /// Sets how many seats there are from an instant on, now by default, until the next change
    /// behind it.
    pub async fn set_seats(
        &self,
        seller: SellerId,
        contract: ContractId,
        seats: i64,
        at: Option<Timestamp>,
    ) -> Result<SeatsChanged, AskError> {
        let by = move |known: &Seats, cx: &Context, closed_until: Option<Date>| {
            let id = || SeatChangeId(cx.id(ids::SEAT_CHANGE));
            known.set(id, (seats, at), closed_until, cx.now())
        };
        self.change_seats_by(seller, contract, by).await
    }

    /// `by`: the change, and the one that leads back from it, if there is one.
    async fn change_seats_by(
        &self,
        seller: SellerId,
        contract: ContractId,
        by: impl Fn(
            &Seats,
            &Context,
            Option<Date>,
        ) -> Result<(SeatChange, Option<SeatChange>), SeatRefusal>
        + Send
        + Sync
        + 'static,
    ) -> Result<SeatsChanged, AskError> {
        let make = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            cx.seller()?;
            let meter = room.metering.meters.get(&MetricName::seats());
            let closed_until = meter.and_then(|meter| meter.row.closed.last()).map(|span| span.end);
            let known = &room.metering.ledger.seats;
            let (change, back) = by(known, cx, closed_until)?;
            // Changes never lie ahead, so that today counts them.
            let delta = change.delta + back.as_ref().map_or(0, |back| back.delta);
            let seats = known.on(cx.now().date()) + delta;
            let mut effects = Effects::new();
            for one in [Some(change.clone()), back].into_iter().flatten() {
                effects.change(room::Change::Usage(Change::Seats(one)));
            }
            Ok(effects.answer(SeatsChanged { change, seats }))
        };
        self.rooms.command((seller, contract), make).await
    }
}
