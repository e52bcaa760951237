use super::*;
use crate::chunked;
use crate::domain::billing::contract::{ContractStatus, ContractVersion, Details};
use crate::domain::ids::ContractId;
use crate::domain::testing::day;
use crate::query;
use crate::tables::{CONTRACT_VERSIONS, VERSION_PARTS};

const CONTRACT: ContractId = ContractId(3);

#[test]
fn a_page_of_large_versions_ends_after_four_megabytes() {
    let large = |version: u64| ContractVersion {
        version,
        created_at: day("2027-01-01").start(),
        status: ContractStatus::Active,
        start_date: day("2027-01-01"),
        end_date: None,
        details: Details { name: Some("x".repeat(900 * 1024)), ..Details::default() },
        line_items: Vec::new(),
    };
    let versions: Vec<_> = (1..=10).map(large).collect();
    let house = TempStore::new();
    for one in &versions {
        let (mut batch, key) = (Batch::new(), (SELLER, CONTRACT, one.version));
        chunked::put(&mut batch, CONTRACT_VERSIONS, &key, VERSION_PARTS, &key, one);
        house.store().write_blocking(batch).expect("durable");
    }
    let paging = Paging { limit: 100, cursor: None };
    let page = query::versions(house.store(), SELLER, CONTRACT, paging).expect("read");
    assert_eq!((page.items.len(), page.next), (4, Some(7)));
    let (found, _, _) =
        paged(&house, |paging| query::versions(house.store(), SELLER, CONTRACT, paging));
    assert!(found.iter().eq(versions.iter().rev()));
}
