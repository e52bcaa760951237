use super::*;
use crate::chunked;
use crate::domain::billing::contract::{Contract, ContractStatus, ContractVersion, Details};
use crate::domain::ids::{ContractId, CustomerId};
use crate::domain::money::Currency;
use crate::domain::testing::day;
use crate::query::{Hit, search};
use crate::tables::{CONTRACT_PARTS, CONTRACTS};

fn contract(id: ContractId, order: u64) -> Contract {
    let current = ContractVersion {
        version: 1,
        created_at: day("2027-01-01").start(),
        status: ContractStatus::Active,
        start_date: day("2027-01-01"),
        end_date: None,
        details: Details::default(),
        line_items: Vec::new(),
    };
    let (customer, currency) = (CustomerId(1), Currency::EUR);
    let created_at = current.created_at;
    Contract { id, seller: SELLER, order: Some(order), customer, currency, created_at, current }
}

#[test]
fn a_contract_is_found_by_its_number_wherever_it_stands() {
    // Of those that were made at once the orders are shuffled.
    let made = |place: u64| {
        let order = 16 * (place / 16) + (place * 7 + 3) % 16 + 1;
        contract(ContractId(1_024 * (place + 1) + 7), order)
    };
    let contracts: Vec<_> = (0..2_000).map(made).collect();
    let house = stored(&contracts, |batch, one| {
        let key = (SELLER, one.id);
        chunked::put(batch, CONTRACTS, &key, CONTRACT_PARTS, &key, one);
    });
    let found = |text: &str| -> Vec<ContractId> {
        let hits = search(house.store(), SELLER, text, 10).expect("read").into_iter();
        hits.filter_map(|hit| if let Hit::Contract(one) = hit { Some(one.id) } else { None })
            .collect()
    };
    for one in contracts.iter().step_by(7) {
        let number = one.contract_number().expect("a number");
        assert_eq!(found(&number), [one.id], "{number}");
    }
    assert_eq!((found("c-17").len(), found("C-002001").len(), found("C-0").len()), (1, 0, 0));
}
