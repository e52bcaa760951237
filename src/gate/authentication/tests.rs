use super::*;

#[test]
fn only_one_bearer_header_with_a_token_counts() {
    let token = |values: &[&str]| {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().expect("a header"));
        }
        bearer(&headers).map(str::to_owned)
    };
    assert_eq!(token(&["Bearer sk_test_1"]).as_deref(), Some("sk_test_1"));
    assert_eq!(token(&["bearer  sk_test_1 "]).as_deref(), Some("sk_test_1"));
    let none: [&[&str]; 5] =
        [&[], &["Bearer"], &["Bearer "], &["Basic sk_test_1"], &["Bearer a", "Bearer a"]];
    for values in none {
        assert_eq!(token(values), None, "{values:?}");
    }
}

#[test]
fn the_operators_token_is_compared_whole() {
    let token = SecretString::from("open sesame");
    assert!(is_same(&token, "open sesame"));
    assert!(!is_same(&token, "open sesam"));
    assert!(!is_same(&token, "open sesame!"));
}

#[test]
fn the_client_is_the_last_hop_that_is_not_a_proxy_of_ours() {
    let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().expect("a network"));
    let cases: [(&str, &[&str], &str); 11] = [
        ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
        ("10.0.0.1", &[], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", &["198.51.100.7, 10.9.9.9"], "198.51.100.7"),
        ("10.0.0.1", &["203.0.113.9", "198.51.100.7,10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", &["198.51.100.7, unknown, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
        ("fd00::1", &["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
    ];
    for (peer, lines, expected) in cases {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().expect("a header"));
        }
        let found = client(peer.parse().expect("an address"), &headers, &trusted);
        assert_eq!(found.to_string(), expected, "{peer} {lines:?}");
    }
    let mut headers = HeaderMap::new();
    headers.append(FORWARDED_FOR, "198.51.100.7".parse().expect("a header"));
    let peer = "10.0.0.1".parse().expect("an address");
    assert_eq!(client(peer, &headers, &[]), peer);
}
