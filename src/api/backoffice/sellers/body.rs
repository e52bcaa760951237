use actors::domain::platform::seller::{NewSeller, SellerRefusal};
use actors::domain::refusal::Refusal;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::ApiError;

/// A live account to be made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewSellerBody {
    #[schema(min_length = 1, max_length = 128)]
    name: String,
    #[schema(format = Email, max_length = 254)]
    email: String,
    /// ISO 3166-1 alpha-2.
    country: Option<String>,
    #[schema(max_length = 64)]
    tax_id: Option<String>,
}

impl NewSellerBody {
    pub(super) fn parse(&self) -> Result<NewSeller, ApiError> {
        let (country, tax_id) = (self.country.as_deref(), self.tax_id.as_deref());
        NewSeller::parse(&self.name, &self.email, country, tax_id).map_err(refused)
    }
}

pub(super) fn refused(refusal: SellerRefusal) -> ApiError {
    Refusal::from(refusal).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_seller_is_checked_field_by_field() {
        let parsed = |body: &str| {
            let body: NewSellerBody = serde_json::from_str(body).expect("a body");
            body.parse().map(|_| ()).map_err(|error| error.text().to_owned())
        };
        assert_eq!(parsed(r#"{"name": "A", "email": "a@b.de", "country": "DE"}"#), Ok(()));
        for (body, field) in [
            (r#"{"name": " ", "email": "a@b.de"}"#, "name "),
            (r#"{"name": "A", "email": "a"}"#, "email "),
            (r#"{"name": "A", "email": "a@b.de", "country": "Germany"}"#, "country "),
        ] {
            let refusal = parsed(body).expect_err("a refusal");
            assert!(refusal.starts_with(field), "{refusal}");
        }
    }
}
