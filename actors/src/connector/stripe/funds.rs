//! Whether what was taken is available to the seller.

use serde::Deserialize;

use super::Stripe;
use super::intent::path;
use crate::connector::Funds;

#[derive(Debug, Deserialize)]
struct Paid {
    #[serde(default)]
    latest_charge: Option<Charged>,
}

/// A charge, in full since that is asked for.
#[derive(Debug, Deserialize)]
struct Charged {
    #[serde(default)]
    balance_transaction: Option<Booked>,
}

#[derive(Debug, Deserialize)]
struct Booked {
    status: String,
}

impl Stripe {
    pub(super) async fn funds_of(&self, token: &str) -> Funds {
        let page = path(token, "?expand[]=latest_charge.balance_transaction");
        match self.endpoint.get::<Paid>(&page).await {
            Ok(paid) => paid.funds(),
            Err(_) => Funds::Unknown,
        }
    }
}

impl Paid {
    fn funds(self) -> Funds {
        match self.latest_charge.and_then(|charge| charge.balance_transaction) {
            Some(booked) if booked.status == "available" => Funds::Available,
            Some(_) => Funds::Pending,
            None => Funds::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_balance_entry_tells_whether_the_money_is_there() {
        for (body, funds) in [
            (
                r#"{"latest_charge":{"balance_transaction":{"status":"available"}}}"#,
                Funds::Available,
            ),
            (r#"{"latest_charge":{"balance_transaction":{"status":"pending"}}}"#, Funds::Pending),
            (r#"{"latest_charge":{"balance_transaction":null}}"#, Funds::Unknown),
            (r#"{"latest_charge":null}"#, Funds::Unknown),
            ("{}", Funds::Unknown),
        ] {
            let paid: Paid = serde_json::from_str(body).expect("an intent");
            assert_eq!(paid.funds(), funds, "{body}");
        }
    }
}
