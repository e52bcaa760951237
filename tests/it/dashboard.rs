//! What people reach with a session.

mod documents;
mod graphql;
mod keys;
mod onboarding;
mod payment_links;
mod people;
mod roles;
mod scopes;
mod sessions;
mod settings;
mod shell;
