//! Calls that begin payments and refund them.

use std::sync::Arc;

use hyper::StatusCode;

use super::Worker;
use crate::cli::load::mix::Operation;
use crate::cli::load::sales::Kind;

impl Worker {
    /// Begins a payment; gives whether it was answered as it must be.
    pub(super) async fn buy(&mut self, kind: Kind) -> bool {
        let shared = Arc::clone(&self.shared);
        let mark = self.mark();
        let (key, body) = (shared.sales.key(mark), shared.sales.initiation(kind, mark));
        let path = "/payments-api/v1/initialize-payment";
        let answer = self.post(path, Some(&key), body).await;
        let (operation, expected) = match kind {
            Kind::Paid => (Operation::Pay, &b"\"status\":\"provider_completed\""[..]),
            Kind::Waiting => (Operation::Initiate, &b"\"status\":\"provider_pending\""[..]),
        };
        let Ok((StatusCode::ACCEPTED, body)) = &answer else {
            if self.unsure(operation, &answer) {
                self.ledger.payments.unsure.push((kind, mark));
            }
            return false;
        };
        let good = body.windows(expected.len()).any(|window| window == expected);
        if !good {
            let body = String::from_utf8_lossy(body).into_owned();
            self.ledger.contradict(|| format!("payment {mark} was answered {body}"));
        }
        self.ledger.payments.begun.push((kind, mark));
        if kind == Kind::Paid && shared.mix.refunds() {
            self.refundable.push(mark);
        }
        good
    }

    /// Refunds a part of a payment of this worker's; when there is none left it makes one, which
    /// is no refund.
    pub(super) async fn refund(&mut self) -> bool {
        let Some(payment) = self.refundable.pop() else {
            self.buy(Kind::Paid).await;
            return false;
        };
        let shared = Arc::clone(&self.shared);
        let mark = self.mark();
        let (path, body) = shared.sales.refunding(payment);
        let answer = self.post(&path, Some(&shared.sales.key(mark)), body).await;
        if matches!(answer, Ok((StatusCode::ACCEPTED, _))) {
            self.ledger.payments.refunded.push(payment);
            return true;
        }
        if self.unsure(Operation::Refund, &answer) {
            self.ledger.payments.refunds_unsure.push((payment, mark));
        }
        false
    }
}
