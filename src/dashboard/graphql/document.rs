//! How large a document is, measured before the library looks at it. The library follows a fragment
//! anew each time it is spread, so a few lines of fragments that spread each other would keep it
//! busy for ever.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use async_graphql::parser::types::{
    ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, ServerError, Value as GraphValue, Variables};

use super::value;

/// Fields within fields; an introspection of all types is not as deep.
const MOST_DEPTH: usize = 16;
/// Fields, and fragments where they are spread.
const MOST_FIELDS: usize = 1_500;
/// Bytes of variables, wherever they stand: each place has a copy.
const MOST_STATED: usize = 8 * 1024 * 1024;
/// Selections within each other, those of fragments too.
const MOST_NESTED: usize = 32;
/// What an introspection has of a type and may be as much again for each of the type's members.
const MEMBERS: [&str; 4] = ["fields", "inputFields", "interfaces", "possibleTypes"];

/// Refuses a document that is larger than anybody needs.
pub(super) fn check(
    document: &ExecutableDocument,
    variables: &Variables,
) -> Result<(), ServerError> {
    let sizes = variables.iter().map(|(name, stated)| {
        let stated = stated.clone().into_json().unwrap_or_default();
        (name, value::size(&stated))
    });
    let sizes = sizes.collect();
    let mut survey = Survey { document, sizes, fragments: HashMap::new() };
    let mut whole = Extent::default();
    for (_, operation) in document.operations.iter() {
        whole = whole.beside(survey.of(&operation.node.selection_set.node, MOST_NESTED)?);
    }
    if whole.fields > MOST_FIELDS {
        return Err(refused(format!("too complex: an operation has at most {MOST_FIELDS} fields")));
    }
    if whole.depth > MOST_DEPTH {
        return Err(too_deep());
    }
    if whole.stated > MOST_STATED {
        return Err(refused("too complex: its variables stand in too many places".to_owned()));
    }
    // The library would measure these as well, though nothing has come of them here.
    let unused = document.fragments.keys().find(|name| !survey.fragments.contains_key(name));
    if let Some(name) = unused {
        return Err(refused(format!("Fragment \"{name}\" is never used")));
    }
    for (_, operation) in document.operations.iter() {
        let mut roots = Vec::new();
        collect(document, &operation.node.selection_set.node, &mut roots);
        roots.retain(|field| ["__schema", "__type"].contains(&field.name.node.as_str()));
        check_introspection(document, &roots, false)?;
    }
    Ok(())
}

/// What a selection comes to with all that it spreads.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    depth: usize,
    fields: usize,
    stated: usize,
}

impl Extent {
    fn beside(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            stated: self.stated.saturating_add(other.stated),
        }
    }
}

/// Measures each fragment once, however often it is spread.
struct Survey<'d> {
    document: &'d ExecutableDocument,
    /// Of the variables.
    sizes: HashMap<&'d Name, usize>,
    /// `None` while it is being measured.
    fragments: HashMap<&'d Name, Option<Extent>>,
}

impl<'d> Survey<'d> {
    fn of(&mut self, selection: &'d SelectionSet, left: usize) -> Result<Extent, ServerError> {
        let mut whole = Extent::default();
        for item in &selection.items {
            let inner = left.checked_sub(1).ok_or_else(too_deep)?;
            // A spread counts too: one of a fragment without a field is as much work.
            let own = Extent { depth: 0, fields: 1, stated: self.stated(&item.node) };
            let (within, depth) = match &item.node {
                Selection::Field(field) => (self.of(&field.node.selection_set.node, inner)?, 1),
                Selection::InlineFragment(inline) => {
                    (self.of(&inline.node.selection_set.node, inner)?, 0)
                }
                Selection::FragmentSpread(spread) => {
                    (self.of_fragment(&spread.node.fragment_name.node, inner)?, 0)
                }
            };
            let depth = within.depth + depth;
            whole = whole.beside(Extent { depth, ..own.beside(within) });
        }
        Ok(whole)
    }

    /// Bytes of the variables among what a selection itself is given.
    fn stated(&self, selection: &Selection) -> usize {
        let mut bytes = 0_usize;
        let mut count = |name: Name| {
            bytes = bytes.saturating_add(self.sizes.get(&name).copied().unwrap_or_default());
            Ok::<_, Infallible>(GraphValue::Null)
        };
        let arguments = match selection {
            Selection::Field(field) => field.node.arguments.as_slice(),
            Selection::InlineFragment(_) | Selection::FragmentSpread(_) => &[],
        };
        let directives = selection.directives().iter();
        let directives = directives.flat_map(|directive| &directive.node.arguments);
        for (_, value) in arguments.iter().chain(directives) {
            let Ok(_) = value.node.clone().into_const_with(&mut count);
        }
        bytes
    }

    fn of_fragment(&mut self, name: &'d Name, left: usize) -> Result<Extent, ServerError> {
        match self.fragments.get(name) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => {
                return Err(refused(format!("fragment \"{name}\" is spread within itself")));
            }
            None => {}
        }
        // That there is none of this name is told where names are looked up.
        let Some(fragment) = self.document.fragments.get(name) else {
            return Ok(Extent::default());
        };
        self.fragments.insert(name, None);
        let extent = self.of(&fragment.node.selection_set.node, left)?;
        self.fragments.insert(name, Some(extent));
        Ok(extent)
    }
}

/// An introspection shows everything there is once. Its answer comes from no route and is counted
/// nowhere, and aliases or types within types would multiply it.
fn check_introspection(
    document: &ExecutableDocument,
    fields: &[&Field],
    of_member: bool,
) -> Result<(), ServerError> {
    let mut names = HashSet::new();
    for field in fields {
        let name = field.name.node.as_str();
        if !names.insert(name) {
            let text = format!("an introspection asks for {name} once in its place");
            return Err(refused(text));
        }
        let members = MEMBERS.contains(&name);
        if members && of_member {
            let text = format!("an introspection does not ask for {name} of a type's members");
            return Err(refused(text));
        }
        let mut inner = Vec::new();
        collect(document, &field.selection_set.node, &mut inner);
        check_introspection(document, &inner, of_member || members)?;
    }
    Ok(())
}

/// The fields of a selection, those of its fragments among them.
fn collect<'d>(
    document: &'d ExecutableDocument,
    selection: &'d SelectionSet,
    into: &mut Vec<&'d Field>,
) {
    for item in &selection.items {
        match &item.node {
            Selection::Field(field) => into.push(&field.node),
            Selection::InlineFragment(inline) => {
                collect(document, &inline.node.selection_set.node, into);
            }
            Selection::FragmentSpread(spread) => {
                let found = document.fragments.get(&spread.node.fragment_name.node);
                if let Some(fragment) = found {
                    collect(document, &fragment.node.selection_set.node, into);
                }
            }
        }
    }
}

/// The operation of this name; without one, the only one.
pub(super) fn chosen<'d>(
    document: &'d ExecutableDocument,
    operation: Option<&str>,
) -> Option<&'d OperationDefinition> {
    let named = |name: Option<&Name>| operation.is_none() || name.map(Name::as_str) == operation;
    let mut all = document.operations.iter();
    all.find(|(name, _)| named(*name)).map(|(_, chosen)| &chosen.node)
}

/// The places of an operation's fields of the root in its document, by what they are answered as.
pub(super) fn places(
    document: &ExecutableDocument,
    operation: Option<&str>,
) -> HashMap<Name, usize> {
    let mut fields = Vec::new();
    if let Some(chosen) = chosen(document, operation) {
        collect(document, &chosen.selection_set.node, &mut fields);
    }
    let mut places = HashMap::new();
    for (place, field) in fields.iter().enumerate() {
        places.entry(field.response_key().node.clone()).or_insert(place);
    }
    places
}

fn too_deep() -> ServerError {
    let text = format!("too deep: an operation has at most {MOST_DEPTH} fields within each other");
    refused(text)
}

fn refused(text: String) -> ServerError {
    ServerError::new(text, None)
}

#[cfg(test)]
mod tests;
