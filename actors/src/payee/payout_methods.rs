//! The payout methods of a payee, or of the seller itself.

use secrecy::ExposeSecret;

use super::Payees;
use super::payees::seal;
use super::room::{Change, Cx, PayeeRoom};
use crate::domain::ids::{PayeeId, PayoutMethodId, SellerId};
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::payee::{PayeeRefusal, deletable};
use crate::domain::payments::payout_method::{MAX_METHODS, MethodStatus, PayoutMethod};
use crate::domain::payments::wallet::OWN;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Decision, Effects, KeyClaim, Once};
use crate::secrets::Place;
use crate::tables::ids;

impl Payees {
    /// Refused when the payee is archived or has [`MAX_METHODS`].
    pub async fn add_payout_method(
        &self,
        seller: SellerId,
        id: PayeeId,
        account: BankAccount,
        claim: KeyClaim,
    ) -> Result<Once<PayoutMethod>, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            claim.check(cx, seller)?;
            let method = room.added_payout_method(cx, &account)?;
            let mut effects = Effects::new();
            claim.hold(&mut effects, seller, method.id.0);
            effects.change(Change::PayoutMethod(method.clone()));
            Ok(effects.answer(method))
        };
        self.rooms.once((seller, id), decide).await
    }

    /// Makes a bank account a payout method of the seller itself, for payouts from its main
    /// wallets. The same account is the same method, also where its number could not be opened any
    /// more and is given again. Refused when the seller has [`MAX_METHODS`].
    pub async fn save_own_payout_method(
        &self,
        seller: SellerId,
        account: BankAccount,
    ) -> Result<PayoutMethod, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let alike: Vec<_> = room
                .methods
                .values()
                .filter(|method| method.is_active())
                .filter_map(|method| Some((method, numbered(cx, method, &account)?)))
                .collect();
            let find = |wanted| alike.iter().find(|(_, number)| *number == wanted);
            if let Some((known, _)) = find(Number::Same) {
                return Ok(Decision::unchanged((*known).clone()));
            }
            let method = match find(Number::Lost) {
                Some((known, _)) => again(cx, known, &account),
                None => room.added_payout_method(cx, &account)?,
            };
            let mut effects = Effects::new();
            effects.change(Change::PayoutMethod(method.clone()));
            Ok(effects.answer(method))
        };
        self.rooms.command((seller, OWN), decide).await
    }

    /// Refused while a payout to it is open or money is held that goes to it.
    pub async fn delete_payout_method(
        &self,
        seller: SellerId,
        payee: PayeeId,
        id: PayoutMethodId,
    ) -> Result<(), AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let method = room.methods.get(&id).filter(|method| method.is_active());
            let method = method.ok_or_else(Refusal::missing)?;
            let mode = cx.seller()?.seller.mode;
            let open = room.open.values().any(|payout| payout.method == id);
            deletable(open, room.wallet_in(method.currency, mode))?;
            let mut effects = Effects::new();
            effects.change(Change::PayoutMethod(method.clone().deleted()));
            Ok(effects.answer(()))
        };
        self.rooms.command((seller, payee), decide).await
    }
}

impl PayeeRoom {
    fn added_payout_method(&self, cx: &Cx, account: &BankAccount) -> Result<PayoutMethod, Refusal> {
        self.in_use()?;
        if self.methods.values().filter(|method| method.is_active()).count() >= MAX_METHODS {
            return Err(PayeeRefusal::TooManyMethods(MAX_METHODS).into());
        }
        Ok(self.new_payout_method(cx, account))
    }

    pub(super) fn new_payout_method(&self, cx: &Cx, account: &BankAccount) -> PayoutMethod {
        let id = PayoutMethodId(cx.id(ids::PAYOUT_METHOD));
        let place = Place::AccountNumber(self.seller, id);
        PayoutMethod {
            id,
            seller: self.seller,
            payee: self.id,
            currency: account.currency,
            status: MethodStatus::Active,
            destination: account.destination(|number| seal(cx, place, number)),
            created_at: cx.now(),
        }
    }
}

/// What the number of a method is to that of an account which looks the same otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Same,
    Other,
    /// It cannot be opened any more.
    Lost,
}

/// `None` where the method looks otherwise than the account. Sealed twice, a number looks different
/// each time, so the one that is known is opened to be compared.
fn numbered(cx: &Cx, known: &PayoutMethod, account: &BankAccount) -> Option<Number> {
    let sealed = known.destination.number.as_ref()?;
    let alike = account.destination(|_| sealed.clone()) == known.destination;
    if !alike || known.currency != account.currency {
        return None;
    }
    let place = Place::AccountNumber(known.seller, known.id);
    Some(match cx.tools().secrets.open_text(place, sealed) {
        Ok(plain) if plain.as_str() == account.number.expose_secret() => Number::Same,
        Ok(_) => Number::Other,
        Err(error) => {
            let (seller, method) = (known.seller.0, known.id.0);
            tracing::warn!(seller, method, %error, "an account number is to be given again");
            Number::Lost
        }
    })
}

/// The method with its number sealed anew.
fn again(cx: &Cx, known: &PayoutMethod, account: &BankAccount) -> PayoutMethod {
    let place = Place::AccountNumber(known.seller, known.id);
    let destination = account.destination(|number| seal(cx, place, number));
    PayoutMethod { destination, ..known.clone() }
}
