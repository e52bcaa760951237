//! One turn of an upload: some of its rows, slice by slice.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use storage::ReadError;

use super::clear::{self, ClearError};
use super::parse::{ParsedRow, Rows};
use super::{Inner, halt};
use crate::domain::billing::usage::dead_letter::RefusedEvent;
use crate::domain::billing::usage::upload::{
    Fared, Mapping, TOO_MANY_LETTERS, Tally, Upload, Window, WindowOutcome,
};
use crate::domain::billing::usage::{KeysAsked, NewEvent};
use crate::domain::ids::{ContractId, SellerId, UploadId};
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;
use crate::query;
use crate::seller::Counted;
use crate::tables::UPLOADS;

/// How many slices are recorded before another upload has its turn.
const SLICES: usize = 16;

/// How many contracts of one slice are asked at once.
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
    /// It may be full, and there is no look right behind another.
    #[error("what its account keeps has to be looked at first")]
    NotLookedAt,
    #[error("a thread ended")]
    Thread,
}

/// A part of which some rows are still to be recorded, in order.
struct Part {
    rows: Arc<Rows>,
    left: std::vec::IntoIter<ParsedRow>,
}

/// The rows of a slice by their contracts, and those that are no events.
#[derive(Default)]
struct Slice {
    groups: BTreeMap<ContractId, Group>,
    reasons: BTreeMap<u64, String>,
}

#[derive(Default)]
struct Group {
    events: Vec<NewEvent>,
    rows: Vec<u64>,
}

struct Turn<'a> {
    inner: &'a Arc<Inner>,
    seller: SellerId,
    /// As it will be once all slices so far are counted.
    upload: Upload,
    mapping: Arc<Mapping>,
    letters_left: u64,
    /// The slice before, on its way.
    counting: Option<tokio::task::JoinHandle<Result<Counted, AskError>>>,
}

/// Records some slices of an upload; true when it is over.
///
/// While a slice is recorded the next part is read, and the slice before is counted. That a slice
/// is recorded before its predecessor is counted does no harm: its outcome is kept with its
/// events. Behind a slice with refused rows it is not done, since these decide how many rows the
/// next slice has.
pub(super) async fn take(
    inner: &Arc<Inner>,
    seller: SellerId,
    id: UploadId,
) -> Result<bool, TurnError> {
    let found = blocking(inner, move |inner| {
        let upload = inner.store.get(UPLOADS, &(seller, id))?;
        Ok(upload.zip(Some(query::parked_letters(&inner.store, seller)?)))
    });
    let Some((upload, parked)) = found.await? else { return Ok(true) };
    let mapping = Arc::new(upload.mapping.clone());
    let letters_left = inner.max_letters.saturating_sub(parked);
    let mut turn = Turn { inner, seller, upload, mapping, letters_left, counting: None };
    turn.go().await?;
    let Turn { upload, .. } = turn;
    if upload.is_over() {
        clear::parts(&inner.store, seller, id).await?;
    } else {
        clear::windows_before(&inner.store, seller, id, upload.next_row).await?;
    }
    Ok(upload.is_over())
}

impl Turn<'_> {
    async fn go(&mut self) -> Result<(), TurnError> {
        let mut next = None;
        for _ in 0..SLICES {
            let inner = self.inner;
            if self.upload.is_over() || inner.stop.is_cancelled() || inner.store.rests() {
                break;
            }
            let rows = self.upload.at_once(self.letters_left);
            let no_room = match rows {
                0 => Some(TOO_MANY_LETTERS.to_owned()),
                _ => halt::reason(inner, self.seller, &self.upload).await?,
            };
            if let Some(reason) = no_room {
                // What was recorded is counted first: behind its end an upload counts nothing.
                self.counted().await?;
                let stopped = inner.sellers.stop_upload(self.seller, self.upload.id, reason);
                self.upload = stopped.await?;
                break;
            }
            let part = match next.take() {
                Some(part) => part,
                None => self.read(self.upload.next_part).await?,
            };
            next = self.record(part, rows).await?;
        }
        self.counted().await
    }

    /// Records so many rows of a part at most; what is left of it, or the part behind it.
    async fn record(&mut self, mut part: Part, most: u64) -> Result<Option<Part>, TurnError> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let count = together(part.left.as_slice(), most);
        let taken: Vec<ParsedRow> = part.left.by_ref().take(count).collect();
        let (row, rows) = (self.upload.next_row, taken.len() as u64);
        let ends = part.left.len() == 0;
        let next_part = if ends { part.rows.next_part } else { self.upload.next_part };
        let read = async {
            match ends && next_part < self.upload.parts {
                true => self.read(next_part).await.map(Some),
                false => Ok(None),
            }
        };
        let (outcome, read) = tokio::join!(self.ask(Slice::of(taken), row), read);
        let (tally, reasons) = outcome?;
        let behind = (row..row + rows).rev();
        let refused_last = behind.take_while(|row| reasons.contains_key(row)).count() as u64;
        let fared = Fared { row, rows, next_part, tally, refused_last };
        self.count(&part, fared, reasons).await?;
        let read = read?;
        Ok(if ends { read } else { Some(part) })
    }

    async fn count(
        &mut self,
        part: &Part,
        fared: Fared,
        reasons: BTreeMap<u64, String>,
    ) -> Result<(), TurnError> {
        let refused = !reasons.is_empty();
        let letters = match refused {
            true => self.letters(&part.rows, reasons).await?,
            false => Vec::new(),
        };
        self.counted().await?;
        let (sellers, seller, id) = (self.inner.sellers.clone(), self.seller, self.upload.id);
        let now = self.inner.clock.now();
        if let Some(next) = self.upload.advanced(fared, now) {
            self.upload = next;
        }
        self.counting =
            Some(tokio::spawn(async move { sellers.count_rows(seller, id, fared, letters).await }));
        if refused { self.counted().await } else { Ok(()) }
    }

    /// Waits for the slice before, and takes over what the seller's room says of it.
    async fn counted(&mut self) -> Result<(), TurnError> {
        if let Some(counting) = self.counting.take() {
            let Counted { upload, parked } = counting.await.map_err(|_| TurnError::Thread)??;
            self.letters_left = self.inner.max_letters.saturating_sub(parked);
            self.upload = upload;
        }
        Ok(())
    }

    /// Reads a part, without the rows that are done.
    async fn read(&self, number: u32) -> Result<Part, TurnError> {
        let of = (self.seller, self.upload.id);
        let (mapping, done) = (Arc::clone(&self.mapping), self.upload.next_row);
        blocking(self.inner, move |inner| {
            let rows = Rows::read(&inner.store, of, number, &mapping)?;
            let rows = rows.ok_or(TurnError::PartMissing)?;
            let mut left = rows.parse(&mapping, &inner.read_row);
            left.retain(|row| row.number >= done);
            Ok(Part { rows: Arc::new(rows), left: left.into_iter() })
        })
        .await
    }

    async fn letters(
        &self,
        rows: &Arc<Rows>,
        reasons: BTreeMap<u64, String>,
    ) -> Result<Vec<RefusedEvent>, TurnError> {
        let (rows, mapping) = (Arc::clone(rows), Arc::clone(&self.mapping));
        blocking(self.inner, move |_| Ok(rows.letters(&mapping, reasons))).await
    }

    /// Records the events of a slice that begins with `row`; how many rows were recorded, repeated
    /// or refused, and why each of these was.
    async fn ask(
        &self,
        Slice { groups, mut reasons }: Slice,
        row: u64,
    ) -> Result<(Tally, BTreeMap<u64, String>), TurnError> {
        let window = Window { upload: self.upload.id, row };
        let mut tally = Tally { parked: reasons.len() as u64, ..Tally::default() };
        let groups = futures::stream::iter(groups)
            .map(|(contract, group)| self.one_contract(contract, window, group));
        let mut outcomes = groups.buffer_unordered(CONTRACTS);
        while let Some((rows, outcome)) = outcomes.try_next().await? {
            tally += outcome.tally;
            for (place, why) in outcome.refusals() {
                if let Some(row) = rows.get(place as usize) {
                    reasons.insert(*row, why.to_owned());
                }
            }
        }
        Ok((tally, reasons))
    }

    async fn one_contract(
        &self,
        contract: ContractId,
        window: Window,
        group: Group,
    ) -> Result<(Vec<u64>, WindowOutcome), TurnError> {
        let Group { events, rows } = group;
        match self.inner.contracts.record_upload(self.seller, contract, window, events).await {
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
}

/// How many of the first rows can be recorded together, `most` at most: up to one whose key another
/// contract may take in the same slice, as contracts are asked side by side.
fn together(rows: &[ParsedRow], most: usize) -> usize {
    let mut keys = KeysAsked::default();
    let fits = |row: &&ParsedRow| match &row.event {
        Ok((contract, event)) => keys.take(event.fingerprint, *contract),
        Err(_) => true,
    };
    rows.iter().take(most).take_while(fits).count()
}

impl Slice {
    fn of(rows: Vec<ParsedRow>) -> Self {
        let mut slice = Self::default();
        for ParsedRow { number, event } in rows {
            match event {
                Ok((contract, event)) => {
                    let group = slice.groups.entry(contract).or_default();
                    group.events.push(event);
                    group.rows.push(number);
                }
                Err(why) => {
                    slice.reasons.insert(number, why);
                }
            }
        }
        slice
    }
}

pub(super) async fn blocking<T: Send + 'static>(
    inner: &Arc<Inner>,
    work: impl FnOnce(&Inner) -> Result<T, TurnError> + Send + 'static,
) -> Result<T, TurnError> {
    let inner = Arc::clone(inner);
    tokio::task::spawn_blocking(move || work(&inner)).await.map_err(|_| TurnError::Thread)?
}
