//! What callers hold of the payee rooms.

use storage::{ReadError, Store};

use super::command::{Command, Opened, Paid, PayeeOrder};
use super::record::PayoutHome;
use super::room::PayeeRoom;
use crate::domain::ids::{MessageId, PayeeId, PayoutId, PayoutMethodId, SellerId};
use crate::domain::messages::PayeeMessage;
use crate::domain::money::Currency;
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::payee::{Decision, Payee, PayeePatch};
use crate::domain::payments::payout::{Action, Payout, PayoutOrder};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::wallet::{OWN, Wallet};
use crate::room::{AskError, Rooms};
use crate::seller::{SpendKey, Spent};
use crate::tables::{PAYEE_HOMES, PAYOUT_HOMES, ids};

/// The handle to all payee rooms. Clones are the same handle.
#[derive(Clone)]
pub struct Payees {
    pub(super) rooms: Rooms<PayeeRoom>,
    pub(super) store: Store,
}

/// A room's answer: a value, a refusal, or none at all.
pub type Asked<T> = Result<T, AskError>;

impl Payees {
    /// A handle over running rooms.
    pub fn new(rooms: Rooms<PayeeRoom>, store: Store) -> Self {
        Self { rooms, store }
    }

    /// How many payee rooms are in memory.
    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Stops all payee rooms.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Makes a payee of a minted account with its wallets, unless it is there.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn open(&self, payee: Payee, wallets: Vec<Wallet>) -> Asked<()> {
        self.rooms
            .ask((payee.seller, payee.id), |reply| Command::Open {
                payee: Box::new(payee.clone()),
                wallets: wallets.clone(),
                reply,
            })
            .await
    }

    /// Makes the main wallet of a minted account, unless it is there.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn open_own(&self, wallet: Wallet) -> Asked<()> {
        self.rooms
            .ask((wallet.seller, OWN), |reply| Command::OpenOwn {
                wallet: Box::new(wallet.clone()),
                reply,
            })
            .await
    }

    /// Makes a payee, alone or with its first payout method and wallet (payments 2.4).
    ///
    /// # Errors
    /// [`AskError`]; refused as a conflict when `payeeContractId` is taken.
    pub async fn create(
        &self,
        seller: SellerId,
        order: PayeeOrder,
        spend: SpendKey,
    ) -> Asked<Spent<Opened>> {
        let id = PayeeId(self.store.next_id(ids::PAYEE));
        self.rooms
            .ask((seller, id), |reply| Command::Create {
                order: Box::new(order.clone()),
                spend: spend.clone(),
                reply,
            })
            .await
    }

    /// Changes a payee (decisions 7 and 13).
    ///
    /// # Errors
    /// [`AskError`]; refused when there is none, it is archived, or `payeeContractId` is taken.
    pub async fn patch(&self, seller: SellerId, id: PayeeId, patch: PayeePatch) -> Asked<Payee> {
        self.rooms
            .ask((seller, id), |reply| Command::Patch { patch: Box::new(patch.clone()), reply })
            .await
    }

    /// Archives a payee (decisions 13).
    ///
    /// # Errors
    /// [`AskError`]; refused while it has an open payout or a balance.
    pub async fn archive(&self, seller: SellerId, id: PayeeId) -> Asked<()> {
        self.rooms.ask((seller, id), |reply| Command::Archive { reply }).await
    }

    /// Takes the operator's decision on a payee's verification (decisions 9 and 11).
    ///
    /// # Errors
    /// [`AskError`]; refused when it is archived.
    pub async fn decide(&self, seller: SellerId, id: PayeeId, decision: Decision) -> Asked<Payee> {
        self.rooms.ask((seller, id), |reply| Command::Decide { decision, reply }).await
    }

    /// Adds a payout method (payments 2.4).
    ///
    /// # Errors
    /// [`AskError`]; refused when the payee is archived or has too many.
    pub async fn add_method(
        &self,
        seller: SellerId,
        id: PayeeId,
        account: BankAccount,
        spend: SpendKey,
    ) -> Asked<Spent<PayoutMethod>> {
        self.rooms
            .ask((seller, id), |reply| Command::AddMethod {
                account: Box::new(account.clone()),
                spend: spend.clone(),
                reply,
            })
            .await
    }

    /// Makes a bank account a payout method of the seller itself, for payouts from its main
    /// wallets (decisions 13). The same account is the same method.
    ///
    /// # Errors
    /// [`AskError`]; refused when the seller has too many.
    pub async fn save_own_method(
        &self,
        seller: SellerId,
        account: BankAccount,
    ) -> Asked<PayoutMethod> {
        self.rooms
            .ask((seller, OWN), |reply| Command::SaveOwnMethod {
                account: Box::new(account.clone()),
                reply,
            })
            .await
    }

    /// Deletes a payout method (decisions 13).
    ///
    /// # Errors
    /// [`AskError`]; refused while a payout to it is open or money is held that goes to it.
    pub async fn delete_method(
        &self,
        seller: SellerId,
        id: PayeeId,
        method: PayoutMethodId,
    ) -> Asked<()> {
        self.rooms.ask((seller, id), |reply| Command::DeleteMethod { method, reply }).await
    }

    /// Finds or makes a payee's wallet in a currency; true when it was made (payments 2.4).
    ///
    /// # Errors
    /// [`AskError`]; refused when the payee is archived.
    pub async fn provide_wallet(
        &self,
        seller: SellerId,
        id: PayeeId,
        currency: Currency,
        spend: SpendKey,
    ) -> Asked<Spent<(Wallet, bool)>> {
        self.rooms
            .ask((seller, id), |reply| Command::ProvideWallet {
                currency,
                spend: spend.clone(),
                reply,
            })
            .await
    }

    /// Makes a payout and reserves its money (payments 2.4, decisions 7 and 13). From a main
    /// wallet the payee of the order is [`OWN`]. The address of a
    /// call-back has been [checked](Self::check_call_back).
    ///
    /// # Errors
    /// [`AskError`]; refused as [`PayoutRefusal`](crate::domain::payments::payout::PayoutRefusal)
    /// says.
    pub async fn pay(&self, seller: SellerId, order: PayoutOrder, key: &str) -> Asked<Paid> {
        self.rooms
            .ask((seller, order.payee), |reply| Command::Pay {
                order: Box::new(order.clone()),
                key: key.to_owned(),
                reply,
            })
            .await
    }

    /// Moves a payout on, by the operator's word (decisions 9 and 13).
    ///
    /// # Errors
    /// [`AskError`]; refused when there is none, and when it does not stand so.
    pub async fn move_payout(
        &self,
        seller: SellerId,
        payee: PayeeId,
        payout: PayoutId,
        action: Action,
    ) -> Asked<Payout> {
        self.rooms
            .ask((seller, payee), |reply| Command::MovePayout {
                payout,
                action: action.clone(),
                reply,
            })
            .await
    }

    /// Brings a message to a payee, which takes it once however often it is brought.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn take(
        &self,
        seller: SellerId,
        id: PayeeId,
        message: MessageId,
        content: PayeeMessage,
    ) -> Asked<()> {
        self.take_all(seller, id, vec![(message, content)]).await
    }

    /// Brings messages to a payee, which takes them in one write: those that it has not taken.
    ///
    /// # Errors
    /// [`AskError`]; none is taken then, or all are.
    pub async fn take_all(
        &self,
        seller: SellerId,
        id: PayeeId,
        letters: Vec<(MessageId, PayeeMessage)>,
    ) -> Asked<()> {
        self.rooms
            .ask((seller, id), |reply| Command::Take { letters: letters.clone(), reply })
            .await
    }

    /// Does what a payee's timer says. For timers of
    /// [`TimerKind::Payee`](crate::timers::TimerKind::Payee).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn timer_rang(&self, seller: SellerId, id: PayeeId) -> Asked<()> {
        self.rooms.ask((seller, id), |reply| Command::TimerRang { reply }).await
    }

    /// Whose a payee is; the operator knows the payee alone.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn seller_of(&self, id: PayeeId) -> Result<Option<SellerId>, ReadError> {
        Ok(self.store.get(PAYEE_HOMES, &id)?.map(SellerId))
    }

    /// Whose a payout is.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn home_of(&self, id: PayoutId) -> Result<Option<PayoutHome>, ReadError> {
        self.store.get(PAYOUT_HOMES, &id)
    }

    /// Makes a room panic, in test builds.
    ///
    /// # Errors
    /// Always [`AskError::Unanswered`].
    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: PayeeId) -> Result<(), AskError> {
        self.rooms.ask((seller, id), |reply| Command::Panic { _reply: reply }).await
    }
}
