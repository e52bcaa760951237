//! People who sign in to the dashboard of a seller: each belongs to one seller, under an e-mail
//! that is nobody else's, and has a role there.

mod invitation;
mod login;
mod password;
mod refusal;
mod session;

use storage::CborRecord;

pub use invitation::{INVITED_SECONDS, Invitation, InviteToken};
pub use login::Login;
pub use password::{Password, PasswordHash};
pub use refusal::PersonRefusal;
pub use session::{MOST_SESSIONS, SESSION_SECONDS, Session, SessionToken, Visitor};

use crate::domain::email::Email;
use crate::domain::ids::{PersonId, SellerId};
use crate::domain::names::names;
use crate::domain::text;
use crate::domain::time::Timestamp;

/// People of a seller are read with its room: there are few.
pub const MOST_PEOPLE: usize = 100;

const NAME_LENGTH: usize = 128;

names! {
    /// What a person may do on the dashboard.
    PersonRole, "expected owner, finance, developer or viewer";
    /// Everything.
    0 Owner = "owner",
    /// Money and documents.
    1 Finance = "finance",
    /// Keys, webhooks, metrics and prices.
    2 Developer = "developer",
    /// Reads.
    3 Viewer = "viewer",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Person {
    #[n(0)]
    pub id: PersonId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub email: Email,
    /// As they gave it when they accepted their invitation.
    #[n(3)]
    pub name: Option<String>,
    #[n(4)]
    pub role: PersonRole,
    #[n(5)]
    pub created_at: Timestamp,
    /// Until it is accepted; whoever has one cannot sign in yet.
    #[n(6)]
    pub invitation: Option<Invitation>,
}

impl Person {
    /// The first person of an account, who owns it.
    pub fn owner(id: PersonId, seller: SellerId, email: Email, now: Timestamp) -> Self {
        let role = PersonRole::Owner;
        Self { id, seller, email, name: None, role, created_at: now, invitation: None }
    }

    fn owns(&self) -> bool {
        self.role == PersonRole::Owner && self.invitation.is_none()
    }
}

impl CborRecord for Person {}

/// The people of a seller as they are about to change.
#[derive(Clone, Copy, Debug)]
pub struct People<'a>(pub &'a [Person]);

impl<'a> People<'a> {
    pub fn find(self, id: PersonId) -> Option<&'a Person> {
        self.0.iter().find(|person| person.id == id)
    }

    /// The person with a new role; an account keeps an owner who can sign in.
    pub fn with_role(self, id: PersonId, role: PersonRole) -> Result<Person, PersonRefusal> {
        let person = self.find(id).ok_or(PersonRefusal::Unknown)?;
        if role != PersonRole::Owner {
            self.may_lose(person)?;
        }
        Ok(Person { role, ..person.clone() })
    }

    pub fn removable(self, id: PersonId) -> Result<&'a Person, PersonRefusal> {
        let person = self.find(id).ok_or(PersonRefusal::Unknown)?;
        self.may_lose(person)?;
        Ok(person)
    }

    fn may_lose(self, owner: &Person) -> Result<(), PersonRefusal> {
        let others = self.0.iter().filter(|other| other.id != owner.id);
        match owner.owns() && !others.clone().any(Person::owns) {
            true => Err(PersonRefusal::LastOwner),
            false => Ok(()),
        }
    }

    /// Who an invitation is for; an invited e-mail is invited anew under the same id.
    pub fn invited(
        self,
        email: &str,
        role: PersonRole,
        invitation: Invitation,
        fresh: (PersonId, SellerId, Timestamp),
    ) -> Result<Person, PersonRefusal> {
        let email = Email::parse(email).ok_or(PersonRefusal::Email)?;
        let invitation = Some(invitation);
        match self.0.iter().find(|person| person.email == email) {
            Some(person) if person.invitation.is_some() => {
                Ok(Person { role, invitation, ..person.clone() })
            }
            Some(_) => Err(PersonRefusal::EmailTaken),
            None if self.0.len() >= MOST_PEOPLE => Err(PersonRefusal::TooMany),
            None => {
                let (id, seller, created_at) = fresh;
                Ok(Person { id, seller, email, name: None, role, created_at, invitation })
            }
        }
    }

    /// Whose invitation a token is, while it is open.
    pub fn by_invitation(self, token: &InviteToken, now: Timestamp) -> Option<&'a Person> {
        let hash = token.hash();
        self.0.iter().find(|person| {
            person.invitation.as_ref().is_some_and(|invitation| invitation.opens(&hash, now))
        })
    }
}

/// The name that a person gives.
pub fn person_name(text: &str) -> Result<String, PersonRefusal> {
    let name = text::line(text).map_err(|_| PersonRefusal::Name)?;
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_LENGTH {
        return Err(PersonRefusal::Name);
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests;
