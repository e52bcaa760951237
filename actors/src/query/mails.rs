//! Mails to buyers, and to those who are invited.

use storage::{ReadError, Store};

use super::{Page, Paging};
use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::{About, Mail};
use crate::domain::ids::SellerId;
use crate::tables::{INVOICES, LINK_SUBSCRIPTIONS, MAILS, PAYMENT_LINKS, PEOPLE, SELLERS};

/// The mails of a seller with what they are about, newest first.
pub fn mails(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<(Mail, About)>, ReadError> {
    let Page { items, next } = paging.page(store, MAILS, (seller,))?;
    let mut mails = Vec::with_capacity(items.len());
    for mail in items {
        // An account that is being removed loses its rows by and by, and an invitation may be
        // taken back.
        mails.extend(about(store, &mail)?.map(|about| (mail, about)));
    }
    Ok(Page { items: mails, next })
}

fn about(store: &Store, mail: &Mail) -> Result<Option<About>, ReadError> {
    if let Some(invoice) = mail.invoice {
        let invoice = store.get(INVOICES, &(mail.seller, invoice))?;
        return Ok(invoice.map(|invoice| About::Invoice(Box::new(invoice))));
    }
    let Some(seller) = store.get(SELLERS, &mail.seller)? else { return Ok(None) };
    let party = Box::new(SellerParty::from(&seller));
    if let Some(link) = mail.link {
        let link = store.get(PAYMENT_LINKS, &(mail.seller, link))?;
        return Ok(link.map(|link| About::Link(Box::new(link), party)));
    }
    if let Some(of) = mail.subscription {
        let of = store.get(LINK_SUBSCRIPTIONS, &(mail.seller, of))?;
        return Ok(of.map(|of| About::Subscription(Box::new(of), party)));
    }
    let Some(person) = mail.person else { return Ok(None) };
    let person = store.get(PEOPLE, &(mail.seller, person))?;
    Ok(person.map(|person| About::Invitation(Box::new(person), party)))
}
