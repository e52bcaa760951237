//! Onboarding: somebody registers, and then says for which organization.

use std::net::IpAddr;

use super::accounts::{check_email_is_free, count_mint};
use super::room::{Change, SellerRoom};
use super::{Opened, Sellers, audit};
use crate::domain::email::Email;
use crate::domain::ids::{PersonId, SellerId, TerminalId};
use crate::domain::platform::audit::Act;
use crate::domain::platform::person::{Login, PasswordHash, Person, PersonRefusal, Visitor};
use crate::domain::platform::seller::{NewSeller, Seller, SellerStatus};
use crate::domain::refusal::Refusal;
use crate::domain::sandbox::demo_terminals;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::{LOGINS, SELLER_EMAILS, TERMINALS, ids};

impl Sellers {
    /// Registers somebody under an e-mail, with a session. The account has no organization yet.
    pub async fn register(
        &self,
        email: Email,
        password: PasswordHash,
        client: IpAddr,
    ) -> Result<(Seller, Opened), AskError> {
        let id = SellerId(self.store.next_id(ids::SELLER));
        self.rooms.command(id, move |room, cx| room.register(cx, &email, &password, client)).await
    }

    /// Takes the organization of an account; on a demo server the account is open at once.
    pub async fn complete(
        &self,
        id: SellerId,
        new: NewSeller,
        act: Act,
    ) -> Result<Seller, AskError> {
        self.rooms.command(id, move |room, cx| room.complete(cx, &new, &act)).await
    }
}

impl SellerRoom {
    fn register(
        &self,
        cx: &Context<Self>,
        email: &Email,
        password: &PasswordHash,
        client: IpAddr,
    ) -> Result<Decision<Self, (Seller, Opened)>, Refusal> {
        check_email_is_free(cx, email)?;
        let (now, id) = (cx.now(), PersonId(cx.id(ids::PERSON)));
        let account = Seller::registered(self.id, cx.entropy().uuid(), email.clone(), now);
        let login =
            Login { email: email.clone(), seller: self.id, person: id, password: password.clone() };
        let mut effects = Effects::new();
        effects.claim(SELLER_EMAILS, &email.folded(), &self.id);
        effects.claim(LOGINS, &email.folded(), &login);
        let owner = Person::owner(id, self.id, email.clone(), now);
        effects.change(Change::Person(Box::new(owner)));
        for terminal in demo_terminals(self.id, [(); 2].map(|()| TerminalId(cx.id(ids::TERMINAL))))
        {
            effects.put(TERMINALS, &(self.id, terminal.id), &terminal);
        }
        count_mint(&mut effects, cx, self.id, client);
        let opened = self.begin_session(&mut effects, cx, &Visitor::Person(id))?;
        self.open_account(effects, account, |seller| (seller, opened))
    }

    fn complete(
        &self,
        cx: &Context<Self>,
        new: &NewSeller,
        act: &Act,
    ) -> Result<Decision<Self, Seller>, Refusal> {
        let account = self.account()?;
        if !account.is_incomplete {
            return Err(PersonRefusal::Complete.into());
        }
        let status = match cx.services().directory.is_demo_server() {
            true => SellerStatus::Active,
            false => SellerStatus::Pending,
        };
        let completed = Seller { status, ..new.completing(account) };
        let mut effects = self.configuring(cx);
        effects.change(Change::Account(Box::new(completed.clone())));
        audit::write(&mut effects, cx, self, act);
        Ok(effects.answer(completed))
    }
}
