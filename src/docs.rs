//! What the API document says before and between its operations: the first five minutes, and what
//! each of its parts is about, in the order in which a seller needs them. A test sends every body
//! in these texts, one after the other, and compares the answers.

pub(crate) const BEGIN: &str = include_str!("docs/begin.md");

/// Headings in their groups; [`crate::routes`] says which routes stand under which.
pub(crate) const PARTS: &[(&str, &[(&str, &str)])] = &[
    (
        "Billing",
        &[
            ("Sandbox", include_str!("docs/sandbox.md")),
            ("Customers", include_str!("docs/customers.md")),
            ("Contracts", include_str!("docs/contracts.md")),
            ("Subscriptions", include_str!("docs/subscriptions.md")),
            ("Test clock", include_str!("docs/test-clock.md")),
            ("Invoices", include_str!("docs/invoices.md")),
            ("Credits", include_str!("docs/credits.md")),
            ("Tax", include_str!("docs/tax.md")),
        ],
    ),
    (
        "Metering",
        &[
            ("Metrics", include_str!("docs/metrics.md")),
            ("Prices", include_str!("docs/prices.md")),
            ("Metering", include_str!("docs/metering.md")),
            ("Uploads", include_str!("docs/uploads.md")),
            ("Inbound endpoints", include_str!("docs/inbound-endpoints.md")),
            ("Dead letters", include_str!("docs/dead-letters.md")),
        ],
    ),
    (
        "Payments",
        &[
            ("Payments", include_str!("docs/payments.md")),
            ("Checkout", include_str!("docs/checkout.md")),
            ("Device intelligence", include_str!("docs/device.md")),
            ("Payees", include_str!("docs/payees.md")),
            ("Vendors", include_str!("docs/vendors.md")),
            ("Wallets", include_str!("docs/wallets.md")),
            ("Payouts", include_str!("docs/payouts.md")),
            ("Top-ups", include_str!("docs/top-ups.md")),
        ],
    ),
    (
        "Events",
        &[
            ("Webhooks", include_str!("docs/webhooks.md")),
            ("Events", include_str!("docs/events.md")),
        ],
    ),
    (
        "Around it",
        &[
            ("Dashboard", include_str!("docs/dashboard.md")),
            ("Back office", include_str!("docs/back-office.md")),
            ("Operations", include_str!("docs/operations.md")),
            ("Pages", include_str!("docs/pages.md")),
        ],
    ),
];
