//! One turn of an upload: some of its parts, one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use storage::ReadError;

use super::Inner;
use super::clear::{self, ClearError};
use super::parse::{Group, Parsed, parse, refused};
use crate::domain::billing::usage::dead_letter::RefusedEvent;
use crate::domain::billing::usage::upload::{
    Mapping, Tally, Upload, UploadPart, Window, WindowOutcome,
};
use crate::domain::ids::{ContractId, SellerId, UploadId};
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;
use crate::tables::{UPLOAD_PARTS, UPLOADS};

/// How many parts are recorded before another upload has its turn.
const PARTS: u32 = 16;

/// How many contracts of one part are asked at once.
const CONTRACTS: usize = 32;

/// Why a turn ended early. Nothing is lost: the upload goes on where it was.
#[derive(Debug, thiserror::Error)]
pub(super) enum TurnError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("a part is missing")]
    PartMissing,
    #[error("a room answered: {0}")]
    Room(#[from] AskError),
    #[error(transparent)]
    Clear(#[from] ClearError),
    #[error("a thread ended")]
    Thread,
}

struct Ready {
    number: u32,
    part: Arc<UploadPart>,
    parsed: Parsed,
}

/// Records some parts of an upload; true when it is done.
///
/// While a part is recorded the next one is read, and the one before is counted. That a part is
/// recorded before its predecessor is counted does no harm: its outcome is kept with its events
/// until the upload is done.
pub(super) async fn take(
    inner: &Arc<Inner>,
    seller: SellerId,
    id: UploadId,
) -> Result<bool, TurnError> {
    let Some(upload) = find(inner, seller, id).await? else { return Ok(true) };
    let mapping = Arc::new(upload.mapping.clone());
    let until = upload.parts.min(upload.next_part.saturating_add(PARTS));
    let mut next = ready(inner, seller, id, &mapping, upload.next_part, until).await?;
    let mut counted = None;
    while let Some(now) = next {
        let window = Window { upload: id, part: now.number };
        let (recorded, read) = tokio::join!(
            record(inner, seller, window, &now.part, now.parsed, &mapping),
            ready(inner, seller, id, &mapping, now.number + 1, until),
        );
        let (tally, letters) = recorded?;
        if let Some(before) = counted.take() {
            wait_counted(before).await?;
        }
        let sellers = inner.sellers.clone();
        counted = Some(tokio::spawn(async move {
            sellers.count_part(seller, id, (window.part, tally), letters).await
        }));
        next = if inner.stop.is_cancelled() { None } else { read? };
    }
    if let Some(before) = counted {
        wait_counted(before).await?;
    }
    let done = find(inner, seller, id).await?.is_none_or(|upload| upload.done_at.is_some());
    if done {
        clear::parts(&inner.store, seller, id).await?;
    }
    Ok(done)
}

type Counting = tokio::task::JoinHandle<Result<Upload, AskError>>;

async fn wait_counted(counting: Counting) -> Result<(), TurnError> {
    let asked = counting.await.map_err(|_| TurnError::Thread)?;
    Ok(asked.map(drop)?)
}

async fn find(
    inner: &Arc<Inner>,
    seller: SellerId,
    id: UploadId,
) -> Result<Option<Upload>, TurnError> {
    let store = inner.store.clone();
    let read = tokio::task::spawn_blocking(move || store.get(UPLOADS, &(seller, id)));
    Ok(read.await.map_err(|_| TurnError::Thread)??)
}

async fn ready(
    inner: &Arc<Inner>,
    seller: SellerId,
    id: UploadId,
    mapping: &Arc<Mapping>,
    number: u32,
    until: u32,
) -> Result<Option<Ready>, TurnError> {
    if number >= until {
        return Ok(None);
    }
    let (inner, mapping) = (Arc::clone(inner), Arc::clone(mapping));
    let read = tokio::task::spawn_blocking(move || {
        let part = inner.store.get(UPLOAD_PARTS, &(seller, id, number))?;
        let part = Arc::new(part.ok_or(TurnError::PartMissing)?);
        let parsed = parse(&part, &mapping, id, &inner.read_row);
        Ok(Some(Ready { number, part, parsed }))
    });
    read.await.map_err(|_| TurnError::Thread)?
}

/// Records the events of a part; returns how many rows were recorded, repeated or refused, and
/// the dead letters.
async fn record(
    inner: &Arc<Inner>,
    seller: SellerId,
    window: Window,
    part: &Arc<UploadPart>,
    parsed: Parsed,
    mapping: &Arc<Mapping>,
) -> Result<(Tally, Vec<RefusedEvent>), TurnError> {
    let mut reasons: BTreeMap<u64, String> = parsed.wrong.into_iter().collect();
    let mut tally = Tally { parked: reasons.len() as u64, ..Tally::default() };
    let groups = futures::stream::iter(parsed.groups)
        .map(|(contract, group)| one_contract(inner, seller, contract, window, group));
    let mut outcomes = groups.buffer_unordered(CONTRACTS);
    while let Some((rows, outcome)) = outcomes.try_next().await? {
        tally += outcome.tally;
        for (place, why) in outcome.refusals() {
            if let Some(row) = rows.get(place as usize) {
                reasons.insert(*row, why.to_owned());
            }
        }
    }
    if reasons.is_empty() {
        return Ok((tally, Vec::new()));
    }
    let (part, mapping) = (Arc::clone(part), Arc::clone(mapping));
    let letters =
        tokio::task::spawn_blocking(move || refused(&part, &mapping, window.upload, &reasons));
    Ok((tally, letters.await.map_err(|_| TurnError::Thread)?))
}

async fn one_contract(
    inner: &Inner,
    seller: SellerId,
    contract: ContractId,
    window: Window,
    group: Group,
) -> Result<(Vec<u64>, WindowOutcome), TurnError> {
    let Group { events, rows } = group;
    match inner.contracts.record_upload(seller, contract, window, events).await {
        Ok(outcome) => Ok((rows, outcome)),
        Err(AskError::Refused(refusal)) if refusal.kind == RefusalKind::Missing => {
            let mut outcome = WindowOutcome::default();
            for (place, _) in (0..).zip(&rows) {
                outcome.refused(place, "contractId: unknown contract");
            }
            Ok((rows, outcome))
        }
        Err(error) => Err(error.into()),
    }
}
