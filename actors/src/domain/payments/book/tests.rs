//! Random movements of a wallet, held against a referee that only knows what happened.

use proptest::prelude::*;

use super::*;
use crate::domain::ids::{PayeeId, SellerId, WalletId};
use crate::domain::money::Currency;
use crate::domain::payments::pool::overlap;

fn empty() -> Wallet {
    Wallet::empty(WalletId(1), SellerId(1), Some(PayeeId(1)), Currency::EUR)
}

fn news(what: ShareMove, payment: u64, amount_minor: i64) -> ShareNews<'static> {
    let at = Timestamp::from_micros(0);
    ShareNews { what, payment: PaymentId(payment), reference: "order", amount_minor, at }
}

fn balances(wallet: &Wallet) -> (i64, i64, i64) {
    (wallet.pending_minor, wallet.available_minor, wallet.reserved_minor)
}

#[test]
fn a_share_is_pending_then_available_and_goes_back_from_where_it_is() {
    use ShareMove::{Credited, Settled, TakenBack};
    // One line is one piece of news: what it is, its amount, and the balances after it.
    let table = [
        (1, Credited, 100, (100, 0, 0)),
        (1, TakenBack, 30, (70, 0, 0)),
        (1, Settled, 1, (0, 70, 0)),
        (1, Settled, 70, (0, 70, 0)),
        (1, TakenBack, 80, (0, -10, 0)),
        (2, Credited, 50, (50, -10, 0)),
        (2, Settled, 50, (0, 40, 0)),
        // In any order: settled and refunded before it came.
        (3, Settled, 20, (0, 40, 0)),
        (3, TakenBack, 5, (0, 35, 0)),
        (3, Credited, 20, (0, 55, 0)),
    ];
    let (mut wallet, mut shares) = (empty(), std::collections::BTreeMap::new());
    for (line, (payment, what, amount, expected)) in table.into_iter().enumerate() {
        let change = share_moved(&wallet, shares.get(&payment), &news(what, payment, amount));
        let change = change.expect("room");
        shares.insert(payment, change.share);
        if let Some(movement) = change.movement {
            assert_eq!(movement.postings.iter().map(|one| one.amount_minor).sum::<i64>(), 0);
            wallet = movement.wallet;
        }
        assert_eq!(balances(&wallet), expected, "line {line}");
        assert_eq!(wallet.pool.as_ref().map_or(0, Pool::balance), wallet.available_minor);
    }
}

#[test]
fn no_balance_runs_over() {
    let huge = 1 << 61;
    let first = share_moved(&empty(), None, &news(ShareMove::Credited, 1, huge)).expect("room");
    let wallet = first.movement.expect("moved").wallet;
    let second = share_moved(&wallet, None, &news(ShareMove::Credited, 2, 1));
    assert_eq!(second, Err(WalletFull));
}

#[derive(Clone, Debug)]
enum Step {
    Share(u64, ShareMove, i64),
    Deposit(i64),
    Reserve(i64),
    Complete(usize),
    Release(usize),
    Return(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let what = prop_oneof![
        3 => Just(ShareMove::Credited),
        3 => Just(ShareMove::Settled),
        2 => Just(ShareMove::TakenBack),
    ];
    let step = prop_oneof![
        5 => (0_u64..6, what, 1_i64..500).prop_map(|(p, what, minor)| Step::Share(p, what, minor)),
        1 => (1_i64..300).prop_map(Step::Deposit),
        3 => (1_i64..600).prop_map(Step::Reserve),
        2 => any::<usize>().prop_map(Step::Complete),
        1 => any::<usize>().prop_map(Step::Release),
        1 => any::<usize>().prop_map(Step::Return),
    ];
    proptest::collection::vec(step, 1..80)
}

/// What happened, in its own words.
#[derive(Default)]
struct Referee {
    /// Of each payment: what came, what went back, whether it settled.
    payments: std::collections::BTreeMap<u64, (i64, i64, bool)>,
    deposited: i64,
    /// The places of deposits in the wallet's line.
    of_nobody: Vec<Span>,
    open: Vec<(i64, Vec<Span>)>,
    sent: Vec<(i64, Vec<Span>)>,
}

impl Referee {
    /// Pending, available, reserved, sent.
    fn balances(&self) -> (i64, i64, i64, i64) {
        let net = |wanted: bool| -> i64 {
            let of = self.payments.values().filter(|(_, _, settled)| *settled == wanted);
            of.map(|(came, went, _)| came - went).sum()
        };
        let reserved: i64 = self.open.iter().map(|(amount, _)| amount).sum();
        let sent: i64 = self.sent.iter().map(|(amount, _)| amount).sum();
        (net(false), net(true) + self.deposited - reserved - sent, reserved, sent)
    }
}

fn pick<T>(list: &mut Vec<T>, which: usize) -> Option<T> {
    let count = list.len();
    (count > 0).then(|| list.swap_remove(which % count))
}

proptest! {
    /// Postings sum to zero, balances are the sums of postings, money in is money out, and every
    /// unit of a payout is of one payment or was deposited.
    #[test]
    fn money_in_is_money_out(steps in steps()) {
        let (mut wallet, mut entries) = (empty(), Vec::new());
        let mut shares: std::collections::BTreeMap<u64, Share> = Default::default();
        let mut referee = Referee::default();
        for step in steps {
            let movement = match step {
                Step::Share(payment, what, amount) => {
                    let seen = referee.payments.entry(payment).or_default();
                    match what {
                        ShareMove::Credited => seen.0 += amount,
                        ShareMove::Settled => seen.2 = true,
                        ShareMove::TakenBack => seen.1 += amount,
                    }
                    let news = news(what, payment, amount);
                    let change = share_moved(&wallet, shares.get(&payment), &news).expect("room");
                    shares.insert(payment, change.share);
                    change.movement
                }
                Step::Deposit(amount) => {
                    let of_shares = shares.values().flat_map(|share| &share.spans);
                    let end = of_shares.chain(&referee.of_nobody).map(|span| span.to).max();
                    let from = end.unwrap_or(0);
                    referee.of_nobody.push(Span { from, to: from + amount.unsigned_abs() });
                    referee.deposited += amount;
                    deposited(&wallet, amount).expect("room")
                }
                Step::Reserve(amount) if amount <= wallet.available_minor => {
                    let (movement, spans) = reserve(&wallet, amount).expect("room");
                    let whole: u64 = spans.iter().map(|span| span.len()).sum();
                    prop_assert_eq!(whole, amount.unsigned_abs());
                    referee.open.push((amount, spans));
                    Some(movement)
                }
                Step::Complete(which) => match pick(&mut referee.open, which) {
                    Some((amount, spans)) => {
                        referee.sent.push((amount, spans));
                        complete(&wallet, amount).expect("room")
                    }
                    None => None,
                },
                Step::Release(which) => match pick(&mut referee.open, which) {
                    Some((amount, spans)) => release(&wallet, amount, &spans).expect("room"),
                    None => None,
                },
                Step::Return(which) => match pick(&mut referee.sent, which) {
                    Some((amount, spans)) => returned(&wallet, amount, &spans).expect("room"),
                    None => None,
                },
                Step::Reserve(_) => None,
            };
            if let Some(movement) = movement {
                let at = Timestamp::from_micros(0);
                let before = wallet.last_link;
                let (posted, entry) = movement.post(PostingId(1), at, Mover::Deposit("any"));
                prop_assert_eq!(posted.last_link, entry.link);
                prop_assert_eq!(entry.link, Some(entry.link(before.as_ref())));
                prop_assert_eq!(entry.sum(), 0);
                prop_assert!(entry.postings.iter().all(|posting| posting.amount_minor != 0));
                entries.push(entry);
                wallet = posted;
            }
            let on = |account| entries.iter().map(|entry| entry.amount_to(account)).sum::<i64>();
            let (pending, available, reserved, sent) = referee.balances();
            prop_assert_eq!(balances(&wallet), (pending, available, reserved));
            prop_assert_eq!(balances(&wallet), (
                on(Account::Pending), on(Account::Available), on(Account::Reserved),
            ));
            prop_assert_eq!(on(Account::Bank), sent);
            prop_assert_eq!(-on(Account::Clearing), pending + available + reserved + sent);
            prop_assert_eq!(wallet.pool.as_ref().map_or(0, Pool::balance), available);
            for (amount, spans) in referee.open.iter().chain(&referee.sent) {
                let parts = shares.values().map(|share| overlap(spans, &share.spans));
                let parts = parts.sum::<u64>() + overlap(spans, &referee.of_nobody);
                prop_assert_eq!(parts, amount.unsigned_abs());
            }
        }
    }
}
