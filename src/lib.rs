//! Accrue.

pub mod app;
pub mod cli;
pub mod config;
pub mod http;
pub mod logs;
pub mod metrics;
pub mod pages;
