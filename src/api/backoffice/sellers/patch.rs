use actors::domain::country::Country;
use actors::domain::platform::seller::{
    Mode, PortalAction, ProfilePatch, QuotaPatch, RateLimitPatch, SellerPatch, SellerRefusal,
    SellerStatus, Setting, TaxMode, Text,
};
use actors::domain::quantity::TaxRate;
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::refused;
use crate::api::wire::stated;
use crate::http::ApiError;

/// What is to change of an account. What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchSellerBody {
    /// `pending`, `active` or `inactive`.
    status: Option<String>,
    /// `demo` or `live`; live never goes back. Stating `live` again of an account that went live
    /// under an earlier version lets the test clocks of its contracts go.
    mode: Option<String>,
    vendors_enabled: Option<bool>,
    projection_enabled: Option<bool>,
    quotas: Option<QuotasBody>,
    rate_limits: Option<RateLimitsBody>,
    payout_approval: Option<PayoutApprovalBody>,
    #[schema(min_length = 1, max_length = 128)]
    name: Option<String>,
    /// Stands on documents; belongs to one account. The login of a sandbox account stays.
    #[schema(format = Email, max_length = 254)]
    email: Option<String>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 32)]
    phone: Text,
    /// ISO 3166-1 alpha-2; `null` takes it away.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    country: Option<Option<Country>>,
    /// A text is taken away by `null` or an empty one.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 64)]
    tax_id: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 255)]
    address_line1: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 255)]
    address_line2: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 128)]
    city: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>, max_length = 32)]
    postal_code: Text,
    /// `automatic` taxes lines by the countries of seller and customer, and needs a `country` of
    /// the EU.
    tax_mode: Option<TaxMode>,
    /// Percent, of lines that state none; in tax mode `automatic` the country's rates hold instead.
    default_tax_rate: Option<TaxRate>,
    /// Days after the issue date on which an invoice is due.
    #[schema(maximum = 365)]
    payment_terms_days: Option<u32>,
    /// Days from the due date on which a buyer is reminded, negative before it: at most 12
    /// different ones from -60 to 365. An empty list reminds nobody; `null` goes back to
    /// -3, 3, 7 and 14.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<Vec<i32>>, max_items = 12)]
    reminder_days: Option<Option<Vec<i32>>>,
    /// How long after its end a usage period waits for late arrivals before it closes; `null` goes
    /// back to the setting.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<u32>, maximum = 43200)]
    usage_grace_minutes: Setting,
    /// What buyers may do on their portal; none by default.
    portal_actions: Option<Vec<PortalAction>>,
}

/// Writes in a rolling day; 0 is unmetered, `null` goes back to the setting.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
struct QuotasBody {
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    contracts_per_day: Setting,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    amendments_per_day: Setting,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    invoices_per_day: Setting,
}

/// Rate budgets; 0 turns a limit off, `null` goes back to the setting.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
struct RateLimitsBody {
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    billing_per_hour: Setting,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    billing_burst: Setting,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    payments_per_hour: Setting,
    #[serde(deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    payments_burst: Setting,
}

/// Whose payouts wait for the operator.
#[derive(Default, Deserialize, ToSchema)]
struct PayoutApprovalBody {
    /// Payouts to the seller itself.
    #[serde(rename = "self")]
    own: Option<bool>,
    /// Payouts to payees.
    payee: Option<bool>,
}

impl PatchSellerBody {
    pub(super) fn parse(self) -> Result<SellerPatch, ApiError> {
        let status = |name: &str| SellerStatus::parse(name).ok_or(SellerRefusal::UnknownStatus);
        let mode = |name: &str| Mode::parse(name).ok_or(SellerRefusal::UnknownMode);
        let approval = self.payout_approval.unwrap_or_default();
        Ok(SellerPatch {
            status: self.status.as_deref().map(status).transpose().map_err(refused)?,
            mode: self.mode.as_deref().map(mode).transpose().map_err(refused)?,
            vendors_enabled: self.vendors_enabled,
            projection_enabled: self.projection_enabled,
            quotas: self.quotas.unwrap_or_default().into(),
            rate_limits: self.rate_limits.unwrap_or_default().into(),
            approve_own_payouts: approval.own,
            approve_payee_payouts: approval.payee,
            return_hosts: None,
            profile: ProfilePatch {
                name: self.name,
                email: self.email,
                phone: self.phone,
                country: self.country,
                tax_id: self.tax_id,
                address_line1: self.address_line1,
                address_line2: self.address_line2,
                city: self.city,
                postal_code: self.postal_code,
                tax_mode: self.tax_mode,
                default_tax_rate: self.default_tax_rate,
                payment_terms_days: self.payment_terms_days,
                reminder_days: self.reminder_days,
                usage_grace_minutes: self.usage_grace_minutes,
                portal_actions: self.portal_actions,
            },
        })
    }
}

impl From<QuotasBody> for QuotaPatch {
    fn from(body: QuotasBody) -> Self {
        Self {
            contracts_per_day: body.contracts_per_day,
            amendments_per_day: body.amendments_per_day,
            invoices_per_day: body.invoices_per_day,
        }
    }
}

impl From<RateLimitsBody> for RateLimitPatch {
    fn from(body: RateLimitsBody) -> Self {
        Self {
            billing_per_hour: body.billing_per_hour,
            billing_burst: body.billing_burst,
            payments_per_hour: body.payments_per_hour,
            payments_burst: body.payments_burst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(body: &str) -> Result<SellerPatch, String> {
        let body: PatchSellerBody = serde_json::from_str(body).expect("a body");
        body.parse().map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_left_out_stays_and_null_goes_back_to_the_setting() {
        assert_eq!(parsed("{}"), Ok(SellerPatch::default()));
        let body = r#"{
            "status": "inactive", "mode": "live", "vendorsEnabled": true,
            "quotas": {"contractsPerDay": 0, "invoicesPerDay": null},
            "rateLimits": {"billingBurst": 7},
            "payoutApproval": {"self": true}
        }"#;
        let expected = SellerPatch {
            status: Some(SellerStatus::Inactive),
            mode: Some(Mode::Live),
            vendors_enabled: Some(true),
            quotas: QuotaPatch {
                contracts_per_day: Some(Some(0)),
                invoices_per_day: Some(None),
                ..QuotaPatch::default()
            },
            rate_limits: RateLimitPatch { billing_burst: Some(Some(7)), ..Default::default() },
            approve_own_payouts: Some(true),
            ..SellerPatch::default()
        };
        assert_eq!(parsed(body), Ok(expected));
    }

    #[test]
    fn unknown_words_are_refused_by_name() {
        let status = "400 status must be pending, active or inactive";
        assert_eq!(parsed(r#"{"status": "open"}"#), Err(status.to_owned()));
        let mode = "400 mode must be demo or live";
        assert_eq!(parsed(r#"{"mode": "Live"}"#), Err(mode.to_owned()));
    }
}
