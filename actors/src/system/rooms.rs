//! The rooms of payments, payees and sellers, each kind with what it works with.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ractor::SpawnErr;

use super::SystemSettings;
use crate::connector::{Processors, Simulator};
use crate::kernel::{RoomSettings, Rooms, Services};
use crate::payee::{PayeeTools, Payees};
use crate::payment::{Calls, PaymentTools, Payments};
use crate::secrets::{KEY_BYTES, SecretBox};
use crate::seller::{SellerTools, Sellers};
use crate::watchers::Watchers;

/// How long a payment's room stays in memory at most, and no longer than until it has settled:
/// few are asked again then, and a busy seller makes thousands a second.
const PAYMENT_IDLE: Duration = Duration::from_secs(10);

pub(super) async fn payments(
    services: &Services,
    secrets: &[u8; KEY_BYTES],
    settings: &SystemSettings,
) -> Result<Payments, SpawnErr> {
    let tools = PaymentTools {
        processors: Processors::new(Arc::new(Simulator), SecretBox::new(secrets)),
        windows: settings.windows,
        provider_timeout: settings.provider_timeout,
        return_address: OnceLock::new(),
        watchers: Watchers::default(),
        calls: Calls::default(),
    };
    let settled = Duration::from_secs(settings.windows.settle.unsigned_abs() + 1);
    let idle = settings.rooms.idle.min(PAYMENT_IDLE).min(settled);
    let brief = RoomSettings { idle, ..settings.rooms };
    Ok(Payments::new(Rooms::start(services.clone(), tools, brief).await?))
}

pub(super) async fn payees(
    services: &Services,
    secrets: &[u8; KEY_BYTES],
    settings: &SystemSettings,
) -> Result<Payees, SpawnErr> {
    let tools = PayeeTools {
        secrets: SecretBox::new(secrets),
        guard: settings.deliveries.guard.clone(),
        verification_seconds: settings.verification_seconds,
        payout_seconds: settings.payout_seconds,
    };
    Ok(Payees::new(Rooms::start(services.clone(), tools, settings.rooms).await?))
}

pub(super) async fn sellers(
    services: &Services,
    secrets: &[u8; KEY_BYTES],
    settings: &SystemSettings,
) -> Result<Sellers, SpawnErr> {
    let tools = SellerTools {
        guard: settings.deliveries.guard.clone(),
        secrets: SecretBox::new(secrets),
        max_letters: settings.max_letters,
    };
    let rooms = Rooms::start(services.clone(), tools, settings.rooms).await?;
    Ok(Sellers::new(rooms, services.store.clone()))
}
