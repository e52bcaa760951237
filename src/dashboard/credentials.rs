//! What a form or a JSON body says of somebody who signs in or registers.

use hyper::header::CONTENT_TYPE;
use secrecy::SecretString;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::gate::Request;
use crate::http::ApiError;
use crate::pages::fields::Fields;

/// An e-mail and its password.
#[derive(Deserialize, ToSchema)]
pub(super) struct Credentials {
    pub(super) email: String,
    #[schema(value_type = String, format = "password")]
    pub(super) password: SecretString,
}

impl Credentials {
    pub(super) fn of(request: &Request) -> Result<Self, ApiError> {
        if !is_form(request) {
            let Self { email, password } = request.json()?;
            return Ok(Self { email: email.trim().to_owned(), password });
        }
        let fields = form(request)?;
        let password = SecretString::from(fields.exact("password"));
        Ok(Self { email: fields.text("email").to_owned(), password })
    }
}

/// Whether a browser has sent a page's form, and wants to be led on.
pub(super) fn is_form(request: &Request) -> bool {
    let kind = request.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let media_type = kind.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

pub(super) fn form(request: &Request) -> Result<Fields, ApiError> {
    Fields::of(request).map_err(|_| ApiError::invalid("invalid request body"))
}
