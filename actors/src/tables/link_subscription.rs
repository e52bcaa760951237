//! Rows of the room of a subscription by payment link.

use storage::Table;

use crate::domain::ids::{LinkSubscriptionId, SellerId};
use crate::domain::payments::link_subscription::{
    LinkCharge, LinkSubscription, LinkSubscriptionHome,
};
use crate::link_tokens::LinkHash;

pub const LINK_SUBSCRIPTIONS: Table<(SellerId, LinkSubscriptionId), LinkSubscription> =
    Table::new(214, "link subscriptions");
/// The same by what stands for their token.
pub const LINK_SUBSCRIPTION_PAGES: Table<LinkHash, LinkSubscriptionHome> =
    Table::new(215, "pages of link subscriptions");
/// The payments of its paid terms.
pub const LINK_SUBSCRIPTION_CHARGES: Table<(SellerId, LinkSubscriptionId, u32), LinkCharge> =
    Table::new(216, "charges of link subscriptions");
