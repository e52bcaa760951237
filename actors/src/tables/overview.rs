//! The sums that an overview is made of. Each room adds what its objects come to have of them.

use storage::{Sum, Table};

use crate::domain::ids::SellerId;
use crate::domain::money::Currency;
use crate::domain::time::Date;

/// How many objects a seller has, by the number of [`Counted`].
///
/// [`Counted`]: crate::domain::billing::overview::contributions::Counted
pub const OVERVIEW_COUNTS: Table<(SellerId, u8), Sum> = Table::new(249, "overview counts");
/// What subscriptions bring a month now, minor units.
pub const OVERVIEW_RECURRING: Table<(SellerId, Currency), Sum> =
    Table::new(250, "overview recurring");
/// What documents come to in a month, by its first day and the number of [`Monthly`].
///
/// [`Monthly`]: crate::domain::billing::overview::contributions::Monthly
pub const OVERVIEW_MONTHS: Table<(SellerId, Currency, Date, u8), Sum> =
    Table::new(251, "overview months");
/// What documents wait for, minor units, by whether there is a day on which it is due, and by that
/// day, in whose place 1970-01-01 stands where there is none.
pub const OVERVIEW_OUTSTANDING: Table<(SellerId, Currency, bool, Date), Sum> =
    Table::new(252, "overview outstanding");
