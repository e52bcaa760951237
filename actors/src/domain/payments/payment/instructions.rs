//! What a buyer has to know to pay outside of our pages (payments 2.2).

/// `paymentInstructions`.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Instructions {
    /// `payment_reference`: what is typed in at the bank or the machine.
    #[n(0)]
    Reference {
        /// Five digits.
        #[n(0)]
        entity: String,
        /// Nine digits.
        #[n(1)]
        reference: String,
    },
    /// `app_notification`: the app on this number asks.
    #[n(1)]
    App {
        /// E.164.
        #[n(0)]
        phone: String,
    },
}
