//! The backoffice surface.
