//! Mails to buyers.

use storage::{ReadError, Store};

use super::{Page, Paging};
use crate::domain::billing::invoice::SellerParty;
use crate::domain::billing::mail::{About, Mail};
use crate::domain::ids::SellerId;
use crate::tables::{INVOICES, LINK_SUBSCRIPTIONS, MAILS, PAYMENT_LINKS, SELLERS};

/// The mails of a seller with what they are about, newest first.
pub fn mails(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<(Mail, About)>, ReadError> {
    let Page { items, next } = paging.page(store, MAILS, (seller,))?;
    let mut mails = Vec::with_capacity(items.len());
    for mail in items {
        // An account that is being removed loses its rows by and by.
        mails.extend(about(store, &mail)?.map(|about| (mail, about)));
    }
    Ok(Page { items: mails, next })
}

fn about(store: &Store, mail: &Mail) -> Result<Option<About>, ReadError> {
    if let Some(invoice) = mail.invoice {
        let invoice = store.get(INVOICES, &(mail.seller, invoice))?;
        return Ok(invoice.map(|invoice| About::Invoice(Box::new(invoice))));
    }
    if let Some(of) = mail.subscription {
        let of = store.get(LINK_SUBSCRIPTIONS, &(mail.seller, of))?;
        let seller = store.get(SELLERS, &mail.seller)?;
        let pair = of.zip(seller.as_ref().map(SellerParty::from));
        return Ok(pair.map(|(of, party)| About::Subscription(Box::new(of), Box::new(party))));
    }
    let Some(link) = mail.link else { return Ok(None) };
    let link = store.get(PAYMENT_LINKS, &(mail.seller, link))?;
    let seller = store.get(SELLERS, &mail.seller)?;
    let pair = link.zip(seller.as_ref().map(SellerParty::from));
    Ok(pair.map(|(link, party)| About::Link(Box::new(link), Box::new(party))))
}
