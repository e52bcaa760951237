//! Attempts to sign in. Each counts from its beginning, so that many at once are no way around;
//! one whose password was right is taken back.

use std::net::IpAddr;

use super::window::{TooManyAttempts, Window};
use crate::domain::time::Timestamp;

/// Failed attempts of one kind that are let through within a window.
const MOST: usize = 10;
/// Seconds in which those of one e-mail from one address count.
const OF_EMAIL_SECONDS: i64 = 15 * 60;
/// Seconds in which all of one address count.
const OF_ADDRESS_SECONDS: i64 = 60;

pub(super) struct Logins {
    of_email: Window<(String, IpAddr)>,
    of_address: Window<IpAddr>,
}

impl Default for Logins {
    fn default() -> Self {
        Self { of_email: Window::of(OF_EMAIL_SECONDS), of_address: Window::of(OF_ADDRESS_SECONDS) }
    }
}

impl Logins {
    pub(super) fn begin(
        &self,
        email: &str,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<(), TooManyAttempts> {
        self.of_address.take(address, MOST, now)?;
        let of_email = (email.to_owned(), address);
        let of_email = self.of_email.take(of_email, MOST, now);
        of_email.inspect_err(|_| self.of_address.take_back(&address, now))
    }

    /// The password of an attempt was right.
    pub(super) fn take_back(&self, email: &str, address: IpAddr, begun: Timestamp) {
        self.of_address.take_back(&address, begun);
        self.of_email.take_back(&(email.to_owned(), address), begun);
    }

    pub(super) fn sweep(&self, now: Timestamp) {
        self.of_email.sweep(now);
        self.of_address.sweep(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn ten_failures_of_an_address_within_a_minute_are_let_through() {
        let logins = Logins::default();
        for number in 0..10 {
            assert_eq!(logins.begin(&format!("p{number}@a.de"), address(1), at(number)), Ok(()));
        }
        let wait = |seconds| Err(TooManyAttempts { retry_after_seconds: seconds });
        assert_eq!(logins.begin("new@a.de", address(1), at(10)), wait(50));
        assert_eq!(logins.begin("new@a.de", address(2), at(10)), Ok(()));
        assert_eq!(logins.begin("new@a.de", address(1), at(60)), Ok(()));
        assert_eq!(logins.begin("new@a.de", address(1), at(60)), wait(1));
    }

    #[test]
    fn ten_failures_of_an_email_within_a_quarter_are_let_through() {
        let logins = Logins::default();
        for number in 0..10 {
            assert_eq!(logins.begin("ada@a.de", address(1), at(60 * number)), Ok(()));
        }
        let refused = Err(TooManyAttempts { retry_after_seconds: 300 });
        assert_eq!(logins.begin("ada@a.de", address(1), at(600)), refused);
        assert_eq!(logins.begin("ada@a.de", address(2), at(600)), Ok(()));
        assert_eq!(logins.begin("bea@a.de", address(1), at(600)), Ok(()));
        assert_eq!(logins.begin("ada@a.de", address(1), at(900)), Ok(()));
    }

    #[test]
    fn a_right_password_does_not_count() {
        let logins = Logins::default();
        for _ in 0..50 {
            assert_eq!(logins.begin("ada@a.de", address(1), at(0)), Ok(()));
            logins.take_back("ada@a.de", address(1), at(0));
        }
        logins.sweep(at(1));
        assert!(logins.of_email.is_empty() && logins.of_address.is_empty());
    }
}
