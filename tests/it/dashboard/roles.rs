//! Who may do what.

use accrue::dashboard::graphql::roles;

use crate::support::Server;

#[test]
fn every_field_says_who_may_use_it() {
    let listed: Vec<String> = roles()
        .into_iter()
        .map(|(name, roles)| {
            let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            format!("{name}: {}", roles.join(" "))
        })
        .filter(|line| !line.ends_with(": owner finance developer viewer"))
        .collect();
    let expected: &[&str] = include!("roles.in");
    let lines: String = listed.iter().map(|line| format!("    \"{line}\",\n")).collect();
    assert_eq!(listed, expected, "tests/it/dashboard/roles.in should be\n&[\n{lines}]\n");
}

#[tokio::test]
async fn what_a_role_may_not_do_is_forbidden() {
    let server = Server::start().await;
    let owner = server.owner_of(&server.seller().await).await;
    let me = owner.query("{ me { id } }").await["me"]["id"].clone();
    // Two owners, so that one may become another.
    owner
        .query(
            "mutation { invitePerson(input: {email: \"b@example.com\", role: \"owner\"}) { id } }",
        )
        .await;
    let people = owner.query("{ people { nodes { status inviteUrl } } }").await;
    assert_eq!(people["people"]["nodes"][1]["inviteUrl"], serde_json::Value::Null);
    let downgrade = format!(
        "mutation {{ changeRole(input: {{personId: {me}, role: \"viewer\"}}) {{ role }} }}"
    );
    let (text, ..) = owner.error(&downgrade).await;
    assert!(text.contains("last owner"), "{text}");
    server.close().await;
}
