//! Where open drafts are listed, in a store from before they were.

use storage::{Batch, ReadError, Scan, Store};

use crate::chunked;
use crate::domain::billing::invoice::Draft;
use crate::listing::Listed as _;
use crate::system::StartError;
use crate::tables::{CAUGHT_UP, DRAFT_PARTS, DRAFTS, PLACES, caught_up};

/// Places that are written together.
const TOGETHER: usize = 1_000;

/// Lists the open drafts of all accounts, unless that was done before. Nobody may change them
/// meanwhile. What a crash broke off begins anew: a place that is there already stays as it is.
pub(crate) fn list_once(store: &Store) -> Result<(), StartError> {
    if store.contains(CAUGHT_UP, &caught_up::DRAFTS)? {
        return Ok(());
    }
    let mut batch = Batch::new();
    for row in store.scan(DRAFTS, Scan::all()) {
        let draft = row.and_then(|(key, row)| {
            let draft = chunked::join(store, (&key, row), DRAFTS, DRAFT_PARTS, &key)?;
            Ok::<_, ReadError>((key.0, draft))
        });
        let (seller, draft): (_, Draft) = match draft {
            Ok(read) => read,
            Err(error) if error.concerns_all() => return Err(error.into()),
            // No money follows from it: it keeps nobody from being served.
            Err(error) => {
                tracing::error!(%error, "a draft cannot be read, and is listed nowhere");
                continue;
            }
        };
        for (facet, value) in draft.places() {
            batch.put(PLACES, &(seller, facet as u8, value, draft.id()), &());
        }
        if batch.rows() >= TOGETHER {
            store.write_blocking(std::mem::take(&mut batch))?;
        }
    }
    batch.put(CAUGHT_UP, &caught_up::DRAFTS, &u64::MAX);
    store.write_blocking(batch)?;
    Ok(())
}
