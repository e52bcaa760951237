//! The words of tax: how an amount is treated, and what was sold.

use crate::domain::names::names;
use crate::domain::quantity::TaxRate;

names! {
    /// How an amount is treated, by its code in the European standard for invoices (EN 16931).
    TaxCategory, "expected S, Z, E, AE, K, G or O";
    0 Standard = "S",
    1 ZeroRated = "Z",
    2 Exempt = "E",
    3 ReverseCharge = "AE",
    4 IntraCommunity = "K",
    5 Export = "G",
    6 OutOfScope = "O",
}

names! {
    /// Which of a country's rates what is sold falls under.
    TaxKind, "expected standard, reduced, zero or exempt";
    0 Standard = "standard",
    1 Reduced = "reduced",
    2 Zero = "zero",
    3 Exempt = "exempt",
}

impl TaxCategory {
    /// Of an amount of which nothing but its rate is known.
    pub fn of_rate(rate: TaxRate) -> Self {
        if rate == TaxRate::ZERO { Self::ZeroRated } else { Self::Standard }
    }

    /// Why no tax is charged, as documents say it; none where the law asks for no words.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Standard | Self::ZeroRated => None,
            Self::Exempt => Some("Exempt from VAT"),
            Self::ReverseCharge => Some("Reverse charge"),
            Self::IntraCommunity => Some("Intra-community supply"),
            Self::Export => Some("Export outside the EU"),
            Self::OutOfScope => Some("Outside the scope of EU VAT"),
        }
    }
}
