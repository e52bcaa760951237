//! The page as a browser gets it.

use super::*;

#[test]
fn a_saved_card_is_removed_by_a_second_press_after_what_it_does_is_said() {
    let t = Words::english();
    let card = CardRow { id: 7, title: "Visa ending in 4242".to_owned(), may_remove: true };
    let page = PortalPage {
        t,
        seller: SellerView::new(t, "Nordlicht"),
        demo: false,
        title: "Your account".to_owned(),
        form_url: "/portal/x".to_owned(),
        invoices: Vec::new(),
        payments: Vec::new(),
        subscriptions: Vec::new(),
        usage: Vec::new(),
        cards: vec![card],
    };
    let page = page.render().expect("a page");
    let (before, _) = page.split_once("value=\"card\"").expect("a way to remove it");
    let (_, step) = before.rsplit_once("<details").expect("it opens first");
    assert!(!step.contains("</details>"), "{page}");
    for said in ["aria-label=\"Remove: Visa ending in 4242\"", "This cannot be undone."] {
        assert!(step.contains(said), "{said}: {step}");
    }
}
