//! The rows of logos: what is known of each in one, its picture in parts beside it. A seller keeps
//! a bounded number; what is over is deleted.

use storage::{Batch, ReadError, Scan, Store};

use super::LogoKey;
use crate::domain::ids::SellerId;
use crate::domain::payments::logo::{Image, Logo};
use crate::domain::time::Timestamp;
use crate::tables::{LOGO_PARTS, LOGOS};

/// How many logos a seller keeps; the one that was fetched first makes room.
pub(super) const MOST_LOGOS: usize = 16;

/// Bytes of a picture in one row.
const PART_BYTES: usize = 60 * 1024;

/// How many logos are looked at in one stride of a clearing.
const STRIDE: usize = 64;

type Place = (SellerId, LogoKey);

/// The logo of this place, with its picture.
pub(super) fn read(
    store: &Store,
    place: Place,
) -> Result<Option<(Logo, Option<Image>)>, ReadError> {
    let Some(logo) = store.get(LOGOS, &place)? else { return Ok(None) };
    let mut bytes = Vec::new();
    for part in 0..logo.parts {
        bytes.extend(store.get(LOGO_PARTS, &(place, part))?.unwrap_or_default());
    }
    Ok(Some((logo, Image::of(bytes))))
}

/// Puts a logo in its place, and takes away what the seller keeps too much or too long.
pub(super) fn put(
    store: &Store,
    place: Place,
    image: Option<&Image>,
    now: Timestamp,
) -> Result<Batch, ReadError> {
    let mut batch = Batch::new();
    let mut others = Vec::new();
    for row in store.scan(LOGOS, Scan::prefix(&(place.0,))) {
        let (other, logo) = row?;
        match logo.is_good(now) && other != place {
            true => others.push((logo.fetched_at, other, logo)),
            false => delete(&mut batch, other, &logo),
        }
    }
    others.sort_unstable_by_key(|(fetched_at, other, _)| (*fetched_at, *other));
    let surplus = (others.len() + 1).saturating_sub(MOST_LOGOS);
    for (_, other, logo) in &others[..surplus] {
        delete(&mut batch, *other, logo);
    }
    let mut parts = 0_u16;
    for bytes in image.map_or(&[][..], |image| &image.bytes).chunks(PART_BYTES) {
        batch.put(LOGO_PARTS, &(place, parts), &bytes.to_vec());
        parts += 1;
    }
    batch.put(LOGOS, &place, &Logo { fetched_at: now, parts });
    Ok(batch)
}

/// What is over among the logos behind this place, and where to go on; `None` at the end. One that
/// cannot be read stays, and keeps no other from being cleared.
pub(super) fn clear(
    store: &Store,
    after: Option<Place>,
    now: Timestamp,
) -> Result<(Batch, Option<Place>), ReadError> {
    let all = after.map_or_else(Scan::all, |place| Scan::all().after(&place));
    let (mut batch, mut last, mut seen) = (Batch::new(), None, 0);
    for row in store.scan(LOGOS, all).take(STRIDE) {
        seen += 1;
        let (place, logo) = match row {
            Ok(row) => row,
            Err(error) if error.concerns_all() => return Err(error),
            Err(error) => {
                tracing::error!(%error, "a stored logo cannot be read");
                continue;
            }
        };
        if !logo.is_good(now) {
            delete(&mut batch, place, &logo);
        }
        last = Some(place);
    }
    Ok((batch, last.filter(|_| seen == STRIDE)))
}

fn delete(batch: &mut Batch, place: Place, logo: &Logo) {
    batch.delete(LOGOS, &place);
    for part in 0..logo.parts {
        batch.delete(LOGO_PARTS, &(place, part));
    }
}
