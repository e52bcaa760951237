//! Whether a payout may call back to an address.

use std::time::Duration;

use super::handle::Payees;
use crate::delivery::{Standing, resolve};
use crate::directory::SellerSnapshot;
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::refusal::Refusal;

/// How long a name may take to be resolved.
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
    /// with `webhookUrl`.
    pub async fn check_call_back(
        &self,
        seller: &SellerSnapshot,
        url: &WebhookUrl,
    ) -> Result<(), Refusal> {
        let wrong = |why: &dyn std::fmt::Display| {
            Refusal::invalid(format!("webhookUrl cannot be used: {why}"))
        };
        let parts = url.parts();
        let resolved = resolve(seller.seller.id, &parts, Standing::Unknown);
        let found = tokio::time::timeout(PATIENCE, resolved).await;
        let found = found.unwrap_or_else(|_| Err(NO_ADDRESS.to_owned()));
        let addresses = found.map_err(|why| wrong(&why))?;
        if addresses.is_empty() {
            return Err(wrong(&NO_ADDRESS));
        }
        let guard = &self.rooms.tools().guard;
        for address in addresses {
            let listed = guard.check_listed(address, seller.seller.mode, &seller.allowlist);
            listed.map_err(|refusal| wrong(&refusal))?;
        }
        Ok(())
    }
}
