use super::*;

pub(super) fn draft(json: &str) -> MappingDraft {
    serde_json::from_str(json).expect("a mapping")
}

pub(super) fn header(columns: &str) -> Header {
    Header { columns: columns.split(' ').map(str::to_owned).collect(), delimiter: b',' }
}

const WHOLE: &str = r#"{
    "contractId": "c", "metric": {"const": "m"}, "quantity": "q", "occurredAt": "t",
    "idempotencyKey": "k", "metadata": {"b": "q", "a": {"const": "A"}}, "more": 1
}"#;

#[test]
fn a_row_is_read_by_its_mapping() {
    let mapping = draft(WHOLE).resolve(&header("q c t k")).expect("fits");
    let read = fields(&mapping, UploadId(5), 7, &[b"1.5", b"9", b"now", b"key"]).expect("fields");
    assert_eq!(
        read.json(),
        r#"{"contractId":"9","idempotencyKey":"key","metadata":{"a":"A","b":"1.5"},"metric":"m","occurredAt":"now","quantity":"1.5"}"#
    );
    let empty = fields(&mapping, UploadId(5), 7, &[b"", b"", b"", b""]).expect("fields");
    assert_eq!((empty.quantity, &*empty.idempotency_key), ("", ""));
    assert_eq!(empty.metadata, [("a", "A")]);
    for (cells, fault) in [
        (&[b"1" as &[u8]; 3] as &[&[u8]], RowFault::Cells { cells: 3, columns: 4 }),
        (&[b"1" as &[u8]; 5], RowFault::Cells { cells: 5, columns: 4 }),
        (&[b"1", b"\xff", b"1", b"1"], RowFault::NotText),
    ] {
        assert_eq!(fields(&mapping, UploadId(5), 7, cells), Err(fault));
    }
}

#[test]
fn a_row_without_a_column_of_keys_has_a_key_of_its_own() {
    let mapping = draft(r#"{"contractId":"c","metric":"c","quantity":"c","occurredAt":"c"}"#);
    let mapping = mapping.resolve(&header("c")).expect("fits");
    let read = fields(&mapping, UploadId(5), 7, &[b"x"]).expect("fields");
    assert_eq!((&*read.idempotency_key, read.metadata.len()), ("csv:5:7", 0));
    assert!(!read.json().contains("metadata"));
}

#[test]
fn a_mapping_that_does_not_fit_names_the_field() {
    let refused = |json: &str, columns| draft(json).resolve(&header(columns)).expect_err("no fit");
    assert_eq!(refused("{}", "c"), MappingRefusal::Missing("contractId"));
    assert_eq!(refused(r#"{"contractId":"c"}"#, "c"), MappingRefusal::Missing("metric"));
    let text = |json, columns| refused(json, columns).to_string();
    assert_eq!(
        text(r#"{"contractId":"C"}"#, "c"),
        r#"mapping: contractId names the column "C", which the file does not have"#
    );
    assert_eq!(
        text(r#"{"contractId":"c"}"#, "c c"),
        r#"mapping: contractId names the column "c", which the file has more than once"#
    );
    assert!(text(WHOLE, "q c t").contains("idempotencyKey"));
    assert!(text(&WHOLE.replace(r#""b": "q""#, r#""b": "x""#), "q c t k").contains("metadata.b"));
    for wrong in [
        r#"{"contractId":7}"#,
        r#"{"contractId":{"const":7}}"#,
        r#"{"contractId":{"constant":"7"}}"#,
        r#"{"metadata":"c"}"#,
    ] {
        let error = serde_json::from_str::<MappingDraft>(wrong).expect_err("no mapping");
        assert!(error.to_string().contains("expected"), "{error}");
    }
}

#[test]
fn an_upload_from_before_quotes_were_looked_at_goes_on_without_that() {
    let mapping = draft(WHOLE).resolve(&header("q c t k")).expect("fits");
    let mut bytes = minicbor::to_vec(&mapping).expect("encoded");
    // The last of nine members is the one that those did not have.
    assert_eq!((bytes[0], bytes.pop()), (0x89, Some(0xf5)));
    bytes[0] = 0x88;
    let before: Mapping = minicbor::decode(&bytes).expect("read");
    assert!(before.quotes().is_none() && mapping.quotes().is_some());
    assert_eq!(before, Mapping { strict_quotes: false, ..mapping });
    let mut row = LargeRow::new(&before);
    row.push(b"\"1\"5,9,now,key");
    assert_eq!(
        row.finish(),
        (vec![b"15".to_vec(), b"9".to_vec(), b"now".to_vec(), b"key".to_vec()], None)
    );
}
