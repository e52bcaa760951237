use std::fmt;

use crate::domain::time::Date;

/// A calendar month; `YYYY-MM` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i32,
    /// 1 to 12.
    month: u32,
}

impl Month {
    pub fn of(day: Date) -> Self {
        let (year, month, _) = day.parts();
        Self { year, month }
    }

    /// Its first day.
    pub fn start(self) -> Date {
        Date::new(self.year, self.month, 1).expect("a month of a date")
    }

    /// The month so many earlier.
    #[must_use]
    pub fn minus(self, months: usize) -> Self {
        let months = u32::try_from(months).unwrap_or(u32::MAX);
        Self::of(self.start().minus_months(months))
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl serde::Serialize for Month {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
