//! The life of a payment, story by story.

mod begin;
mod capture;
mod challenge;
mod checkout;
mod declines;
mod fixtures;
mod referee;
mod refund;
mod retry;
mod settle;
mod unknown;
mod waiting;

use super::*;
