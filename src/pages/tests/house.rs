//! A server of the pages alone, with a sandbox seller whose invoices can be paid.

use std::net::SocketAddr;
use std::sync::Arc;

use actors::clock::Clock;
use actors::contract::{IssueOrder, Once};
use actors::domain::billing::customer::Customer;
use actors::domain::billing::invoice::{
    BillTo, Intent, Invoice, InvoiceStatus, NewInvoice, NewLine, Origin, StatedBillTo,
};
use actors::domain::billing::tax::{StatedTax, TaxRules};
use actors::domain::ids::SellerId;
use actors::domain::money::Currency;
use actors::domain::quantity::{Quantity, TaxRate};
use actors::link_tokens::LinkHash;
use actors::query;
use actors::system::System;
use actors::tables::LINKS;
use storage::testing::TempStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{App, system_settings};
use crate::config::Settings;
use crate::gate::Server;
use crate::http::server::Running;
use crate::http::server::bind;
use crate::testing::until;

pub(super) struct House {
    app: Arc<App>,
    server: Running,
    seller: SellerId,
    customer: Customer,
    _system: Arc<System>,
    _store: TempStore,
}

/// An answer as it came over the wire.
pub(super) struct Heard {
    pub(super) status: u16,
    pub(super) body: String,
    head: String,
}

/// The body of a card form.
pub(super) fn form(number: &str, year: &str) -> String {
    format!("cardNumber={number}&expMonth=12&expYear={year}&cvv=123&holderName=Ada+Lovelace")
}

impl House {
    pub(super) async fn open() -> Self {
        let store = TempStore::new();
        let flags = [
            ("demo", "true"),
            ("listen", "127.0.0.1:0"),
            ("limits.pages_per_minute", "0"),
            ("secrets.key", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="),
        ];
        let flags = flags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let settings =
            Settings::load(None, std::iter::empty(), flags.collect()).expect("valid settings");
        let rooms = system_settings(&settings);
        let system = System::start(store.store().clone(), Clock::wall(), &[7; 32], rooms).await;
        let system = Arc::new(system.expect("started"));
        let listener = bind(settings.listen).expect("a free port");
        let read_row = Arc::new(crate::api::billing::usage::csv::read_row);
        let app = Arc::new(App::new(settings, Clock::wall(), &system, &[7; 32], read_row));
        let server = Server::new(Arc::clone(&app), crate::routes::routes());
        let server = server.serve(listener).expect("started");
        let minted =
            app.sellers.mint_sandbox(std::net::Ipv4Addr::LOCALHOST.into()).await.expect("minted");
        let (seller, customer) = (minted.seller.id, minted.customers[0].clone());
        Self { app, server, seller, customer, _system: system, _store: store }
    }

    /// Issues and sends an invoice over `minor` cents; the path of its payment page.
    pub(super) async fn invoice(&self, quantity: i64, minor: i64) -> String {
        let contract = self.app.contracts.adhoc(&self.customer, Currency::EUR).await;
        let contract = contract.expect("opened");
        let line = NewLine {
            description: "Onboarding workshop".to_owned(),
            quantity: Quantity::parse(&quantity.to_string()).expect("a quantity"),
            unit_price_minor: minor,
            discount_minor: None,
            tax: StatedTax::default(),
            period_start: None,
            period_end: None,
        };
        let request = NewInvoice {
            contract: Some(contract),
            origin: Origin::OneTime,
            invoice_type: None,
            corrects: None,
            currency: None,
            bill_to: StatedBillTo::default(),
            lines: Some(vec![line]),
            due_date: None,
            collection_method: None,
            send: None,
            memo: None,
        };
        let known = BillTo::from(self.customer.email.clone());
        let intent = Intent::of(&request, Currency::EUR, &known, &TaxRules::manual(TaxRate::ZERO));
        let key = self.app.entropy.uuid().to_string();
        let order =
            IssueOrder { request, intent, key, customer: self.customer.clone(), corrects: None };
        let issued = self.app.contracts.issue_invoice(self.seller, contract, order).await;
        let Once::Made(issued) = issued.expect("issued") else {
            panic!("the key is new");
        };
        let token = self.app.links.of_invoice(self.seller, &issued.invoice);
        format!("/pay/{}", token.expect("sent with a link"))
    }

    pub(super) async fn get(&self, path: &str) -> Heard {
        self.ask("GET", path, "", "").await
    }

    pub(super) async fn post(&self, path: &str, body: &str) -> Heard {
        let kind = "content-type: application/x-www-form-urlencoded\r\naccept: text/html\r\n";
        self.ask("POST", path, kind, body).await
    }

    pub(super) async fn post_json(&self, path: &str, body: &str) -> Heard {
        let kind = "content-type: application/json\r\naccept: application/json\r\n";
        self.ask("POST", path, kind, body).await
    }

    /// The invoice behind a page, once the message of its payment has arrived.
    pub(super) async fn until_paid(&self, pay: &str) -> Invoice {
        let token = LinkHash::of(pay.trim_start_matches("/pay/"));
        let target = self.app.store.get(LINKS, &token).expect("readable").expect("a link");
        let invoice = || {
            let invoice = query::invoice(&self.app.store, target.seller, target.invoice);
            invoice.expect("readable").expect("there")
        };
        until("the invoice is paid", || invoice().status == InvoiceStatus::Paid).await;
        invoice()
    }

    async fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Heard {
        let addr: SocketAddr = self.server.addr();
        let mut stream = TcpStream::connect(addr).await.expect("connected");
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{headers}\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).await.expect("sent");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.expect("heard");
        let all = String::from_utf8(all).expect("text");
        let (head, body) = all.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Heard { status, head: head.to_owned(), body: body.to_owned() }
    }
}

impl Heard {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}
