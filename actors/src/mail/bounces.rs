//! What the log says of mails that are not taken.

use std::sync::Arc;

use parking_lot::Mutex;

/// The last reason for which a mail is to be tried again, until one is taken. A server that is away
/// refuses all of them, and is warned of once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounces(Arc<Mutex<Option<String>>>);

impl Bounces {
    /// Takes note of a reason. Whether it is another than the one before.
    pub(super) fn note(&self, reason: &str) -> bool {
        let mut last = self.0.lock();
        let is_other = last.as_deref() != Some(reason);
        *last = Some(reason.to_owned());
        is_other
    }

    pub(super) fn end(&self) {
        *self.0.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_warned_of_once_until_another_comes_or_a_mail_is_taken() {
        let bounces = Bounces::default();
        let noted = ["away", "away", "full", "away", "away"].map(|reason| bounces.note(reason));
        assert_eq!(noted, [true, false, true, true, false]);
        bounces.clone().end();
        assert!(bounces.note("away"));
    }
}
