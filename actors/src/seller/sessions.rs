//! Sessions of people and of the operator.

use secrecy::SecretString;
use storage::Scan;

use super::room::SellerRoom;
use super::{Sellers, audit};
use crate::directory::EVERYONE;
use crate::domain::ids::PersonId;
use crate::domain::platform::audit::Act;
use crate::domain::platform::person::{
    Login, MOST_SESSIONS, People, PersonRefusal, Session, SessionToken, Visitor,
};
use crate::domain::platform::seller::KeyHash;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::SESSIONS;

/// A session that has begun.
#[derive(Clone, Debug)]
pub struct Opened {
    pub token: SessionToken,
    pub expires_at: Timestamp,
}

impl Sellers {
    /// Begins a session of somebody whose password was right. Refused as missing when the person
    /// is gone by now.
    pub async fn open_session(&self, login: &Login, act: Act) -> Result<Opened, AskError> {
        let person = login.person;
        let open = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if People(&room.people).find(person).is_none() {
                return Err(PersonRefusal::Unknown.into());
            }
            room.open_session(cx, &Visitor::Person(person), &act)
        };
        self.rooms.command(login.seller, open).await
    }

    /// Begins a session of whoever has presented the operator's token.
    pub async fn open_operator_session(
        &self,
        token: &SecretString,
        act: Act,
    ) -> Result<Opened, AskError> {
        let operator = Visitor::Operator(token.clone());
        let open = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.open_session(cx, &operator, &act)
        };
        self.rooms.command(EVERYONE, open).await
    }

    /// Ends a session, if there is one.
    pub async fn close_session(&self, token: &SessionToken) -> Result<(), AskError> {
        let hash = token.hash();
        // What was never a session starts no room.
        if !self.store.contains(SESSIONS, &(token.seller, hash)).map_err(|_| Refusal::fault())? {
            return Ok(());
        }
        let close = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let key = (room.id, hash);
            if !cx.contains(SESSIONS, &key)? {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = Effects::new();
            effects.delete(SESSIONS, &key);
            Ok(effects.answer(()))
        };
        self.rooms.command(token.seller, close).await
    }
}

impl SellerRoom {
    pub(super) fn open_session(
        &self,
        cx: &Context<Self>,
        visitor: &Visitor,
        act: &Act,
    ) -> Result<Decision<Self, Opened>, Refusal> {
        let mut effects = Effects::new();
        let opened = self.begin_session(&mut effects, cx, visitor)?;
        audit::write(&mut effects, cx, self, act);
        Ok(effects.answer(opened))
    }

    /// Puts a session; takes away those that are over, and the oldest where there are too many.
    pub(super) fn begin_session(
        &self,
        effects: &mut Effects<Self>,
        cx: &Context<Self>,
        visitor: &Visitor,
    ) -> Result<Opened, Refusal> {
        let now = cx.now();
        let token = SessionToken::from_random(self.id, &cx.entropy().bytes());
        let begun = Session::new(visitor, &token, now);
        let mut own = Vec::new();
        for row in cx.store().scan(SESSIONS, Scan::prefix(&(self.id,))) {
            let ((_, hash), session) = cx.read(row)?;
            if !session.is_open(now) {
                effects.delete(SESSIONS, &(self.id, hash));
            } else if session.person == begun.person {
                own.push((session.created_at, hash));
            }
        }
        own.sort_unstable_by_key(|(created_at, _)| *created_at);
        let beyond = (own.len() + 1).saturating_sub(MOST_SESSIONS);
        for (_, hash) in own.into_iter().take(beyond) {
            effects.delete(SESSIONS, &(self.id, hash));
        }
        effects.put(SESSIONS, &(self.id, token.hash()), &begun);
        Ok(Opened { token, expires_at: begun.expires_at })
    }

    /// The sessions of one person, to be ended with their access.
    pub(super) fn end_sessions(
        &self,
        effects: &mut Effects<Self>,
        cx: &Context<Self>,
        of: PersonId,
    ) -> Result<(), Refusal> {
        let scan = cx.store().scan(SESSIONS, Scan::prefix(&(self.id,)));
        let ended = scan.filter_map(|row| match row {
            Ok((key, session)) => (session.person == Some(of)).then_some(Ok(key)),
            Err(error) => Some(Err(error)),
        });
        let ended: Vec<(_, KeyHash)> = cx.read(ended.collect())?;
        ended.iter().for_each(|key| effects.delete(SESSIONS, key));
        Ok(())
    }
}
