//! Below the mark of free space nothing new is written: what is under way needs the rest.

use super::Route;
use super::policy::Surface;
use crate::app::App;
use crate::http::ApiError;

const RETRY_SECONDS: u32 = 30;

/// Refuses what may write while the disk is nearly full.
pub(super) fn check(app: &App, route: &Route) -> Result<(), ApiError> {
    let writes = route.writes() && route.surface() != Surface::Operations;
    if writes && app.store.free_space().is_low() {
        return Err(ApiError::unavailable("the server's disk is nearly full", RETRY_SECONDS));
    }
    Ok(())
}
