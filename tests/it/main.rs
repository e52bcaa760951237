//! The service from outside: a real server on a free port with a folder and a clock of its own,
//! called over HTTP. Modules mirror the paths of the API.

mod support;

mod background;
mod backoffice;
mod backup;
mod billing;
mod dashboard;
mod operations;
mod pages;
mod payments;

mod clock_back;
mod commands;
mod concurrency;
mod crash;
mod docs;
#[cfg(feature = "faults")]
mod faults;
mod journeys;
mod large_files;
mod mails;
mod open_files;
mod openapi;
mod order;
mod records;
mod secrets;
mod simulation;
mod strangers;
mod tidy;
mod uncertain;
mod verify;
