//! What callers ask of the money that a seller brings in.

use super::Command;
use crate::domain::ids::{SellerId, TopupId};
use crate::domain::money::Currency;
use crate::domain::payments::safeguarding::{SafeguardingAccount, SafeguardingTerms};
use crate::domain::payments::topup::{NewDeposit, NewTopup, TopupInvoice};
use crate::domain::refusal::Refusal;
use crate::room::Reply;
use crate::seller::handle::{self, Asked, Sellers, SpendKey, Spent};

impl Sellers {
    /// Sets a seller's safeguarding account of a currency.
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError), as of all that follows.
    pub async fn safeguard(
        &self,
        id: SellerId,
        currency: Currency,
        terms: SafeguardingTerms,
    ) -> Asked<SafeguardingAccount> {
        let command = |reply| Command::Safeguard { currency, terms: terms.clone(), reply };
        self.funding(id, command).await
    }

    /// Makes a top-up invoice (payments 2.5). That the seller has a main wallet of the currency
    /// is for the caller to know.
    ///
    /// # Errors
    /// Above; refused without an active safeguarding account, and when the due date lies outside
    /// its bounds.
    pub async fn issue_topup(
        &self,
        id: SellerId,
        new: NewTopup,
        spend: SpendKey,
    ) -> Asked<Spent<TopupInvoice>> {
        self.funding(id, |reply| Command::Issue { new, spend: spend.clone(), reply }).await
    }

    /// Matches money that came to a top-up invoice, and brings it to the main wallet (decisions
    /// 9 and 13). A deposit is taken once by its reference.
    ///
    /// # Errors
    /// Above; refused when the currency is another one, or the reference was another deposit's.
    pub async fn deposit(
        &self,
        id: SellerId,
        topup: TopupId,
        deposit: NewDeposit,
    ) -> Asked<TopupInvoice> {
        let command = |reply| Command::Deposit { topup, deposit: deposit.clone(), reply };
        self.funding(id, command).await
    }

    async fn funding<T>(
        &self,
        id: SellerId,
        command: impl Fn(Reply<Result<T, Refusal>>) -> Command,
    ) -> Asked<T> {
        self.rooms.ask(id, |reply| handle::Command::Funding(command(reply))).await
    }
}
