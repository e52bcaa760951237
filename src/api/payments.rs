//! The payments surface.
