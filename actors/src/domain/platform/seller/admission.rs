use super::{ApiKeyRecord, Seller, SellerStatus};
use crate::domain::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Ok,
    /// The key is of no use (`401`); nothing is said of the account.
    NotAuthorized,
    /// The key is right, but the account is not active (`403`).
    NotActive,
}

/// Judges a stored key and its seller at `now`. A key works in the mode of its form only, and
/// not from its end on; only then does the state of the account show.
pub fn admit(key: &ApiKeyRecord, seller: &Seller, now: Timestamp) -> Admission {
    let over = |end: Option<Timestamp>| end.is_some_and(|end| end <= now);
    if key.seller != seller.id || key.mode != seller.mode {
        return Admission::NotAuthorized;
    }
    if over(key.expires_at) || over(seller.expires_at) {
        return Admission::NotAuthorized;
    }
    if seller.status != SellerStatus::Active {
        return Admission::NotActive;
    }
    Admission::Ok
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, NewSeller, Scopes};
    use super::*;
    use crate::domain::ids::{ApiKeyId, SellerId};

    const NOW: i64 = 1_000_000;

    #[test]
    fn every_combination_has_its_answer() {
        use Admission::{NotActive, NotAuthorized, Ok};
        use Mode::{Demo, Live};
        use SellerStatus::{Active, Inactive, Pending};
        for (key_of, key_mode, key_end, mode, status, end, expected) in [
            (1, Live, None, Live, Active, None, Ok),
            (1, Demo, None, Demo, Active, None, Ok),
            (1, Demo, Some(NOW + 1), Demo, Active, Some(NOW + 1), Ok),
            (1, Demo, Some(NOW), Demo, Active, None, NotAuthorized),
            (1, Demo, None, Demo, Active, Some(NOW), NotAuthorized),
            (1, Demo, None, Live, Active, None, NotAuthorized),
            (1, Live, None, Demo, Active, None, NotAuthorized),
            (2, Live, None, Live, Active, None, NotAuthorized),
            (1, Live, None, Live, Pending, None, NotActive),
            (1, Live, None, Live, Inactive, None, NotActive),
            (1, Demo, Some(NOW), Demo, Inactive, None, NotAuthorized),
            (1, Demo, None, Live, Inactive, None, NotAuthorized),
        ] {
            let start = Timestamp::from_micros(0);
            let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
            let seller = Seller {
                mode,
                status,
                expires_at: end.map(Timestamp::from_micros),
                ..new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, start)
            };
            let key = ApiKeyRecord {
                seller: SellerId(key_of),
                id: ApiKeyId(1),
                expires_at: key_end.map(Timestamp::from_micros),
                mode: key_mode,
                scopes: Scopes::ALL,
            };
            assert_eq!(admit(&key, &seller, Timestamp::from_micros(NOW)), expected, "{key:?}");
        }
    }
}
