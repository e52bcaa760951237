//! Corrections of late events.

use super::Change;
use crate::contract::Contracts;
use crate::contract::room::{self, Context, ContractRoom, Effects};
use crate::domain::billing::usage::{
    Adjustment, AdjustmentKey, CorrectLate, CorrectionRefusal, LateEvent,
};
use crate::domain::ids::{AdjustmentId, ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once};
use crate::query;
use crate::tables::{ADJUSTMENT_KEYS, LATE_EVENTS, ids};

impl Contracts {
    /// Corrects late events: an amount that the contract's next usage document carries. The same
    /// key again answers what it made.
    pub async fn correct_late_usage(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: CorrectLate,
    ) -> Result<Adjustment, AskError> {
        let asked = request.clone();
        let correct = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            asked.check()?;
            let row = (seller, asked.key.clone());
            cx.once(ADJUSTMENT_KEYS, &row)?;
            cx.seller()?;
            let late = |event: &_| cx.get(LATE_EVENTS, &(seller, contract, *event));
            let late = asked.events.iter().map(late).collect::<Result<Vec<_>, _>>()?;
            let metering = |day| room.coverage.period_of(day).map(|period| period.subscription);
            let id = AdjustmentId(cx.id(ids::ADJUSTMENT));
            let made = asked.decide((contract, id), &late, metering, cx.now())?;
            let mut effects = Effects::new();
            effects.claim(ADJUSTMENT_KEYS, &row, &AdjustmentKey { contract, adjustment: id });
            for (event, late) in made.events.iter().zip(late.into_iter().flatten()) {
                let corrected = LateEvent { corrected_by: Some(id), ..late };
                effects.put(LATE_EVENTS, &(seller, contract, *event), &corrected);
            }
            effects.change(room::Change::Usage(Change::Corrected(Box::new(made.clone()))));
            Ok(effects.answer(made))
        };
        match self.rooms.once((seller, contract), correct).await? {
            Once::Made(made) => Ok(made),
            Once::Before => Ok(self.corrected_before(seller, contract, &request)?),
        }
    }

    fn corrected_before(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: &CorrectLate,
    ) -> Result<Adjustment, Refusal> {
        let made = query::adjustment_of(&self.rooms.services().store, seller, &request.key);
        let made = made.map_err(|error| {
            let (seller, contract) = (seller.0, contract.0);
            tracing::error!(seller, contract, %error, "a correction cannot be read");
            Refusal::fault()
        })?;
        let made = made.ok_or_else(Refusal::fault)?;
        if made.contract != contract {
            return Err(CorrectionRefusal::KeyReused("contractId").into());
        }
        request.repeats(&made)?;
        Ok(made)
    }
}
