//! Credit that tops itself up: switched on and off, and run. A pack is an invoice of its own, which
//! is issued first, then charged to the saved card; once it is paid it becomes a lot.

use crate::contract::changes::Changes;
use crate::contract::room::{Change, Context, ContractRoom, Decision};
use crate::contract::{CollectionCounts, Contracts};
use crate::domain::billing::contract::ContractStatus;
use crate::domain::billing::credit::{AutoTopup, Buying, CreditRefusal, PackTerms};
use crate::domain::billing::invoice::compose_pack;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;

impl Contracts {
    /// Switches it on or off. `terms`: as they were where none are stated.
    pub async fn set_auto_topup(
        &self,
        seller: SellerId,
        contract: ContractId,
        enabled: bool,
        terms: Option<PackTerms>,
    ) -> Result<AutoTopup, AskError> {
        let set = move |room: &ContractRoom, cx: &Context| {
            if room.contract()?.current.status == ContractStatus::Closed && enabled {
                return Err(CreditRefusal::ContractClosed.into());
            }
            let before = room.auto_topup.as_ref();
            let terms = terms.or(before.map(|before| before.terms));
            let terms = terms.ok_or(CreditRefusal::Required("thresholdMinor"))?;
            terms.check()?;
            let mut changes = Changes::begin(room, cx)?;
            let after = AutoTopup::set(before, enabled, terms, cx.now());
            changes.effects.change(Change::AutoTopup(after));
            Ok(changes.finish().answer(after))
        };
        self.rooms.command((seller, contract), set).await
    }

    /// Buys a pack where less credit is left than there is to be, and makes the charge of one that
    /// was ordered before.
    pub async fn run_auto_topup(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<CollectionCounts, AskError> {
        let (key, buy) = ((seller, contract), ContractRoom::buy_pack);
        self.rooms.command_in_passing(key, buy).await?;
        let order = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let order = changes.order_pack()?;
            Ok(changes.finish().answer(order))
        };
        let Some(order) = self.rooms.command_in_passing(key, order).await? else {
            return Ok(CollectionCounts::default());
        };
        let charge = (order.invoice.invoice, order.charge);
        let refusal = match self.payments.charge_saved_card(order).await {
            Ok(payment) => return self.charge_made(key, payment).await,
            Err(AskError::Refused(refusal)) => refusal,
            // It stays as it was ordered, and is ordered again with the next run.
            Err(AskError::Busy) => {
                return Ok(CollectionCounts { skipped: 1, ..CollectionCounts::default() });
            }
            Err(error) => return Err(error),
        };
        let refused = move |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let failed = u64::from(changes.pack_refused(charge, &refusal)?);
            let counts = CollectionCounts { failed, ..CollectionCounts::default() };
            Ok(changes.finish().answer(counts))
        };
        self.rooms.command_in_passing(key, refused).await
    }
}

impl ContractRoom {
    /// Since when there is something to be done about credit that tops itself up.
    pub(in crate::contract) fn top_up_due_at(&self) -> Option<Timestamp> {
        let open = self.contract.as_ref().filter(|of| of.current.status != ContractStatus::Closed);
        let auto = self.auto_topup.filter(|auto| auto.buying.is_some() || open.is_some())?;
        auto.is_due(self.credit.balances()).then_some(auto.since)
    }

    /// Issues the invoice of a pack, if one is to be bought.
    pub(in crate::contract) fn buy_pack(&self, cx: &Context) -> Result<Decision<()>, Refusal> {
        let contract = self.contract()?;
        let wants = self.auto_topup.filter(|auto| auto.buying.is_none());
        let Some(auto) = wants.filter(|_| self.top_up_due_at().is_some()) else {
            return Ok(Decision::unchanged(()));
        };
        let mut changes = Changes::begin(self, cx)?;
        if !changes.credits_on() {
            return Ok(Decision::unchanged(()));
        }
        if changes.saved_card(contract.customer)?.is_none() {
            changes.effects.change(Change::AutoTopup(auto.with_card(false, cx.now())));
            return Ok(changes.finish().answer(()));
        }
        let prior = self.continues_from.as_ref().or(self.usage_follows.as_ref());
        let terms = changes.next_terms(contract, prior)?;
        let facts = changes.continuing(contract, &terms)?;
        let (id, seller) = (changes.invoice_id(), changes.seller_facts());
        let composed = compose_pack(id, &facts, &seller, terms, &auto.terms, changes.moment)?;
        let buying = Buying { invoice: id, amount_minor: auto.terms.amount_minor, charged: false };
        changes.effects.change(Change::AutoTopup(auto.buying(Some(buying), cx.now())));
        let drawn = changes.issue(composed.into());
        Ok(changes.finish().answer_drawn(drawn, |_| ()))
    }
}
