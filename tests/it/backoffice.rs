//! `/backoffice/v1`.

mod access;
mod billing_run;
mod passes;
mod sellers;
mod switches;
