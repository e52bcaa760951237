//! Card payments that the seller gives back, as the test counts them itself.

use super::Life;
use crate::domain::ids::PaymentId;
use crate::domain::platform::idempotency_key::IdempotencyRecord;
use crate::kernel::Once;
use crate::key_claim::KeyClaim;

/// Payments, each with what is left of it.
#[derive(Debug, Default)]
pub(super) struct Refunds(Vec<(PaymentId, i64)>);

impl Refunds {
    pub(super) fn paid(&mut self, id: PaymentId, minor: i64) {
        self.0.push((id, minor));
    }
}

impl Life {
    /// Gives some of a payment back, or asks for more than is left of it. Its invoice stays paid.
    pub(super) async fn refund(&mut self) {
        let Some(index) = self.random.of(&self.refunds.0) else { return };
        let (id, left) = self.refunds.0[index];
        let minor = self.about(left);
        let request = IdempotencyRecord::of(&[], b"{}", 0);
        let spend = KeyClaim { endpoint: "/refund", key: self.key("g"), request };
        let (payments, seller) = (&self.house.system.payments, self.house.seller.id);
        let given = payments.refund(seller, id, Some(minor), None, None, spend).await;
        if minor > left {
            assert!(given.is_err(), "{minor} of {left}");
            return;
        }
        assert!(matches!(given, Ok(Once::Made(_))), "{given:?}");
        self.house.pass(10);
        let done = || {
            let payment = self.house.system.payments.get(seller, id).expect("read").expect("there");
            let open = payment.refunds.open.is_some();
            assert_eq!(payment.refundable(), left - minor);
            !open
        };
        self.house.until("the refund", done).await;
        self.refunds.0[index].1 -= minor;
    }
}
