//! The mail with the address of a subscription's page: written with the subscription, and what
//! becomes of it.

use super::room::Change;
use super::{LinkSubscriptionRoom, LinkSubscriptions};
use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::{About, Mail, MailStatus, Tried};
use crate::domain::ids::{LinkSubscriptionId, SellerId};
use crate::kernel::{AskError, Context, Decision, Effects};

impl LinkSubscriptions {
    /// The mail whose attempt is due, as it goes out now, with what it is about.
    pub(crate) async fn due_mail(
        &self,
        seller: SellerId,
        id: LinkSubscriptionId,
    ) -> Result<Option<(Mail, About)>, AskError> {
        let due = |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            let is_due = |mail: &&Mail| mail.next_attempt_at.is_some_and(|at| at <= cx.now());
            let Some(mail) = room.mail.as_ref().filter(is_due) else {
                return Ok(Decision::unchanged(None));
            };
            let party = Box::new(SellerParty::from(&cx.seller()?.seller));
            let about = About::Subscription(Box::new(room.subscription()?.clone()), party);
            Ok(Decision::unchanged(Some((mail.clone().going_out(&about), about))))
        };
        self.rooms.command_in_passing((seller, id), due).await
    }

    /// Keeps how an attempt went: `mail` as it was handed out for it. A mail that was given up is
    /// told of.
    pub(crate) async fn mail_tried(
        &self,
        id: LinkSubscriptionId,
        mail: Mail,
        tried: Tried,
    ) -> Result<(), AskError> {
        let seller = mail.seller;
        let keep = move |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            let attempt = |mail: &Mail| (mail.id, mail.attempts, mail.next_attempt_at);
            if room.mail.as_ref().map(attempt) != Some(attempt(&mail)) {
                return Ok(Decision::unchanged(()));
            }
            let after = mail.tried(tried.clone(), cx.services().mail.retries, cx.now());
            let mut effects = Effects::new();
            if after.status == MailStatus::Failed {
                let told = room.subscription()?.mail_failed(mail.id.0, cx.now());
                effects.emit(&cx.seller()?, vec![told]);
            }
            effects.change(Change::Mail(Box::new(after)));
            Ok(effects.answer(()))
        };
        self.rooms.command_in_passing((seller, id), keep).await
    }
}
