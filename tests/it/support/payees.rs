//! Money of payees: what payments bring to their wallets, without the payments.

use actors::domain::ids::{MessageId, PayeeId, PaymentId, SellerId};
use actors::domain::messages::{Envelope, PayeeMessage, ShareNotice};
use actors::domain::money::{Currency, Money};
use actors::domain::payments::share::ShareMove;
use actors::domain::platform::seller::Mode;
use actors::outbox::Outbox;
use actors::tables::ids::MESSAGE;
use serde_json::{Value, json};
use storage::Batch;

use super::make::{Seller, fresh, merge};
use super::response::id;
use super::server::Server;

impl Seller {
    /// One of the two payees of the account.
    pub(crate) fn payee(&self, which: usize) -> u64 {
        id(&self.minted["payees"][which])
    }

    /// The wallet of one of the two payees.
    pub(crate) fn wallet(&self, which: usize) -> u64 {
        id(&self.minted["wallets"][which + 1])
    }

    /// The first payout method of a payee.
    pub(crate) async fn method(&self, payee: u64) -> u64 {
        let list = self.payments.get(&format!("/payees/{payee}/payout-methods")).await.is(200);
        id(&list["payoutMethods"][0])
    }

    /// A wallet as it is now.
    pub(crate) async fn wallet_now(&self, wallet: u64) -> Value {
        self.payments.get(&format!("/wallets/{wallet}")).await.is(200)
    }

    /// A payout as it is now.
    pub(crate) async fn payout_now(&self, payout: u64) -> Value {
        self.payments.get(&format!("/payouts/{payout}")).await.is(200)
    }

    /// The body of a payout of 1.00 from the first payee's wallet, with `more` put over it.
    pub(crate) async fn payout_body(&self, more: Value) -> Value {
        let mut body = json!({
            "walletId": self.wallet(0), "currencyCode": "EUR", "amount": "1.00",
            "payoutMethodId": self.method(self.payee(0)).await, "idempotencyKey": fresh("payout"),
        });
        merge(&mut body, more);
        body
    }

    /// A payout, by the same.
    pub(crate) async fn payout(&self, more: Value) -> Value {
        let body = self.payout_body(more).await;
        self.payments.post("/payouts", &body).await.is(201)
    }
}

impl Server {
    /// Notifies a payee of its share of a payment in EUR.
    pub(crate) async fn share(
        &self,
        seller: &Seller,
        payee: u64,
        what: ShareMove,
        payment: u64,
        minor: i64,
    ) {
        let notice = ShareNotice {
            what,
            payment: PaymentId(payment),
            reference: format!("order-{payment}"),
            amount: Money::new(minor, Currency::EUR).expect("money"),
            at: self.now(),
            mode: Mode::Demo,
        };
        self.tell(seller, PayeeId(payee), PayeeMessage::ShareMoved(notice)).await;
    }

    /// Sends a payee a message, which it takes.
    pub(crate) async fn tell(&self, seller: &Seller, payee: PayeeId, message: PayeeMessage) {
        self.makes_up_rows();
        let (app, owner) = (self.app(), SellerId(seller.id));
        let id = MessageId(app.store.next_id_in(MESSAGE, owner.shard()));
        let mut batch = Batch::new();
        Outbox::stage(&mut batch, id, &Envelope::to_payee(owner, payee, message.clone()));
        app.store.write(batch).await.expect("durable");
        app.payees.take(owner, payee, vec![(id, message)]).await.expect("taken");
    }

    /// Gives a payee settled money of one payment.
    pub(crate) async fn fund(&self, seller: &Seller, payee: u64, payment: u64, minor: i64) {
        self.share(seller, payee, ShareMove::Credited, payment, minor).await;
        self.share(seller, payee, ShareMove::Settled, payment, minor).await;
    }
}
