//! What an account says of itself: how its documents name it, and how it bills.

use super::create::{NAME_LENGTH, TAX_ID_LENGTH};
use super::{MAX_USAGE_GRACE_MINUTES, Seller, SellerRefusal, Setting};
use crate::domain::billing::tax::is_in_eu;
use crate::domain::country::Country;
use crate::domain::email::Email;
use crate::domain::names::names;
use crate::domain::quantity::TaxRate;

/// The longest time that an invoice may wait for its money, in days.
const MAX_PAYMENT_TERMS_DAYS: u32 = 365;
/// How far from the due date a reminder may be, in days.
const REMINDER_DAYS: std::ops::RangeInclusive<i32> = -60..=365;
const MAX_REMINDERS: usize = 12;

names! {
    TaxMode, "expected manual or automatic";
    /// Rates as they are stated.
    0 Manual = "manual",
    /// By the countries of seller and customer.
    1 Automatic = "automatic",
}

names! {
    /// What a buyer may do on the portal.
    PortalAction, "expected cancel, resume, pay or card";
    0 Cancel = "cancel",
    1 Resume = "resume",
    2 Pay = "pay",
    3 Card = "card",
}

/// Where a seller is, as far as it says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Address {
    #[n(0)]
    pub line1: Option<String>,
    #[n(1)]
    pub line2: Option<String>,
    #[n(2)]
    pub city: Option<String>,
    #[n(3)]
    pub postal_code: Option<String>,
}

/// A text that may be taken away: with `null`, or with an empty one.
pub type Text = Option<Option<String>>;

/// What is to change of it; absent fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfilePatch {
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Text,
    pub country: Option<Option<Country>>,
    pub tax_id: Text,
    pub address_line1: Text,
    pub address_line2: Text,
    pub city: Text,
    pub postal_code: Text,
    pub tax_mode: Option<TaxMode>,
    pub default_tax_rate: Option<TaxRate>,
    pub payment_terms_days: Option<u32>,
    /// `Some(None)` goes back to the usual days.
    pub reminder_days: Option<Option<Vec<i32>>>,
    pub usage_grace_minutes: Setting,
    pub portal_actions: Option<Vec<PortalAction>>,
}

impl ProfilePatch {
    pub(super) fn over(&self, now: &Seller) -> Result<Seller, SellerRefusal> {
        let mut seller = now.clone();
        if let Some(name) = &self.name {
            let name = name.trim();
            if name.is_empty() || name.chars().count() > NAME_LENGTH {
                return Err(SellerRefusal::Name);
            }
            name.clone_into(&mut seller.name);
        }
        if let Some(email) = &self.email {
            seller.email = Email::parse(email).ok_or(SellerRefusal::Email)?;
        }
        text(&mut seller.phone, &self.phone, "phone", 32)?;
        text(&mut seller.tax_id, &self.tax_id, "taxId", TAX_ID_LENGTH)?;
        let address = &mut seller.address;
        text(&mut address.line1, &self.address_line1, "addressLine1", 255)?;
        text(&mut address.line2, &self.address_line2, "addressLine2", 255)?;
        text(&mut address.city, &self.city, "city", 128)?;
        text(&mut address.postal_code, &self.postal_code, "postalCode", 32)?;
        seller.country = self.country.unwrap_or(now.country);
        self.billing(&mut seller)?;
        Ok(seller)
    }

    /// How it bills.
    fn billing(&self, seller: &mut Seller) -> Result<(), SellerRefusal> {
        seller.tax_mode = self.tax_mode.unwrap_or(seller.tax_mode);
        if seller.tax_mode == TaxMode::Automatic && !seller.country.is_some_and(is_in_eu) {
            return Err(SellerRefusal::AutomaticTaxOutsideEu);
        }
        seller.default_tax_rate = self.default_tax_rate.unwrap_or(seller.default_tax_rate);
        seller.payment_terms_days = self.payment_terms_days.unwrap_or(seller.payment_terms_days);
        if seller.payment_terms_days > MAX_PAYMENT_TERMS_DAYS {
            return Err(SellerRefusal::PaymentTerms(MAX_PAYMENT_TERMS_DAYS));
        }
        if let Some(days) = &self.reminder_days {
            seller.reminder_days = days.as_deref().map(reminder_days).transpose()?;
        }
        seller.usage_grace_minutes = self.usage_grace_minutes.unwrap_or(seller.usage_grace_minutes);
        if seller.usage_grace_minutes.is_some_and(|minutes| minutes > MAX_USAGE_GRACE_MINUTES) {
            return Err(SellerRefusal::UsageGrace);
        }
        if let Some(actions) = &self.portal_actions {
            seller.portal_actions.clone_from(actions);
            seller.portal_actions.sort_unstable();
            seller.portal_actions.dedup();
        }
        Ok(())
    }
}

fn text(
    now: &mut Option<String>,
    stated: &Text,
    field: &'static str,
    longest: usize,
) -> Result<(), SellerRefusal> {
    let Some(stated) = stated else { return Ok(()) };
    let trimmed = stated.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if trimmed.is_some_and(|text| text.chars().count() > longest) {
        return Err(SellerRefusal::TooLong { field, longest });
    }
    *now = trimmed.map(str::to_owned);
    Ok(())
}

/// Each day once, the earliest first.
fn reminder_days(days: &[i32]) -> Result<Vec<i32>, SellerRefusal> {
    let mut sorted = days.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let fits = sorted.len() == days.len()
        && days.len() <= MAX_REMINDERS
        && days.iter().all(|day| REMINDER_DAYS.contains(day));
    if fits { Ok(sorted) } else { Err(SellerRefusal::ReminderDays) }
}

#[cfg(test)]
mod tests {
    use super::super::NewSeller;
    use super::*;
    use crate::domain::ids::SellerId;
    use crate::domain::time::Timestamp;

    fn seller() -> Seller {
        let new = NewSeller::parse("Byron Ltd", "ada@example.com", Some("DE"), Some("DE1"));
        let now = Timestamp::from_micros(0);
        new.expect("valid").live(SellerId(1), uuid::Uuid::nil(), 1_000_001, now)
    }

    fn country(code: &str) -> Option<Option<Country>> {
        Some(Country::parse(code))
    }

    #[test]
    fn what_is_stated_is_taken_and_what_is_empty_is_taken_away() {
        let stated = |text: &str| Some(Some(text.to_owned()));
        let asked = ProfilePatch {
            name: Some(" Lovelace GmbH ".to_owned()),
            email: Some("office@example.com".to_owned()),
            phone: stated("+49 30 1"),
            tax_id: Some(None),
            address_line1: stated("Unter den Linden 1"),
            city: stated("Berlin"),
            postal_code: stated(" "),
            tax_mode: Some(TaxMode::Automatic),
            payment_terms_days: Some(30),
            reminder_days: Some(Some(vec![7, -1])),
            portal_actions: Some(vec![PortalAction::Pay, PortalAction::Cancel, PortalAction::Pay]),
            ..ProfilePatch::default()
        };
        let after = asked.over(&seller()).expect("allowed");
        let address = Address {
            line1: Some("Unter den Linden 1".to_owned()),
            city: Some("Berlin".to_owned()),
            ..Address::default()
        };
        assert_eq!(
            (after.name.as_str(), after.email.as_str()),
            ("Lovelace GmbH", "office@example.com")
        );
        assert_eq!((after.tax_id.as_deref(), &after.address), (None, &address));
        assert_eq!((after.tax_mode, after.payment_terms_days), (TaxMode::Automatic, 30));
        assert_eq!(after.reminder_days.as_deref(), Some(&[-1, 7][..]));
        assert_eq!(after.portal_actions, [PortalAction::Cancel, PortalAction::Pay]);
        let usual = ProfilePatch { reminder_days: Some(None), ..ProfilePatch::default() };
        assert_eq!(usual.over(&after).expect("allowed").reminder_days, None);
        assert_eq!(ProfilePatch::default().over(&after), Ok(after));
    }

    #[test]
    fn every_field_is_checked() {
        use SellerRefusal as No;
        let none = ProfilePatch::default;
        let days = |days: Vec<i32>| ProfilePatch { reminder_days: Some(Some(days)), ..none() };
        let automatic =
            |country| ProfilePatch { tax_mode: Some(TaxMode::Automatic), country, ..none() };
        for (asked, refusal) in [
            (ProfilePatch { name: Some(" ".to_owned()), ..none() }, No::Name),
            (ProfilePatch { email: Some("A <a@b.de>".to_owned()), ..none() }, No::Email),
            (
                ProfilePatch { city: Some(Some("x".repeat(129))), ..none() },
                No::TooLong { field: "city", longest: 128 },
            ),
            (ProfilePatch { payment_terms_days: Some(366), ..none() }, No::PaymentTerms(365)),
            (ProfilePatch { usage_grace_minutes: Some(Some(43_201)), ..none() }, No::UsageGrace),
            (days(vec![3, 3]), No::ReminderDays),
            (days(vec![366]), No::ReminderDays),
            (days((0..13).collect()), No::ReminderDays),
            (automatic(country("CH")), No::AutomaticTaxOutsideEu),
            (automatic(Some(None)), No::AutomaticTaxOutsideEu),
        ] {
            assert_eq!(asked.over(&seller()), Err(refusal));
        }
        let taxed = automatic(None).over(&seller()).expect("in the EU");
        let leaving = ProfilePatch { country: country("GB"), ..none() };
        assert_eq!(leaving.over(&taxed), Err(No::AutomaticTaxOutsideEu));
    }
}
