//! The marketplace chapter: sales shared with payees, refunded in part, settled and paid out, and
//! at the end the trail of every cent.

mod checks;
mod facts;
mod giving;
mod records;
mod sale;
mod selling;
mod tables;

use actors::entropy::Entropy;
use serde_json::{Value, json};

use super::receiver::Receiver;
use super::records::record;
use super::story::Story;
use facts::Facts;
use giving::Given;
use records::{Entry, Payment, Setup};
use sale::PEOPLE;
use selling::Declined;

pub(super) use checks::checks;
pub(super) use tables::print;

/// How many times the progress bar moves.
pub(super) const STEPS: u64 = 5;

/// The chapter on its way.
#[derive(Debug)]
struct Chapter<'a> {
    story: &'a Story,
    run: &'a str,
    expiry_year: i32,
    /// In the order of [`PEOPLE`].
    setups: Vec<Setup>,
}

/// What happened in it.
#[derive(Debug)]
pub(super) struct Market {
    run: String,
    /// The payees, in the order of [`PEOPLE`].
    payees: Vec<u64>,
    declined: Declined,
    /// Where the Bancontact buyer was sent back to.
    sent_back: String,
    given: Given,
    facts: Facts,
}

/// Tells the chapter.
pub(super) async fn tell(
    story: &Story,
    receiver: &Receiver,
    run: &str,
    expiry_year: i32,
) -> anyhow::Result<Market> {
    let setups = Vec::new();
    let mut chapter = Chapter { story, run, expiry_year, setups };
    chapter.set_up().await?;
    story.step();
    chapter.sell_basket().await?;
    let sent_back = chapter.sell_workshop().await?;
    let declined = chapter.sell_declined().await?;
    story.step();
    chapter.sell_commission().await?;
    chapter.settle().await?;
    story.step();
    let given = chapter.give().await?;
    story.step();
    let facts = chapter.read(receiver, &given.payout).await?;
    story.step();
    let (run, payees) = (run.to_owned(), chapter.payees());
    Ok(Market { run, payees, declined, sent_back, given, facts })
}

impl Market {
    /// The reference of the split basket.
    pub(super) fn basket(&self) -> String {
        sale::Sale::Basket.reference(&self.run)
    }

    /// The movements of all wallets.
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.facts.entries.iter().flatten()
    }

    /// What the movements of one wallet, by its place, brought of a payment.
    fn part(&self, reference: &str, place: usize) -> i64 {
        let entries = self.facts.entries.get(place).into_iter().flatten();
        let of_payment = entries.filter(|entry| entry.payment_id.as_deref() == Some(reference));
        of_payment.map(Entry::brought).sum()
    }

    /// Whose wallet it is: a payee's name, or the seller.
    fn holder(&self, payee: Option<u64>) -> &'static str {
        let Some(payee) = payee else { return "Seller" };
        let place = self.payees.iter().position(|known| *known == payee);
        place.and_then(|place| PEOPLE.get(place)).map_or("somebody else", |person| person.name)
    }
}

impl Chapter<'_> {
    /// Makes the payees, each with its bank account and its wallet in one call.
    async fn set_up(&mut self) -> anyhow::Result<()> {
        self.story.show("setting payees up");
        for (nth, person) in PEOPLE.iter().enumerate() {
            let body = json!({
                "payee": {
                    "displayName": person.name, "role": "contractor", "email": person.email,
                    "kycEntityType": "Individual",
                    "payeeContractId": format!("demo-{}-{nth}", self.run),
                },
                "payoutMethod": {
                    "currency": "EUR", "iban": person.iban, "accountName": person.name,
                },
                "wallet": {"currency": "EUR"},
            });
            let made = self.pay_post("/payees/setup", &body).await?;
            self.setups.push(record("a payee's setup", made)?);
        }
        Ok(())
    }

    fn payees(&self) -> Vec<u64> {
        self.setups.iter().map(|setup| setup.payee.id).collect()
    }

    async fn payment(&self, reference: &str) -> anyhow::Result<Payment> {
        let path = format!("/payments-api/v1/payments/{reference}");
        record("a payment", self.story.client.get(&path).await?)
    }

    /// Makes something on the payments surface under a key of its own.
    async fn pay_post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let path = format!("/payments-api/v1{path}");
        Ok(self.story.client.create(&path, &Self::key(), body).await?)
    }

    fn key() -> String {
        Entropy.uuid().to_string()
    }
}
