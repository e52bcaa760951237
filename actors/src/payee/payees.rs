//! Creating a payee, changing and archiving it, and what is decided on its verification.

use secrecy::{ExposeSecret, SecretString};

use super::Payees;
use super::room::{Change, Cx, PayeeRoom};
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::money::Currency;
use crate::domain::payments::bank::{BankAccount, last_four};
use crate::domain::payments::payee::{
    self, NewPayee, Payee, PayeeChange, PayeePatch, PayeeRefusal, TaxId,
};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::vendor;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Decision, Effects, Halt, KeyClaim, Once};
use crate::secrets::{Place, Sealed};
use crate::tables::{PAYEE_CONTRACTS, ids};

/// The bank account of the payees of minted accounts; its bank gives it out for examples.
const SANDBOX_IBAN: &str = "DE89370400440532013000";

/// A payee to be made, alone or with its first payout method and wallet: all of it or nothing.
#[derive(Clone, Debug)]
pub struct PayeeOrder {
    pub payee: NewPayee,
    pub method: Option<BankAccount>,
    pub wallet: Option<Currency>,
}

#[derive(Clone, Debug)]
pub struct CreatedPayee {
    pub payee: Payee,
    pub method: Option<PayoutMethod>,
    pub wallet: Option<Wallet>,
}

impl Payees {
    /// Makes a payee of a minted account with its wallets and a payout method, unless it is there.
    pub async fn ensure_payee(&self, payee: Payee, wallets: Vec<Wallet>) -> Result<(), AskError> {
        let id = (payee.seller, payee.id);
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            if room.payee.is_some() {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = Effects::new();
            if let Ok(account) = BankAccount::of_iban(Currency::EUR, SANDBOX_IBAN) {
                let account_name = Some(payee.display_name.clone());
                let account = BankAccount { account_name, ..account };
                effects.change(Change::PayoutMethod(room.new_payout_method(cx, &account)));
            }
            let known = Some(wallets.iter().map(|wallet| wallet.id).collect());
            let payee = Payee { wallets: known, ..payee.clone() };
            effects.change(Change::Payee(Box::new(payee)));
            for wallet in &wallets {
                effects.change(Change::Wallet(wallet.clone()));
            }
            Ok(effects.answer(()))
        };
        self.rooms.command(id, decide).await
    }

    /// Creates a payee, alone or with its first payout method and wallet. Refused as a conflict
    /// when `payeeContractId` is taken.
    pub async fn create(
        &self,
        seller: SellerId,
        order: PayeeOrder,
        claim: KeyClaim,
    ) -> Result<Once<CreatedPayee>, AskError> {
        let id = PayeeId(self.store().next_id_in(ids::PAYEE, seller.shard()));
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let name = order.payee.payee_contract_id.as_ref();
            let (mut effects, mode) = room.begin_payee(cx, name, &claim, id.0)?;
            let tax_id = order.payee.tax_id.as_ref().map(|number| tax_id(cx, (seller, id), number));
            let wait = cx.tools().verification_seconds;
            let new = order.payee.clone();
            let mut change = Payee::create(new, (seller, id), tax_id, mode, wait, cx.now());
            let method = order.method.as_ref().map(|account| room.new_payout_method(cx, account));
            let wallet = order.wallet.map(|currency| room.new_wallet(cx, currency, mode));
            change.payee.wallets = Some(wallet.iter().map(|wallet| wallet.id).collect());
            let payee = room.change_payee(cx, &mut effects, change)?;
            if let Some(method) = method.clone() {
                effects.change(Change::PayoutMethod(method));
            }
            if let Some(wallet) = wallet.clone() {
                effects.change(Change::Wallet(wallet));
            }
            Ok(effects.answer(CreatedPayee { payee, method, wallet }))
        };
        self.rooms.once((seller, id), decide).await
    }

    /// Refused when there is none, it is archived, or `payeeContractId` is taken.
    pub async fn patch(
        &self,
        seller: SellerId,
        id: PayeeId,
        patch: PayeePatch,
    ) -> Result<Payee, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let known = room.payee()?;
            let name = patch.payee_contract_id.as_ref().and_then(Option::as_ref);
            if name != known.payee_contract_id.as_ref() && room.is_name_taken(cx, name)? {
                return Err(PayeeRefusal::ContractIdTaken.into());
            }
            let mode = cx.seller()?.seller.mode;
            let tax_id = changed_tax_id(cx, known, patch.tax_id.as_ref());
            let wait = cx.tools().verification_seconds;
            let change = known.patched(patch.clone(), tax_id, mode, wait, cx.now())?;
            room.carry_out(cx, (change.payee != *known).then_some(change))
        };
        self.rooms.command((seller, id), decide).await
    }

    /// Takes the operator's decision on a payee's verification; once is enough. Refused when it is
    /// archived.
    pub async fn decide(
        &self,
        seller: SellerId,
        id: PayeeId,
        decision: payee::Decision,
    ) -> Result<Payee, AskError> {
        let decide = move |room: &PayeeRoom, cx: &Cx| {
            let mode = cx.seller()?.seller.mode;
            let change = room.payee()?.decide(decision, mode, cx.now())?;
            room.carry_out(cx, change)
        };
        self.rooms.command((seller, id), decide).await
    }
}

impl PayeeRoom {
    /// Goes on if a payee of this name may be made here, and claims the key for `object`: the
    /// effects so far, and the mode of the account.
    pub(super) fn begin_payee(
        &self,
        cx: &Cx,
        name: Option<&String>,
        claim: &KeyClaim,
        object: u64,
    ) -> Result<(Effects<Self>, Mode), Halt> {
        // Read before the key: a replay is to be known as one before its names clash.
        let is_name_taken = self.is_name_taken(cx, name)?;
        claim.check(cx, self.seller)?;
        if self.payee.is_some() {
            return Err(Refusal::conflict("the payee is there already").into());
        }
        let mode = cx.seller()?.seller.mode;
        if is_name_taken {
            return Err(PayeeRefusal::ContractIdTaken.into());
        }
        let mut effects = Effects::new();
        claim.hold(&mut effects, self.seller, object);
        Ok((effects, mode))
    }

    pub(super) fn change_payee(
        &self,
        cx: &Cx,
        effects: &mut Effects<Self>,
        change: PayeeChange,
    ) -> Result<Payee, Refusal> {
        let seller = cx.seller()?;
        let mut change = vendor::follow(self.payee.as_ref(), change, seller.seller.mode, cx.now());
        change.events.iter_mut().for_each(|event| cx.services().links.keep_address(event));
        effects.emit(&seller, change.events);
        effects.change(Change::Payee(Box::new(change.payee.clone())));
        Ok(change.payee)
    }

    /// Carries out what a rule made of the payee; without a change it was done before.
    pub(super) fn carry_out(
        &self,
        cx: &Cx,
        change: Option<PayeeChange>,
    ) -> Result<Decision<Self, Payee>, Refusal> {
        let Some(change) = change else { return Ok(Decision::unchanged(self.payee()?.clone())) };
        let mut effects = Effects::new();
        let payee = self.change_payee(cx, &mut effects, change)?;
        Ok(effects.answer(payee))
    }

    fn is_name_taken(&self, cx: &Cx, name: Option<&String>) -> Result<bool, Refusal> {
        match name {
            Some(name) => cx.contains(PAYEE_CONTRACTS, &(self.seller, name.clone())),
            None => Ok(false),
        }
    }
}

pub(super) fn seal(cx: &Cx, place: Place, plain: &str) -> Sealed {
    cx.tools().secrets.seal(place, plain.as_bytes(), cx.entropy().bytes())
}

fn tax_id(cx: &Cx, of: (SellerId, PayeeId), number: &SecretString) -> TaxId {
    let number = number.expose_secret();
    let place = Place::TaxNumber(of.0, of.1);
    TaxId { sealed: seal(cx, place, number), last4: last_four(number) }
}

/// What the tax number becomes. Sealed twice, a number looks different each time, so the one that
/// is known is opened to be compared; one that cannot be opened any more is replaced.
fn changed_tax_id(
    cx: &Cx,
    known: &Payee,
    sent: Option<&Option<SecretString>>,
) -> Option<Option<TaxId>> {
    let Some(number) = sent? else { return Some(None) };
    if let Some(TaxId { sealed, .. }) = &known.tax_id {
        let place = Place::TaxNumber(known.seller, known.id);
        match cx.tools().secrets.open_text(place, sealed) {
            Ok(plain) if plain.as_str() == number.expose_secret() => return None,
            Ok(_) => {}
            Err(error) => {
                let (seller, payee) = (known.seller.0, known.id.0);
                tracing::warn!(seller, payee, %error, "the tax number of a payee is given again");
            }
        }
    }
    Some(Some(tax_id(cx, (known.seller, known.id), number)))
}
