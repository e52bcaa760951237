//! Making a payee: alone, or with its first payout method and wallet.

use super::command::{Answer, Opened, PayeeOrder};
use super::room::PayeeRoom;
use super::write::{Write, refused, spent};
use crate::domain::ids::{PayoutMethodId, WalletId};
use crate::domain::money::Currency;
use crate::domain::payments::bank::{BankAccount, last_four};
use crate::domain::payments::payee::{Payee, PayeeRefusal, TaxId};
use crate::domain::payments::payout_method::{MethodStatus, PayoutMethod};
use crate::domain::payments::wallet::{OWN, Wallet};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{Desk, Reply};
use crate::secrets::Sealed;
use crate::seller::{SpendKey, Spent};
use crate::tables::{POST_KEYS, ids};

/// The bank account of the payees of minted accounts; its bank gives it out for examples.
const SANDBOX_IBAN: &str = "DE89370400440532013000";

impl PayeeRoom {
    /// A payee of a minted account, approved and with a payout method. Twice is once: one that is
    /// there stays as it is.
    pub(super) fn open(
        &mut self,
        desk: &Desk<Self>,
        payee: Payee,
        wallets: Vec<Wallet>,
        reply: Answer<()>,
    ) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        if self.payee.is_none() {
            let known = Some(wallets.iter().map(|wallet| wallet.id).collect());
            if let Ok(account) = BankAccount::of_iban(Currency::EUR, SANDBOX_IBAN) {
                let account_name = Some(payee.display_name.clone());
                let account = BankAccount { account_name, ..account };
                let method = self.new_method(desk, &account, write.now);
                write.method(self, method);
            }
            write.put_payee(self, Payee { wallets: known, ..payee });
            for wallet in wallets {
                write.wallet(self, wallet);
            }
        }
        write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(refused));
    }

    /// The main wallet of a minted account. Twice is once.
    pub(super) fn open_own(&mut self, desk: &Desk<Self>, wallet: Wallet, reply: Answer<()>) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        if self.wallet_in(wallet.currency, wallet.mode()).is_none() {
            write.new_wallet(self, wallet);
        }
        write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(refused));
    }

    pub(super) fn create(
        &mut self,
        desk: &Desk<Self>,
        order: PayeeOrder,
        spend: SpendKey,
        reply: Answer<Spent<Opened>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        if self.payee.is_some() {
            return reply.send(Err(Refusal::conflict("the payee is there already")));
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let (mode, now) = (write.mode(), write.now);
        let tax_id = order.payee.tax_id.as_ref().map(|number| self.tax_id(desk, number));
        let wait = desk.tools().verification_seconds;
        let home = (self.seller, self.id);
        let mut change = Payee::create(order.payee, home, tax_id, mode, wait, now);
        let wallet = order.wallet.map(|currency| {
            let id = WalletId(desk.next_id(ids::WALLET));
            Wallet::empty(id, self.seller, Some(self.id), currency).made(mode, now)
        });
        change.payee.wallets = Some(wallet.iter().map(|wallet| wallet.id).collect());
        let opened = Opened {
            payee: change.payee.clone(),
            method: order.method.map(|account| self.new_method(desk, &account, now)),
            wallet,
        };
        // Claims are held in order: a replay is to be known as one before its names clash.
        write.spend(self, desk, spend, self.id.0);
        write.payee(self, change);
        if let Some(method) = opened.method.clone() {
            write.method(self, method);
        }
        if let Some(wallet) = opened.wallet.clone() {
            write.wallet(self, wallet);
        }
        write.finish(self, desk, reply, |result| spent(result, opened));
    }

    /// A bank account as a payout method, its number sealed.
    pub(super) fn new_method(
        &self,
        desk: &Desk<Self>,
        account: &BankAccount,
        now: Timestamp,
    ) -> PayoutMethod {
        PayoutMethod {
            id: PayoutMethodId(desk.next_id(ids::PAYOUT_METHOD)),
            seller: self.seller,
            payee: self.id,
            currency: account.currency,
            status: MethodStatus::Active,
            destination: account.destination(|number| seal(desk, number)),
            created_at: now,
        }
    }

    /// A tax number, sealed.
    pub(super) fn tax_id(&self, desk: &Desk<Self>, number: &secrecy::SecretString) -> TaxId {
        let number = secrecy::ExposeSecret::expose_secret(number);
        TaxId { sealed: seal(desk, number), last4: last_four(number) }
    }

    /// Hands the port back unless the key was spent before; that is answered here, behind the
    /// commit that spends it.
    pub(super) fn unless_spent<T: Send + 'static>(
        &self,
        desk: &Desk<Self>,
        spend: &SpendKey,
        reply: Reply<Result<Spent<T>, Refusal>>,
    ) -> Option<Reply<Result<Spent<T>, Refusal>>> {
        let row = (self.seller, spend.endpoint.to_owned(), spend.key.clone());
        let key = (spend.endpoint, spend.key.clone());
        let read = || desk.store().contains(POST_KEYS, &row);
        self.spent.unless_there(desk, &key, read, Spent::Before, reply)
    }

    /// Says whether methods and wallets may be added.
    ///
    /// # Errors
    /// When there is no such payee, and when it is archived.
    pub(super) fn in_use(&self) -> Result<(), Refusal> {
        if self.id == OWN {
            return Ok(());
        }
        if self.payee()?.is_archived() { Err(PayeeRefusal::Archived.into()) } else { Ok(()) }
    }
}

pub(super) fn seal(desk: &Desk<PayeeRoom>, plain: &str) -> Sealed {
    desk.tools().secrets.seal(plain.as_bytes(), desk.entropy().bytes())
}
