//! The operator's switches: for all sellers, and for one.

use storage::CborRecord;

use crate::domain::names::names;

names! {
    /// What can be switched. The number is the place of its bit in rows.
    Switch;
    /// Ending trials, renewals, scheduled plan changes.
    0 LifecycleCron = "billing.subscription.lifecycle_cron",
    /// Closing usage periods into invoice lines.
    1 UsageClosePass = "billing.usage.close_pass",
    /// Turning due subscription terms into invoices.
    2 RecurringInvoicePass = "billing.recurring.invoice_pass",
    /// Putting closed usage lines on invoices.
    3 UsageInvoicePass = "billing.usage.invoice_pass",
    /// Putting unbilled proration on the term's invoice.
    4 ProrationBinding = "billing.proration.invoice_binding",
    /// Charging a saved card for a sent or overdue invoice.
    5 AutoCharge = "billing.invoice.auto_charge",
    /// Recurring charging through payment links.
    6 LinkRecurringBilling = "payment_links.recurring_billing",
    /// Stored-value credits.
    7 Credits = "billing.credits",
    /// Reminding buyers of invoices that are to be paid.
    8 Reminders = "billing.dunning.reminders",
}

impl Switch {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// What the operator has turned, for all sellers or for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Switches {
    #[n(0)]
    on: u32,
    #[n(1)]
    off: u32,
}

impl Switches {
    /// Whether the operator turned this switch on or off; `None` when it was never touched.
    pub fn turned(&self, switch: Switch) -> Option<bool> {
        if self.on & switch.bit() != 0 {
            Some(true)
        } else if self.off & switch.bit() != 0 {
            Some(false)
        } else {
            None
        }
    }

    #[must_use]
    pub fn with(self, switch: Switch, enabled: bool) -> Self {
        let bit = switch.bit();
        if enabled {
            Self { on: self.on | bit, off: self.off & !bit }
        } else {
            Self { on: self.on & !bit, off: self.off | bit }
        }
    }
}

/// Whether a switch is on for a seller: as turned for that seller, else as turned for all, else
/// on in a server started with `--demo` and off otherwise.
pub fn effective(global: &Switches, seller: &Switches, demo: bool, switch: Switch) -> bool {
    seller.turned(switch).or(global.turned(switch)).unwrap_or(demo)
}

impl CborRecord for Switches {}

#[cfg(test)]
mod tests {
    use storage::Record;

    use super::*;

    #[test]
    fn names_and_bits_belong_to_one_switch_each() {
        let mut bits = 0;
        for switch in Switch::ALL {
            assert_eq!(Switch::parse(switch.name()), Some(*switch));
            assert_eq!(bits & switch.bit(), 0, "{} shares a bit", switch.name());
            bits |= switch.bit();
        }
        assert_eq!(Switch::parse("billing.Credits"), None);
    }

    #[test]
    fn the_seller_stands_before_all_and_all_before_the_mode() {
        for (global, seller, demo, expected) in [
            (None, None, false, false),
            (None, None, true, true),
            (Some(true), None, false, true),
            (Some(false), None, true, false),
            (Some(true), Some(false), true, false),
            (Some(false), Some(true), false, true),
        ] {
            let turned = |state: Option<bool>| {
                state
                    .map_or(Switches::default(), |on| Switches::default().with(Switch::Credits, on))
            };
            let (global, seller) = (turned(global), turned(seller));
            assert_eq!(effective(&global, &seller, demo, Switch::Credits), expected);
            assert_eq!(effective(&global, &seller, demo, Switch::AutoCharge), demo);
        }
    }

    #[test]
    fn a_switch_turned_back_forgets_what_it_was() {
        let twice = Switches::default().with(Switch::Credits, true).with(Switch::Credits, false);
        assert_eq!(twice, Switches::default().with(Switch::Credits, false));
        assert_eq!(Switches::decode(1, &twice.encode()), Ok(twice));
    }
}
