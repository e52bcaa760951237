//! The payout methods of a payee.

use secrecy::ExposeSecret;

use super::command::Answer;
use super::making::seal;
use super::room::PayeeRoom;
use super::write::{Write, refused, spent};
use crate::domain::ids::PayoutMethodId;
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::payee::{PayeeRefusal, deletable};
use crate::domain::payments::payout_method::{MAX_METHODS, PayoutMethod};
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::seller::{SpendKey, Spent};

impl PayeeRoom {
    pub(super) fn add_method(
        &mut self,
        desk: &Desk<Self>,
        account: &BankAccount,
        spend: SpendKey,
        reply: Answer<Spent<PayoutMethod>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        match self.added(desk, account) {
            Ok((mut write, method)) => {
                write.spend(self, desk, spend, method.id.0);
                write.finish(self, desk, reply, |result| spent(result, method));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    /// A bank account of the seller itself. One that is known is the method it is already.
    pub(super) fn save_own_method(
        &mut self,
        desk: &Desk<Self>,
        account: &BankAccount,
        reply: Answer<PayoutMethod>,
    ) {
        match self.saved(desk, account) {
            Ok((write, method)) => {
                write.finish(self, desk, reply, |result| result.map(|_| method).map_err(refused));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn saved(
        &mut self,
        desk: &Desk<Self>,
        account: &BankAccount,
    ) -> Result<(Write, PayoutMethod), Refusal> {
        for known in self.methods.values().filter(|method| method.is_active()) {
            if is_same(desk, known, account)? {
                return Ok((Write::new(self, desk)?, known.clone()));
            }
        }
        self.added(desk, account)
    }

    fn added(
        &mut self,
        desk: &Desk<Self>,
        account: &BankAccount,
    ) -> Result<(Write, PayoutMethod), Refusal> {
        self.in_use()?;
        if self.methods.values().filter(|method| method.is_active()).count() >= MAX_METHODS {
            return Err(PayeeRefusal::TooManyMethods(MAX_METHODS).into());
        }
        let mut write = Write::new(self, desk)?;
        let method = self.new_method(desk, account, write.now);
        write.method(self, method.clone());
        Ok((write, method))
    }

    pub(super) fn delete_method(
        &mut self,
        desk: &Desk<Self>,
        id: PayoutMethodId,
        reply: Answer<()>,
    ) {
        match self.without_method(desk, id) {
            Ok(write) => {
                write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(refused));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn without_method(&mut self, desk: &Desk<Self>, id: PayoutMethodId) -> Result<Write, Refusal> {
        let method = self.methods.get(&id).filter(|method| method.is_active());
        let method = method.cloned().ok_or_else(Refusal::missing)?;
        let mut write = Write::new(self, desk)?;
        let open = self.open.values().any(|payout| payout.method == id);
        deletable(open, self.wallet_in(method.currency, write.mode()))?;
        write.method(self, method.deleted());
        Ok(write)
    }
}

/// Whether a method is of this account. Sealed twice, a number looks different each time, so the
/// one that is known is opened to be compared.
fn is_same(
    desk: &Desk<PayeeRoom>,
    known: &PayoutMethod,
    account: &BankAccount,
) -> Result<bool, Refusal> {
    let sealed = known.destination.number.as_ref();
    let again = account.destination(|number| sealed.cloned().unwrap_or_else(|| seal(desk, number)));
    let Some(sealed) = sealed.filter(|_| again == known.destination) else { return Ok(false) };
    let plain = desk.tools().secrets.open_text(sealed).map_err(|error| {
        tracing::error!(%error, "an account number cannot be opened");
        Refusal::fault()
    })?;
    Ok(known.currency == account.currency && plain.as_str() == account.number.expose_secret())
}
