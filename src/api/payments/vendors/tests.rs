use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn request() -> VendorBody {
    VendorBody {
        display_name: some("Atelier Nord"),
        email: some("nord@example.com"),
        country: some("SE"),
    }
}

#[test]
fn every_field_of_a_request_is_looked_at() {
    let (payee, country) = request().parse().expect("sound");
    assert_eq!(payee.display_name, "Atelier Nord");
    assert_eq!(country, Country::parse("SE"));
    let required = |field| VendorRefusal::Payee(PayeeRefusal::Required(field));
    for (request, refusal) in [
        (VendorBody { display_name: None, ..request() }, required("displayName")),
        (VendorBody { email: None, ..request() }, required("email")),
        (VendorBody { email: some(""), ..request() }, required("email")),
        (
            VendorBody { email: some("nord"), ..request() },
            VendorRefusal::Payee(PayeeRefusal::Email),
        ),
        (VendorBody { country: some("Sweden"), ..request() }, VendorRefusal::Country),
    ] {
        assert_eq!(request.parse().map(|_| ()), Err(refusal));
    }
}
