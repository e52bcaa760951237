//! Who takes the held amount: two fields that must agree (decisions 13).

use super::InitiationRefusal;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::CaptureMode;

/// What a request says of its capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureRequest {
    /// `autoSettlement`.
    pub auto_settlement: Option<bool>,
    /// `captureMode`.
    pub mode: Option<String>,
}

impl CaptureRequest {
    /// The mode that both fields agree on.
    pub(super) fn check(&self, method: Method) -> Result<CaptureMode, InitiationRefusal> {
        let stated = match self.mode.as_deref() {
            None => None,
            Some(name) => Some(CaptureMode::parse(name).ok_or(InitiationRefusal::CaptureMode)?),
        };
        let mode = match (stated, self.auto_settlement) {
            (None | Some(CaptureMode::Automatic), None | Some(true)) => CaptureMode::Automatic,
            (Some(CaptureMode::Manual), Some(false)) => CaptureMode::Manual,
            _ => return Err(InitiationRefusal::CaptureUnclear),
        };
        if mode == CaptureMode::Manual && !method.holds() {
            return Err(InitiationRefusal::CaptureMethod(method));
        }
        Ok(mode)
    }
}
