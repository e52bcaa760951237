//! Elements, and how they are written.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

pub(super) struct Element<'a> {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Content<'a>,
}

enum Content<'a> {
    Text(String),
    /// Made one after the other while they are written: a document may have many lines.
    Elements(Box<dyn Iterator<Item = Element<'a>> + 'a>),
}

/// An element of others; those that are not there are left out.
pub(super) fn group<'a, const N: usize>(
    name: &'static str,
    elements: [Option<Element<'a>>; N],
) -> Element<'a> {
    list(name, elements.into_iter().flatten())
}

pub(super) fn list<'a>(
    name: &'static str,
    elements: impl Iterator<Item = Element<'a>> + 'a,
) -> Element<'a> {
    Element { name, attributes: Vec::new(), content: Content::Elements(Box::new(elements)) }
}

pub(super) fn text<'a>(name: &'static str, text: impl ToString) -> Element<'a> {
    let text = text.to_string().chars().filter(|letter| is_allowed(*letter)).collect();
    Element { name, attributes: Vec::new(), content: Content::Text(text) }
}

impl Element<'_> {
    pub(super) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    pub(super) fn some(self) -> Option<Self> {
        Some(self)
    }

    /// The whole document, of which this is the root.
    pub(super) fn document(self) -> Vec<u8> {
        let mut writer = Writer::new_with_indent(Vec::with_capacity(16 * 1024), b' ', 2);
        let head = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
        let written = writer.write_event(head).and_then(|()| self.write(&mut writer));
        written.expect("memory takes whatever is written");
        writer.into_inner()
    }

    fn write(self, writer: &mut Writer<Vec<u8>>) -> std::io::Result<()> {
        let attributes = self.attributes.iter().map(|(name, value)| (*name, value.as_str()));
        let start = BytesStart::new(self.name).with_attributes(attributes);
        writer.write_event(Event::Start(start))?;
        match self.content {
            Content::Text(text) => writer.write_event(Event::Text(BytesText::new(&text)))?,
            Content::Elements(mut elements) => {
                elements.try_for_each(|element| element.write(writer))?;
            }
        }
        writer.write_event(Event::End(BytesEnd::new(self.name)))
    }
}

/// XML 1.0 has no way to write the rest.
fn is_allowed(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
