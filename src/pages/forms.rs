//! The forms of the pages, as the API document shows them; [`super::fields`] reads what is sent.

use utoipa::ToSchema;

/// The card form of `/pay/{token}`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form in the API document")]
pub(super) struct CardForm {
    /// 12 to 19 digits; spaces between them are ignored.
    card_number: String,
    /// `MM / YY`, `MM/YYYY` or `MMYY`; or else `expMonth` and `expYear`.
    expiry: Option<String>,
    /// 1 to 12.
    exp_month: Option<u8>,
    /// With its century, or the last two digits.
    exp_year: Option<u16>,
    /// The security code, 3 or 4 digits.
    cvv: String,
    /// The name on the card.
    holder_name: Option<String>,
    /// Where the bank knows the holder, ISO 3166-1 alpha-2.
    country: Option<String>,
    /// The post code there.
    zip: Option<String>,
    /// `true`: the card is saved for the invoice's customer once the invoice is paid, and later
    /// invoices may be charged to it. A subscription needs it.
    save_card: Option<bool>,
    /// At the page of a subscription, instead of a card: `cancel` ends it.
    action: Option<String>,
    /// At a link that is no invoice's: takes off the price what the code is good for.
    promo_code: Option<String>,
    /// At a link that is no invoice's: what the buyer has seen, in minor units; `409` when it is
    /// another amount by now.
    amount_minor: Option<i64>,
    /// At a link that is no invoice's: any text that names this sending. Sent again with the same
    /// card it answers the payment that was made, unless that came to nothing.
    attempt: Option<String>,
}

/// The form of `/checkout/{sessionId}`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form in the API document")]
pub(super) struct CheckoutForm {
    /// `card`, `bancontact`, `wero`, `mbway`, `multibanco` or `swish`, of those that the page
    /// shows.
    payment_method: Option<String>,
    /// With `card`: 12 to 19 digits; spaces between them are ignored.
    card_number: Option<String>,
    /// `MM / YY`, `MM/YYYY` or `MMYY`; or else `expMonth` and `expYear`.
    expiry: Option<String>,
    /// 1 to 12.
    exp_month: Option<u8>,
    /// With its century, or the last two digits.
    exp_year: Option<u16>,
    /// The security code, 3 or 4 digits.
    cvv: Option<String>,
    /// The name on the card.
    holder_name: Option<String>,
    /// Where the bank knows the holder, ISO 3166-1 alpha-2.
    country: Option<String>,
    /// The post code there.
    zip: Option<String>,
    /// `true`: the card is saved once the payment succeeds; of sessions that name a
    /// `sellerCustomerId`.
    save_card: Option<bool>,
    /// With `mbway`: the mobile number of the app.
    phone: Option<String>,
    /// Instead of paying: `cancel` gives up the attempt that waits for the buyer, `leave` ends
    /// the session.
    action: Option<String>,
}

/// The buyer's answer to the simulated bank.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form in the API document")]
pub(super) struct SchemeForm {
    /// `approve`, `decline` or `cancel`.
    action: String,
}
