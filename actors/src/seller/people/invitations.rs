//! Mails to those who are invited: written with the invitation, and what becomes of each.

use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::{About, Mail, Tried};
use crate::domain::ids::{MailId, SellerId};
use crate::domain::platform::person::{People, Person};
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::seller::Sellers;
use crate::seller::room::SellerRoom;
use crate::tables::{MAILS, TIMERS, ids};
use crate::timers::{Due, TimerKind};

impl Sellers {
    /// The mail whose attempt is due, with what it is about unless the invitation was taken back.
    /// The row of a timer that no mail wants is deleted.
    pub(crate) async fn due_invitation(
        &self,
        timer: Due,
    ) -> Result<Option<(Mail, Option<About>)>, AskError> {
        let due = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let mail = cx.get(MAILS, &(room.id, MailId(timer.object)))?;
            let Some(mail) = mail.filter(|mail| mail.next_attempt_at == Some(timer.at)) else {
                let mut effects = Effects::new();
                let row = (TimerKind::InviteMail as u8, room.id, timer.at, timer.object);
                effects.delete(TIMERS, &row);
                return Ok(effects.answer(None));
            };
            let party = Box::new(SellerParty::from(room.account()?));
            let invited = mail.person.and_then(|id| People(&room.people).find(id));
            let about = invited.map(|one| About::Invitation(Box::new(one.clone()), party));
            Ok(Decision::unchanged(Some((mail, about))))
        };
        self.rooms.command_in_passing(timer.seller, due).await
    }

    /// Keeps how an attempt went: `mail` as it was before.
    pub(crate) async fn invitation_tried(&self, mail: Mail, tried: Tried) -> Result<(), AskError> {
        let seller: SellerId = mail.seller;
        let keep = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if cx.get(MAILS, &(room.id, mail.id))?.as_ref() != Some(&mail) {
                return Ok(Decision::unchanged(()));
            }
            let after = mail.tried(tried.clone(), cx.services().mail.retries, cx.now());
            let mut effects = Effects::new();
            room.keep_invitation(cx, Some(&mail), &after, &mut effects);
            Ok(effects.answer(()))
        };
        self.rooms.command_in_passing(seller, keep).await
    }
}

impl SellerRoom {
    pub(super) fn mail_invitation(
        &self,
        cx: &Context<Self>,
        invited: &Person,
        effects: &mut Effects<Self>,
    ) {
        let (id, posts) = (MailId(cx.id(ids::MAIL)), cx.services().mail.posts);
        let mail = Mail::of_invitation(id, invited, posts, cx.now());
        self.keep_invitation(cx, None, &mail, effects);
    }

    fn keep_invitation(
        &self,
        cx: &Context<Self>,
        before: Option<&Mail>,
        mail: &Mail,
        effects: &mut Effects<Self>,
    ) {
        effects.put(MAILS, &(self.id, mail.id), mail);
        let next = (before.and_then(|mail| mail.next_attempt_at), mail.next_attempt_at);
        self.set_timer(cx, (TimerKind::InviteMail, mail.id.0), next, effects);
    }
}

#[cfg(test)]
mod tests;
