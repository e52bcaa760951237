//! Mails with the address of a payment link: written with the change that wants them, and what
//! becomes of each.

use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::{About, Mail, MailStatus, Tried};
use crate::domain::ids::{MailId, SellerId};
use crate::domain::payments::payment_link::PaymentLink;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::seller::{SellerRoom, Sellers};
use crate::tables::{MAILS, PAYMENT_LINKS, TIMERS, ids};
use crate::timers::{Due, TimerKind};

impl Sellers {
    /// The mail whose attempt is due, with what it is about. The row of a timer that it does not
    /// want is deleted.
    pub(crate) async fn due_link_mail(
        &self,
        timer: Due,
    ) -> Result<Option<(Mail, About)>, AskError> {
        let due = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let mail = cx.get(MAILS, &(room.id, MailId(timer.object)))?;
            let mail = mail.filter(|mail| mail.next_attempt_at == Some(timer.at));
            let link = match mail.as_ref().and_then(|mail| mail.link) {
                Some(link) => cx.get(PAYMENT_LINKS, &(room.id, link))?,
                None => None,
            };
            let Some((mail, link)) = mail.zip(link) else {
                let mut effects = Effects::new();
                let row = (TimerKind::LinkMail as u8, room.id, timer.at, timer.object);
                effects.delete(TIMERS, &row);
                return Ok(effects.answer(None));
            };
            let party = Box::new(SellerParty::from(room.account()?));
            Ok(Decision::unchanged(Some((mail, About::Link(Box::new(link), party)))))
        };
        self.rooms.command_in_passing(timer.seller, due).await
    }

    /// Keeps how an attempt went: `mail` as it was before. A mail that was given up is told of.
    pub(crate) async fn link_mail_tried(&self, mail: Mail, tried: Tried) -> Result<(), AskError> {
        let seller: SellerId = mail.seller;
        let keep = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if cx.get(MAILS, &(room.id, mail.id))?.as_ref() != Some(&mail) {
                return Ok(Decision::unchanged(()));
            }
            let after = mail.tried(tried.clone(), cx.services().mail.retries, cx.now());
            let mut effects = Effects::new();
            if after.status == MailStatus::Failed {
                let link = mail.link.ok_or_else(Refusal::fault)?;
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
    ) {
        let (id, posts) = (MailId(cx.id(ids::MAIL)), cx.services().mail.posts);
        if let Some(mail) = Mail::of_link(id, link, posts, cx.now()) {
            self.keep_mail(cx, None, &mail, effects);
        }
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
        self.set_timer(cx, (TimerKind::LinkMail, mail.id.0), next, effects);
    }
}
