//! The wallets of a payee, or of the seller: one for each currency (payments 2.4).

use super::command::Answer;
use super::room::PayeeRoom;
use super::write::{Write, spent};
use crate::domain::ids::WalletId;
use crate::domain::money::Currency;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::seller::{SpendKey, Spent};
use crate::tables::ids;

impl PayeeRoom {
    pub(super) fn provide_wallet(
        &mut self,
        desk: &Desk<Self>,
        currency: Currency,
        spend: SpendKey,
        reply: Answer<Spent<(Wallet, bool)>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        match self.provided(desk, currency) {
            Ok((mut write, wallet, made)) => {
                write.spend(self, desk, spend, wallet.id.0);
                write.finish(self, desk, reply, move |result| spent(result, (wallet, made)));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn provided(
        &mut self,
        desk: &Desk<Self>,
        currency: Currency,
    ) -> Result<(Write, Wallet, bool), Refusal> {
        self.in_use()?;
        let mut write = Write::new(self, desk)?;
        let mode = write.mode();
        if let Some(wallet) = self.wallet_in(currency, mode) {
            return Ok((write, wallet.clone(), false));
        }
        let wallet = self.make_wallet(desk, &mut write, currency, mode);
        Ok((write, wallet, true))
    }

    /// A wallet that is not there yet.
    pub(super) fn make_wallet(
        &mut self,
        desk: &Desk<Self>,
        write: &mut Write,
        currency: Currency,
        mode: Mode,
    ) -> Wallet {
        let id = WalletId(desk.next_id(ids::WALLET));
        let wallet = Wallet::empty(id, self.seller, self.holder(), currency);
        let wallet = wallet.made(mode, write.now);
        write.new_wallet(self, wallet.clone());
        wallet
    }
}
