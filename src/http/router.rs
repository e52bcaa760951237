//! From method and path to a route, without allocating.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;
use hyper::Method;
use hyper::header::HeaderValue;

use super::State;
use super::error::ApiError;
use super::openapi::{self, About};
use super::request::parse_id;
use super::route::Route;
use super::route::document::Part;

const MAX_PARAMETERS: usize = 4;

/// All routes of a server, and the documents made of them: that of the API, and that of the pages.
pub struct Router<S: State> {
    routes: Vec<Route<S>>,
    paths: matchit::Router<Methods>,
    document: Bytes,
    pages_document: Bytes,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The path is no pattern, or overlaps another one.
    #[error("route {method} {path}: {why}")]
    Path { method: Method, path: &'static str, why: String },
    #[error("route {method} {path} is declared twice")]
    Twice { method: Method, path: &'static str },
}

impl RouteError {
    pub(crate) fn of<S: State>(route: &Route<S>, why: &str) -> Self {
        Self::Path { method: route.method.clone(), path: route.path, why: why.to_owned() }
    }
}

#[derive(Clone, Default)]
struct Methods {
    routes: Vec<(Method, usize)>,
}

pub(crate) enum Found<'r, S: State> {
    Route(Place),
    /// A path that is known, with the methods it has, and one of its routes.
    WrongMethod(HeaderValue, &'r Route<S>),
    Nothing,
}

/// A route, and where its parameters are in the path that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    route: usize,
    parameters: [Range<usize>; MAX_PARAMETERS],
}

impl<S: State> Router<S> {
    /// A router over `routes`, with their documents.
    pub(crate) fn new(routes: Vec<Route<S>>, about: &About) -> Result<Self, RouteError> {
        let mut paths: BTreeMap<&'static str, Methods> = BTreeMap::new();
        for (index, route) in routes.iter().enumerate() {
            check(route)?;
            paths.entry(route.path).or_default().add(route, index)?;
        }
        let mut tree = matchit::Router::new();
        for (path, methods) in paths {
            let method = methods.routes[0].0.clone();
            tree.insert(path, methods).map_err(|error| RouteError::Path {
                method,
                path,
                why: error.to_string(),
            })?;
        }
        let operations = routes.iter().filter(|route| !route.is_page());
        let document = openapi::render(operations, about);
        let pages = routes.iter().filter(|route| route.is_page());
        let pages_document = openapi::render(pages, about);
        Ok(Self { routes, paths: tree, document, pages_document })
    }

    pub fn routes(&self) -> &[Route<S>] {
        &self.routes
    }

    pub fn document(&self) -> Bytes {
        self.document.clone()
    }

    pub fn pages_document(&self) -> Bytes {
        self.pages_document.clone()
    }

    pub(crate) fn find(&self, method: &Method, path: &str) -> Found<'_, S> {
        let Ok(found) = self.paths.at(path) else { return Found::Nothing };
        let Some(route) = found.value.of(method) else {
            let (_, any) = found.value.routes[0];
            return Found::WrongMethod(found.value.allow(), &self.routes[any]);
        };
        let mut place = Place { route, parameters: [const { 0..0 }; MAX_PARAMETERS] };
        let begin = path.as_ptr().addr();
        for (range, (_, value)) in place.parameters.iter_mut().zip(found.params.iter()) {
            let start = value.as_ptr().addr() - begin;
            *range = start..start + value.len();
        }
        Found::Route(place)
    }

    pub(crate) fn route(&self, place: &Place) -> &Route<S> {
        &self.routes[place.route]
    }

    pub(crate) fn parameter<'p>(
        &self,
        place: &Place,
        path: &'p str,
        name: &str,
    ) -> Option<&'p str> {
        let position = self.route(place).parameters().position(|found| found == name)?;
        path.get(place.parameters[position].clone())
    }

    /// Goes on if every parameter of `path` that is to be an id is one.
    pub(crate) fn check_ids(&self, place: &Place, path: &str) -> Result<(), ApiError> {
        for name in &self.route(place).ids {
            parse_id(name, self.parameter(place, path, name).unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Methods {
    fn add<S: State>(&mut self, route: &Route<S>, index: usize) -> Result<(), RouteError> {
        if self.routes.iter().any(|(method, _)| *method == route.method) {
            return Err(RouteError::Twice { method: route.method.clone(), path: route.path });
        }
        self.routes.push((route.method.clone(), index));
        Ok(())
    }

    /// The route of `method`; a `HEAD` has that of `GET`.
    fn of(&self, method: &Method) -> Option<usize> {
        let served = if method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find_map(|(known, route)| (known == served).then_some(*route))
    }

    fn allow(&self) -> HeaderValue {
        let mut names: Vec<&str> = self.routes.iter().map(|(method, _)| method.as_str()).collect();
        if names.contains(&"GET") {
            names.push("HEAD");
        }
        names.sort_unstable();
        HeaderValue::from_str(&names.join(", ")).expect("method names are header text")
    }
}

/// A declaration that contradicts itself stops the start rather than a caller.
fn check<S: State>(route: &Route<S>) -> Result<(), RouteError> {
    let parameters: Vec<&str> = route.parameters().collect();
    let asked: Vec<&str> = route
        .document
        .asks
        .iter()
        .filter(|asked| asked.part == Part::Path)
        .map(|asked| asked.name)
        .collect();
    let why = if parameters.len() > MAX_PARAMETERS {
        "has too many parameters"
    } else if parameters.iter().any(|name| !asked.contains(name)) {
        "has a parameter that is not declared"
    } else if asked.iter().any(|name| !parameters.contains(name)) {
        "declares a parameter that its path does not have"
    } else {
        return Ok(());
    };
    Err(RouteError::of(route, why))
}
