//! However much a document has, each of its pages is written on between its margins.

use actors::domain::billing::invoice::{AppliedCredit, ProrationBreakdown, ProrationLeg};
use actors::domain::billing::subscription::ProrationPart;
use actors::domain::ids::ProrationId;
use actors::domain::quantity::Quantity;

use super::*;
use crate::documents::figures;
use crate::documents::pdf::sheet::{BOTTOM, HEIGHT, LEFT, RIGHT};

/// Where the rule above the foot is.
const FOOT: i32 = HEIGHT - 5_700;

fn assert_within_margins(document: &Document) {
    for (place, page) in (1..).zip(&lay_out(document).pages) {
        for mark in &page.marks {
            match mark {
                Mark::Text { left, base, text, .. } => {
                    let foot = text.style.size == 720;
                    assert!(*left >= LEFT && left + text.width <= RIGHT + 10, "{text:?}");
                    assert!(foot || *base <= BOTTOM, "{} at {base} of {place}", text.text);
                }
                Mark::Filled(area, _) | Mark::Squares { area, .. } => {
                    let end = area.top + area.height;
                    assert!(end <= BOTTOM || area.top == FOOT, "{mark:?} on page {place}");
                }
                Mark::Link(..) => {}
            }
        }
    }
}

/// Lines at a rate each.
fn rates(count: usize) -> Vec<Value> {
    let of_rate = |n: usize| {
        let mut line = line(&format!("Service {n}"), "1", 100_000);
        line["taxRate"] = json!(format!("19.{n:03}"));
        line
    };
    (1..=count).map(of_rate).collect()
}

/// For every length of a document, its last page is as full as it can get at some of them.
#[test]
fn nothing_is_drawn_outside_the_margins_however_many_lines_there_are() {
    for count in 1..30 {
        let memo = "A word of thanks. ".repeat(count % 7);
        let lines: Vec<Value> =
            (0..count).map(|n| line(&"Wörter ".repeat(n % 20 + 1), "1", 99)).collect();
        assert_within_margins(&document(&lines, &json!({"memo": memo})));
    }
}

#[test]
fn nor_where_a_rate_is_told_of_in_several_lines() {
    // The last page is full to each line: the first description has up to two more.
    for (count, more) in (2..20).flat_map(|count| [(count, 0), (count, 1), (count, 2)]) {
        let mut lines: Vec<Value> = (0..count).map(|_| line("Wörter", "1", 100_000_000)).collect();
        for line in &mut lines {
            (line["taxRate"], line["taxCategory"]) = (json!("0"), json!("O"));
        }
        lines[0]["description"] = json!("Wörter ".repeat(5 * more + 1));
        lines[0]["discountMinor"] = json!(100);
        let invoice = document(&lines, &json!({}));
        assert_within_margins(&invoice);
        let pages = lay_out(&invoice).pages;
        let told: Vec<&str> =
            pages.iter().flat_map(texts).filter(|text| text.starts_with("VAT 0% on ")).collect();
        assert!(matches!(told[..], [part] if !part.ends_with("VAT)")), "{told:?}");
    }
}

#[test]
fn totals_by_rate_take_as_many_pages_as_they_need_and_the_sum_is_on_the_last() {
    for count in [30, 35, 36, 40, 47, 60, 100] {
        let invoice = document(&rates(count), &json!({"memo": "Thank you."}));
        assert_within_margins(&invoice);
        let pages = lay_out(&invoice).pages;
        let all: Vec<&str> = pages.iter().flat_map(texts).collect();
        let told = all.iter().filter(|text| text.starts_with("VAT ") && text.contains("% on "));
        assert_eq!(told.count(), count);
        let total = figures::price(invoice.invoice.totals.grand_total_minor, EUR);
        let at = all.iter().rposition(|text| *text == "Total").expect("the sum");
        assert_eq!(all[at + 1], total);
        assert!(all[at..].contains(&"Thank you."));
        // How to pay stands beside where they begin.
        let begins = pages.iter().skip(1).map(texts).find(|texts| texts.contains(&"Subtotal"));
        assert!(begins.expect("totals").contains(&"Pay online"), "{count}");
    }
}

#[test]
fn a_line_that_is_higher_than_a_page_goes_on_on_the_next() {
    let mut invoice = document(
        &[line("Onboarding", "1", 50_000), line("Seats", "5", 1_000), line("Care", "1", 99)],
        &json!({}),
    );
    let legs = ProrationLeg { price_minor: 1_000, quantity: Quantity::ONE, amount_minor: 10 };
    let breakdown = ProrationBreakdown {
        proration: ProrationId(1),
        part: ProrationPart::Net,
        days: 10,
        term_days: 30,
        credit: legs.clone(),
        charge: legs,
        earlier_minor: 0,
        left_minor: 0,
    };
    let credit = |n: usize| AppliedCredit {
        breakdown: breakdown.clone(),
        amount_minor: 1,
        description: format!("Note{n} {}", "A plan with a long name ".repeat(5)),
    };
    invoice.lines[1].credits = (10..34).map(credit).collect();
    assert_within_margins(&invoice);
    let pages = lay_out(&invoice).pages;
    let (first, second) = (texts(&pages[0]), texts(&pages[1]));
    assert!(!first.contains(&"Seats") && second.contains(&"Seats"));
    let all: Vec<&str> = pages.iter().flat_map(texts).collect();
    let words = all.iter().filter_map(|text| text.split(' ').next());
    let notes: Vec<&str> = words.filter(|word| word.starts_with("Note")).collect();
    let expected: Vec<String> = (10..34).map(|n| format!("Note{n}")).collect();
    assert_eq!(notes, expected);
    // The line's amount stands where it begins, and is in what that page carries forward.
    let behind = all.windows(2).filter(|pair| pair[0] == "Carried forward").map(|pair| pair[1]);
    assert_eq!(behind.take(2).collect::<Vec<_>>(), ["500.00", "550.00"]);
    assert!(!texts(&pages[2]).contains(&"50.00") && texts(&pages[2]).contains(&"Care"));
}

#[test]
fn the_longest_figures_find_room() {
    let price = 1_000_000_000_000;
    let mut most = line("Most", "499.999999999", price);
    most["discountMinor"] = json!(price);
    assert_within_margins(&document(&[most, line("Least", "0.000000001", 1)], &json!({})));
}
