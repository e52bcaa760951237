//! What people reach with a session.

mod audit;
mod digits;
mod documents;
mod files;
mod graphql;
mod keys;
mod live;
mod onboarding;
mod once;
mod outside;
mod overview;
mod payment_links;
mod people;
mod roles;
mod schema;
mod scopes;
mod sessions;
mod settings;
mod shell;
mod start;
