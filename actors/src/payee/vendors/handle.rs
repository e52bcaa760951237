//! What callers ask of payees that are vendors.

use storage::ReadError;

use super::Command;
use crate::domain::country::Country;
use crate::domain::ids::{PayeeId, SellerId, VendorId};
use crate::domain::payments::payee::{NewPayee, Payee};
use crate::domain::payments::vendor::{AllowancePatch, VendorStatus, VerificationLink};
use crate::domain::refusal::Refusal;
use crate::payee::command;
use crate::payee::handle::{Asked, Payees};
use crate::room::Reply;
use crate::seller::{SpendKey, Spent};
use crate::tables::{VENDOR_HOMES, VENDORS, ids};

impl Payees {
    /// Makes a payee that is a vendor (payments 1.5).
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError), as of all that follows.
    pub async fn create_vendor(
        &self,
        seller: SellerId,
        new: (NewPayee, Option<Country>),
        spend: SpendKey,
    ) -> Asked<Spent<Payee>> {
        let vendor = VendorId(self.store.next_id(ids::VENDOR));
        let payee = PayeeId(self.store.next_id(ids::PAYEE));
        self.vendor((seller, payee), |reply| Command::Create {
            vendor,
            new: Box::new(new.clone()),
            spend: spend.clone(),
            reply,
        })
        .await
    }

    /// Issues a verification link to a vendor (payments 4).
    ///
    /// # Errors
    /// Above; refused when there is nothing left to verify.
    pub async fn link_vendor(
        &self,
        home: (SellerId, PayeeId),
        link: VerificationLink,
        spend: SpendKey,
    ) -> Asked<Spent<Payee>> {
        let command = |reply| Command::Link { link: link.clone(), spend: spend.clone(), reply };
        self.vendor(home, command).await
    }

    /// Takes it that a vendor has answered its link; once is enough.
    ///
    /// # Errors
    /// Above; refused when there is nothing left to verify.
    pub async fn submit_vendor(&self, home: (SellerId, PayeeId)) -> Asked<Payee> {
        self.vendor(home, |reply| Command::Submit { reply }).await
    }

    /// Takes the operator's word on how far a vendor's verification is (decisions 13).
    ///
    /// # Errors
    /// Above; refused when the vendor is archived.
    pub async fn decide_vendor(
        &self,
        home: (SellerId, PayeeId),
        status: VendorStatus,
    ) -> Asked<Payee> {
        self.vendor(home, |reply| Command::Decide { status, reply }).await
    }

    /// Changes how much a vendor may be paid out (decisions 13).
    ///
    /// # Errors
    /// Above; refused when the fields contradict each other.
    pub async fn allow_vendor(
        &self,
        home: (SellerId, PayeeId),
        patch: AllowancePatch,
    ) -> Asked<Payee> {
        self.vendor(home, |reply| Command::Allow { patch, reply }).await
    }

    /// Whose a vendor is, and which payee it is.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn home_of_vendor(
        &self,
        vendor: VendorId,
    ) -> Result<Option<(SellerId, PayeeId)>, ReadError> {
        let Some(seller) = self.store.get(VENDOR_HOMES, &vendor)?.map(SellerId) else {
            return Ok(None);
        };
        let payee = self.store.get(VENDORS, &(seller, vendor))?;
        Ok(payee.map(|payee| (seller, PayeeId(payee))))
    }

    async fn vendor<T>(
        &self,
        home: (SellerId, PayeeId),
        asked: impl Fn(Reply<Result<T, Refusal>>) -> Command,
    ) -> Asked<T> {
        self.rooms.ask(home, |reply| command::Command::Vendor(asked(reply))).await
    }
}
