//! What a minted sandbox account consists of: the account itself, with customers, payees, wallets,
//! terminals and a split rule to try things out with.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use secrecy::SecretString;
use uuid::Uuid;

use crate::domain::billing::customer::Customer;
use crate::domain::email::Email;
use crate::domain::ids::{
    ApiKeyId, CustomerId, PayeeId, PersonId, SellerId, SplitRuleId, TerminalId, WalletId,
};
use crate::domain::money::{ACCEPTED_CURRENCIES, Currency};
use crate::domain::payments::payee::Payee;
use crate::domain::payments::split::{
    AllocationMode, AmountBase, OverAllocationPolicy, RemainderPolicy, SplitLine, SplitRule,
};
use crate::domain::payments::terminal::{Connector, Rail, Terminal, TerminalStatus};
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::person::{Login, PasswordHash, Person};
use crate::domain::platform::seller::{ApiKey, ApiKeyEntry, Mode, NewSeller, Seller};
use crate::domain::time::Timestamp;

pub const SANDBOX_DAYS: i64 = 14;

const RETURN_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "example.com"];
const CUSTOMERS: [(&str, &str); 3] = [
    ("Astrid Holm", "astrid.holm@example.com"),
    ("Bruno Keller", "bruno.keller@example.com"),
    ("Clara Moreau", "clara.moreau@example.com"),
];
const PAYEES: [&str; 2] = ["Harbour Couriers", "Studio Linden"];
/// Basis points of the split rule's two lines; the rest stays with the seller.
const SHARES: [u32; 2] = [6_000, 2_500];

/// The ids of a new account and of all that comes with it.
#[derive(Clone, Copy, Debug)]
pub struct SandboxIds {
    pub seller: SellerId,
    pub uuid: Uuid,
    /// The digits before the dash of its invoice numbers.
    pub agreement_number: u64,
    pub customers: [CustomerId; 3],
    pub payees: [PayeeId; 2],
    pub wallets: [WalletId; 3],
    /// A terminal for each rail, cards first.
    pub terminals: [TerminalId; 2],
    pub split_rule: SplitRuleId,
    pub key: ApiKeyId,
    /// Who owns it.
    pub owner: PersonId,
}

#[derive(Clone, Copy)]
pub struct SandboxSecrets {
    pub key: [u8; 32],
    pub password: [u8; 16],
}

/// A minted account: rows to store, and the two secrets that are shown once.
pub struct Sandbox {
    pub seller: Seller,
    pub key: ApiKey,
    pub key_entry: ApiKeyEntry,
    pub owner: OwnerAccess,
    pub customers: [Customer; 3],
    pub payees: [Payee; 2],
    /// EUR wallets: the seller's own first, then the payees'.
    pub wallets: [Wallet; 3],
    pub terminals: [Terminal; 2],
    pub split_rule: SplitRule,
}

/// The first person of an account, with a password that is shown once.
pub struct OwnerAccess {
    pub person: Person,
    pub login: Login,
    pub password: SecretString,
}

impl OwnerAccess {
    /// Of `seller`, under the account's own address.
    pub fn generated(id: PersonId, seller: &Seller, bytes: &[u8; 16], now: Timestamp) -> Self {
        let password = SecretString::from(BASE64URL_NOPAD.encode(bytes));
        let email = seller.email.clone();
        let login = Login {
            email: email.clone(),
            seller: seller.id,
            person: id,
            password: PasswordHash::of_generated(&password),
        };
        Self { person: Person::owner(id, seller.id, email, now), login, password }
    }
}

/// Composes a sandbox account that ends [`SANDBOX_DAYS`] after `now`.
pub fn mint(ids: &SandboxIds, secrets: &SandboxSecrets, now: Timestamp) -> Sandbox {
    let seller = account(ids, now);
    let key = ApiKey::from_random(Mode::Demo, ids.seller, &secrets.key);
    let key_entry = ApiKeyEntry::first(ids.key, &key, &seller, now);
    let owner = OwnerAccess::generated(ids.owner, &seller, &secrets.password, now);
    let [first, second] = ids.payees;
    let [main, of_first, of_second] = ids.wallets;
    let wallet = |id, payee| Wallet::empty(id, ids.seller, payee, Currency::EUR);
    Sandbox {
        seller,
        key,
        key_entry,
        owner,
        customers: [0, 1, 2].map(|n| customer(ids, n, now)),
        payees: [0, 1].map(|n| Payee::approved(ids.payees[n], ids.seller, PAYEES[n], now)),
        wallets: [
            wallet(main, None),
            wallet(of_first, Some(first)),
            wallet(of_second, Some(second)),
        ],
        terminals: demo_terminals(ids.seller, ids.terminals),
        split_rule: split_rule(ids),
    }
}

fn account(ids: &SandboxIds, now: Timestamp) -> Seller {
    let new = NewSeller {
        name: format!("Sandbox {}", ids.seller),
        email: address(&format!("seller-{}@sandbox.example.com", ids.seller)),
        country: None,
        tax_id: None,
    };
    Seller {
        allowed_return_hosts: RETURN_HOSTS.map(str::to_owned).to_vec(),
        vendors_enabled: true,
        expires_at: Some(now.plus_seconds(SANDBOX_DAYS * 24 * 3_600)),
        ..new.account(ids.seller, ids.uuid, ids.agreement_number, Mode::Demo, now)
    }
}

fn customer(ids: &SandboxIds, n: usize, now: Timestamp) -> Customer {
    let (name, email) = CUSTOMERS[n];
    Customer {
        id: ids.customers[n],
        seller: ids.seller,
        email: address(email),
        customer_ref: None,
        name: Some(name.to_owned()),
        phone: None,
        company_name: None,
        company_country: None,
        tax_id: None,
        currency: Some(Currency::EUR),
        customer_type: None,
        created_at: now,
    }
}

/// Terminals through which a demo account takes whatever can be simulated, cards first.
pub fn demo_terminals(seller: SellerId, ids: [TerminalId; 2]) -> [Terminal; 2] {
    let [card, apm] = ids;
    [(card, Rail::Card), (apm, Rail::Apm)].map(|(id, rail)| Terminal {
        id,
        seller,
        name: format!("Demo {}", rail.name()),
        rail,
        methods: rail.methods().iter().map(|&name| name.to_owned()).collect(),
        currencies: ACCEPTED_CURRENCIES.to_vec(),
        countries: Vec::new(),
        mode: Mode::Demo,
        connector: Connector::Simulator,
        status: TerminalStatus::Active,
        access: None,
        multicapture: true,
    })
}

fn split_rule(ids: &SandboxIds) -> SplitRule {
    let line = |(n, priority)| SplitLine::percent(ids.payees[n], priority, SHARES[n]);
    SplitRule {
        id: ids.split_rule,
        seller: ids.seller,
        name: "Couriers and studio".to_owned(),
        active: false,
        version: 1,
        lines: [(0, 1), (1, 2)].map(line).to_vec(),
        allocation_mode: AllocationMode::Absolute,
        amount_base: AmountBase::GrossPayment,
        over_allocation: OverAllocationPolicy::ScaleDown,
        remainder: RemainderPolicy::Seller,
        in_force: None,
    }
}

fn address(text: &str) -> Email {
    Email::parse(text).expect("the addresses of sandboxes are plain")
}

impl fmt::Debug for SandboxSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SandboxSecrets(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;
    use crate::domain::platform::person::Password;
    use crate::domain::platform::seller::{Admission, admit};

    #[test]
    fn a_minted_account_is_whole_and_ends_after_14_days() {
        let ids = SandboxIds {
            seller: SellerId(5),
            uuid: Uuid::nil(),
            agreement_number: 1_000_005,
            customers: [1, 2, 3].map(CustomerId),
            payees: [1, 2].map(PayeeId),
            wallets: [1, 2, 3].map(WalletId),
            terminals: [1, 2].map(TerminalId),
            split_rule: SplitRuleId(1),
            key: ApiKeyId(1),
            owner: PersonId(1),
        };
        let secrets = SandboxSecrets { key: [3; 32], password: [4; 16] };
        let now = Timestamp::from_micros(0);
        let made = mint(&ids, &secrets, now);

        let admitted = |at| admit(&made.key_entry.record(ids.seller), &made.seller, at);
        let end = now.plus_seconds(14 * 86_400);
        assert_eq!(admitted(now), Admission::Ok);
        assert_eq!(admitted(end.plus_millis(-1)), Admission::Ok);
        assert_eq!(admitted(end), Admission::NotAuthorized);
        assert!(made.key.reveal().starts_with("sk_test_"));
        assert_eq!(made.seller.email.as_str(), "seller-5@sandbox.example.com");
        assert_eq!(
            made.wallets.each_ref().map(|w| w.payee),
            [None, Some(PayeeId(1)), Some(PayeeId(2))]
        );
        assert!(made.wallets.iter().all(|wallet| wallet.currency == Currency::EUR));
        assert_eq!(made.split_rule.lines.len(), 2);
        assert!(!made.split_rule.active);
        let addresses: Vec<_> = made.customers.iter().map(|c| c.email.folded()).collect();
        assert!(
            addresses.iter().all(|email| addresses.iter().filter(|e| *e == email).count() == 1)
        );
        for method in Rail::Card.methods().iter().chain(Rail::Apm.methods()) {
            for currency in ACCEPTED_CURRENCIES {
                assert!(made.terminals.iter().any(|t| t.takes(method, currency, None)), "{method}");
            }
        }
        let OwnerAccess { person, login, password } = &made.owner;
        let presented = Password::presented(password.expose_secret()).expect("a password");
        assert!(PasswordHash::opens(Some(&login.password), &presented));
        assert_eq!((login.person, &login.email), (person.id, &made.seller.email));
    }
}
