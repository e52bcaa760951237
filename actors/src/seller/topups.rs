//! Money that a seller brings in itself: its safeguarding accounts, and the top-up invoices that
//! are paid to them.

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{SellerId, TopupId};
use crate::domain::messages::{DepositNotice, Envelope, PayeeMessage};
use crate::domain::money::Currency;
use crate::domain::payments::safeguarding::{SafeguardingAccount, SafeguardingTerms};
use crate::domain::payments::topup::{Draft, NewDeposit, NewTopup, TopupInvoice};
use crate::domain::payments::wallet::OWN;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects, Halt, KeyClaim, Once};
use crate::tables::{TOPUP_NUMBERS, TOPUPS, ids};

impl Sellers {
    pub async fn safeguard(
        &self,
        id: SellerId,
        currency: Currency,
        terms: SafeguardingTerms,
    ) -> Result<SafeguardingAccount, AskError> {
        let set = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = room.safeguarding(currency);
            let (of, mode) = ((room.id, currency), room.account()?.mode);
            let account = SafeguardingAccount::set(known, of, terms.clone(), mode, cx.now());
            if known == Some(&account) {
                return Ok(Decision::unchanged(account));
            }
            let mut effects = Effects::new();
            effects.change(Change::Safeguarding(account.clone()));
            Ok(effects.answer(account))
        };
        self.rooms.command(id, set).await
    }

    /// Makes a top-up invoice, once for each key. That the seller has a main wallet of the
    /// currency is for the caller to know.
    /// Refused without an active safeguarding account, and when the due date lies outside its
    /// bounds.
    pub async fn issue_topup(
        &self,
        id: SellerId,
        new: NewTopup,
        claim: KeyClaim,
    ) -> Result<Once<TopupInvoice>, AskError> {
        self.rooms.once(id, move |room, cx| room.issue_topup(cx, &new, &claim)).await
    }

    /// Matches money that came to a top-up invoice, and brings it to the main wallet. A deposit
    /// is taken once by its reference.
    /// Refused when the currency is another one, or the reference was another deposit's.
    pub async fn deposit(
        &self,
        id: SellerId,
        topup: TopupId,
        deposit: NewDeposit,
    ) -> Result<TopupInvoice, AskError> {
        self.rooms.command(id, move |room, cx| room.deposit(cx, topup, &deposit)).await
    }
}

impl SellerRoom {
    /// The number is drawn in the commit that stores the invoice: it leaves no gap among those of
    /// contracts.
    fn issue_topup(
        &self,
        cx: &Context<Self>,
        new: &NewTopup,
        claim: &KeyClaim,
    ) -> Result<Decision<Self, TopupInvoice>, Halt> {
        claim.check(cx, self.id)?;
        let account = self.safeguarding(new.amount.currency);
        let id = TopupId(cx.id(ids::TOPUP));
        let draft = Draft::compose(*new, self.account()?, account, id, cx.now())?;
        let mut effects = Effects::new();
        claim.hold(&mut effects, self.id, id.0);
        let (seller, series) = (self.id, draft.series);
        let digest = draft.digest();
        let issued = effects.draw_linked(&series.sequence(seller), digest, move |linked, rows| {
            let order = linked.number;
            let topup = draft.issue(order);
            rows.put(TOPUPS, &(seller, id), &topup);
            let number = (seller, series.year, series.month, order);
            rows.put(TOPUP_NUMBERS, &number, &linked.given_to(id));
            topup
        });
        Ok(effects.answer_drawn(issued, |topup| topup))
    }

    /// The invoice and the message that brings the money to the main wallet are one write.
    fn deposit(
        &self,
        cx: &Context<Self>,
        id: TopupId,
        deposit: &NewDeposit,
    ) -> Result<Decision<Self, TopupInvoice>, Refusal> {
        let known = cx.get(TOPUPS, &(self.id, id))?.ok_or_else(Refusal::missing)?;
        let Some(after) = known.deposited(deposit, cx.now())? else {
            return Ok(Decision::unchanged(known));
        };
        let notice = DepositNotice {
            reference: after.number.to_string(),
            amount: deposit.amount,
            at: cx.now(),
            mode: after.mode,
        };
        let mut effects = Effects::new();
        effects.put(TOPUPS, &(self.id, id), &after);
        effects.send(Envelope::to_payee(self.id, OWN, PayeeMessage::Deposited(notice)));
        Ok(effects.answer(after))
    }
}
