//! Whom an invoice is made out to.

use crate::domain::billing::invoice::InvoiceRefusal;
use crate::domain::email::Email;

/// Declares the optional particulars once: field, name on the wire, longest text in characters.
macro_rules! particulars {
    ($($(#[$doc:meta])* $number:literal $field:ident = $name:literal, $longest:literal;)+) => {
        #[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
        pub struct BillTo {
            #[n(0)]
            pub email: Email,
            $($(#[$doc])* #[n($number)] pub $field: Option<String>,)+
        }

        /// The recipient as far as a request states it.
        #[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
        pub struct StatedBillTo {
            /// Where the invoice is to be sent; any text until [`check`](Self::check) passed.
            #[n(0)]
            pub email: Option<String>,
            $($(#[$doc])* #[n($number)] pub $field: Option<String>,)+
        }

        impl StatedBillTo {
            pub const LONGEST: &[(&str, usize)] = &[$(($name, $longest)),+];

            pub fn check(&self) -> Result<(), InvoiceRefusal> {
                if self.email.as_deref().is_some_and(|email| Email::parse(email).is_none()) {
                    return Err(InvoiceRefusal::EmailMalformed);
                }
                $(
                    if self.$field.as_ref().is_some_and(|text| text.chars().count() > $longest) {
                        return Err(InvoiceRefusal::TooLong { field: $name, longest: $longest });
                    }
                )+
                Ok(())
            }

            /// What is printed: what the request states, the rest from what is known of the
            /// customer. A blank particular counts as not stated.
            pub fn over(&self, known: &BillTo) -> BillTo {
                BillTo {
                    email: self.email.as_deref().and_then(Email::parse)
                        .unwrap_or_else(|| known.email.clone()),
                    $($field: stated(&self.$field).or(known.$field.as_ref()).cloned(),)+
                }
            }

            /// The first particular stated in either request that is printed differently.
            pub fn first_difference(
                (a, printed_a): (&Self, &BillTo),
                (b, printed_b): (&Self, &BillTo),
            ) -> Option<&'static str> {
                if (a.email.is_some() || b.email.is_some()) && printed_a.email != printed_b.email {
                    return Some("billTo.email");
                }
                $(
                    let is_stated = stated(&a.$field).is_some() || stated(&b.$field).is_some();
                    if is_stated && printed_a.$field != printed_b.$field {
                        return Some($name);
                    }
                )+
                None
            }
        }

        impl BillTo {
    /// The country whose tax a document to it falls under, as it was written.
    pub fn tax_country(&self) -> Option<&str> {
        self.country.as_deref().or(self.company_country.as_deref())
    }
}

impl From<Email> for BillTo {
            fn from(email: Email) -> Self {
                Self { email, $($field: None),+ }
            }
        }
    };
}

particulars! {
    1 name = "billTo.name", 128;
    2 phone = "billTo.phone", 32;
    3 company_name = "billTo.companyName", 255;
    4 company_country = "billTo.companyCountry", 56;
    5 tax_id = "billTo.taxId", 64;
    6 address_line1 = "billTo.addressLine1", 255;
    7 address_line2 = "billTo.addressLine2", 255;
    8 city = "billTo.city", 128;
    9 postal_code = "billTo.postalCode", 32;
    10 country = "billTo.country", 56;
}

fn stated(text: &Option<String>) -> Option<&String> {
    text.as_ref().filter(|text| !text.trim().is_empty())
}
