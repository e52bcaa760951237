//! What an idempotency key of payouts stands for. Both ways of making a payout share one space of
//! keys for each seller.

use storage::CborRecord;

use crate::domain::ids::{PayeeId, PayoutId, PayoutMethodId, WalletId};
use crate::domain::money::Currency;
use crate::domain::platform::webhook::url::WebhookUrl;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PayoutOrder {
    #[n(0)]
    pub payee: PayeeId,
    #[n(1)]
    pub wallet: WalletId,
    #[n(2)]
    pub method: PayoutMethodId,
    /// Minor units, above 0.
    #[n(3)]
    pub amount_minor: i64,
    #[n(4)]
    pub currency: Currency,
    #[n(5)]
    pub call_back: Option<WebhookUrl>,
}

/// The payout that a key made, and of what request.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PayoutKey {
    #[n(0)]
    pub payout: PayoutId,
    #[n(1)]
    pub order: PayoutOrder,
}

impl PayoutOrder {
    /// The first field, by its JSON name, in which another request under the same key differs.
    pub fn first_difference(&self, again: &Self) -> Option<&'static str> {
        [
            ("payeeId", self.payee == again.payee),
            ("walletId", self.wallet == again.wallet),
            ("payoutMethodId", self.method == again.method),
            ("amount", self.amount_minor == again.amount_minor),
            ("currencyCode", self.currency == again.currency),
            ("webhookUrl", self.call_back == again.call_back),
        ]
        .into_iter()
        .find_map(|(field, same)| (!same).then_some(field))
    }
}

impl CborRecord for PayoutKey {}
