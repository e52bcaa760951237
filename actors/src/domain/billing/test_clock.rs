//! The test clock: a contract of a demo account can live in a time of its own, which its
//! seller pushes forward, until the account goes live.

#[cfg(test)]
mod tests;

use crate::domain::refusal::{Refusal, RefusalKind, Refuse};
use crate::domain::time::{Date, Timestamp};

/// The furthest that one advance goes: 366 days, in seconds.
const MAX_ADVANCE_SECONDS: i64 = 366 * 86_400;

/// The last year that a clock reaches: what is planned from there, a start ten years ahead with a
/// trial and a term of a year behind it, has dates of four digits still.
const LAST_YEAR: i32 = 9_980;

/// A contract's simulated time. It stands still between advances and never goes back. Once it was
/// let go, the contract goes by the wall clock.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct TestClock {
    #[n(0)]
    pub now: Timestamp,
    /// When the clock was first advanced, by the wall clock.
    #[n(1)]
    pub frozen_at: Timestamp,
    #[n(2)]
    pub updated_at: Timestamp,
    /// Where an advance goes that is still under way, or was when the process ended.
    #[n(3)]
    pub heading_for: Option<Timestamp>,
    /// When it was let go, by the wall clock: its account has gone live.
    #[n(4)]
    pub let_go_at: Option<Timestamp>,
}

impl storage::CborRecord for TestClock {}

/// The two times at which a contract does something: documents are stamped with the wall
/// clock, terms and due dates follow the contract's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub wall: Timestamp,
    /// The contract's clock: its test clock while that stands, else the wall clock.
    pub engine: Timestamp,
    /// Whether `engine` is where a subscription had lived to when the test clock was let go, which
    /// the wall clock has yet to come to: for its terms alone.
    pub ran_ahead: bool,
}

impl Moment {
    pub fn of(clock: Option<&TestClock>, wall: Timestamp) -> Self {
        let engine = clock.and_then(TestClock::stands_at).unwrap_or(wall);
        Self { wall, engine, ran_ahead: false }
    }

    /// The same for the terms of a subscription that was `made` at an instant of the wall clock:
    /// they do not go back to before where a clock stood that was let go since.
    #[must_use]
    pub fn of_terms(self, clock: Option<&TestClock>, made: Timestamp) -> Self {
        let stood = |clock: &&TestClock| clock.let_go_at.is_none_or(|at| made < at);
        let lived_to = clock.filter(stood).map(|clock| clock.now);
        match lived_to.filter(|lived_to| *lived_to > self.engine) {
            Some(engine) => Self { engine, ran_ahead: true, ..self },
            None => self,
        }
    }

    /// When something is done now, by the contract's clock.
    pub fn done_at(self) -> Timestamp {
        if self.ran_ahead { self.wall } else { self.engine }
    }

    /// The contract's day.
    pub fn today(self) -> Date {
        self.engine.date()
    }

    /// The contract's day, or that of the wall clock where it is later: usage has come up to it.
    pub fn latest_day(self) -> Date {
        self.done_at().max(self.wall).date()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The target is where the clock stands, and nothing is left to do: nothing happens, and no
    /// clock is made.
    Stays,
    /// The clock moves; the lifecycle and the recurring invoices follow it.
    Moves(TestClock),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdvanceRefusal {
    #[error("to is before the clock, which stands at {0}")]
    Past(Timestamp),
    #[error("to is more than 366 days after the clock, which stands at {0}")]
    TooFar(Timestamp),
    #[error("to is after the year 9980, the last one that a test clock reaches")]
    BeyondCalendar,
    #[error("test clocks are for demo accounts only")]
    Live,
}

impl Refuse for AdvanceRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Past(_) | Self::TooFar(_) | Self::BeyondCalendar => RefusalKind::Invalid,
            Self::Live => RefusalKind::Forbidden,
        }
    }
}

/// Moves a contract's clock to `to`; without a clock it starts from the wall clock.
pub fn advance(
    current: Option<&TestClock>,
    to: Timestamp,
    wall: Timestamp,
) -> Result<Advance, Refusal> {
    if current.is_some_and(|clock| clock.let_go_at.is_some()) {
        return Err(AdvanceRefusal::Live.into());
    }
    let now = Moment::of(current, wall).engine;
    let under_way = current.and_then(|clock| clock.heading_for) == Some(to);
    if to == now && !under_way {
        return Ok(Advance::Stays);
    }
    if to < now {
        return Err(AdvanceRefusal::Past(now).into());
    }
    if to > now.plus_seconds(MAX_ADVANCE_SECONDS) {
        return Err(AdvanceRefusal::TooFar(now).into());
    }
    if to.date().parts().0 > LAST_YEAR {
        return Err(AdvanceRefusal::BeyondCalendar.into());
    }
    let frozen_at = current.map_or(wall, |clock| clock.frozen_at);
    let clock =
        TestClock { now: to, frozen_at, updated_at: wall, heading_for: None, let_go_at: None };
    Ok(Advance::Moves(clock))
}

impl TestClock {
    /// Where it stands while the wall clock goes on; none once it was let go.
    pub fn stands_at(&self) -> Option<Timestamp> {
        self.let_go_at.is_none().then_some(self.now)
    }

    /// This clock once nobody moves it any more, wherever an advance was to bring it.
    pub fn let_go(self, wall: Timestamp) -> Self {
        Self { heading_for: None, let_go_at: Some(wall), ..self }
    }

    /// This clock while the advance to it has come as far as `reached`.
    pub fn under_way(self, reached: Timestamp) -> Self {
        Self { now: reached, heading_for: Some(self.now), ..self }
    }
}
