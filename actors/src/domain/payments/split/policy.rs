use crate::domain::names::names;

names! {
    AllocationType;
    0 PercentBps = "percent_bps",
    1 FixedMinor = "fixed_minor",
    2 Mixed = "mixed",
}

names! {
    /// How the lines of a rule share the amount.
    #[derive(Default)]
    AllocationMode;
    /// Each line says what it gets; what is left is the remainder.
    #[default]
    0 Absolute = "absolute",
    /// The whole amount is shared in proportion to what the lines say.
    1 Weight = "weight",
}

names! {
    /// Which amount is shared. Accrue takes nothing off a payment, so both are its amount.
    #[derive(Default)]
    AmountBase;
    #[default]
    0 GrossPayment = "gross_payment",
    1 NetSettled = "net_settled",
}

names! {
    /// What happens when the lines come to more than the amount.
    #[derive(Default)]
    OverAllocationPolicy;
    /// All are made smaller in proportion.
    #[default]
    0 ScaleDown = "scale_down",
    /// The first in order of priority get theirs while it lasts.
    1 ByPriority = "by_priority",
}

names! {
    #[derive(Default)]
    RemainderPolicy;
    #[default]
    0 Seller = "seller",
    /// That of the last payee in order of priority.
    1 LastPayee = "last_payee",
}
