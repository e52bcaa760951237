//! What the people of a seller reach with a session: signing in and out, onboarding, invitations,
//! and GraphQL over all that the API has and what only people do.

mod credentials;
pub mod graphql;
pub mod home;
pub mod invite;
pub mod login;
pub mod modules;
pub mod onboarding;
mod own;
mod page;
pub mod playground;
