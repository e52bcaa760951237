//! Random sellers against an independent referee: subscriptions of every frequency, started on
//! any day, advanced by random steps, billed by passes and by hand. The referee counts terms
//! from the anchor with a calendar of its own; at the end every term that has begun is billed
//! exactly once, for its price, and nothing else is.

mod money;

use std::collections::BTreeMap;

use actors::entropy::Entropy;
use chrono::{Days, Months, NaiveDate};

use crate::support::{Seller, Server, Value, fresh, json};

/// The first day of the stories; a leap year and month ends lie ahead.
const TODAY: (i32, u32, u32) = (2027, 8, 31);

/// Numbers from a seed, by xorshift.
struct Random(u64);

impl Random {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).expect("an index")]
    }
}

/// A subscription as the referee sees it.
struct Plan {
    name: String,
    frequency: &'static str,
    anchor: NaiveDate,
    /// Price times quantity, rounded half up, in minor units.
    amount: i64,
    /// The first day not served, when it was cancelled.
    ends: Option<NaiveDate>,
}

impl Plan {
    /// The first day of term `n`, counted from the anchor itself.
    fn term(&self, n: u32) -> NaiveDate {
        let months = |each: u32| self.anchor + Months::new(each * n);
        match self.frequency {
            "weekly" => self.anchor + Days::new(7 * u64::from(n)),
            "monthly" => months(1),
            "quarterly" => months(3),
            "semiannual" => months(6),
            _ => months(12),
        }
    }

    /// Every term that has begun by `day`: its first day, the first day of the next, its amount.
    fn begun(&self, day: NaiveDate) -> Vec<(String, String, i64)> {
        (0..)
            .map(|n| (self.term(n), self.term(n + 1)))
            .take_while(|(start, _)| *start <= day && self.ends.is_none_or(|end| *start < end))
            .map(|(start, end)| (start.to_string(), end.to_string(), self.amount))
            .collect()
    }
}

#[tokio::test]
async fn every_term_is_billed_once_for_its_price() {
    with_seeds(story).await;
}

/// Tells a story with three fixed seeds and a random one, or with that of `SEED` alone. Each is
/// printed before its story begins: of a test that fails, the last one repeats it.
async fn with_seeds(story: impl AsyncFn(&mut Random)) {
    let given = std::env::var("SEED").ok().map(|seed| seed.parse().expect("a number"));
    let drawn = u64::from(u32::from_le_bytes(Entropy.bytes()));
    for seed in given.map_or_else(|| vec![1, 2, 3, drawn], |seed| vec![seed]) {
        eprintln!("SEED={seed}");
        story(&mut Random::of(seed)).await;
    }
}

async fn story(random: &mut Random) {
    let today = NaiveDate::from_ymd_opt(TODAY.0, TODAY.1, TODAY.2).expect("a day");
    let server = Server::at(&format!("{today}T10:00:00Z"), &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract(&today.to_string()).await;
    let mut plans = Vec::new();
    for n in 0..=random.below(5) {
        plans.push(subscribe(&seller, contract, today, n, random).await);
    }
    let first = seller.billing.create("/invoices", &fresh("i"), &recurring(contract)).await;
    let mut now = today;
    for _ in 0..3 + random.below(5) {
        now = now + Days::new(1 + random.below(90));
        seller.advance(contract, &format!("{now}T{:02}:30:00Z", random.below(24))).await;
        match random.below(4) {
            0 => {
                seller.billing.create("/invoices", &fresh("i"), &recurring(contract)).await;
            }
            1 => cancel_one(&seller, &mut plans, now, random).await,
            _ => {}
        }
    }
    assert!([201, 422].contains(&first.status), "{}", first.text);
    // What is left is billed by hand.
    loop {
        let response = seller.billing.create("/invoices", &fresh("i"), &recurring(contract)).await;
        match response.status {
            201 => {}
            422 => break,
            status => panic!("{status}: {}", response.text),
        }
    }
    let billed = billed(&seller, contract).await;
    let mut expected = BTreeMap::new();
    for plan in &plans {
        let terms = plan.begun(now);
        if !terms.is_empty() {
            expected.insert(plan.name.clone(), terms);
        }
    }
    assert_eq!(billed, expected, "on {now}");
    server.close().await;
}

fn recurring(contract: u64) -> Value {
    json!({"contractId": contract, "origin": "recurring"})
}

async fn subscribe(
    seller: &Seller,
    contract: u64,
    today: NaiveDate,
    n: u64,
    random: &mut Random,
) -> Plan {
    let frequency = random.one_of(&["weekly", "monthly", "quarterly", "semiannual", "annual"]);
    let start = today - Days::new(60) + Days::new(random.below(200));
    let trial = if random.below(3) == 0 { 1 + random.below(45) } else { 0 };
    let price = i64::try_from(1 + random.below(100_000)).expect("a price");
    // Quarters, so that halves of a minor unit come up.
    let quarters = i64::try_from(1 + random.below(12)).expect("a quantity");
    let quantity = format!("{}.{:02}", quarters / 4, quarters % 4 * 25);
    let name = format!("Plan {n}");
    let mut more = json!({
        "frequency": frequency, "priceMinor": price, "quantity": quantity, "description": name,
    });
    if trial > 0 {
        more["trialDays"] = json!(trial);
    }
    let made = seller.subscribe(contract, &start.to_string(), more).await;
    let anchor = start + Days::new(trial);
    let status = match made["status"].as_str().expect("a status") {
        "scheduled" => start > today,
        "trialing" => start <= today && anchor > today,
        "active" => anchor <= today,
        _ => false,
    };
    assert!(status, "{made}");
    let amount = (price * quarters * 2 + 4) / 8;
    Plan { name, frequency, anchor, amount, ends: None }
}

/// Cancels one at once, if one is left that has begun.
async fn cancel_one(seller: &Seller, plans: &mut [Plan], now: NaiveDate, random: &mut Random) {
    let path = "/subscriptions";
    let rows = seller.billing.all(path, "subscriptions").await;
    let active: Vec<&Value> = rows.iter().filter(|row| row["status"] == "active").collect();
    if active.is_empty() {
        return;
    }
    let chosen = random.one_of(&active);
    let id = chosen["id"].as_u64().expect("an id");
    seller.act(id, "cancel", json!({"mode": "immediately"})).await;
    let name = chosen["description"].as_str().expect("a name");
    let plan = plans.iter_mut().find(|plan| plan.name == name).expect("the plan");
    // A term that has begun stays due in full, one of this very day too.
    plan.ends = Some(now + Days::new(1));
}

/// What the invoices say: the terms of each subscription, in order.
async fn billed(seller: &Seller, contract: u64) -> BTreeMap<String, Vec<(String, String, i64)>> {
    let path = format!("/invoices?contractId={contract}");
    let mut found: BTreeMap<String, Vec<(String, String, i64)>> = BTreeMap::new();
    for invoice in seller.billing.all(&path, "invoices").await {
        let whole = seller.invoice_now(invoice["id"].as_u64().expect("an id")).await;
        let mut total = 0;
        for line in whole["lines"].as_array().expect("lines") {
            let text = |field: &str| line[field].as_str().expect("a text").to_owned();
            let amount = line["amountMinor"].as_i64().expect("an amount");
            total += amount;
            let term = (text("periodStart"), text("periodEnd"), amount);
            found.entry(text("description")).or_default().push(term);
        }
        assert_eq!(whole["grandTotalMinor"], total);
    }
    for terms in found.values_mut() {
        terms.sort();
    }
    found
}
