//! Making a vendor (decisions 7 and 13).

use super::{Vendor, VendorRefusal};
use crate::domain::country::Country;
use crate::domain::ids::{PayeeId, SellerId, VendorId};
use crate::domain::payments::payee::{
    NewPayee, Payee, PayeeChange, PayeeRefusal, PayeeRequest, Role,
};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// The fields of a request, before they are looked at. An empty text says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct VendorRequest<'a> {
    /// `displayName`, required, at most 128 characters.
    pub display_name: Option<&'a str>,
    /// `email`, required.
    pub email: Option<&'a str>,
    /// `country`.
    pub country: Option<&'a str>,
}

impl VendorRequest<'_> {
    /// Looks at every field: the payee that the vendor is, and where it is established.
    ///
    /// # Errors
    /// The first at fault.
    pub fn parse(&self) -> Result<(NewPayee, Option<Country>), VendorRefusal> {
        let request = PayeeRequest {
            display_name: self.display_name,
            role: Some(Role::Contractor.name()),
            email: self.email,
            ..PayeeRequest::default()
        };
        let payee = request.parse()?;
        if payee.email.is_none() {
            return Err(PayeeRefusal::Required("email").into());
        }
        let country = self.country.map(str::trim).filter(|code| !code.is_empty());
        let country = country.map(|code| Country::parse(code).ok_or(VendorRefusal::Country));
        Ok((payee, country.transpose()?))
    }
}

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
