//! The keys of a seller as its people see them: named, with scopes, replaced with or without an
//! overlap.

use storage::CborRecord;

use super::{ApiKey, ApiKeyRecord, KeyHash, Mode, Scope, Scopes, Seller};
use crate::domain::ids::{ApiKeyId, SellerId};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::text;
use crate::domain::time::Timestamp;

/// Keys of a seller are read with its room: there are few.
const MOST_KEYS: usize = 100;
const NAME_LENGTH: usize = 64;
/// The longest that an old key goes on beside the one that replaces it: a week.
pub const MOST_OVERLAP_HOURS: u32 = 168;
/// What the key is called that an account begins with.
const FIRST_NAME: &str = "First key";

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    #[error("not found")]
    Unknown,
    #[error("name must have 1 to {NAME_LENGTH} characters")]
    Name,
    #[error("scopes must name at least one scope")]
    NoScope,
    #[error("expiresAt must be ahead")]
    Expiry,
    #[error("overlapHours must be 0 to {MOST_OVERLAP_HOURS}")]
    Overlap,
    #[error("the key has expired")]
    Expired,
    #[error("an account has at most {MOST_KEYS} keys: revoke one that is not used")]
    TooMany,
}

impl Refuse for KeyRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Unknown => RefusalKind::Missing,
            Self::Name | Self::NoScope | Self::Expiry | Self::Overlap => RefusalKind::Invalid,
            Self::Expired => RefusalKind::Conflict,
            Self::TooMany => RefusalKind::Unprocessable,
        }
    }
}

/// One key without its secret; stored under its seller and id.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ApiKeyEntry {
    #[n(0)]
    pub id: ApiKeyId,
    #[n(1)]
    pub name: String,
    #[n(2)]
    pub scopes: Scopes,
    /// The last characters of its text.
    #[n(3)]
    pub last4: String,
    #[n(4)]
    pub mode: Mode,
    #[n(5)]
    pub created_at: Timestamp,
    /// From when on it is refused.
    #[n(6)]
    pub expires_at: Option<Timestamp>,
    /// The account began with it, or it has taken that one's place.
    #[n(7)]
    pub is_first: bool,
    #[n(8)]
    pub hash: KeyHash,
}

impl CborRecord for ApiKeyEntry {}

impl ApiKeyEntry {
    /// The key that an account begins with: it opens everything.
    pub fn first(id: ApiKeyId, key: &ApiKey, seller: &Seller, now: Timestamp) -> Self {
        Self {
            id,
            name: FIRST_NAME.to_owned(),
            scopes: Scopes::ALL,
            last4: key.last4(),
            mode: seller.mode,
            created_at: now,
            expires_at: seller.expires_at,
            is_first: true,
            hash: key.hash(),
        }
    }

    /// What the key is looked up by.
    pub fn record(&self, seller: SellerId) -> ApiKeyRecord {
        let Self { id, expires_at, mode, scopes, .. } = *self;
        ApiKeyRecord { seller, id, expires_at, mode, scopes }
    }

    pub fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApiKey {
    name: String,
    scopes: Scopes,
    expires_at: Option<Timestamp>,
}

impl NewApiKey {
    pub fn parse(
        name: &str,
        scopes: &[Scope],
        expires_at: Option<Timestamp>,
    ) -> Result<Self, KeyRefusal> {
        let name = text::line(name).map_err(|_| KeyRefusal::Name)?.trim().to_owned();
        if name.is_empty() || name.chars().count() > NAME_LENGTH {
            return Err(KeyRefusal::Name);
        }
        let scopes = Scopes::of(scopes);
        if scopes.is_empty() {
            return Err(KeyRefusal::NoScope);
        }
        Ok(Self { name, scopes, expires_at })
    }
}

/// The keys of a seller as they are about to change.
#[derive(Clone, Copy, Debug)]
pub struct ApiKeys<'a> {
    pub seller: &'a Seller,
    pub keys: &'a [ApiKeyEntry],
    pub now: Timestamp,
}

impl ApiKeys<'_> {
    pub fn find(&self, id: ApiKeyId) -> Result<&ApiKeyEntry, KeyRefusal> {
        self.keys.iter().find(|key| key.id == id).ok_or(KeyRefusal::Unknown)
    }

    /// The key that the account began with, or that has taken its place.
    pub fn first(&self) -> Option<&ApiKeyEntry> {
        self.keys.iter().find(|key| key.is_first)
    }

    pub fn create(
        &self,
        new: &NewApiKey,
        id: ApiKeyId,
        key: &ApiKey,
    ) -> Result<ApiKeyEntry, KeyRefusal> {
        if new.expires_at.is_some_and(|end| end <= self.now) {
            return Err(KeyRefusal::Expiry);
        }
        self.check_number()?;
        let blank = ApiKeyEntry::first(id, key, self.seller, self.now);
        Ok(ApiKeyEntry {
            name: new.name.clone(),
            scopes: new.scopes,
            expires_at: earlier(new.expires_at, self.seller.expires_at),
            is_first: false,
            ..blank
        })
    }

    /// The key in the place of an old one, and the old one as it goes on for some hours.
    pub fn rotate(
        &self,
        old: &ApiKeyEntry,
        overlap_hours: u32,
        id: ApiKeyId,
        key: &ApiKey,
    ) -> Result<(ApiKeyEntry, ApiKeyEntry), KeyRefusal> {
        if overlap_hours > MOST_OVERLAP_HOURS {
            return Err(KeyRefusal::Overlap);
        }
        if old.is_over(self.now) {
            return Err(KeyRefusal::Expired);
        }
        if overlap_hours > 0 {
            self.check_number()?;
        }
        let blank = ApiKeyEntry::first(id, key, self.seller, self.now);
        let fresh = ApiKeyEntry {
            name: old.name.clone(),
            scopes: old.scopes,
            expires_at: old.expires_at,
            is_first: old.is_first,
            ..blank
        };
        let end = self.now.plus_seconds(i64::from(overlap_hours) * 3_600);
        let expires_at = earlier(old.expires_at, Some(end));
        Ok((fresh, ApiKeyEntry { expires_at, is_first: false, ..old.clone() }))
    }

    fn check_number(&self) -> Result<(), KeyRefusal> {
        let used = self.keys.iter().filter(|key| !key.is_over(self.now)).count();
        if used < MOST_KEYS { Ok(()) } else { Err(KeyRefusal::TooMany) }
    }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::NewSeller;
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    fn seller() -> Seller {
        let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
        new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, at(0))
    }

    fn secret(number: u8) -> ApiKey {
        ApiKey::from_random(Mode::Live, SellerId(1), &[number; 32])
    }

    #[test]
    fn a_key_is_replaced_by_one_like_it() {
        let seller = seller();
        let first = ApiKeyEntry::first(ApiKeyId(1), &secret(1), &seller, at(0));
        let keys = std::slice::from_ref(&first);
        let all = ApiKeys { seller: &seller, keys, now: at(10) };
        let (fresh, old) = all.rotate(&first, 2, ApiKeyId(2), &secret(2)).expect("rotated");
        assert_eq!((fresh.is_first, fresh.expires_at, fresh.scopes), (true, None, Scopes::ALL));
        assert_eq!((old.is_first, old.expires_at), (false, Some(at(7_210))));
        assert_eq!(all.rotate(&first, 169, ApiKeyId(2), &secret(2)), Err(KeyRefusal::Overlap));
        let later = ApiKeys { now: at(8_000), ..all };
        assert_eq!(later.rotate(&old, 0, ApiKeyId(3), &secret(3)), Err(KeyRefusal::Expired));
    }

    #[test]
    fn a_new_key_has_a_name_a_scope_and_an_end_that_is_ahead() {
        let reads = [Scope::BillingRead];
        assert_eq!(NewApiKey::parse(" ", &reads, None), Err(KeyRefusal::Name));
        assert_eq!(NewApiKey::parse("a\u{7}", &reads, None), Err(KeyRefusal::Name));
        assert_eq!(NewApiKey::parse("Meter", &[], None), Err(KeyRefusal::NoScope));
        let seller = Seller { expires_at: Some(at(100)), ..seller() };
        let all = ApiKeys { seller: &seller, keys: &[], now: at(10) };
        let make = |end| {
            let new = NewApiKey::parse("Meter", &reads, end).expect("a key");
            all.create(&new, ApiKeyId(1), &secret(1)).map(|key| key.expires_at)
        };
        assert_eq!(make(Some(at(10))), Err(KeyRefusal::Expiry));
        assert_eq!(make(Some(at(50))), Ok(Some(at(50))));
        assert_eq!(make(Some(at(500))), Ok(Some(at(100))));
        assert_eq!(make(None), Ok(Some(at(100))));
    }

    #[test]
    fn one_key_of_as_many_as_there_may_be_is_replaced_at_once_but_none_is_added() {
        let seller = seller();
        let first = ApiKeyEntry::first(ApiKeyId(1), &secret(1), &seller, at(0));
        let keys = vec![first.clone(); MOST_KEYS];
        let all = ApiKeys { seller: &seller, keys: &keys, now: at(10) };
        let rotate = |hours| all.rotate(&first, hours, ApiKeyId(101), &secret(2));
        assert_eq!(rotate(0).map(|(fresh, _)| fresh.id), Ok(ApiKeyId(101)));
        assert_eq!(rotate(1), Err(KeyRefusal::TooMany));
    }

    #[test]
    fn expired_keys_do_not_count() {
        let seller = seller();
        let over = ApiKeyEntry {
            expires_at: Some(at(1)),
            ..ApiKeyEntry::first(ApiKeyId(1), &secret(1), &seller, at(0))
        };
        let keys = vec![over; 100];
        let new = NewApiKey::parse("Meter", &[Scope::UsageWrite], None).expect("a key");
        let create = |now| {
            let all = ApiKeys { seller: &seller, keys: &keys, now };
            all.create(&new, ApiKeyId(101), &secret(2)).map(|key| key.id)
        };
        assert_eq!(create(at(0)), Err(KeyRefusal::TooMany));
        assert_eq!(create(at(1)), Ok(ApiKeyId(101)));
    }
}
