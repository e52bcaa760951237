//! Accrue.
