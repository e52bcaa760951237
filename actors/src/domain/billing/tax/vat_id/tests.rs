use super::*;

/// Ids of every member, and whether python-stdnum takes them: made by `tests/vat_ids/generate.py`.
const REFERENCE: &str = include_str!("reference.txt");

fn country(code: &str) -> Country {
    Country::parse(code).expect("a country")
}

#[test]
fn ids_are_taken_and_refused_as_a_reference_does() {
    let mut of_members = std::collections::BTreeMap::<_, [u32; 2]>::new();
    let mut wrong = Vec::new();
    for row in REFERENCE.lines().filter(|row| !row.starts_with('#')) {
        let [code, id, taken] = row.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row} has three parts")
        };
        let taken = taken == "valid";
        of_members.entry(code).or_default()[usize::from(taken)] += 1;
        if is_vat_id_of(country(code), id) != taken {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(of_members.len(), 27);
    assert!(of_members.values().all(|[refused, taken]| *refused >= 30 && *taken >= 30));
}

#[test]
fn an_id_is_read_with_and_without_prefix_and_separators() {
    for (code, id) in [
        ("DE", "DE136695976"),
        ("DE", "136695976"),
        ("DE", "de 136 695 976"),
        ("GR", "EL094259216"),
        ("GR", "GR 094259216"),
        ("NL", "NL.4495445.B01"),
        ("FR", "FR 61 954 506 077"),
    ] {
        assert!(is_vat_id_of(country(code), id), "{id}");
    }
    for (code, id) in [
        ("DE", "ATU13585627"),
        ("DE", "DEDE136695976"),
        ("DE", ""),
        ("DE", "DE"),
        ("DE", "DE１36695976"),
        ("CH", "CHE107787577"),
        ("NL", "B"),
        ("IE", "IE"),
        ("ES", "É1234567A"),
    ] {
        assert!(!is_vat_id_of(country(code), id), "{id}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_check_panic(text in "[A-Z0-9+*É ]{0,14}") {
        for country in Country::all() {
            is_vat_id_of(country, &text);
        }
    }
}
