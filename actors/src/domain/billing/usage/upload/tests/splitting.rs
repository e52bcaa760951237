use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Header, rows and parts of a file that comes in pieces of these lengths, over and over.
fn split(
    file: &[u8],
    lengths: &[usize],
) -> Result<(Vec<String>, u64, Vec<UploadPart>), SplitFault> {
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

/// The cells of all rows, as the parts lead to them.
fn cells(parts: &[UploadPart]) -> Vec<Vec<Vec<u8>>> {
    let mut rows = Vec::new();
    for part in parts {
        assert_eq!(part.first_row, rows.len() as u64 + 1);
        assert!(part.bytes.len() <= MAX_PART_BYTES && part.rows <= MAX_PART_ROWS);
        if part.too_large {
            rows.push(vec![b"too large".to_vec()]);
            continue;
        }
        let before = rows.len();
        rows.extend(read(&part.bytes, false));
        assert_eq!(rows.len() - before, part.rows as usize);
    }
    rows
}

fn read(bytes: &[u8], headed: bool) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(headed).flexible(true);
    let rows = reader.from_reader(bytes).into_byte_records();
    rows.map(|row| row.expect("a row").iter().map(<[u8]>::to_vec).collect()).collect()
}

#[test]
fn a_file_is_read_alike_however_it_comes() {
    let quoted = "a,\"b\r\nc\",\"d \"\" e\"";
    let file = format!("\u{feff}x,y,z\r\n{quoted}\r\n\r\n\n{quoted}\nlast,,");
    for lengths in [&[1][..], &[2, 1], &[7], &[1_000]] {
        let (header, rows, parts) = split(file.as_bytes(), lengths).expect("a file");
        assert_eq!((header.join(" "), rows), ("x y z".to_owned(), 3));
        assert_eq!(cells(&parts), read(file.as_bytes(), true));
    }
}

#[test]
fn parts_have_their_measure() {
    let file = format!("q\n{}", "1\n".repeat(4_500));
    let (_, rows, parts) = split(file.as_bytes(), &[10_000]).expect("a file");
    let counts: Vec<u32> = parts.iter().map(|part| part.rows).collect();
    assert_eq!((rows, counts), (4_500, vec![2_000, 2_000, 500]));
    let long = format!("{}\n", "x".repeat(10_000));
    let file = format!("q\n{}", long.repeat(10));
    let (_, rows, parts) = split(file.as_bytes(), &[3_333]).expect("a file");
    let counts: Vec<u32> = parts.iter().map(|part| part.rows).collect();
    assert_eq!((rows, counts), (10, vec![4, 4, 2]));
}

#[test]
fn a_row_that_is_too_large_is_a_part_of_its_own() {
    let fits = "y".repeat(MAX_ROW_BYTES - 1);
    let file = format!(
        "q\n1\n{}\n2\n\"{}\n\"\n{fits}\n3\n",
        "x".repeat(3_000_000),
        "z".repeat(MAX_ROW_BYTES)
    );
    for lengths in [&[997][..], &[65_536]] {
        let (_, rows, parts) = split(file.as_bytes(), lengths).expect("a file");
        assert_eq!(rows, 6);
        assert!(
            parts
                .iter()
                .filter(|part| part.too_large)
                .all(|part| part.bytes.len() == MAX_ROW_BYTES)
        );
        let firsts: Vec<Vec<u8>> =
            cells(&parts).into_iter().map(|mut row| row.swap_remove(0)).collect();
        let too_large = b"too large".to_vec();
        let expected = [
            b"1".to_vec(),
            too_large.clone(),
            b"2".to_vec(),
            too_large,
            fits.clone().into_bytes(),
            b"3".to_vec(),
        ];
        assert_eq!(firsts, expected);
    }
}

#[test]
fn what_is_no_file_of_rows_is_refused() {
    for (file, fault) in [
        (&b""[..], SplitFault::NoHeader),
        (b"\n\r\n\n", SplitFault::NoHeader),
        (b"a,\xff\n1,2\n", SplitFault::HeaderNotText),
        (&[b'a'; 70_000], SplitFault::HeaderTooLarge),
    ] {
        assert_eq!(split(file, &[1_000]).expect_err("no file"), fault);
    }
    let (header, rows, parts) = split(b"a,b", &[1]).expect("a header");
    assert_eq!((header.len(), rows, parts.len()), (2, 0, 0));
}

proptest! {
    #[test]
    fn any_bytes_are_split_into_the_rows_they_are_read_as(
        body in vec(prop::sample::select(b"a1,\"\r\n \xc3".as_slice()), 0..300),
        lengths in vec(1_usize..40, 1..5),
    ) {
        let file = [b"h\n".as_slice(), &body].concat();
        let (_, rows, parts) = split(&file, &lengths).expect("a file");
        let expected = read(&file, true);
        prop_assert_eq!(rows, expected.len() as u64);
        prop_assert_eq!(cells(&parts), expected);
    }
}
