//! Idempotency keys of payments: each is claimed once within its seller, for the payment that it
//! makes.
//!
//! Keys are drawn at random. A row for each would be read and written at a place of its own, which
//! costs more the more there are; the index writes them in the order in which they come.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use storage::{Batch, Fingerprint, ReadError, Scan, Seen, Store, Taken};

use super::Payments;
use super::room::PaymentRoom;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::Payment;
use crate::kernel::{Context, Halt, Repeated};
use crate::system::StartError;
use crate::tables::{NO_PAYMENT, PAYMENT_KEY_ROWS, PAYMENT_KEYS};

/// Keys that are moved together.
const TOGETHER: usize = 1_000;
/// After how many keys the log tells how far it is.
const TOLD: u64 = 250_000;

pub(crate) fn fingerprint(key: &str) -> Fingerprint {
    let mut first = [0; 16];
    first.copy_from_slice(&Sha256::digest(key.as_bytes())[..16]);
    Fingerprint(first)
}

/// What a key is claimed for: the id of its payment, and eight bytes of zeros.
pub(super) fn taken_for(payment: PaymentId) -> Taken {
    (u128::from(payment.0) << 64).to_be_bytes()
}

pub(crate) fn payment_of(taken: Taken) -> PaymentId {
    PaymentId((u128::from_be_bytes(taken) >> 64) as u64)
}

/// Goes on if the key is free, and tells how far it was searched for.
pub(super) fn free(
    cx: &Context<PaymentRoom>,
    seller: SellerId,
    key: Fingerprint,
) -> Result<Seen, Halt> {
    let lookup = cx.find_fingerprints(PAYMENT_KEYS, seller.0, &[key])?;
    match lookup.found.first() {
        Some(Some(_)) => Err(Repeated.into()),
        _ => Ok(lookup.seen),
    }
}

impl Payments {
    /// The payment that an idempotency key has made.
    pub async fn by_key(&self, seller: SellerId, key: &str) -> Result<Option<Payment>, ReadError> {
        let wanted = [fingerprint(key)];
        let found = self.store().find_fingerprints(PAYMENT_KEYS, seller.0, &wanted)?.found;
        let Some(id) = found.into_iter().flatten().next().map(payment_of) else { return Ok(None) };
        if let Some(payment) = self.get(seller, id)? {
            return Ok(Some(payment));
        }
        // Claims are seen a moment before the rows of their group.
        self.store().barrier().await;
        self.get(seller, id)
    }
}

/// Moves the keys that a program from before the index has kept as rows. What a crash broke off is
/// gone on with. A row that cannot be read stays, and its key stays used. Nobody may begin payments
/// meanwhile.
pub(crate) fn move_once(store: &Store) -> Result<(), StartError> {
    let (mut stride, mut moved, mut unread) = (Stride::default(), 0, false);
    for row in store.scan(PAYMENT_KEY_ROWS, Scan::all()) {
        let ((seller, key), id) = match row {
            Ok(row) => row,
            Err(error) if error.concerns_all() => return Err(error.into()),
            Err(error) => {
                tracing::error!(%error, "the payment of an idempotency key cannot be read");
                unread = true;
                continue;
            }
        };
        if moved == 0 {
            tracing::info!("the idempotency keys of payments are moved to their index");
        }
        stride.claim(seller, &key, id);
        stride.deletes.delete(PAYMENT_KEY_ROWS, &(seller, key));
        moved += 1;
        if stride.deletes.rows() >= TOGETHER {
            std::mem::take(&mut stride).write(store)?;
        }
        if moved % TOLD == 0 {
            tracing::info!(moved, "idempotency keys are moved");
        }
    }
    if moved > 0 {
        stride.write(store)?;
        tracing::info!(moved, "all idempotency keys of payments are in their index");
    }
    if unread { claim_for_nobody(store) } else { Ok(()) }
}

/// Claims the keys that are left for no payment: none may be used again.
fn claim_for_nobody(store: &Store) -> Result<(), StartError> {
    let mut stride = Stride::default();
    for key in store.scan(PAYMENT_KEY_ROWS, Scan::all()).keys() {
        match key {
            Ok((seller, key)) => stride.claim(seller, &key, NO_PAYMENT),
            Err(error) if error.concerns_all() => return Err(error.into()),
            // It was told of already.
            Err(_) => {}
        }
    }
    stride.write(store)
}

/// Keys that are moved with one batch.
#[derive(Default)]
struct Stride {
    deletes: Batch,
    claims: BTreeMap<SellerId, Vec<(Fingerprint, Taken)>>,
}

impl Stride {
    fn claim(&mut self, seller: SellerId, key: &str, payment: PaymentId) {
        let claim = (fingerprint(key), taken_for(payment));
        self.claims.entry(seller).or_default().push(claim);
    }

    fn write(self, store: &Store) -> Result<(), StartError> {
        let mut batch = self.deletes;
        for (seller, mut claims) in self.claims {
            let wanted: Vec<_> = claims.iter().map(|(key, _)| *key).collect();
            let lookup = store.find_fingerprints(PAYMENT_KEYS, seller.0, &wanted)?;
            let mut found = lookup.found.iter();
            // An earlier program may have gone on with a folder of this one: a key stays its first
            // payment's.
            claims.retain(|_| found.next() == Some(&None));
            batch.claim_fingerprints(PAYMENT_KEYS, seller.0, claims, lookup.seen);
        }
        store.write_blocking(batch)?;
        Ok(())
    }
}
