//! `/billing-api/v1`.

mod amendments;
mod contracts;
mod customers;
mod idempotency;
mod invoice_actions;
mod invoice_lists;
mod invoices;
mod paging;
mod quotas;
mod sandbox;
mod subscription_actions;
mod subscription_plans;
mod subscriptions;
mod test_clock;
mod timeline;
mod versions;
