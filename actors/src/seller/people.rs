//! People: invited, given roles, removed.

use super::room::{Change, SellerRoom};
use super::{Opened, Sellers, audit};
use crate::domain::ids::{PersonId, SellerId};
use crate::domain::platform::audit::Act;
use crate::domain::platform::person::{
    Invitation, InviteToken, Login, PasswordHash, People, Person, PersonRefusal, PersonRole,
    Visitor, person_name,
};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::link_tokens::LinkTokens;
use crate::tables::{LOGINS, ids};

impl Sellers {
    /// Invites somebody, and writes to them; the token opens the page of the invitation, once.
    pub async fn invite(
        &self,
        id: SellerId,
        email: String,
        role: PersonRole,
    ) -> Result<(Person, InviteToken), AskError> {
        self.rooms.command(id, move |room, cx| room.invite(cx, &email, role)).await
    }

    /// Lets the invited in under a name and a password, with a session.
    pub async fn accept(
        &self,
        token: &InviteToken,
        name: String,
        password: PasswordHash,
        act: Act,
    ) -> Result<Opened, AskError> {
        let (seller, token) = (token.seller, token.clone());
        let accept = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.accept(cx, &token, &name, &password, &act)
        };
        self.rooms.command(seller, accept).await
    }

    pub async fn change_role(
        &self,
        id: SellerId,
        person: PersonId,
        role: PersonRole,
    ) -> Result<Person, AskError> {
        let change = move |room: &SellerRoom, _: &Context<SellerRoom>| {
            let changed = People(&room.people).with_role(person, role)?;
            let mut effects = Effects::new();
            effects.change(Change::Person(Box::new(changed.clone())));
            Ok(effects.answer(changed))
        };
        self.rooms.command(id, change).await
    }

    /// Removes a person, or takes an invitation back: their sessions end with it.
    pub async fn remove_person(&self, id: SellerId, person: PersonId) -> Result<Person, AskError> {
        let remove = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let removed = People(&room.people).removable(person)?.clone();
            let mut effects = Effects::new();
            if removed.invitation.is_none() {
                effects.delete(LOGINS, &removed.email.folded());
            }
            room.end_sessions(&mut effects, cx, person)?;
            effects.change(Change::PersonGone(person));
            Ok(effects.answer(removed))
        };
        self.rooms.command(id, remove).await
    }
}

impl SellerRoom {
    fn invite(
        &self,
        cx: &Context<Self>,
        email: &str,
        role: PersonRole,
    ) -> Result<Decision<Self, (Person, InviteToken)>, Refusal> {
        self.account()?;
        let drawn = LinkTokens::draw(cx.entropy());
        let token = cx.services().links.of_invitation(self.id, &drawn);
        let fresh = (PersonId(cx.id(ids::PERSON)), self.id, cx.now());
        let invitation = Invitation::new(&token, drawn, cx.now());
        let person = People(&self.people).invited(email, role, invitation, fresh)?;
        if cx.contains(LOGINS, &person.email.folded())? {
            return Err(PersonRefusal::EmailTaken.into());
        }
        let mut effects = Effects::new();
        self.mail_invitation(cx, &person, &mut effects)?;
        effects.change(Change::Person(Box::new(person.clone())));
        Ok(effects.answer((person, token)))
    }

    fn accept(
        &self,
        cx: &Context<Self>,
        token: &InviteToken,
        name: &str,
        password: &PasswordHash,
        act: &Act,
    ) -> Result<Decision<Self, Opened>, Refusal> {
        let invited = People(&self.people).by_invitation(token, cx.now());
        let invited = invited.ok_or(PersonRefusal::Unknown)?;
        let person = Person { name: Some(person_name(name)?), invitation: None, ..invited.clone() };
        let email = person.email.folded();
        if cx.contains(LOGINS, &email)? {
            return Err(PersonRefusal::EmailTaken.into());
        }
        let login = Login {
            email: person.email.clone(),
            seller: self.id,
            person: person.id,
            password: password.clone(),
        };
        let mut effects = Effects::new();
        effects.claim(LOGINS, &email, &login);
        let session = self.begin_session(&mut effects, cx, &Visitor::Person(person.id))?;
        effects.change(Change::Person(Box::new(person)));
        audit::write(&mut effects, cx, self, act);
        Ok(effects.answer(session))
    }
}
