//! What every test leans on: a real server with a clock that can be pushed, a small client, a
//! receiver of webhooks, and helpers that make what a test starts from.

pub(crate) mod api;
pub(crate) mod binary;
pub(crate) mod buyer;
pub(crate) mod heard;
pub(crate) mod house;
pub(crate) mod inbox;
pub(crate) mod make;
pub(crate) mod meter;
pub(crate) mod orders;
pub(crate) mod payees;
pub(crate) mod processor;
pub(crate) mod promise;
pub(crate) mod stripe;
pub(crate) mod wait;

pub(crate) use api::Api;
pub(crate) use heard::Heard;
pub(crate) use house::{House, OPERATOR};
pub(crate) use inbox::Inbox;
pub(crate) use make::{Seller, fresh, fresh_uuid};
pub(crate) use serde_json::{Value, json};
pub(crate) use wait::until;
