//! Find or create: nothing that is stored is overwritten.

use super::{Customer, CustomerRefusal, CustomerRequest};
use crate::domain::ids::{CustomerId, SellerId};
use crate::domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerChange {
    pub customer: Customer,
    pub changed: bool,
}

/// Fills what `existing` lacks with what the request says; without `existing` the customer is made
/// under `id`. `ref_holder` is the customer of this seller that holds the request's `customerRef`
/// now, if one does. One that has another reference already keeps it: the request is refused.
pub fn merge(
    existing: Option<&Customer>,
    request: CustomerRequest,
    seller: SellerId,
    id: CustomerId,
    now: Timestamp,
    ref_holder: Option<CustomerId>,
) -> Result<CustomerChange, CustomerRefusal> {
    let own = existing.map_or(id, |customer| customer.id);
    if request.customer_ref.is_some() && ref_holder.is_some_and(|holder| holder != own) {
        return Err(CustomerRefusal::RefTaken);
    }
    let asked = Customer {
        id,
        seller,
        email: request.email,
        customer_ref: request.customer_ref,
        name: request.name,
        phone: request.phone,
        company_name: request.company_name,
        company_country: request.company_country,
        currency: request.currency,
        customer_type: request.customer_type,
        tax_id: request.tax_id,
        created_at: now,
    };
    let Some(known) = existing else {
        return Ok(CustomerChange { customer: asked, changed: true });
    };
    let customer = known.clone().filled_from(asked);
    Ok(CustomerChange { changed: customer != *known, customer })
}

impl Customer {
    fn filled_from(self, asked: Self) -> Self {
        Self {
            customer_ref: self.customer_ref.or(asked.customer_ref),
            name: self.name.or(asked.name),
            phone: self.phone.or(asked.phone),
            company_name: self.company_name.or(asked.company_name),
            company_country: self.company_country.or(asked.company_country),
            currency: self.currency.or(asked.currency),
            customer_type: self.customer_type.or(asked.customer_type),
            tax_id: self.tax_id.or(asked.tax_id),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use storage::Record;

    use super::super::{CustomerFields, CustomerType};
    use super::*;

    const SELLER: SellerId = SellerId(1);

    fn request(email: &str) -> CustomerRequest {
        let fields = CustomerFields { email: email.to_owned(), ..CustomerFields::default() };
        fields.parse().expect("valid")
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    fn created(request: CustomerRequest) -> Customer {
        let change = merge(None, request, SELLER, CustomerId(7), at(0), None).expect("taken");
        assert!(change.changed);
        change.customer
    }

    #[test]
    fn only_what_is_missing_is_filled_in() {
        let first = created(CustomerRequest { name: Some("Ada".to_owned()), ..request("A@b.de") });
        let again = CustomerRequest {
            name: Some("Grace".to_owned()),
            phone: Some("+44 1".to_owned()),
            customer_type: Some(CustomerType::Company),
            ..request("a@B.de")
        };
        let change = merge(Some(&first), again.clone(), SELLER, CustomerId(8), at(9), None);
        let CustomerChange { customer, changed } = change.expect("taken");
        assert!(changed);
        assert_eq!((customer.id, customer.created_at), (first.id, first.created_at));
        assert_eq!((customer.email.as_str(), customer.name.as_deref()), ("A@b.de", Some("Ada")));
        assert_eq!(customer.phone.as_deref(), Some("+44 1"));

        let twice = merge(Some(&customer), again, SELLER, CustomerId(9), at(9), None);
        assert_eq!(twice, Ok(CustomerChange { customer: customer.clone(), changed: false }));
        assert_eq!(Customer::decode(1, &customer.encode()), Ok(customer));
    }

    #[test]
    fn a_reference_belongs_to_one_customer() {
        let with_ref =
            || CustomerRequest { customer_ref: Some("r1".to_owned()), ..request("a@b.de") };
        let bare = created(request("a@b.de"));
        let holder = created(with_ref());
        let other = Customer { customer_ref: Some("r2".to_owned()), ..bare.clone() };
        let (me, them) = (Some(CustomerId(7)), Some(CustomerId(3)));
        for (existing, ref_holder, expected) in [
            (None, None, Ok(Some("r1"))),
            (None, them, Err(CustomerRefusal::RefTaken)),
            (Some(&bare), None, Ok(Some("r1"))),
            (Some(&bare), them, Err(CustomerRefusal::RefTaken)),
            (Some(&holder), me, Ok(Some("r1"))),
            (Some(&other), None, Ok(Some("r2"))),
            (Some(&other), them, Err(CustomerRefusal::RefTaken)),
        ] {
            let answered = merge(existing, with_ref(), SELLER, CustomerId(7), at(0), ref_holder)
                .map(|change| change.customer.customer_ref);
            assert_eq!(answered, expected.map(|text| text.map(str::to_owned)));
        }
        let silent = merge(Some(&bare), request("a@b.de"), SELLER, CustomerId(7), at(0), them);
        assert!(silent.is_ok_and(|change| !change.changed));
    }
}
