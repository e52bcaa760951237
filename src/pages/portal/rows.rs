//! The rows of the page, in words.

use actors::domain::billing::invoice::{Invoice, InvoiceStatus, InvoiceType};
use actors::domain::billing::subscription::{
    BY_BUYER, Subscription, SubscriptionStatus, TrialEndBehavior,
};
use actors::domain::billing::usage::MetricUsage;
use actors::domain::money::Money;
use actors::domain::payments::saved_card::SavedCard;
use actors::domain::platform::seller::PortalAction;
use actors::domain::quantity::plain_text;
use actors::domain::time::Date;

use crate::pages::language::{Words, fill};

pub(super) struct InvoiceRow {
    pub(super) number: String,
    pub(super) day: String,
    pub(super) amount: String,
    pub(super) state: &'static str,
    pub(super) pdf_url: String,
    pub(super) pay_url: Option<String>,
}

pub(super) struct PaymentRow {
    pub(super) day: String,
    pub(super) number: String,
    pub(super) amount: String,
    /// What went back of it.
    pub(super) refunded: Option<String>,
}

pub(super) struct SubscriptionRow {
    pub(super) id: u64,
    pub(super) title: String,
    pub(super) price: String,
    pub(super) state: &'static str,
    pub(super) until: Option<String>,
    pub(super) may_cancel: bool,
    pub(super) may_resume: bool,
    /// Take a cancel back that is still to come.
    pub(super) may_keep: bool,
}

pub(super) struct UsageRow {
    pub(super) metric: String,
    pub(super) used: String,
    pub(super) period: Option<String>,
}

pub(super) struct CardRow {
    pub(super) id: u64,
    pub(super) title: String,
    pub(super) may_remove: bool,
}

impl InvoiceRow {
    pub(super) fn new(t: &Words, of: &Invoice, portal: &str, pay_url: Option<String>) -> Self {
        let waits = matches!(
            of.status,
            InvoiceStatus::Issued | InvoiceStatus::Sent | InvoiceStatus::Overdue
        );
        let owes = waits && of.outstanding_minor > 0 && of.invoice_type != InvoiceType::CreditNote;
        let minor = if owes { of.outstanding_minor } else { of.totals.grand_total_minor };
        let money = Money { minor, currency: of.currency };
        Self {
            number: of.number.map_or_else(|| of.id.to_string(), |number| number.to_string()),
            day: t.date(of.issue_date),
            amount: t.money(money),
            state: match of.status {
                _ if of.invoice_type == InvoiceType::CreditNote => t.state_credit_note,
                InvoiceStatus::Draft | InvoiceStatus::Issued | InvoiceStatus::Sent => t.state_open,
                InvoiceStatus::Paid => t.state_paid,
                InvoiceStatus::Overdue => t.state_overdue,
                InvoiceStatus::Voided => t.state_voided,
                InvoiceStatus::WrittenOff => t.state_closed,
            },
            pdf_url: format!("{portal}/invoices/{}", of.id),
            pay_url: pay_url.filter(|_| owes),
        }
    }
}

impl PaymentRow {
    /// What came for these invoices, the newest first.
    pub(super) fn of(t: &Words, invoices: &[Invoice]) -> Vec<Self> {
        let mut came = Vec::new();
        for invoice in invoices {
            let payments = invoice.payments.iter().filter(|one| one.reversed_at.is_none());
            let payments =
                payments.map(|one| (one.at, one.amount_minor, one.counted_refunded_minor()));
            let deposits = invoice.deposits.iter().map(|one| (one.at, one.counted_minor, 0));
            came.extend(
                payments.chain(deposits).map(|(at, minor, back)| (at, minor, back, invoice)),
            );
        }
        came.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        let row = |(at, minor, back, of): (_, i64, i64, &Invoice)| {
            let money = |minor| t.money(Money { minor, currency: of.currency });
            Self {
                day: t.moment(at),
                number: of.number.map(|number| number.to_string()).unwrap_or_default(),
                amount: money(minor),
                refunded: (back > 0).then(|| fill(t.refunded_part, &[("amount", &money(back))])),
            }
        };
        came.into_iter().map(row).collect()
    }
}

impl SubscriptionRow {
    pub(super) fn new(t: &Words, of: &Subscription, allowed: &[PortalAction]) -> Self {
        let minor = of.price().amount().unwrap_or(of.price_minor);
        let goes_on = !of.status.is_final() && of.cancel_at().is_none();
        Self {
            id: of.id.0,
            title: of.description.clone().unwrap_or_else(|| of.id.to_string()),
            price: t.money_a_term(Money { minor, currency: of.currency }, of.frequency),
            state: match of.status {
                SubscriptionStatus::Scheduled => t.state_scheduled,
                SubscriptionStatus::Trialing => t.state_trial,
                SubscriptionStatus::Active => t.state_active,
                SubscriptionStatus::PastDue => t.state_past_due,
                SubscriptionStatus::Paused => t.state_paused,
                SubscriptionStatus::Canceled | SubscriptionStatus::Expired => t.state_ended,
            },
            until: until(t, of),
            may_cancel: allowed.contains(&PortalAction::Cancel) && goes_on,
            may_resume: allowed.contains(&PortalAction::Resume)
                && of.status == SubscriptionStatus::Paused,
            may_keep: may_keep(of, allowed),
        }
    }
}

/// What comes next, and when: its end, going on after a pause, or another term.
fn until(t: &Words, of: &Subscription) -> Option<String> {
    let (text, day) = match (of.status, ends_on(of)) {
        (SubscriptionStatus::Canceled | SubscriptionStatus::Expired, _) => return None,
        (_, Some(day)) => (t.ends_on, Some(day)),
        // No term begins while it is paused, also once the running one is over.
        (SubscriptionStatus::Paused, None) => (t.resumes_on, of.resumes_at),
        (_, None) => (t.renews_on, of.current_period_end),
    };
    day.map(|day| fill(text, &[("day", &t.date(day))]))
}

/// The first day that is not served, if that is fixed: by a cancel, by its end date, or by a trial
/// that nothing follows.
fn ends_on(of: &Subscription) -> Option<Date> {
    let on_trial =
        matches!(of.status, SubscriptionStatus::Scheduled | SubscriptionStatus::Trialing)
            && of.trial_end_behavior == TrialEndBehavior::Cancel;
    let trial = of.trial_end.filter(|_| on_trial);
    [of.cancel_at(), of.expires_on(), trial].into_iter().flatten().min()
}

/// Whether the buyer may take the cancel of a subscription back: any where the seller lets
/// subscriptions be resumed, their own where they may cancel. A paused one is resumed before.
pub(super) fn may_keep(of: &Subscription, allowed: &[PortalAction]) -> bool {
    let ends = of.cancel_at().is_some() && !of.status.is_final();
    let own = of.cancel_reason.as_deref() == Some(BY_BUYER);
    let may =
        allowed.contains(&PortalAction::Resume) || (own && allowed.contains(&PortalAction::Cancel));
    ends && of.status != SubscriptionStatus::Paused && may
}

impl UsageRow {
    pub(super) fn new(t: &Words, of: &MetricUsage) -> Self {
        let metric = if of.metric.is_seats() { t.seat_days } else { of.metric.as_str() };
        Self {
            metric: metric.to_owned(),
            used: t.number(&plain_text(of.used)),
            period: of.period.map(|period| t.period(period.start, period.end)),
        }
    }
}

impl CardRow {
    pub(super) fn new(t: &Words, of: &SavedCard, removable: bool) -> Self {
        Self { id: of.id.0, title: t.card(&of.card), may_remove: removable }
    }
}

#[cfg(test)]
mod tests;
