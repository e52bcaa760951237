//! Mails with the address of a payment link or of an invitation: written with the change that wants
//! them, and what becomes of each.

use super::{SellerRoom, Sellers};
use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::{About, Mail, MailStatus, Tried};
use crate::domain::ids::MailId;
use crate::domain::payments::payment_link::PaymentLink;
use crate::domain::platform::person::{People, Person};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::{MAILS, PAYMENT_LINKS, TIMERS, ids};
use crate::timers::{Due, TimerKind};

impl Sellers {
    /// The mail whose attempt is due, as it goes out now, with what it is about unless that was
    /// taken back. The row of a timer that no mail wants is deleted.
    pub(crate) async fn due_mail(
        &self,
        kind: TimerKind,
        timer: Due,
    ) -> Result<Option<(Mail, Option<About>)>, AskError> {
        let due = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let mail = cx.get(MAILS, &(room.id, MailId(timer.object)))?;
            let Some(mail) = mail.filter(|mail| mail.next_attempt_at == Some(timer.at)) else {
                let mut effects = Effects::new();
                effects.delete(TIMERS, &(kind as u8, room.id, timer.at, timer.object));
                return Ok(effects.answer(None));
            };
            let about = room.about(cx, &mail)?;
            let mail = match &about {
                Some(about) => mail.going_out(about),
                None => mail,
            };
            Ok(Decision::unchanged(Some((mail, about))))
        };
        self.rooms.command_in_passing(timer.seller, due).await
    }

    /// Keeps how an attempt went: `mail` as it was handed out for it. A link's mail that was given
    /// up is told of.
    pub(crate) async fn mail_tried(&self, mail: Mail, tried: Tried) -> Result<(), AskError> {
        let seller = mail.seller;
        let keep = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let attempt = |mail: &Mail| (mail.attempts, mail.next_attempt_at);
            let kept = cx.get(MAILS, &(room.id, mail.id))?;
            if kept.as_ref().map(attempt) != Some(attempt(&mail)) {
                return Ok(Decision::unchanged(()));
            }
            let after = mail.tried(tried.clone(), cx.services().mail.retries, cx.now());
            let mut effects = Effects::new();
            if let Some(link) = mail.link.filter(|_| after.status == MailStatus::Failed) {
                let link = room.link(cx, link)?;
                effects.emit(&cx.seller()?, vec![link.mail_failed(mail.id.0, cx.now())]);
            }
            room.keep_mail(cx, Some(&mail), &after, &mut effects);
            Ok(effects.answer(()))
        };
        self.rooms.command_in_passing(seller, keep).await
    }
}

impl SellerRoom {
    /// Writes to the recipient of a link, if it has one.
    pub(super) fn mail_link(
        &self,
        cx: &Context<Self>,
        link: &PaymentLink,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let (id, posts) = (MailId(cx.id(ids::MAIL)), cx.services().mail.posts);
        let party = SellerParty::from(self.account()?);
        if let Some(mail) = Mail::of_link(id, (link, &party), posts, cx.now()) {
            self.keep_mail(cx, None, &mail, effects);
        }
        Ok(())
    }

    pub(super) fn mail_invitation(
        &self,
        cx: &Context<Self>,
        invited: &Person,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let (id, posts) = (MailId(cx.id(ids::MAIL)), cx.services().mail.posts);
        let party = SellerParty::from(self.account()?);
        let mail = Mail::of_invitation(id, (invited, &party), posts, cx.now());
        self.keep_mail(cx, None, &mail, effects);
        Ok(())
    }

    fn about(&self, cx: &Context<Self>, mail: &Mail) -> Result<Option<About>, Refusal> {
        let party = || Ok::<_, Refusal>(Box::new(SellerParty::from(self.account()?)));
        if let Some(link) = mail.link {
            let link = cx.get(PAYMENT_LINKS, &(self.id, link))?;
            return link.map(|link| Ok(About::Link(Box::new(link), party()?))).transpose();
        }
        let invited = mail.person.and_then(|id| People(&self.people).find(id));
        invited.map(|one| Ok(About::Invitation(Box::new(one.clone()), party()?))).transpose()
    }

    fn keep_mail(
        &self,
        cx: &Context<Self>,
        before: Option<&Mail>,
        mail: &Mail,
        effects: &mut Effects<Self>,
    ) {
        effects.put(MAILS, &(self.id, mail.id), mail);
        let next = (before.and_then(|mail| mail.next_attempt_at), mail.next_attempt_at);
        let kind = if mail.link.is_some() { TimerKind::LinkMail } else { TimerKind::InviteMail };
        self.set_timer(cx, (kind, mail.id.0), next, effects);
    }
}

#[cfg(test)]
mod tests;
