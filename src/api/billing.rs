//! The billing surface.
