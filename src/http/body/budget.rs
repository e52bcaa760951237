//! Memory for request bodies: what all of them may take together, and those of one client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use actors::domain::platform::limits::client;

use crate::http::error::ApiError;

/// Seconds after which most bodies that fill the budget have been served.
const RETRY_SECONDS: u32 = 1;

/// Which part of the budget one client may hold.
const SHARE_OF_ONE: usize = 4;

pub(crate) struct BodyBudget {
    most: usize,
    held: Mutex<HeldBytes>,
}

#[derive(Default)]
struct HeldBytes {
    all: usize,
    by_client: HashMap<IpAddr, usize>,
}

/// The bytes of one body that have come. They are free again when this is dropped.
pub(crate) struct BodyShare {
    budget: Arc<BodyBudget>,
    client: IpAddr,
    bytes: usize,
}

impl BodyBudget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { most: bytes, held: Mutex::default() })
    }

    pub(crate) fn share(self: &Arc<Self>, address: IpAddr) -> BodyShare {
        BodyShare { budget: self.clone(), client: client(address), bytes: 0 }
    }
}

impl BodyShare {
    /// Counts `bytes` that came, before they are kept.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let most = self.budget.most;
        let mut held = self.budget.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.by_client.get(&self.client).copied().unwrap_or_default();
        if held.all + bytes > most || own + bytes > most / SHARE_OF_ONE {
            let text = "too many request bodies are under way, try again";
            return Err(ApiError::unavailable(text, RETRY_SECONDS).closing());
        }
        held.all += bytes;
        held.by_client.insert(self.client, own + bytes);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.budget.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.all -= self.bytes;
        let own = held.by_client.get(&self.client).copied().unwrap_or_default();
        match own.checked_sub(self.bytes) {
            None | Some(0) => held.by_client.remove(&self.client),
            Some(left) => held.by_client.insert(self.client, left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_share_a_budget_and_one_has_a_quarter() {
        let budget = BodyBudget::new(1_000);
        let mut shares: Vec<BodyShare> = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]
            .into_iter()
            .map(|address| budget.share(address.parse().expect("an address")))
            .collect();
        let again = "192.0.2.1".parse().expect("an address");
        for share in &mut shares {
            share.grow(200).expect("room");
            share.grow(51).expect_err("more than a quarter");
            share.grow(50).expect("a quarter");
        }
        budget.share(again).grow(1).expect_err("the quarter is taken");
        let other = "192.0.2.9".parse().expect("an address");
        budget.share(other).grow(1).expect_err("all is taken");
        shares.remove(0);
        budget.share(other).grow(250).expect("room again");
        drop(shares);
        let held = budget.held.lock().expect("whole");
        assert!(held.all == 0 && held.by_client.is_empty());
    }
}
