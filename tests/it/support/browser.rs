//! Somebody at a browser: it keeps the cookie of a session and sends it with each request.

use hyper::Method;
use serde_json::{Value, json};

use super::api::Api;
use super::make::Seller;
use super::response::Response;
use super::server::Server;

#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) api: Api,
    /// `name=value`.
    pub(crate) cookie: String,
}

impl Server {
    /// Signs in with an e-mail and a password.
    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Browser {
        let body = json!({"email": email, "password": password});
        let answer = self.anonymous.post("/api/v1/login/dashboard", &body).await;
        Browser::of(&self.anonymous, answer.has_status(200))
    }

    /// Signs in as the owner of a sandbox account.
    pub(crate) async fn owner_of(&self, seller: &Seller) -> Browser {
        let login = &seller.minted["dashboard"];
        let text = |name: &str| login[name].as_str().expect("a text").to_owned();
        self.sign_in(&text("email"), &text("password")).await
    }
}

impl Browser {
    /// One that has kept the cookie of an answer.
    #[track_caller]
    pub(crate) fn of(api: &Api, answer: &Response) -> Self {
        let set = answer.header("set-cookie").expect("a cookie");
        let cookie = set.split(';').next().expect("a cookie").to_owned();
        Self { api: api.clone(), cookie }
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let mut all = vec![("cookie", self.cookie.as_str())];
        all.extend_from_slice(headers);
        self.api.send(method, path, &all, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        self.send(Method::POST, path, &[], &body.to_string()).await
    }
}

/// Operations of GraphQL.
impl Browser {
    pub(crate) async fn operation(&self, query: &str, variables: Value) -> Value {
        let body = json!({"query": query, "variables": variables});
        self.post("/dashboard/graphql", &body).await.is(200)
    }

    /// The data of an operation that meets no error.
    pub(crate) async fn query(&self, query: &str) -> Value {
        self.query_with(query, json!({})).await
    }

    pub(crate) async fn query_with(&self, query: &str, variables: Value) -> Value {
        let answer = self.operation(query, variables).await;
        assert_eq!(answer.get("errors"), None, "{query}: {answer}");
        answer["data"].clone()
    }

    /// The one error of an operation: its text, code and status.
    pub(crate) async fn error(&self, query: &str) -> (String, String, u64) {
        let answer = self.operation(query, json!({})).await;
        let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("{query}: {answer}"));
        assert_eq!(errors.len(), 1, "{query}: {answer}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let extensions = &errors[0]["extensions"];
        let status = extensions["status"].as_u64().unwrap_or_default();
        (text(&errors[0]["message"]), text(&extensions["code"]), status)
    }
}
