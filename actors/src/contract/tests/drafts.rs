//! Drafts of invoices.

use storage::{Scan, Store};

use super::ALL;
use super::house::House;
use crate::backfill::{Backfill, undo};
use crate::contract::{DraftOrder, Issued, IssuedOtherwise};
use crate::domain::billing::invoice::{
    Draft, Invoice, InvoiceStatus, InvoiceType, NewInvoice, NewLine, Origin,
};
use crate::domain::billing::subscription::Frequency;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::entropy::Entropy;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::listing::Facet;
use crate::query;
use crate::tables::{DRAFT_PARTS, DRAFTS, PLACES};

impl House {
    fn drafting(contract: ContractId, minors: &[i64]) -> DraftOrder {
        let lines = minors.iter().map(|minor| Self::line(*minor)).collect();
        let request = Self::asking(contract, Origin::OneTime);
        DraftOrder { request: NewInvoice { lines: Some(lines), ..request }, corrects: None }
    }

    /// Drafts an invoice under a key of its own.
    async fn draft(&self, contract: ContractId, order: DraftOrder) -> Result<Draft, Refusal> {
        self.draft_under(&Entropy.token(), contract, order).await.map(Once::made)
    }

    async fn draft_under(
        &self,
        key: &str,
        contract: ContractId,
        order: DraftOrder,
    ) -> Result<Once<Draft>, Refusal> {
        let (contracts, seller) = (&self.system.contracts, self.seller.id);
        let claim = KeyClaim::testing("drafts", key);
        let made = contracts.create_draft_invoice(seller, contract, order, claim).await;
        made.map_err(AskError::refusal)
    }

    async fn issue_draft(&self, of: &Draft, send: Option<bool>) -> Result<Issued, Refusal> {
        let (contracts, seller) = (&self.system.contracts, self.seller.id);
        let otherwise = IssuedOtherwise { send, ..IssuedOtherwise::default() };
        let issued = contracts.issue_draft_invoice(seller, of.contract, of.id, otherwise).await;
        issued.map_err(AskError::refusal)
    }

    fn drafts(&self, contract: Option<ContractId>) -> Vec<InvoiceId> {
        let found = query::drafts(&self.store, self.seller.id, contract, ALL).expect("read");
        found.items.iter().map(|draft| draft.id).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_has_no_number_and_is_in_no_list_of_invoices() {
    let house = House::open().await;
    let (contract, other) = (house.contract("c").await, house.contract("d").await);
    let draft = house.draft(contract, House::drafting(contract, &[100, 23])).await.expect("kept");
    let elsewhere = house.draft(other, House::drafting(other, &[1])).await.expect("kept");
    let Invoice { number, status, ref totals, .. } = draft.invoice;
    assert_eq!((number, status, totals.grand_total_minor), (None, InvoiceStatus::Draft, 123));
    assert_eq!((draft.invoice.id, draft.lines.len()), (draft.id, 2));
    assert!(house.invoices(contract).is_empty());
    assert_eq!(query::invoice(&house.store, house.seller.id, draft.id).expect("read"), None);
    assert_eq!(house.drafts(None), [elsewhere.id, draft.id]);
    assert_eq!(house.drafts(Some(contract)), [draft.id]);
    assert_eq!(query::draft(&house.store, house.seller.id, draft.id).expect("read"), Some(draft));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_kept_once_for_its_key_whatever_contract_is_asked() {
    let house = House::open().await;
    let (contract, other) = (house.contract("c").await, house.contract("d").await);
    let made = house.draft_under("k", contract, House::drafting(contract, &[100])).await;
    let draft = made.expect("kept").made();
    for asked in [contract, other] {
        let again = house.draft_under("k", asked, House::drafting(asked, &[100])).await;
        assert_eq!(again, Ok(Once::Before));
    }
    assert_eq!(house.drafts(None), [draft.id]);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_issued_once() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let draft = house.draft(contract, House::drafting(contract, &[100, 50])).await.expect("kept");
    house.clock.push(house.start().plus_seconds(86_400));
    let (one, other) =
        tokio::join!(house.issue_draft(&draft, Some(false)), house.issue_draft(&draft, None));
    let (one, other) = (one.expect("issued"), other.expect("issued"));
    assert_eq!((one.invoice.id, &one.lines), (other.invoice.id, &other.lines));
    assert_eq!(house.invoices(contract).len(), 1);
    let issued = &house.invoices(contract)[0];
    assert_ne!(issued.id, draft.id, "ids of invoices rise in the order of issue");
    assert_eq!((issued.totals.grand_total_minor, issued.issue_date), (150, house.start().date()));
    assert!(issued.number.is_some());
    assert!(house.drafts(None).is_empty());
    let again = house.issue_draft(&draft, None).await.expect("answered");
    assert_eq!(again.invoice, *issued);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_says_whether_it_is_sent_unless_it_is_told_otherwise() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    for (stated, told, status) in [
        (None, None, InvoiceStatus::Sent),
        (None, Some(false), InvoiceStatus::Issued),
        (Some(false), None, InvoiceStatus::Issued),
        (Some(false), Some(true), InvoiceStatus::Sent),
    ] {
        let DraftOrder { request, corrects } = House::drafting(contract, &[100]);
        let order = DraftOrder { request: NewInvoice { send: stated, ..request }, corrects };
        let draft = house.draft(contract, order).await.expect("kept");
        let issued = house.issue_draft(&draft, told).await.expect("issued");
        assert_eq!(issued.invoice.status, status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_whose_due_date_has_passed_is_issued_with_another() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let DraftOrder { request, corrects } = House::drafting(contract, &[100]);
    let today = house.start().date();
    let request = NewInvoice { due_date: Some(today.plus_days(1)), ..request };
    let draft = house.draft(contract, DraftOrder { request, corrects }).await.expect("kept");
    house.clock.push(house.start().plus_seconds(2 * 86_400));
    let refusal = house.issue_draft(&draft, None).await.expect_err("due before it is issued");
    assert_eq!(refusal.kind, RefusalKind::Invalid);
    let due_date = Some(today.plus_days(9));
    let otherwise = IssuedOtherwise { due_date, ..IssuedOtherwise::default() };
    let (contracts, seller) = (&house.system.contracts, house.seller.id);
    let issued = contracts.issue_draft_invoice(seller, contract, draft.id, otherwise).await;
    assert_eq!(issued.expect("issued").invoice.due_date, due_date);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_claims_nothing_before_it_is_issued() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 700).await;
    let recurring =
        || DraftOrder { request: House::asking(contract, Origin::Recurring), corrects: None };
    let (one, other) = (
        house.draft(contract, recurring()).await.expect("kept"),
        house.draft(contract, recurring()).await.expect("kept"),
    );
    assert_eq!(one.invoice.totals.grand_total_minor, 700);
    house.issue_draft(&one, None).await.expect("issued");
    let refusal = house.issue_draft(&other, None).await.expect_err("billed by then");
    assert!(refusal.text.starts_with("nothing is due"), "{refusal}");
    assert_eq!(house.drafts(None), [other.id], "it stays a draft");
    let refused = house.draft(contract, recurring()).await.expect_err("nothing is due");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_may_correct_an_invoice() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let invoice = house.issue_one_time(contract, "k", 1_000).await;
    let request = NewInvoice {
        invoice_type: Some(InvoiceType::CreditNote),
        corrects: invoice.number.map(|number| number.to_string()),
        lines: Some(vec![House::line(400)]),
        ..House::asking(contract, Origin::OneTime)
    };
    let lines = query::invoice_lines(&house.store, house.seller.id, invoice.id).expect("read");
    let request = request.filled(&invoice, &lines).expect("filled");
    let order = DraftOrder { request, corrects: Some(invoice.id) };
    let draft = house.draft(contract, order).await.expect("kept");
    assert_eq!(draft.invoice.totals.grand_total_minor, -400);
    assert_eq!(house.invoices(contract)[0].outstanding_minor, 1_000);
    house.issue_draft(&draft, None).await.expect("issued");
    let corrected = query::invoice(&house.store, house.seller.id, invoice.id).expect("read");
    assert_eq!(corrected.expect("there").outstanding_minor, 600);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_draft_lies_in_parts_that_go_with_it() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let DraftOrder { request, corrects } = House::drafting(contract, &[]);
    let line = NewLine { description: "ä".repeat(512), ..House::line(10) };
    let request = NewInvoice { lines: Some(vec![line; 200]), ..request };
    let order = DraftOrder { request, corrects };
    let draft = house.draft(contract, order).await.expect("kept");
    let kept = query::draft(&house.store, house.seller.id, draft.id).expect("read");
    assert_eq!(kept.as_ref(), Some(&draft));
    let parts = || house.store.scan(DRAFT_PARTS, Scan::all()).count();
    assert!(parts() > 2, "{}", parts());
    let issued = house.issue_draft(&draft, None).await.expect("issued");
    assert_eq!((issued.lines.len(), parts()), (200, 0));
    assert_eq!(house.store.scan(DRAFTS, Scan::all()).count(), 1, "what was issued");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_belongs_to_its_contract() {
    let house = House::open().await;
    let (contract, other) = (house.contract("c").await, house.contract("d").await);
    let draft = house.draft(contract, House::drafting(contract, &[1])).await.expect("kept");
    let moved = Draft { contract: other, ..draft };
    let missing = house.issue_draft(&moved, None).await.expect_err("another contract");
    assert_eq!(missing, Refusal::missing());
    let refused = house.draft(contract, House::drafting(other, &[1])).await.expect_err("moved");
    assert_eq!(refused.text, "contractId must be that of the draft");
    let refused =
        house.draft(contract, House::drafting(contract, &[])).await.expect_err("no lines");
    assert_eq!(refused.kind, RefusalKind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_drafts_reads_no_issued_ones() {
    const ISSUED: u64 = 40;
    let mut house = House::open().await;
    let (contract, other) = (house.contract("c").await, house.contract("d").await);
    let kept = house.draft(contract, House::drafting(contract, &[1])).await.expect("kept").id;
    for _ in 0..ISSUED {
        let draft = house.draft(contract, House::drafting(contract, &[2])).await.expect("kept");
        house.issue_draft(&draft, Some(false)).await.expect("issued");
    }
    let elsewhere = house.draft(other, House::drafting(other, &[3])).await.expect("kept").id;
    let lists = |house: &House| {
        let all = [(None, vec![elsewhere, kept]), (Some(contract), vec![kept])];
        for (of, expected) in all {
            assert_eq!(house.drafts(of), expected, "of {of:?}");
            let read = house.rows_read(|| drop(house.drafts(of)));
            assert!(read < ISSUED, "{read} rows of {of:?}");
        }
    };
    lists(&house);
    house.assert_right();

    // A store from before they were listed.
    let before = |store: &Store| {
        let of_drafts = [Facet::OpenDraft as u8, Facet::OpenDraftOfContract as u8];
        undo(store, Backfill::OpenDrafts, PLACES, |key| of_drafts.contains(&key.1));
    };
    house.restart_with(before).await;
    lists(&house);
    house.assert_right();
}
