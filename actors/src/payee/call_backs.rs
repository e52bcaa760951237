//! Whether a payout may call back to an address.

use std::time::Duration;

use tokio::time::timeout;

use super::Payees;
use crate::delivery::{Standing, place, resolve_in};
use crate::directory::SellerSnapshot;
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

/// How long a name may take to be resolved, and how long there may be no place to do it in.
const PATIENCE: Duration = Duration::from_secs(5);

const NO_ADDRESS: &str = "the host has no address";

impl Payees {
    /// The address of a call-back as it is written: `https`, or `http` for demo accounts. Refused
    /// as invalid with what is wrong with `webhookUrl`.
    pub fn call_back_url(
        &self,
        seller: &SellerSnapshot,
        text: &str,
    ) -> Result<WebhookUrl, Refusal> {
        let demo = seller.seller.mode == Mode::Demo;
        WebhookUrl::parse(text, demo).map_err(|why| Refusal::invalid(format!("webhookUrl {why}")))
    }

    /// Looks where the host of a call-back lies: all of its addresses must be in the seller's
    /// allowlist. They are looked up again at each attempt. Refused as invalid with what is wrong
    /// with `webhookUrl`; [`AskError::Busy`] where other names of the seller keep it from being
    /// looked up, and nothing is known of it.
    pub async fn check_call_back(
        &self,
        seller: &SellerSnapshot,
        url: &WebhookUrl,
    ) -> Result<(), AskError> {
        let wrong = |why: &dyn std::fmt::Display| {
            Refusal::invalid(format!("webhookUrl cannot be used: {why}"))
        };
        let parts = url.parts();
        let place = timeout(PATIENCE, place(seller.seller.id, &parts, Standing::Unknown)).await;
        let place = place.map_err(|_| AskError::Busy)?;
        let found = timeout(PATIENCE, resolve_in(place, &parts)).await;
        let found = found.unwrap_or_else(|_| Err(NO_ADDRESS.to_owned()));
        let addresses = found.map_err(|why| wrong(&why))?;
        if addresses.is_empty() {
            return Err(wrong(&NO_ADDRESS).into());
        }
        let guard = &self.rooms.tools().guard;
        for address in addresses {
            let listed = guard.check_listed(address, seller.seller.mode, &seller.allowlist);
            listed.map_err(|refusal| wrong(&refusal))?;
        }
        Ok(())
    }
}
