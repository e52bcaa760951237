//! Charges of saved cards, with nobody there who would try again.

use storage::Scan;

use super::house::{House, SELLER};
use super::orders::{direct, order, whole};
use super::processor::{Behavior, TestProcessor};
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::{LinkSubscriptionId, MailId, SavedCardId, TerminalId};
use crate::domain::payments::card::{Brand, CardSummary, Expiry};
use crate::domain::payments::link_subscription::{LinkSubscription, NewLinkSubscription};
use crate::domain::payments::saved_card::{CardToken, SavedCard, SavedCharge};
use crate::domain::payments::terminal::Connector;
use crate::kernel::AskError;
use crate::payment::{CardOrder, SubscriptionCharge};
use crate::tables::PAYMENTS;

/// A card that the processor of the terminal keeps.
fn kept(house: &House) -> SavedCard {
    let (id, token) = (SavedCardId(1), CardToken::new("kept".to_owned()));
    SavedCard {
        id,
        customer: None,
        card: CardSummary {
            brand: Brand::Visa,
            first6: "424242".to_owned(),
            last4: "4242".to_owned(),
            expiry: Expiry { year: 2030, month: 12 },
        },
        token: house.payments.tools().processors.seal_card(SELLER, id, &token),
        terminal: Some(TerminalId(1)),
        connector: Some(Connector::Simulator),
        demo: true,
        created_at: house.clock.now(),
    }
}

fn subscription(house: &House) -> LinkSubscription {
    let new = NewLinkSubscription {
        title: "Coffee".to_owned(),
        amount: whole(),
        frequency: Frequency::Monthly,
        trial_days: None,
        installments: None,
        commitment_terms: None,
        recipient: None,
    };
    let of = (SELLER, LinkSubscriptionId(7), MailId(8));
    let made = LinkSubscription::create(new, of, "drawn".to_owned(), house.clock.now());
    made.expect("a subscription").subscription
}

#[tokio::test(flavor = "multi_thread")]
async fn no_charge_begins_while_the_processor_is_left_alone() {
    let house = House::impatient(TestProcessor::new(Behavior::HangsBefore)).await;
    for nth in 0..5 {
        house.initiate(direct(&format!("order {nth}"))).await;
    }
    let charge = SavedCharge { attempt: 1, card: SavedCardId(1) };
    let of_invoice = CardOrder { invoice: order(1), charge, card: Some(kept(&house)) };
    let charged = house.payments.charge_saved_card(of_invoice).await;
    assert_eq!(charged.err(), Some(AskError::Busy));
    let (subscription, card) = (subscription(&house), kept(&house));
    let of_term = SubscriptionCharge { subscription, charge, card };
    let charged = house.payments.charge_subscription(of_term).await;
    assert_eq!(charged.err(), Some(AskError::Busy));
    assert_eq!(house.store.scan(PAYMENTS, Scan::all()).count(), 5, "nothing is written down");
}
