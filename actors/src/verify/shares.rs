//! Shares of payments against the ledgers of the wallets that hold them.
//!
//! A wallet may have a million shares, which lie by payment, and its ledger lies by time. Both are
//! added up under the hash of each payment: sums that agree are of shares that agree, payment by
//! payment. Only where they do not, the payments of that wallet are compared one by one.

use std::collections::BTreeMap;

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{At, Found, Run};
use crate::domain::ids::{PaymentId, SellerId, WalletId};
use crate::domain::payments::ledger::{Account, Entry};
use crate::domain::payments::share::Share;
use crate::tables::{PAYMENTS, POSTINGS, SHARES, WALLETS};

/// Of some payments of a wallet: the sums of what is pending and available, each times a number
/// that is the payment's.
type Sums = (i128, i128);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    run.each(SHARES, Scan::prefix(&(seller,)), |reading, key, share, found| {
        found.same("share under its own key", key.1, share.payment);
        found.names(reading, WALLETS, &(key.0, key.2))?;
        let known = reading.get(PAYMENTS, &(key.0, key.1))?;
        let reference = known.map(|known| known.reference);
        found.same("payment of a share", Some(&share.reference), reference.as_ref());
        Ok(())
    })?;
    let mut sums: BTreeMap<WalletId, Sums> = BTreeMap::new();
    for row in run.reading.scan(SHARES, Scan::prefix(&(seller,))) {
        let Ok(((_, payment, wallet), share)) = row else { continue };
        let (pending, available) = share.standing();
        add(sums.entry(wallet).or_default(), payment, pending, available);
    }
    for wallet in run.reading.scan(WALLETS, Scan::prefix(&(seller,))).keys() {
        let Ok(key) = wallet else { continue };
        let mut replayed = Sums::default();
        for row in run.reading.scan(POSTINGS, Scan::prefix(&key)) {
            let Ok((_, entry)) = row else { continue };
            let Some((payment, pending, available)) = moved(&entry) else { continue };
            add(&mut replayed, payment, pending, available);
        }
        if sums.remove(&key.1).unwrap_or_default() != replayed {
            run.settle(&At::new(WALLETS, &key), |reading, found, _| compare(reading, key, found))?;
        }
    }
    Ok(())
}

fn add(sums: &mut Sums, payment: PaymentId, pending: i64, available: i64) {
    // A multiplier of its own for each payment, which no few others add up to.
    let number = payment.0.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
    let number = i128::from(number.wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1);
    sums.0 = sums.0.wrapping_add(number.wrapping_mul(i128::from(pending)));
    sums.1 = sums.1.wrapping_add(number.wrapping_mul(i128::from(available)));
}

/// What an entry moves of a payment on the accounts of the wallet.
fn moved(entry: &Entry) -> Option<(PaymentId, i64, i64)> {
    let of = |account| entry.amount_to(account);
    Some((entry.payment?, of(Account::Pending), of(Account::Available)))
}

fn compare(
    reading: &Reading,
    (seller, wallet): (SellerId, WalletId),
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let mut replayed: BTreeMap<PaymentId, (i64, i64)> = BTreeMap::new();
    for row in reading.scan(POSTINGS, Scan::prefix(&(seller, wallet))) {
        let Some((payment, pending, available)) = moved(&row?.1) else { continue };
        let sums = replayed.entry(payment).or_default();
        *sums = (sums.0 + pending, sums.1 + available);
    }
    for row in reading.scan(SHARES, Scan::prefix(&(seller,))) {
        let ((_, payment, of), share) = row?;
        if of == wallet {
            let ledger = replayed.remove(&payment).unwrap_or_default();
            said(payment, ledger, share.standing(), found);
        }
    }
    for (payment, ledger) in replayed {
        said(payment, ledger, Share::new(payment, "").standing(), found);
    }
    Ok(())
}

fn said(payment: PaymentId, ledger: (i64, i64), share: (i64, i64), found: &mut Found<'_>) {
    if ledger != share {
        found.wrong_of("share by the ledger of its wallet", &payment, &ledger, &share);
    }
}
