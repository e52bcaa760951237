//! What all tests share: a real server with a clock that can be pushed, a small client, a
//! receiver of webhooks, and helpers that make sellers, contracts, payments and so on.

pub(crate) mod api;
pub(crate) mod binary;
pub(crate) mod browser;
pub(crate) mod buyer;
pub(crate) mod document;
pub(crate) mod links;
pub(crate) mod listening;
pub(crate) mod make;
pub(crate) mod meter;
pub(crate) mod orders;
pub(crate) mod payees;
pub(crate) mod processor;
pub(crate) mod receiver;
pub(crate) mod response;
pub(crate) mod server;
pub(crate) mod stripe;
pub(crate) mod told;
pub(crate) mod wait;

pub(crate) use api::Api;
pub(crate) use browser::Browser;
pub(crate) use make::{Seller, fresh, fresh_uuid};
pub(crate) use receiver::Receiver;
pub(crate) use response::Response;
pub(crate) use serde_json::{Value, json};
pub(crate) use server::{OPERATOR, Server};
pub(crate) use wait::until;
