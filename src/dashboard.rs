//! What the people of a seller reach with a session: signing in and out, onboarding, invitations,
//! and GraphQL over all that the API has and what only people do.

mod credentials;
pub mod events;
pub mod files;
pub mod fill;
pub mod graphql;
pub mod home;
pub mod invite;
pub mod login;
pub mod modules;
pub mod onboarding;
pub mod own;
mod page;
pub mod playground;
pub mod start;

use std::sync::{Arc, LazyLock};

use crate::gate::{Inside, Surface};
use crate::routes;

/// The routes that the server asks for whoever has a session: those of the API document, and the
/// dashboard's own.
static INSIDE: LazyLock<Arc<Inside>> = LazyLock::new(|| {
    let mut all = routes::routes();
    all.extend(own::routes().into_iter().map(|route| route.within(Surface::Dashboard)));
    Arc::new(Inside::new(all).expect("routes that do not overlap"))
});
