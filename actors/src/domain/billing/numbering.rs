//! Invoice numbers: the seller's agreement number, the month of issue and the order in that
//! month, as in `1000001-2611AAA`; without gaps, shared with top-up invoices.

#[cfg(test)]
mod tests;

use std::fmt;

use storage::{Key, KeyError, KeyReader, KeyWriter, Shard};

use crate::domain::chain::Link;
use crate::domain::ids::SellerId;
use crate::domain::time::Date;

/// Three letters before a fourth is needed.
const SHORTEST_ORDER: u32 = 3;

/// The numbers of one seller in one month: what an order is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
pub struct NumberSeries {
    #[n(0)]
    pub agreement: u64,
    /// The year of issue, 2000 to 2099.
    #[n(1)]
    pub year: u16,
    /// The month of issue, 1 to 12.
    #[n(2)]
    pub month: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
pub struct InvoiceNumber {
    #[n(0)]
    pub series: NumberSeries,
    #[n(1)]
    pub order: u64,
}

/// What a number was given to, in the chain of all numbers of its month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Numbered<T> {
    #[n(0)]
    pub document: T,
    /// Of what never changes of the document.
    #[cbor(n(1), with = "minicbor::bytes")]
    pub digest: Link,
    #[cbor(n(2), with = "minicbor::bytes")]
    pub link: Link,
}

impl<T> storage::CborRecord for Numbered<T> where
    T: minicbor::Encode<()> + for<'b> minicbor::Decode<'b, ()>
{
}

/// The key of the gapless sequence that a month's orders are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberSequence {
    pub seller: SellerId,
    pub year: u16,
    pub month: u8,
}

impl NumberSeries {
    /// The series that a document issued on `day` belongs to. Numbers carry two digits of the
    /// year, so every century counts as this one.
    pub fn of(agreement: u64, day: Date) -> Self {
        let (year, month, _) = day.parts();
        let short = u16::try_from(year.rem_euclid(100)).unwrap_or(0);
        Self { agreement, year: 2000 + short, month: u8::try_from(month).unwrap_or(1) }
    }

    /// The number at this place, counted from 1.
    pub fn number(self, order: u64) -> InvoiceNumber {
        InvoiceNumber { series: self, order }
    }

    pub fn sequence(self, seller: SellerId) -> NumberSequence {
        NumberSequence { seller, year: self.year, month: self.month }
    }
}

impl InvoiceNumber {
    /// Parses exactly what is printed: `<agreement>-<YYMM><order>`.
    pub fn parse(text: &str) -> Option<Self> {
        let (agreement, rest) = text.split_once('-')?;
        let (month, letters) = rest.split_at_checked(4)?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if !digits(agreement) || agreement.starts_with('0') || !digits(month) {
            return None;
        }
        let yymm: u16 = month.parse().ok()?;
        let series = NumberSeries {
            agreement: agreement.parse().ok()?,
            year: 2000 + yymm / 100,
            month: u8::try_from(yymm % 100).ok().filter(|month| (1..=12).contains(month))?,
        };
        order_of(letters).map(|order| series.number(order))
    }
}

impl fmt::Display for InvoiceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NumberSeries { agreement, year, month } = self.series;
        write!(f, "{agreement}-{:02}{month:02}{}", year % 100, letters_of(self.order))
    }
}

impl Key for NumberSequence {
    const SHARDED: bool = true;

    fn shard(&self) -> Option<Shard> {
        Some(self.seller.shard())
    }

    /// The first part keeps the sequence apart from those of other meanings.
    fn write(&self, out: &mut KeyWriter) {
        out.fixed(b"invoice-number");
        self.seller.write(out);
        self.year.write(out);
        self.month.write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        if &from.fixed()? != b"invoice-number" {
            return Err(KeyError::Invalid("a sequence of invoice numbers"));
        }
        Ok(Self { seller: Key::read(from)?, year: Key::read(from)?, month: Key::read(from)? })
    }
}

/// The letters of the order: AAA to ZZZ for the first 26^3, then AAAA to ZZZZ, and so on.
fn letters_of(order: u64) -> String {
    let mut place = order.saturating_sub(1);
    let mut length = SHORTEST_ORDER;
    while let Some(block) = 26_u64.checked_pow(length).filter(|block| place >= *block) {
        place -= block;
        length += 1;
    }
    let mut letters = Vec::new();
    for _ in 0..length {
        letters.push(char::from(b'A' + u8::try_from(place % 26).unwrap_or(0)));
        place /= 26;
    }
    letters.iter().rev().collect()
}

fn order_of(letters: &str) -> Option<u64> {
    let length = u32::try_from(letters.len()).ok().filter(|length| *length >= SHORTEST_ORDER)?;
    let mut order = 1_u64;
    for shorter in SHORTEST_ORDER..length {
        order = order.checked_add(26_u64.checked_pow(shorter)?)?;
    }
    let mut place = 0_u64;
    for letter in letters.bytes() {
        let digit = letter.is_ascii_uppercase().then(|| u64::from(letter - b'A'))?;
        place = place.checked_mul(26)?.checked_add(digit)?;
    }
    order.checked_add(place)
}
