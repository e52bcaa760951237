use super::*;
use crate::domain::testing::second as at;
use crate::secrets::{Place, SecretBox};

fn sealed(byte: u8) -> Sealed {
    let place = Place::InboundSecret(SellerId(1), InboundEndpointId(1));
    SecretBox::new(&[7; 32]).seal(place, &[byte], [byte; 24])
}

fn made(
    others: &[InboundEndpoint],
    description: Option<&str>,
) -> Result<InboundEndpoint, EndpointRefusal> {
    let id = InboundEndpointId(others.len() as u64 + 1);
    let fresh = || Fresh { id, token: sealed(1), secret: sealed(2) };
    open(SellerId(1), others, description.map(str::to_owned), fresh, at(0))
}

#[test]
fn an_endpoint_is_active_until_it_is_revoked_for_good() {
    let endpoint = made(&[], Some("cellar")).expect("made");
    assert_eq!((endpoint.status, endpoint.rotated_at), (EndpointStatus::Active, None));
    let rotated = rotate(&endpoint, sealed(3), at(5)).expect("rotated");
    assert_eq!((&rotated.secret, rotated.rotated_at), (&sealed(3), Some(at(5))));
    assert_eq!(rotated.token, endpoint.token);
    let revoked = revoke(&rotated).expect("revoked");
    assert_eq!(revoked.status, EndpointStatus::Revoked);
    assert_eq!(revoke(&revoked), None);
    assert_eq!(rotate(&revoked, sealed(4), at(6)), Err(EndpointRefusal::Revoked));
}

#[test]
fn revoked_ones_make_room() {
    assert_eq!(made(&[], Some(&"ü".repeat(257))), Err(EndpointRefusal::Description));
    assert!(made(&[], Some(&"ü".repeat(256))).is_ok());
    let mut others = Vec::new();
    while others.len() < MAX_ACTIVE {
        others.push(made(&others, None).expect("made"));
    }
    assert_eq!(made(&others, None), Err(EndpointRefusal::TooMany));
    others[7] = revoke(&others[7]).expect("revoked");
    assert!(made(&others, None).is_ok());
}

#[test]
fn tokens_are_found_by_their_hash_alone() {
    assert_eq!(TokenHash::of("a"), TokenHash::of("a"));
    assert_ne!(TokenHash::of("a"), TokenHash::of("b"));
    assert_eq!(format!("{:?}", TokenHash::of("a")), "TokenHash(hidden)");
}
