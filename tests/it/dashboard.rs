//! What people reach with a session.

mod documents;
mod graphql;
mod keys;
mod onboarding;
mod people;
mod roles;
mod scopes;
mod sessions;
mod settings;
mod shell;
