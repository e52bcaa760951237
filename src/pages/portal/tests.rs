//! The page as a browser gets it.

use super::*;

fn page(subscriptions: Vec<SubscriptionRow>, cards: Vec<CardRow>) -> String {
    let t = Words::english();
    let page = PortalPage {
        t,
        seller: SellerView::new(t, "Nordlicht"),
        demo: false,
        title: "Your account".to_owned(),
        form_url: "/portal/x".to_owned(),
        invoices: Vec::new(),
        payments: Vec::new(),
        subscriptions,
        usage: Vec::new(),
        cards,
    };
    page.render().expect("a page")
}

#[test]
fn a_saved_card_is_removed_by_a_second_press_after_what_it_does_is_said() {
    let card = CardRow { id: 7, title: "Visa ending in 4242".to_owned(), may_remove: true };
    let page = page(Vec::new(), vec![card]);
    let (before, _) = page.split_once("value=\"card\"").expect("a way to remove it");
    let (_, step) = before.rsplit_once("<details").expect("it opens first");
    assert!(!step.contains("</details>"), "{page}");
    for said in ["aria-label=\"Remove: Visa ending in 4242\"", "This cannot be undone."] {
        assert!(step.contains(said), "{said}: {step}");
    }
}

#[test]
fn what_can_be_done_about_a_subscription_stands_together_and_its_end_is_not_the_main_of_it() {
    let row = |may| SubscriptionRow {
        id: 7,
        title: "Coffee".to_owned(),
        price: "€19.00 a month".to_owned(),
        state: Words::english().state_paused,
        until: None,
        may_cancel: may,
        may_resume: may,
        may_keep: false,
    };
    let shown = page(vec![row(true)], Vec::new());
    let (_, acts) = shown.split_once("class=\"line-acts\"").expect("something to do");
    let (acts, _) = acts.split_once("</div>").expect("an end");
    for said in [
        "class=\"button\" type=\"submit\" aria-label=\"Resume: Coffee\"",
        "class=\"button plain\" type=\"submit\" aria-label=\"Cancel: Coffee\"",
    ] {
        assert!(acts.contains(said), "{said}: {acts}");
    }
    assert!(!page(vec![row(false)], Vec::new()).contains("line-acts"));
}
