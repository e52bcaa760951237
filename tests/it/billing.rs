//! `/billing-api/v1`.

mod amendments;
mod contracts;
pub(crate) mod csv;
mod customers;
mod dead_letters;
mod idempotency;
mod inbound;
mod invoice_actions;
mod invoice_adhoc;
mod invoice_documents;
mod invoice_endings;
mod invoice_export;
mod invoice_lists;
mod invoice_prorations;
mod invoice_taxes;
mod invoices;
mod metrics;
mod paging;
mod pricing;
mod quotas;
mod sandbox;
mod subscription_actions;
mod subscription_plans;
mod subscriptions;
mod tax_rules;
mod test_clock;
mod timeline;
mod usage_batch;
mod usage_events;
mod usage_explain;
#[cfg(feature = "faults")]
mod usage_limits;
mod usage_periods;
mod usage_races;
mod usage_series;
mod versions;
