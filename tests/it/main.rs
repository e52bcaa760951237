//! The service from outside: a real server on a free port with a folder and a clock of its own,
//! asked over HTTP what the specification promises. Modules mirror the paths of the API.

mod support;

mod operations;
mod tidy;
