//! What stands between the cells of a file, as its header shows.

/// In the order in which they are taken where a header has as many of one as of another.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

pub(super) const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// A header that is coming, read only as far as to know where it ends and what separates it.
#[derive(Debug, Default)]
pub(super) struct HeaderScan {
    counts: [usize; DELIMITERS.len()],
    quoted: bool,
    /// A quote opens only where a cell begins.
    within: bool,
    begun: bool,
}

impl HeaderScan {
    /// How many of `bytes` belong to the header, when it ends in them.
    pub(super) fn end_in(&mut self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| self.ends_with(*byte)).map(|last| last + 1)
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        if self.quoted {
            self.quoted = byte != b'"';
            return false;
        }
        if matches!(byte, b'\r' | b'\n') {
            // Empty lines before the header are none of it.
            return self.begun;
        }
        if !self.begun && BYTE_ORDER_MARK.contains(&byte) {
            return false;
        }
        self.begun = true;
        if let Some(place) = DELIMITERS.iter().position(|known| *known == byte) {
            self.counts[place] += 1;
            self.within = false;
        } else if byte == b'"' && !self.within {
            self.quoted = true;
        } else {
            self.within = true;
        }
        false
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// The most frequent; a comma where there is none.
    pub(super) fn delimiter(&self) -> u8 {
        let most = self.counts.iter().max().copied().unwrap_or_default();
        let place = self.counts.iter().position(|count| *count == most);
        DELIMITERS[place.unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_shows_its_delimiter() {
        for (header, delimiter) in [
            ("contract,metric\n", b','),
            ("contract;metric\n", b';'),
            ("contract\tmetric\r\n", b'\t'),
            ("contract\n", b','),
            ("\r\n\ncontract;metric;quantity, in GB\n", b';'),
            ("\"contract;id;of\",metric\n", b','),
            ("\"a\n;;b\",metric\n", b','),
            ("a\",b\n", b','),
            ("\"a \"\"b;c;\"\"\",metric\n", b','),
            ("\u{feff}\"a,b\"\tb\n", b'\t'),
        ] {
            let mut scan = HeaderScan::default();
            assert_eq!(
                scan.end_in(header.as_bytes()),
                Some(header.trim_end_matches('\n').trim_end_matches('\r').len() + 1),
                "{header:?}"
            );
            assert_eq!(scan.delimiter(), delimiter, "{header:?}");
        }
    }
}
