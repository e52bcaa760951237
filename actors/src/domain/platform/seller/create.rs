//! How an account begins: made by the operator, or registered by somebody who completes it later.

use uuid::Uuid;

use super::{
    Address, GRACE_DAYS, Mode, PAYMENT_TERMS_DAYS, PayoutApproval, Quotas, RateLimits, Seller,
    SellerRefusal, SellerStatus, TaxMode,
};
use crate::domain::country::Country;
use crate::domain::email::Email;
use crate::domain::ids::SellerId;
use crate::domain::quantity::TaxRate;
use crate::domain::time::Timestamp;

pub(super) const NAME_LENGTH: usize = 128;
pub(super) const TAX_ID_LENGTH: usize = 64;

/// The agreement number of the `order`-th seller, counted from 1: 1000001 and on.
pub const fn agreement_number(order: u64) -> u64 {
    1_000_000 + order
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSeller {
    pub(in crate::domain) name: String,
    pub(in crate::domain) email: Email,
    pub(in crate::domain) country: Option<Country>,
    pub(in crate::domain) tax_id: Option<String>,
}

impl NewSeller {
    pub fn email(&self) -> &Email {
        &self.email
    }

    /// The body of `POST /sellers`; an empty `country` or `taxId` is none.
    pub fn parse(
        name: &str,
        email: &str,
        country: Option<&str>,
        tax_id: Option<&str>,
    ) -> Result<Self, SellerRefusal> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME_LENGTH {
            return Err(SellerRefusal::Name);
        }
        let email = Email::parse(email).ok_or(SellerRefusal::Email)?;
        let country = country
            .filter(|code| !code.is_empty())
            .map(|code| Country::parse(code).ok_or(SellerRefusal::Country))
            .transpose()?;
        let tax_id = tax_id.map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned);
        if tax_id.as_ref().is_some_and(|id| id.chars().count() > TAX_ID_LENGTH) {
            return Err(SellerRefusal::TaxId);
        }
        Ok(Self { name: name.to_owned(), email, country, tax_id })
    }

    /// The live account that the operator makes of it, active at once.
    pub fn live(self, id: SellerId, uuid: Uuid, agreement_number: u64, now: Timestamp) -> Seller {
        self.account(id, uuid, agreement_number, Mode::Live, now)
    }

    /// The account of somebody who registered, with the organization that they told since.
    pub fn completing(&self, registered: &Seller) -> Seller {
        Seller {
            name: self.name.clone(),
            country: self.country,
            tax_id: self.tax_id.clone(),
            is_incomplete: false,
            ..registered.clone()
        }
    }

    pub(in crate::domain) fn account(
        self,
        id: SellerId,
        uuid: Uuid,
        agreement_number: u64,
        mode: Mode,
        now: Timestamp,
    ) -> Seller {
        Seller {
            id,
            uuid,
            name: self.name,
            email: self.email,
            mode,
            status: SellerStatus::Active,
            agreement_number,
            country: self.country,
            tax_id: self.tax_id,
            default_tax_rate: TaxRate::ZERO,
            payment_terms_days: PAYMENT_TERMS_DAYS,
            contract_numbering: true,
            allowed_return_hosts: Vec::new(),
            default_return_links: Vec::new(),
            vendors_enabled: false,
            projection_enabled: true,
            grace_days: GRACE_DAYS,
            quotas: Quotas::default(),
            rate_limits: RateLimits::default(),
            payout_approval: PayoutApproval::default(),
            created_at: now,
            expires_at: None,
            usage_grace_minutes: None,
            tax_mode: TaxMode::Manual,
            phone: None,
            address: Address::default(),
            reminder_days: None,
            portal_actions: Vec::new(),
            is_incomplete: false,
            go_live_requested_at: None,
        }
    }
}

impl Seller {
    /// The account of somebody who has registered and not yet said for which organization. It
    /// begins in demo mode, and nothing but its own completion is open to it.
    pub fn registered(id: SellerId, uuid: Uuid, email: Email, now: Timestamp) -> Self {
        let new = NewSeller { name: String::new(), email, country: None, tax_id: None };
        Self {
            status: SellerStatus::Pending,
            is_incomplete: true,
            ..new.account(id, uuid, 0, Mode::Demo, now)
        }
    }
}

#[cfg(test)]
mod tests {
    use storage::Record;

    use super::*;

    #[test]
    fn a_live_seller_begins_active_with_the_usual_terms() {
        let now = Timestamp::from_micros(5);
        let new = NewSeller::parse(" Byron Ltd ", "ada@example.com", Some("GB"), Some(""));
        let seller = new.expect("valid").live(SellerId(9), Uuid::nil(), agreement_number(1), now);
        assert_eq!((seller.name.as_str(), seller.agreement_number), ("Byron Ltd", 1_000_001));
        assert_eq!((seller.mode, seller.status), (Mode::Live, SellerStatus::Active));
        assert_eq!((seller.payment_terms_days, seller.grace_days), (14, 7));
        assert!(seller.contract_numbering && seller.projection_enabled && !seller.vendors_enabled);
        assert_eq!((seller.tax_id.clone(), seller.is_sandbox()), (None, false));
        assert_eq!(Seller::decode(1, &seller.encode()), Ok(seller));
    }

    #[test]
    fn every_field_is_checked() {
        let long = "x".repeat(129);
        for (name, email, country, tax_id, refusal) in [
            ("", "a@b.de", None, None, SellerRefusal::Name),
            (long.as_str(), "a@b.de", None, None, SellerRefusal::Name),
            ("A", "A <a@b.de>", None, None, SellerRefusal::Email),
            ("A", "a@b.de", Some("de"), None, SellerRefusal::Country),
            ("A", "a@b.de", Some("DE"), Some(&long[..65]), SellerRefusal::TaxId),
        ] {
            assert_eq!(NewSeller::parse(name, email, country, tax_id), Err(refusal));
        }
    }
}
