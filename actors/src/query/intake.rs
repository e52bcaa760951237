//! What came in as usage: inbound endpoints, dead letters, uploads.

use std::iter::Peekable;

use storage::{ReadError, Store};

use super::page::{Seen, sized};
use super::{Page, Paging};
use crate::domain::billing::usage::dead_letter::{DeadLetter, LetterStatus};
use crate::domain::billing::usage::inbound::{InboundEndpoint, TokenHash};
use crate::domain::billing::usage::upload::Upload;
use crate::domain::ids::{DeadLetterId, SellerId, UploadId};
use crate::tables::{DEAD_LETTERS, INBOUND_ENDPOINTS, INBOUND_TOKENS, UPLOADS};

/// The inbound endpoint that a token leads to; none when it is unknown or revoked.
pub fn endpoint_of(store: &Store, token: &str) -> Result<Option<InboundEndpoint>, ReadError> {
    match store.get(INBOUND_TOKENS, &TokenHash::of(token))? {
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
    for status in LetterStatus::ALL {
        if let Some(letter) = store.get(DEAD_LETTERS, &(seller, *status as u8, id))? {
            return Ok(Some(letter));
        }
    }
    Ok(None)
}

/// Dead letters, newest first: those of one status, or all.
pub fn dead_letters(
    store: &Store,
    seller: SellerId,
    status: Option<LetterStatus>,
    paging: Paging,
) -> Result<Page<DeadLetter>, ReadError> {
    let of = |status: LetterStatus| {
        let status = status as u8;
        paging.newest(store, DEAD_LETTERS, (seller, status))
    };
    match status {
        Some(status) => paging.fill(of(status), |_, letter| Ok(Some(sized(letter)))),
        None => {
            let mut lists = [LetterStatus::Parked, LetterStatus::Redriven, LetterStatus::Discarded]
                .map(|status| of(status).peekable());
            let newest = std::iter::from_fn(|| highest(&mut lists));
            paging.fill(newest, |_, letter| Ok(Some(sized(letter))))
        }
    }
}

pub fn upload(store: &Store, seller: SellerId, id: UploadId) -> Result<Option<Upload>, ReadError> {
    store.get(UPLOADS, &(seller, id))
}

fn highest<T, I>(lists: &mut [Peekable<I>]) -> Option<Result<Seen<T>, ReadError>>
where
    I: Iterator<Item = Result<Seen<T>, ReadError>>,
{
    let rank = |list: &mut Peekable<I>| match list.peek() {
        None => 0,
        Some(Ok(Seen::Row(id, _) | Seen::Enough(id))) => *id,
        Some(Err(_)) => u64::MAX,
    };
    let ranks = lists.iter_mut().map(rank).enumerate();
    let (first, _) = ranks.filter(|(_, rank)| *rank > 0).max_by_key(|(_, rank)| *rank)?;
    lists[first].next()
}
