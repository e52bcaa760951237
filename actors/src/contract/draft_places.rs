//! Where open drafts are listed, in a store from before they were.

use storage::{Scan, Store};

use crate::backfill::{Rows, readable};
use crate::chunked;
use crate::domain::ids::SellerId;
use crate::listing::Listed as _;
use crate::system::StartError;
use crate::tables::{DRAFT_PARTS, DRAFTS, PLACES};

/// Lists the open drafts of an account from before this was kept.
pub(crate) fn list_all(
    store: &Store,
    seller: SellerId,
    rows: &mut Rows<'_>,
) -> Result<(), StartError> {
    for row in store.scan(DRAFTS, Scan::prefix(&(seller,))) {
        let draft =
            row.and_then(|(key, row)| chunked::join(store, (&key, row), DRAFTS, DRAFT_PARTS, &key));
        let Some(draft) = readable(draft)? else { continue };
        for (facet, value) in draft.places() {
            rows.put(PLACES, &(seller, facet as u8, value, draft.id()), &())?;
        }
    }
    Ok(())
}
