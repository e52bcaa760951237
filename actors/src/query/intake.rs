//! What came in as usage: inbound endpoints, dead letters, uploads.

use std::iter::Peekable;

use storage::{ReadError, Reads, Scan, Store, View};

use super::page::{Seen, sized};
use super::{Page, Paging, opened};
use crate::domain::billing::usage::dead_letter::{DeadLetter, LetterStatus};
use crate::domain::billing::usage::inbound::{InboundEndpoint, TokenHash};
use crate::domain::billing::usage::upload::Upload;
use crate::domain::ids::{DeadLetterId, SellerId, UploadId};
use crate::tables::{
    DEAD_LETTERS, INBOUND_ENDPOINTS, INBOUND_TOKENS, LETTER_PACKS, PARKED_LETTERS, UPLOADS,
};

/// The inbound endpoint that a token leads to; none when it is unknown or revoked.
pub fn endpoint_of(store: &Store, token: &str) -> Result<Option<InboundEndpoint>, ReadError> {
    match opened(store, INBOUND_TOKENS, TokenHash::of(token))? {
        Some(holder) => store.get(INBOUND_ENDPOINTS, &(holder.seller, holder.endpoint)),
        None => Ok(None),
    }
}

/// Inbound endpoints, newest first, revoked ones too.
pub fn inbound_endpoints(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<InboundEndpoint>, ReadError> {
    paging.page(store, INBOUND_ENDPOINTS, (seller,))
}

pub fn dead_letter(
    store: &Store,
    seller: SellerId,
    id: DeadLetterId,
) -> Result<Option<DeadLetter>, ReadError> {
    // One that is tried again meanwhile goes from its pack to a row of its own.
    store.at_one_moment(|rows| {
        let mut reads = Reads::new();
        let places = LetterStatus::ALL.iter().map(|status| (seller, *status as u8, id));
        let alone = reads.get_many(DEAD_LETTERS, places);
        if let Some(letter) = rows.read(&reads)?.take(alone)?.into_iter().next() {
            return Ok(Some(letter));
        }
        let pack = pack_of(rows, seller, id)?.map(|place| rows.get(LETTER_PACKS, &place));
        Ok(pack.transpose()?.flatten().and_then(|mut pack| pack.take(id)))
    })
}

/// The place of the pack that a letter lies in, if it lies in one.
pub(crate) fn pack_of(
    store: &View,
    seller: SellerId,
    id: DeadLetterId,
) -> Result<Option<(SellerId, DeadLetterId)>, ReadError> {
    let from = Scan::prefix(&(seller,)).from(&(seller, id));
    Ok(store.scan(LETTER_PACKS, from).next().transpose()?.map(|(place, _)| place))
}

/// How many letters a seller has parked.
pub fn parked_letters(store: &View, seller: SellerId) -> Result<u64, ReadError> {
    Ok(store.get(PARKED_LETTERS, &seller)?.unwrap_or_default())
}

/// Dead letters, newest first: those of one status, or all.
pub fn dead_letters(
    store: &Store,
    seller: SellerId,
    status: Option<LetterStatus>,
    paging: Paging,
) -> Result<Page<DeadLetter>, ReadError> {
    match status {
        // One that is tried again or given up meanwhile is listed at another place then: parked
        // ones lie in two.
        Some(LetterStatus::Parked) | None => {
            store.at_one_moment(|rows| letters_of(rows, seller, status, paging))
        }
        Some(_) => letters_of(store, seller, status, paging),
    }
}

fn letters_of(
    store: &View,
    seller: SellerId,
    status: Option<LetterStatus>,
    paging: Paging,
) -> Result<Page<DeadLetter>, ReadError> {
    let of = |status: LetterStatus| -> Newest<'_> {
        let alone = paging.rows(store, DEAD_LETTERS, (seller, status as u8));
        match status {
            LetterStatus::Parked => {
                let packed: Newest<'_> = Box::new(packed(store, seller, paging.cursor));
                let alone: Newest<'_> = Box::new(alone);
                Box::new(merged(vec![alone, packed]))
            }
            _ => Box::new(alone),
        }
    };
    match status {
        Some(status) => page_of(paging, of(status)),
        None => page_of(paging, merged(LetterStatus::ALL.iter().map(|one| of(*one)).collect())),
    }
}

fn page_of(
    paging: Paging,
    newest: impl Iterator<Item = Result<(u64, DeadLetter), ReadError>>,
) -> Result<Page<DeadLetter>, ReadError> {
    let rows = newest.map(|row| row.map(|(id, letter)| Seen::Row(id, letter)));
    paging.fill(rows, |_, letter| Ok(Some(sized(letter))))
}

/// Letters with their ids.
type Newest<'s> = Box<dyn Iterator<Item = Result<(u64, DeadLetter), ReadError>> + 's>;

/// Packed letters before the cursor, newest first.
fn packed(
    store: &View,
    seller: SellerId,
    cursor: Option<u64>,
) -> impl Iterator<Item = Result<(u64, DeadLetter), ReadError>> {
    let below = cursor.unwrap_or(u64::MAX);
    // A pack that ends at or behind the cursor may begin before it.
    let across = match cursor {
        Some(cursor) => {
            let from = Scan::prefix(&(seller,)).from(&(seller, DeadLetterId(cursor)));
            store.scan(LETTER_PACKS, from).next()
        }
        None => None,
    };
    let mut before = Scan::prefix(&(seller,)).reverse();
    if cursor.is_some() {
        before = before.after(&(seller, DeadLetterId(below)));
    }
    let packs = across.into_iter().chain(store.scan(LETTER_PACKS, before));
    let letters = packs.flat_map(|row| match row {
        Ok((_, pack)) => pack.letters().into_iter().rev().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    letters
        .map(|letter| letter.map(|letter| (letter.id.0, letter)))
        .filter(move |letter| letter.as_ref().is_ok_and(|(id, _)| *id < below) || letter.is_err())
}

fn merged<'s>(
    lists: Vec<Newest<'s>>,
) -> impl Iterator<Item = Result<(u64, DeadLetter), ReadError>> + 's {
    let mut lists: Vec<_> = lists.into_iter().map(Iterator::peekable).collect();
    std::iter::from_fn(move || highest(&mut lists))
}

pub fn upload(store: &Store, seller: SellerId, id: UploadId) -> Result<Option<Upload>, ReadError> {
    store.get(UPLOADS, &(seller, id))
}

fn highest<T, I>(lists: &mut [Peekable<I>]) -> Option<Result<(u64, T), ReadError>>
where
    I: Iterator<Item = Result<(u64, T), ReadError>>,
{
    let rank = |list: &mut Peekable<I>| match list.peek() {
        None => 0,
        Some(Ok((id, _))) => *id,
        Some(Err(_)) => u64::MAX,
    };
    let ranks = lists.iter_mut().map(rank).enumerate();
    let (first, _) = ranks.filter(|(_, rank)| *rank > 0).max_by_key(|(_, rank)| *rank)?;
    lists[first].next()
}
