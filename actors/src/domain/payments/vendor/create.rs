use super::Vendor;
use crate::domain::country::Country;
use crate::domain::ids::{PayeeId, SellerId, VendorId};
use crate::domain::payments::payee::{NewPayee, Payee, PayeeChange};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

impl Vendor {
    /// A payee that is a vendor, in an account of this `mode`. Nothing is begun before it has
    /// answered a verification link.
    pub fn create(
        (new, country): (NewPayee, Option<Country>),
        id: VendorId,
        (seller, payee): (SellerId, PayeeId),
        mode: Mode,
        now: Timestamp,
    ) -> PayeeChange {
        let PayeeChange { payee, .. } = Payee::create(new, (seller, payee), None, mode, 0, now);
        let vendor = Some(Self::new(id, country, mode));
        PayeeChange { payee: Payee { vendor, verifies_at: None, ..payee }, events: Vec::new() }
    }
}
