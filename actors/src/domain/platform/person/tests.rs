use super::*;

fn person(id: u64, role: PersonRole) -> Person {
    let email = Email::parse(&format!("p{id}@example.com")).expect("an address");
    let owner = Person::owner(PersonId(id), SellerId(1), email, Timestamp::from_micros(0));
    Person { role, ..owner }
}

fn token() -> InviteToken {
    InviteToken::from_random(SellerId(1), &[1; 32])
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(0).plus_seconds(seconds)
}

fn invite(people: &[Person], email: &str) -> Result<Person, PersonRefusal> {
    let invitation = Invitation::new(&token(), "drawn".to_owned(), at(0));
    People(people).invited(email, PersonRole::Viewer, invitation, (PersonId(9), SellerId(1), at(0)))
}

#[test]
fn an_account_keeps_an_owner_who_can_sign_in() {
    use PersonRole::{Finance, Owner};
    let one = person(1, Owner);
    let invited = Person {
        role: Owner,
        ..invite(std::slice::from_ref(&one), "new@example.com").expect("invited")
    };
    let alone = [one.clone(), invited, person(2, Finance)];
    let last = Err(PersonRefusal::LastOwner);
    assert_eq!(People(&alone).with_role(PersonId(1), Finance), last);
    assert_eq!(People(&alone).removable(PersonId(1)).map(|_| ()), Err(PersonRefusal::LastOwner));
    assert!(People(&alone).with_role(PersonId(1), Owner).is_ok());
    assert!(People(&alone).removable(PersonId(2)).is_ok());
    assert!(People(&alone).removable(PersonId(9)).is_ok());

    let two = [one, person(2, Owner)];
    let changed = People(&two).with_role(PersonId(1), Finance).expect("changed");
    assert_eq!(changed.role, Finance);
    assert!(People(&two).removable(PersonId(2)).is_ok());
    assert_eq!(People(&two).with_role(PersonId(3), Owner), Err(PersonRefusal::Unknown));
}

#[test]
fn whoever_is_invited_again_is_the_same_person() {
    let known = [person(1, PersonRole::Owner)];
    let first = invite(&known, "New@example.com").expect("invited");
    assert_eq!((first.id, first.role), (PersonId(9), PersonRole::Viewer));
    let again = Person { id: PersonId(4), ..first };
    let people = [known[0].clone(), again];
    assert_eq!(invite(&people, "new@example.com").expect("invited").id, PersonId(4));
    assert_eq!(invite(&people, "P1@example.com"), Err(PersonRefusal::EmailTaken));
    assert_eq!(invite(&people, "no address"), Err(PersonRefusal::Email));
    let full: Vec<Person> = (1..=100).map(|id| person(id, PersonRole::Owner)).collect();
    assert_eq!(invite(&full, "new@example.com"), Err(PersonRefusal::TooMany));
}

#[test]
fn an_invitation_is_open_for_a_week() {
    let invited = [invite(&[], "new@example.com").expect("invited")];
    let found = |token: &InviteToken, seconds| {
        People(&invited).by_invitation(token, at(seconds)).map(|person| person.id)
    };
    assert_eq!(found(&token(), INVITED_SECONDS - 1), Some(PersonId(9)));
    assert_eq!(found(&token(), INVITED_SECONDS), None);
    let other = InviteToken::from_random(SellerId(1), &[2; 32]);
    assert_eq!(found(&other, 0), None);
}

#[test]
fn a_name_is_a_line_of_some_length() {
    assert_eq!(person_name(" Ada "), Ok("Ada".to_owned()));
    for wrong in ["", " ", "a\nb", &"x".repeat(129)] {
        assert_eq!(person_name(wrong), Err(PersonRefusal::Name), "{wrong:?}");
    }
}
