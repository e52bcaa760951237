//! Vendors: payees that verify themselves over a link and are paid out within an allowance.

use storage::Scan;

use super::Payees;
use super::room::{Cx, PayeeRoom};
use crate::domain::country::Country;
use crate::domain::ids::{PayeeId, SellerId, VendorId};
use crate::domain::payments::payee::{NewPayee, Payee, PayeeChange};
use crate::domain::payments::vendor::{
    AllowancePatch, Vendor, VendorStatus, decide, issue_link, set_allowance, submit,
};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Effects, KeyClaim, Once};
use crate::tables::{PAYOUTS, VENDOR_HOMES, VENDORS, WALLET_PAYOUTS, ids};

impl Payees {
    pub async fn create_vendor(
        &self,
        seller: SellerId,
        new: (NewPayee, Option<Country>),
        claim: KeyClaim,
    ) -> Result<Once<Payee>, AskError> {
        let vendor = VendorId(self.store().next_id_in(ids::VENDOR, seller.shard()));
        let home = (seller, PayeeId(self.store().next_id_in(ids::PAYEE, seller.shard())));
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let name = new.0.payee_contract_id.as_ref();
            let (mut effects, mode) = room.begin_payee(cx, name, &claim, vendor.0)?;
            let change = Vendor::create(new.clone(), vendor, home, mode, cx.now());
            effects.put(VENDORS, &(seller, vendor), &room.id);
            effects.put(VENDOR_HOMES, &vendor, &seller);
            let payee = room.change_payee(cx, &mut effects, change)?;
            Ok(effects.answer(payee))
        };
        self.rooms.once(home, decide).await
    }

    /// Issues a verification link to a vendor that is good until then. Refused when there is
    /// nothing left to verify.
    pub async fn issue_verification_link(
        &self,
        home: (SellerId, PayeeId),
        until: Timestamp,
        claim: KeyClaim,
    ) -> Result<Once<Payee>, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            claim.check(cx, room.seller)?;
            let mode = cx.seller()?.seller.mode;
            let payee = issue_link(room.payee()?, until, mode, cx.now())?;
            let mut effects = Effects::new();
            claim.hold(&mut effects, room.seller, claim.request.object);
            let change = PayeeChange { payee, events: Vec::new() };
            let payee = room.change_payee(cx, &mut effects, change)?;
            Ok(effects.answer(payee))
        };
        self.rooms.once(home, decide).await
    }

    /// Takes it that a vendor has answered its link; once is enough. Refused when there is nothing
    /// left to verify.
    pub async fn submit_verification(&self, home: (SellerId, PayeeId)) -> Result<Payee, AskError> {
        let decide = |room: &PayeeRoom, cx: &Cx| {
            let mode = cx.seller()?.seller.mode;
            let wait = cx.tools().verification_seconds;
            room.carry_out(cx, submit(room.payee()?, mode, wait, cx.now())?)
        };
        self.rooms.command(home, decide).await
    }

    /// Takes the operator's decision on a vendor's verification; once is enough. Refused when the
    /// vendor is archived.
    pub async fn decide_vendor(
        &self,
        home: (SellerId, PayeeId),
        status: VendorStatus,
    ) -> Result<Payee, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let mode = cx.seller()?.seller.mode;
            room.carry_out(cx, decide(room.payee()?, status, mode, cx.now())?)
        };
        self.rooms.command(home, decide).await
    }

    /// Changes how much a vendor may be paid out. Where an earlier program may have counted what it
    /// was, that is added up anew, once. Refused when the fields contradict each other.
    pub async fn set_allowance(
        &self,
        home: (SellerId, PayeeId),
        patch: AllowancePatch,
    ) -> Result<Payee, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let known = room.payee()?;
            let payee = room.counted(cx, set_allowance(known, patch)?)?;
            let change = PayeeChange { payee, events: Vec::new() };
            room.carry_out(cx, (change.payee != *known).then_some(change))
        };
        self.rooms.command(home, decide).await
    }
}

impl PayeeRoom {
    /// `payee` with its payouts added up anew where an earlier program has counted them; those that
    /// are not answered yet too. They are read one by one, however many there are.
    fn counted(&self, cx: &Cx, payee: Payee) -> Result<Payee, Refusal> {
        let Some(vendor) = payee.vendor.as_ref().filter(|vendor| !vendor.is_counted) else {
            return Ok(payee);
        };
        let mut vendor = vendor.uncounted();
        self.open.values().for_each(|payout| vendor.add(payout));
        for wallet in payee.wallets.iter().flatten() {
            let listed = cx.store().scan(WALLET_PAYOUTS, Scan::prefix(&(self.seller, *wallet)));
            for listed in listed.keys() {
                let (_, _, id) = cx.read(listed)?;
                if self.open.contains_key(&id) {
                    continue;
                }
                if let Some(payout) = cx.get(PAYOUTS, &(self.seller, id))? {
                    vendor.add(&payout);
                }
            }
        }
        Ok(Payee { vendor: Some(vendor), ..payee })
    }
}
