use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Header, rows and parts of a file that comes in pieces of these lengths, over and over.
fn split(file: &[u8], lengths: &[usize]) -> Result<(Header, u64, Vec<UploadPart>), SplitFault> {
    let (mut splitter, mut parts, mut rest) = (Splitter::new(), Vec::new(), file);
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*length).min(rest.len()));
        splitter.push(piece, &mut parts)?;
        rest = after;
    }
    let (header, rows) = splitter.finish(&mut parts)?;
    Ok((header, rows, parts))
}

/// The rows of all parts; a large one as its mapped cells, or what is wrong with it.
fn cells(parts: &[UploadPart], header: &Header) -> Vec<Vec<Vec<u8>>> {
    let mapping = mappings::draft(
        r#"{"contractId":{"const":""},"metric":{"const":""},"quantity":{"const":""},
        "occurredAt":{"const":""},"idempotencyKey":"q"}"#,
    );
    let mapping = mapping.resolve(header);
    let mut rows: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut large = None;
    for part in parts {
        assert_eq!(part.first_row, rows.len() as u64 + 1);
        assert!(part.bytes.len() <= MAX_PART_BYTES && part.rows <= MAX_PART_ROWS);
        if part.piece {
            let mapping = mapping.as_ref().expect("a column q");
            let row: &mut LargeRow<'_> = large.get_or_insert_with(|| LargeRow::new(mapping));
            row.push(&part.bytes);
            if !part.goes_on() {
                let (cells, fault) = large.take().expect("a row").finish();
                rows.push(fault.map_or(cells, |fault| vec![fault.to_string().into_bytes()]));
            }
            continue;
        }
        assert!(large.is_none());
        let before = rows.len();
        rows.extend(read(&part.bytes, false, header.delimiter));
        assert_eq!(rows.len() - before, part.rows as usize);
    }
    rows
}

fn read(bytes: &[u8], headed: bool, delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(headed).flexible(true).delimiter(delimiter);
    let rows = reader.from_reader(bytes).into_byte_records();
    rows.map(|row| row.expect("a row").iter().map(<[u8]>::to_vec).collect()).collect()
}

#[test]
fn a_file_is_read_alike_however_it_comes_and_whatever_separates_it() {
    let quoted = "a,\"b\r\nc\",\"d \"\" e\"";
    let file = format!("\u{feff}x,y,z\r\n{quoted}\r\n\r\n\n{quoted}\nlast,,");
    for delimiter in [b',', b';', b'\t'] {
        let file = file.replace(',', &char::from(delimiter).to_string());
        for lengths in [&[1][..], &[2, 1], &[7], &[1_000]] {
            let (header, rows, parts) = split(file.as_bytes(), lengths).expect("a file");
            assert_eq!((header.columns.join(" "), rows), ("x y z".to_owned(), 3));
            assert_eq!(header.delimiter, delimiter);
            assert_eq!(cells(&parts, &header), read(file.as_bytes(), true, delimiter));
        }
    }
}

#[test]
fn parts_have_their_measure() {
    let file = format!("q\n{}", "1\n".repeat(4_500));
    let (_, rows, parts) = split(file.as_bytes(), &[10_000]).expect("a file");
    let counts: Vec<u32> = parts.iter().map(|part| part.rows).collect();
    assert_eq!((rows, counts), (4_500, vec![1_000, 1_000, 1_000, 1_000, 500]));
    let long = format!("{}\n", "x".repeat(10_000));
    let file = format!("q\n{}", long.repeat(10));
    let (_, rows, parts) = split(file.as_bytes(), &[3_333]).expect("a file");
    let counts: Vec<u32> = parts.iter().map(|part| part.rows).collect();
    assert_eq!((rows, counts), (10, vec![4, 4, 2]));
}

#[test]
fn empty_lines_belong_to_no_row_however_many_they_are() {
    let empty = "\r\n".repeat(MAX_PART_BYTES);
    let file = format!("q{empty}a{empty}b\r\n{empty}");
    for length in [1_000, MAX_PART_BYTES, file.len()] {
        let (header, rows, parts) = split(file.as_bytes(), &[length]).expect("a file");
        assert_eq!((rows, cells(&parts, &header)), (2, read(b"a\nb", false, b',')));
        assert!(parts.iter().all(|part| !part.piece && part.bytes.len() < 8));
    }
}

#[test]
fn of_a_large_row_only_the_mapped_columns_count() {
    let most = "y".repeat(MAX_ROW_BYTES);
    let unmapped = "x".repeat(3_000_000);
    let file = format!(
        "note,q\n,1\n{unmapped},2\n,{most}\n\"{most}\n\n\",3\n,{most}y\n{unmapped}\n,4\n\"{unmapped}\n\"a,4\n{unmapped},\"5\"",
    );
    for lengths in [&[997][..], &[65_536], &[1, 2, 40_000]] {
        let (header, rows, parts) = split(file.as_bytes(), lengths).expect("a file");
        assert_eq!(rows, 9);
        let rows = cells(&parts, &header);
        let read: Vec<_> =
            rows.iter().map(|row| String::from_utf8_lossy(row.last().expect("a cell"))).collect();
        let too_large = RowFault::TooLarge.to_string();
        let short = RowFault::Cells { cells: 1, columns: 2 }.to_string();
        let behind_quote = RowFault::BehindQuote { lines: 2 }.to_string();
        let expected = ["1", "2", &most, "3", &too_large, &short, "4", &behind_quote, "5"];
        assert_eq!(read, expected);
    }
}

#[test]
fn what_is_no_file_of_rows_is_refused() {
    for (file, fault) in [
        (&b""[..], SplitFault::NoHeader),
        (b"\n\r\n\n", SplitFault::NoHeader),
        (b"a,\xff\n1,2\n", SplitFault::HeaderNotText),
        (&[b'a'; 70_000], SplitFault::HeaderTooLarge),
        (b"a,\"b\n1,2\n", SplitFault::HeaderUnclosed),
        (b"a,\"b\n1,2\n3,\"4\n", SplitFault::HeaderBehindQuote),
        (b"\xef\xbb\xbf\"a\"b\n", SplitFault::HeaderBehindQuote),
    ] {
        assert_eq!(split(file, &[1_000]).expect_err("no file"), fault);
    }
    let (header, rows, parts) = split(b"a,b", &[1]).expect("a header");
    assert_eq!((header.columns.len(), rows, parts.len()), (2, 0, 0));
}

#[test]
fn a_file_that_ends_within_quotes_is_refused_and_the_row_named_in_which_they_begin() {
    let rows = "1,2\n".repeat(2_500);
    let long = "x".repeat(MAX_PART_BYTES);
    for (file, row) in [
        ("h,i\n\"".to_owned(), 1),
        (format!("h,i\n{rows}1,\"19 inch\n{rows}"), 2_501),
        (format!("h;i\r\n{rows}\r\n1;\"a\"\"\n"), 2_501),
        (format!("h,i\n1,2\n{long},\"{long}\n{long}"), 2),
        (format!("h,i\n1,\"a\n2,\"b\n3,\"c\n{long}"), 2),
    ] {
        for length in [1, 1_000, file.len()] {
            let refused = split(file.as_bytes(), &[length]).expect_err("no file");
            assert_eq!(refused, SplitFault::RowUnclosed { row });
        }
        let (_, rows, _) = split(format!("{file}\"").as_bytes(), &[1_000]).expect("a file");
        assert_eq!(rows, row);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_split_into_the_rows_they_are_read_as(
        body in vec(prop::sample::select(b"a1,\"\r\n \xc3".as_slice()), 0..300),
        lengths in vec(1_usize..40, 1..5),
    ) {
        let file = [b"h\n".as_slice(), &body].concat();
        let expected = read(&file, true, b',');
        let rows = expected.len() as u64;
        // Within quotes a line break ends no row.
        if read(&[&file, b"\nz".as_slice()].concat(), true, b',').len() == expected.len() {
            prop_assert_eq!(split(&file, &lengths), Err(SplitFault::RowUnclosed { row: rows }));
            return Ok(());
        }
        let (header, split_rows, parts) = split(&file, &lengths).expect("a file");
        prop_assert_eq!(split_rows, rows);
        prop_assert_eq!(cells(&parts, &header), expected);
    }
}
