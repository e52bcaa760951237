//! The words that each language has, read from its file.
//!
//! A line of a file is `key = text`. `{name}` stands for what comes in at that place, `~` for a
//! space at which no line breaks.

use std::collections::BTreeMap;
use std::fmt;

macro_rules! words {
    ($($key:ident),+ $(,)?) => {
        /// What a language says under each key.
        pub struct Words {
            $(pub(in crate::pages) $key: &'static str,)+
        }

        impl Words {
            /// Reads a file that says each key once and no other.
            pub(super) fn parse(file: &str) -> Result<Self, String> {
                let mut said = read(file)?;
                let mut take = |key: &str| said.remove(key).ok_or(format!("{key} is missing"));
                let words = Self { $($key: take(stringify!($key))?,)+ };
                said.keys().next().map_or(Ok(words), |key| Err(format!("{key} is no key")))
            }

            #[cfg(test)]
            pub(super) fn each(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($key), self.$key)),+]
            }
        }
    };
}

words! {
    tag, decimal, group, group_from, with_symbol, with_code, own_currency,
    months, months_short, day, day_short, day_short_year, instant,
    skip, powered_by, demo_mode, demo_no_money, demo_test_card, error_prefix,
    pay_title, pay_button, paying, pay_by_card, check_card, one_step_left, bank_asks,
    continue_to_bank, or_other_card, not_stored, save_card, save_card_note,
    amount_due, left_to_pay, invoice, due, what_for, quantity, subtotal, discount, tax,
    credit_used, already_settled, seller,
    card_number, expiry_date, expiry_placeholder,
    security_code, name_on_card, optional, country, post_code, more_details,
    test_cards, test_cards_note, test_approved, test_asks_bank, test_declined, test_times_out,
    test_declined_later, test_times_out_later,
    number_missing, number_shape, number_checksum, exp_month, exp_year, cvv, holder_long,
    holder_characters, country_letters, zip_long, expired_field,
    card_expired, card_expired_text, declined, declined_text, not_accepted, other_card_or_seller,
    bank_unreachable, try_in_a_moment, address_mismatch, confirm_wanted, confirm_wanted_text,
    taken_back, taken_back_text, did_not_go_through, contact_seller, not_approved,
    not_approved_text, reference_unpaid, reference_unpaid_text,
    method_card, card_ending, phone_ending,
    to_pay, order, check_form, how_to_pay, pay_with, no_methods, mobile_number, one_moment, leave,
    choose_method, enter_phone, not_finished, not_finished_text, note_goes_on, note_app,
    note_reference,
    pay_reference, approve_in_app, being_processed, reference_text, reference_text_until,
    app_text, other_window_bank, other_window_method, updates_itself, checking_card,
    checking_card_text, entity, reference, amount,
    currency, demo_pay_reference, demo_open_app, continue_to, other_way, copy_it, copied,
    payment_received, payment_received_text, paid_on, paid_with, refunded, refunded_part, print_it,
    try_again, cancelled,
    nothing_charged, going_back, going_back_text, went_back, went_back_text, nothing_left,
    nothing_left_text, back_to_payment, invoice_closed, invoice_closed_text, page_closed,
    page_closed_text, come_back_later, come_back_later_text, pay_again_from, wait_a_moment,
    wait_a_moment_text, please_try_again, busy_text, link_nowhere, link_nowhere_text,
    invalid_link, invalid_link_text, form_wrong, form_wrong_text, too_long, too_long_text,
    look_again, checkout_over, checkout_over_text, back_to_seller,
    confirm_title, confirm_heading, approve_payment, simulated, demo_bank, app_note, app_heading,
    approve_app, machine_note, machine_heading, approve_reference, stands_for_bank,
    stands_for_method, stands_for_app, stands_for_machine, to, phone, closed_here, decline,
    cancel_back, answer_please, part_of_demo,
    verify, verify_text, verifying, verifying_text, under_review, under_review_text, verified,
    verified_text, verification_closed, verification_closed_text, vendor, marketplace,
    start_verification, demo_verification,
    promo_code, promo_apply, promo_wrong, promo_over, amount_changed, link_closed, link_closed_text,
    portal_title, portal_valid, portal_over, portal_over_text,
    invoices, payments, subscriptions, usage_so_far, saved_cards,
    none_yet, open_pdf, pay_now, cancel_it, resume_it, keep_it, remove_it, remove_it_text,
    remove_now, seat_days, ends_on, renews_on, resumes_on, state_open, state_paid, state_overdue,
    state_voided, state_closed, state_credit_note,
    state_scheduled, state_trial, state_active, state_past_due, state_paused, state_ended, per_week, per_month,
    per_quarter, per_half_year, per_year,
    free_days, free_day, first_charge_on, in_instalments, in_one_instalment, at_least_terms,
    at_least_one_term, consent, consent_note,
    consent_missing, subscribe, next_charge, charge_failed, term_overdue, subscription_ended,
    subscription_ended_text, cannot_cancel_yet, cannot_cancel_before_one, cancel_subscription,
    cancel_subscription_text, cancel_now,
}

fn read(file: &str) -> Result<BTreeMap<&str, &'static str>, String> {
    let mut said = BTreeMap::new();
    for line in file.lines().filter(|line| !line.is_empty()) {
        let (key, text) = line.split_once(" = ").ok_or_else(|| format!("no key in {line}"))?;
        // They are read once, and kept as long as the program runs.
        let text: &'static str = text.replace('~', "\u{a0}").leak();
        if said.insert(key, text).is_some() {
            return Err(format!("{key} is said twice"));
        }
    }
    Ok(said)
}

/// `text` with what comes in at the places of these names. What comes in stays as it is.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, (name, behind))) =
        rest.split_once('{').and_then(|(before, from)| Some((before, from.split_once('}')?)))
    {
        out.push_str(before);
        let value = values.iter().find(|(known, _)| *known == name);
        out.push_str(value.map_or("", |(_, value)| value));
        rest = behind;
    }
    out.push_str(rest);
    out
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Words({})", self.tag)
    }
}
