//! The electronic invoice inside the PDF, as Factur-X 1.0 (ZUGFeRD 2) has it: the attachment, and
//! metadata that say so. The PDF writer has no place for the latter, so they are put into the
//! finished file.

use krilla::Document as Drawn;
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::metadata::DateTime;

const FILE_NAME: &str = "factur-x.xml";

/// The properties, in a namespace of their own.
const PROPERTIES: &str = "<rdf:Description rdf:about=\"\" \
    xmlns:fx=\"urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#\">\
    <fx:DocumentType>INVOICE</fx:DocumentType>\
    <fx:DocumentFileName>factur-x.xml</fx:DocumentFileName>\
    <fx:Version>1.0</fx:Version>\
    <fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>\
    </rdf:Description>";

/// What they mean, which PDF/A asks for.
const SCHEMA: &str = "<rdf:li rdf:parseType=\"Resource\">\
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>\
    <pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#\
    </pdfaSchema:namespaceURI>\
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>\
    <pdfaSchema:property><rdf:Seq>\
    <rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>DocumentFileName</pdfaProperty:name>\
    <pdfaProperty:valueType>Text</pdfaProperty:valueType>\
    <pdfaProperty:category>external</pdfaProperty:category>\
    <pdfaProperty:description>name of the embedded XML invoice file</pdfaProperty:description>\
    </rdf:li>\
    <rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>DocumentType</pdfaProperty:name>\
    <pdfaProperty:valueType>Text</pdfaProperty:valueType>\
    <pdfaProperty:category>external</pdfaProperty:category>\
    <pdfaProperty:description>INVOICE</pdfaProperty:description></rdf:li>\
    <rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>Version</pdfaProperty:name>\
    <pdfaProperty:valueType>Text</pdfaProperty:valueType>\
    <pdfaProperty:category>external</pdfaProperty:category>\
    <pdfaProperty:description>The actual version of the Factur-X XML schema\
    </pdfaProperty:description></rdf:li>\
    <rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>ConformanceLevel</pdfaProperty:name>\
    <pdfaProperty:valueType>Text</pdfaProperty:valueType>\
    <pdfaProperty:category>external</pdfaProperty:category>\
    <pdfaProperty:description>The conformance level of the embedded Factur-X data\
    </pdfaProperty:description></rdf:li>\
    </rdf:Seq></pdfaSchema:property></rdf:li>";

const END_OF_SCHEMAS: &str = "</rdf:Bag></pdfaExtension:schemas>";
const END_OF_PROPERTIES: &str = "</rdf:RDF>";

/// An entry of the table of objects: ten digits, and what follows them.
const ENTRY: usize = 20;
const DIGITS: usize = 10;

pub(super) fn attach(drawn: &mut Drawn, xml: Vec<u8>, issued: DateTime) {
    drawn.embed_file(EmbeddedFile {
        path: FILE_NAME.to_owned(),
        mime_type: MimeType::new("text/xml"),
        description: Some("The invoice as data by EN 16931".to_owned()),
        association_kind: AssociationKind::Alternative,
        data: xml.into(),
        modification_date: Some(issued),
        compress: Some(true),
        location: None,
    });
}

/// The same file with metadata that tell of the attachment; nothing, where the metadata are not
/// what they were expected to be.
pub(super) fn with_metadata(file: &[u8]) -> Option<Vec<u8>> {
    // What was put in by others is compressed, or stands before.
    let packet = last(file, b"<?xpacket begin")?;
    let object = last(&file[..packet], b"<</Length ")?;
    let (head, rest) = file.split_at(object);
    let (dictionary, rest) = rest.split_at(packet - object);
    let (_, after_length) = text(dictionary)?.strip_prefix("<</Length ")?.split_once('/')?;
    let (metadata, tail) = rest.split_at(last(rest, b"\nendstream")?);
    let metadata = text(metadata)?
        .replacen(END_OF_SCHEMAS, &format!("{SCHEMA}{END_OF_SCHEMAS}"), 1)
        .replacen(END_OF_PROPERTIES, &format!("{PROPERTIES}{END_OF_PROPERTIES}"), 1);
    let mut whole = Vec::with_capacity(file.len() + SCHEMA.len() + PROPERTIES.len() + 16);
    whole.extend_from_slice(head);
    whole.extend_from_slice(format!("<</Length {}/{after_length}", metadata.len()).as_bytes());
    whole.extend_from_slice(metadata.as_bytes());
    whole.extend_from_slice(tail);
    let longer = whole.len() - file.len();
    found_again(whole, object, longer)
}

/// Puts the places right of what now lies further back.
fn found_again(mut file: Vec<u8>, behind: usize, longer: usize) -> Option<Vec<u8>> {
    let named = last(&file, b"startxref\n")? + b"startxref\n".len();
    let (table, rest) = text(&file[named..])?.split_once('\n')?;
    let table = table.parse::<usize>().ok()? + longer;
    let end = format!("{table}\n{rest}");
    let trailer = table + last(&file[table..], b"trailer\n")?;
    let first = table
        + "xref\n".len()
        + file[table + "xref\n".len()..].iter().position(|b| *b == b'\n')?
        + 1;
    for entry in file[first..trailer].chunks_exact_mut(ENTRY) {
        let place: usize = text(&entry[..DIGITS])?.parse().ok()?;
        if place > behind {
            entry[..DIGITS].copy_from_slice(format!("{:010}", place + longer).as_bytes());
        }
    }
    file.truncate(named);
    file.extend_from_slice(end.as_bytes());
    Some(file)
}

fn last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|window| window == wanted)
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
