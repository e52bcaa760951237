//! What a store from before is caught up with when it is started. The numbers are on disk and never
//! change.

/// Where open drafts are listed.
pub const DRAFTS: u8 = 1;
/// The sums of overviews.
pub const SUMS: u8 = 2;
