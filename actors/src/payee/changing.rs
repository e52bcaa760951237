//! Changing a payee, archiving it, and what is decided on it.

use secrecy::{ExposeSecret, SecretString};

use super::command::Answer;
use super::room::{PayeeRoom, unreadable};
use super::write::{Write, refused};
use crate::domain::payments::payee::{Decision, Payee, PayeePatch, PayeeRefusal, TaxId, archive};
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::tables::PAYEE_CONTRACTS;

impl PayeeRoom {
    pub(super) fn patch(&mut self, desk: &Desk<Self>, patch: PayeePatch, reply: Answer<Payee>) {
        match self.patched(desk, patch) {
            Ok((write, payee)) => {
                write.finish(self, desk, reply, |result| result.map(|_| payee).map_err(refused));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn patched(&mut self, desk: &Desk<Self>, patch: PayeePatch) -> Result<(Write, Payee), Refusal> {
        let known = self.payee()?;
        self.contract_id_is_free(desk, known, &patch)?;
        let mut write = Write::new(self, desk)?;
        let tax_id = self.changed_tax_id(desk, known, patch.tax_id.as_ref())?;
        let wait = desk.tools().verification_seconds;
        let change = known.patched(patch, tax_id, write.mode(), wait, write.now)?;
        if self.payee.as_ref() != Some(&change.payee) {
            write.payee(self, change);
        }
        Ok((write, self.payee()?.clone()))
    }

    /// What the tax number becomes. Sealed twice, a number looks different each time, so the one
    /// that is known is opened to be compared.
    fn changed_tax_id(
        &self,
        desk: &Desk<Self>,
        known: &Payee,
        sent: Option<&Option<SecretString>>,
    ) -> Result<Option<Option<TaxId>>, Refusal> {
        let Some(sent) = sent else { return Ok(None) };
        let Some(number) = sent else { return Ok(Some(None)) };
        if let Some(known) = &known.tax_id {
            let plain = desk.tools().secrets.open_text(&known.sealed).map_err(|error| {
                tracing::error!(%error, "a tax number cannot be opened");
                Refusal::fault()
            })?;
            if plain.as_str() == number.expose_secret() {
                return Ok(None);
            }
        }
        Ok(Some(Some(self.tax_id(desk, number))))
    }

    /// The claim in the batch decides; this spares the room an end in the usual case.
    fn contract_id_is_free(
        &self,
        desk: &Desk<Self>,
        known: &Payee,
        patch: &PayeePatch,
    ) -> Result<(), Refusal> {
        let Some(Some(new)) = &patch.payee_contract_id else { return Ok(()) };
        if known.payee_contract_id.as_ref() == Some(new) {
            return Ok(());
        }
        let taken = desk.store().contains(PAYEE_CONTRACTS, &(self.seller, new.clone()));
        match taken.map_err(|error| unreadable(&error))? {
            true => Err(PayeeRefusal::ContractIdTaken.into()),
            false => Ok(()),
        }
    }

    pub(super) fn archive(&mut self, desk: &Desk<Self>, reply: Answer<()>) {
        match self.archived(desk) {
            Ok(write) => {
                // The seller's split rule no longer counts its line.
                let (directory, seller) = (desk.tools().directory.clone(), self.seller);
                write.finish(self, desk, reply, move |result| {
                    directory.forget(seller);
                    result.map(|_| ()).map_err(refused)
                });
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn archived(&mut self, desk: &Desk<Self>) -> Result<Write, Refusal> {
        let mut write = Write::new(self, desk)?;
        let open = !self.open.is_empty();
        let archived = archive(self.payee()?, self.wallets.values(), open, write.now)?;
        if let Some((change, wallets)) = archived {
            write.payee(self, change);
            for wallet in wallets {
                write.wallet(self, wallet);
            }
        }
        Ok(write)
    }

    pub(super) fn decide(&mut self, desk: &Desk<Self>, decision: Decision, reply: Answer<Payee>) {
        match self.decided(desk, decision) {
            Ok((write, payee)) => {
                write.finish(self, desk, reply, |result| result.map(|_| payee).map_err(refused));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn decided(
        &mut self,
        desk: &Desk<Self>,
        decision: Decision,
    ) -> Result<(Write, Payee), Refusal> {
        let mut write = Write::new(self, desk)?;
        let known = self.payee()?;
        let Some(change) = known.decide(decision, write.mode(), write.now)? else {
            return Ok((write, known.clone()));
        };
        let payee = change.payee.clone();
        write.payee(self, change);
        Ok((write, payee))
    }

    /// Does all that is due: verification first, since it says whether the rest is allowed.
    pub(super) fn timer_rang(&mut self, desk: &Desk<Self>, reply: Answer<()>) {
        match self.all_due(desk) {
            Ok(write) => {
                write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(refused));
            }
            Err(refusal) => {
                // What was done so far is in memory alone.
                desk.retire();
                reply.send(Err(refusal));
            }
        }
    }

    fn all_due(&mut self, desk: &Desk<Self>) -> Result<Write, Refusal> {
        let mut write = Write::new(self, desk)?;
        let verified = self.payee.as_ref().and_then(|payee| payee.verification_due(write.now));
        if let Some(change) = verified {
            write.payee(self, change);
        }
        let now = write.now;
        let due = self.open.values().filter_map(|payout| Some((payout.clone(), payout.due(now)?)));
        for (payout, action) in due.collect::<Vec<_>>() {
            self.act(desk, &mut write, &payout, &action)?;
        }
        Ok(write)
    }
}
