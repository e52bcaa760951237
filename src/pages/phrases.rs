//! What happened, in words for a buyer.

use actors::domain::billing::subscription::Frequency;
use actors::domain::money::Money;
use actors::domain::payments::card::{Brand, CardProblem, CardSummary};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::method::Method;
use actors::domain::payments::terminal::Rail;

use super::language::{Words, fill};

impl Words {
    /// A card as its holder knows it: `Visa ending in 4242`.
    pub fn card(&self, card: &CardSummary) -> String {
        let brand = match card.brand {
            Brand::Unknown => self.method_card,
            brand => brand.title(),
        };
        fill(self.card_ending, &[("brand", brand), ("digits", &card.last4)])
    }

    /// What a subscription costs: `€19.00 a month`.
    pub fn money_a_term(&self, price: Money, frequency: Frequency) -> String {
        let a_term = match frequency {
            Frequency::Weekly => self.per_week,
            Frequency::Monthly => self.per_month,
            Frequency::Quarterly => self.per_quarter,
            Frequency::Semiannual => self.per_half_year,
            Frequency::Annual => self.per_year,
        };
        format!("{} {a_term}", self.money(price))
    }

    /// How many days at the beginning of a subscription cost nothing.
    pub fn free_days(&self, days: u32) -> String {
        counted(days, self.free_day, self.free_days)
    }

    /// After how many charges it is paid for good.
    pub fn in_instalments(&self, all: u32) -> String {
        counted(all, self.in_one_instalment, self.in_instalments)
    }

    /// How many charges its buyer agrees to.
    pub fn at_least_terms(&self, least: u32) -> String {
        counted(least, self.at_least_one_term, self.at_least_terms)
    }

    /// How many charges it takes until its buyer may cancel it.
    pub fn cannot_cancel_yet(&self, least: u32) -> String {
        counted(least, self.cannot_cancel_before_one, self.cannot_cancel_yet)
    }

    pub fn method(&self, method: Method) -> &'static str {
        match method {
            Method::Card => self.method_card,
            Method::ApplePay => "Apple Pay",
            Method::GooglePay => "Google Pay",
            Method::Bancontact => "Bancontact",
            Method::Multibanco => "Multibanco",
            Method::MbWay => "MB WAY",
            Method::Wero => "Wero",
            Method::Swish => "Swish",
        }
    }

    /// A telephone number by its last three digits.
    pub fn masked_phone(&self, phone: &str) -> String {
        let hidden = phone.chars().count().saturating_sub(3);
        let digits: String = phone.chars().skip(hidden).collect();
        fill(self.phone_ending, &[("digits", &digits)])
    }

    /// What to do about a field of the card form.
    pub fn card_problem(&self, problem: CardProblem) -> &'static str {
        match problem {
            CardProblem::NumberMissing => self.number_missing,
            CardProblem::NumberShape => self.number_shape,
            CardProblem::NumberChecksum => self.number_checksum,
            CardProblem::ExpMonth => self.exp_month,
            CardProblem::ExpYear => self.exp_year,
            CardProblem::Cvv => self.cvv,
            CardProblem::HolderLong => self.holder_long,
            CardProblem::HolderCharacters => self.holder_characters,
            CardProblem::Country => self.country_letters,
            CardProblem::ZipLong => self.zip_long,
        }
    }

    /// What to do about a payment that failed: a title and a sentence.
    pub fn failure(&self, code: FailureCode) -> (&'static str, &'static str) {
        match code {
            FailureCode::CardExpired => (self.card_expired, self.card_expired_text),
            FailureCode::Declined => (self.declined, self.declined_text),
            FailureCode::RiskRejected
            | FailureCode::ComplianceDeclined
            | FailureCode::ComplianceReview => (self.not_accepted, self.other_card_or_seller),
            FailureCode::ProviderError
            | FailureCode::ProviderTimeout
            | FailureCode::Interrupted => (self.bank_unreachable, self.try_in_a_moment),
            FailureCode::AddressMismatch => (self.address_mismatch, self.other_card_or_seller),
            FailureCode::AuthenticationRequired => (self.confirm_wanted, self.confirm_wanted_text),
            FailureCode::SettlementFailed => (self.taken_back, self.taken_back_text),
            FailureCode::InvalidRequest
            | FailureCode::NoTerminal
            | FailureCode::RefundTooEarly
            | FailureCode::CaptureFailed
            | FailureCode::DepositUnconfirmed => (self.did_not_go_through, self.contact_seller),
        }
    }

    /// The same of a payment with this method, where another may be chosen.
    pub fn failure_with(&self, method: Method, code: FailureCode) -> (&'static str, &'static str) {
        match (method.rail(), code) {
            (Rail::Apm, FailureCode::Declined) => (self.not_approved, self.not_approved_text),
            (Rail::Apm, FailureCode::DepositUnconfirmed) => {
                (self.reference_unpaid, self.reference_unpaid_text)
            }
            _ => self.failure(code),
        }
    }

    /// What an amount to pay is headed with.
    pub fn pay_title(&self, amount: &str, seller: &str) -> String {
        fill(self.pay_title, &[("amount", amount), ("seller", seller)])
    }

    /// A sentence about a method.
    pub fn with_method(&self, text: &str, method: Method) -> String {
        fill(text, &[("method", self.method(method))])
    }
}

/// `one` of a single one, else `many` with the count in its place.
fn counted(count: u32, one: &str, many: &str) -> String {
    match count {
        1 => one.to_owned(),
        _ => fill(many, &[("count", &count.to_string())]),
    }
}
