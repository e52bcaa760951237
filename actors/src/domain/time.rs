//! Instants and days. Rules take them as arguments; only `clock.rs` reads them.

use std::fmt;

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, SecondsFormat, Utc};
use minicbor::{Decoder, Encoder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use storage::{CborRecord, Key, KeyError, KeyReader, KeyWriter};

/// An instant in UTC with microseconds; RFC 3339 with `Z` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first instant of the year 1.
    const MIN: Self = Self(-62_135_596_800_000_000);
    /// The last instant of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999_999);

    /// The instant `micros` microseconds after 1970-01-01T00:00:00Z, cut to years 1 to 9999.
    pub fn from_micros(micros: i64) -> Self {
        Self(micros.clamp(Self::MIN.0, Self::MAX.0))
    }

    pub fn micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub fn unix_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Parses RFC 3339 with any offset; finer digits than microseconds are cut. An instant that is
    /// outside the years 1 to 9999 in UTC is none, rather than another one than was sent.
    pub fn parse(text: &str) -> Option<Self> {
        let at = Self(DateTime::parse_from_rfc3339(text).ok()?.timestamp_micros());
        (Self::MIN..=Self::MAX).contains(&at).then_some(at)
    }

    pub fn date(self) -> Date {
        Date(self.utc().date_naive())
    }

    /// This instant moved by `seconds`, backwards when negative.
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_micros(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// This instant moved by `millis` milliseconds, backwards when negative.
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_micros(self.0.saturating_add(millis.saturating_mul(1_000)))
    }

    fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

/// A calendar day in UTC; `YYYY-MM-DD` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

impl Date {
    /// The day `year`-`month`-`day`, if the calendar has it and its year has four digits.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        (1..=9999).contains(&year).then(|| NaiveDate::from_ymd_opt(year, month, day))?.map(Self)
    }

    /// Parses exactly `YYYY-MM-DD`. There is no year 0, as in documents that are read elsewhere.
    pub fn parse(text: &str) -> Option<Self> {
        let shape = text.len() == 10
            && text.bytes().enumerate().all(|(i, b)| match i {
                4 | 7 => b == b'-',
                _ => b.is_ascii_digit(),
            });
        let day = shape.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())??;
        (day.year() >= 1).then_some(Self(day))
    }

    /// Year, month (1-12) and day of month (1-31).
    pub fn parts(self) -> (i32, u32, u32) {
        (self.0.year(), self.0.month(), self.0.day())
    }

    /// Midnight UTC at which the day begins.
    pub fn start(self) -> Timestamp {
        let midnight = self.0.and_time(chrono::NaiveTime::MIN).and_utc();
        Timestamp::from_micros(midnight.timestamp_micros())
    }

    /// The day `days` later, earlier when negative; the calendar's edge beyond its end.
    pub fn plus_days(self, days: i64) -> Self {
        let step = Days::new(days.unsigned_abs());
        let moved =
            if days < 0 { self.0.checked_sub_days(step) } else { self.0.checked_add_days(step) };
        Self(moved.unwrap_or(if days < 0 { NaiveDate::MIN } else { NaiveDate::MAX }))
    }

    /// The same day of the month `months` later; the month's last day where it is shorter.
    pub fn plus_months(self, months: u32) -> Self {
        Self(self.0.checked_add_months(Months::new(months)).unwrap_or(NaiveDate::MAX))
    }

    /// The same day of the month `months` earlier; the month's last day where it is shorter.
    pub fn minus_months(self, months: u32) -> Self {
        Self(self.0.checked_sub_months(Months::new(months)).unwrap_or(NaiveDate::MIN))
    }

    /// Whole days from `earlier` to this day; negative when this day is before it.
    pub fn days_since(self, earlier: Self) -> i64 {
        self.0.signed_duration_since(earlier.0).num_days()
    }

    fn epoch_days(self) -> i32 {
        self.0.num_days_from_ce()
    }

    fn from_epoch_days(days: i32) -> Option<Self> {
        NaiveDate::from_num_days_from_ce_opt(days).map(Self)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.format("%Y-%m-%d").fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("expected an RFC 3339 timestamp"))
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("expected a date YYYY-MM-DD"))
    }
}

impl<C> minicbor::Encode<C> for Timestamp {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.i64(self.0)?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Timestamp {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        d.i64().map(Self::from_micros)
    }
}

impl<C> minicbor::Encode<C> for Date {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.i32(self.epoch_days())?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Date {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        Self::from_epoch_days(d.i32()?)
            .ok_or_else(|| minicbor::decode::Error::message("day outside the calendar"))
    }
}

impl CborRecord for Date {}

impl Key for Timestamp {
    fn write(&self, out: &mut KeyWriter) {
        self.0.write(out);
    }
    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        i64::read(from).map(Self::from_micros)
    }
}

impl Key for Date {
    fn write(&self, out: &mut KeyWriter) {
        i64::from(self.epoch_days()).write(out);
    }
    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        let days = i64::read(from)?;
        i32::try_from(days).ok().and_then(Self::from_epoch_days).ok_or(KeyError::Invalid("a day"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_month_clamps_but_a_longer_one_returns_to_the_day() {
        let start = Date::new(2026, 1, 31).expect("a day");
        assert_eq!(start.plus_months(1).to_string(), "2026-02-28");
        assert_eq!(start.plus_months(2).to_string(), "2026-03-31");
    }

    #[test]
    fn dates_are_parsed_strictly() {
        assert!(Date::parse("2026-02-29").is_none());
        assert!(Date::parse("2026-2-01").is_none());
        assert!(Date::parse("+026-02-01").is_none());
        assert_eq!(Date::parse("2028-02-29").map(|d| d.to_string()).as_deref(), Some("2028-02-29"));
    }

    #[test]
    fn a_day_or_an_instant_of_a_year_that_is_not_counted_is_none() {
        assert!(Date::parse("0000-12-31").is_none());
        assert_eq!(Date::parse("0001-01-01"), Date::new(1, 1, 1));
        assert_eq!(Date::parse("9999-12-31"), Date::new(9999, 12, 31));
        for outside in
            ["0000-06-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:30:00-01:00"]
        {
            assert!(Timestamp::parse(outside).is_none(), "{outside}");
        }
        assert_eq!(Timestamp::parse("0001-01-01T00:00:00Z"), Some(Timestamp::MIN));
        assert_eq!(Timestamp::parse("9999-12-31T23:59:59.999999Z"), Some(Timestamp::MAX));
    }

    #[test]
    fn timestamps_are_answered_in_utc() {
        let at = Timestamp::parse("2026-11-21T05:00:00.5+02:00").expect("an instant");
        assert_eq!(at.to_string(), "2026-11-21T03:00:00.500Z");
        assert_eq!(at.date().to_string(), "2026-11-21");
    }
}
