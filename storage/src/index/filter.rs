//! Which keys a page does not hold, in twelve bits a key.
//!
//! Each key is turned into a number of one out of as many buckets as the page has places, and
//! ten more bits. The buckets are written in unary - a one for each key, a zero behind each
//! bucket - and the ten bits in the same order behind them. A key that is not on the page is
//! taken for one that is about once in a thousand times.

use super::entry::Key;

const LOW_BITS: usize = 10;
const LOW_MASK: u16 = (1 << LOW_BITS) - 1;

/// How large the filter of a page is, and where its parts lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) page: usize,
    upper: usize,
    pub(super) bytes: usize,
}

impl Shape {
    pub(super) fn new(page: usize) -> Self {
        let upper = (2 * page).div_ceil(64) * 8;
        // The last ten bits are read with two bytes.
        let low = (page * LOW_BITS).div_ceil(8) + 1;
        Self { page, upper, bytes: upper + low }
    }

    fn bucket(self, probe: u64) -> usize {
        (((probe >> 32) * self.page as u64) >> 32) as usize
    }
}

/// The bits of a key that filters work with: the same for all of them.
pub(super) fn probe(key: &Key) -> u64 {
    let (place, high, low) = (word(&key[..8]), word(&key[8..16]), word(&key[18..]));
    let mixed =
        (low ^ high.rotate_left(29)).wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mixed = (mixed ^ word(&key[10..18]).rotate_left(17)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Appends the filter of a page with these keys.
pub(super) fn write(shape: Shape, probes: &[u64], out: &mut Vec<u8>) {
    let mut items: Vec<(u32, u16)> =
        probes.iter().map(|&probe| (shape.bucket(probe) as u32, low(probe))).collect();
    items.sort_unstable();
    let start = out.len();
    out.resize(start + shape.bytes, 0);
    let (upper, lows) = out[start..].split_at_mut(shape.upper);
    for (rank, (bucket, low)) in items.into_iter().enumerate() {
        // A zero for each bucket before, a one for each key before.
        let one = bucket as usize + rank;
        upper[one / 8] |= 1 << (one % 8);
        let bit = rank * LOW_BITS;
        let shifted = low << (bit % 8);
        lows[bit / 8] |= shifted as u8;
        lows[bit / 8 + 1] |= (shifted >> 8) as u8;
    }
}

/// Reads where [`may_hold`] will begin, and about where it will go on, so that the memory of many
/// filters is on its way at once.
pub(super) fn touch(shape: Shape, filter: &[u8], probe: u64) -> u8 {
    let bucket = shape.bucket(probe);
    filter[0] ^ filter[shape.upper + bucket * LOW_BITS / 8]
}

/// Whether the page of this filter may hold the key; `false` is certain.
pub(super) fn may_hold(shape: Shape, filter: &[u8], probe: u64) -> bool {
    let (upper, lows) = filter.split_at(shape.upper);
    let bucket = shape.bucket(probe);
    let wanted = low(probe);
    let mut at = behind_zeros(upper, bucket);
    while at < shape.upper * 8 && upper[at / 8] >> (at % 8) & 1 == 1 {
        let bit = (at - bucket) * LOW_BITS;
        let two = u16::from_le_bytes([lows[bit / 8], lows[bit / 8 + 1]]);
        if two >> (bit % 8) & LOW_MASK == wanted {
            return true;
        }
        at += 1;
    }
    false
}

/// The place behind so many zeros.
fn behind_zeros(bits: &[u8], mut zeros: usize) -> usize {
    if zeros == 0 {
        return 0;
    }
    for (index, bytes) in bits.chunks_exact(8).enumerate() {
        let mut free = !word(bytes);
        let here = free.count_ones() as usize;
        if here >= zeros {
            for _ in 1..zeros {
                free &= free - 1;
            }
            return index * 64 + free.trailing_zeros() as usize + 1;
        }
        zeros -= here;
    }
    bits.len() * 8
}

fn low(probe: u64) -> u16 {
    (probe >> 16) as u16 & LOW_MASK
}

fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        let mut key = [0; 26];
        let bits = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        key[10..18].copy_from_slice(&bits.to_be_bytes());
        key[18..].copy_from_slice(
            &(bits ^ bits >> 31).wrapping_mul(0xBF58_476D_1CE4_E5B9).to_le_bytes(),
        );
        key
    }

    #[test]
    fn what_is_on_a_page_passes_its_filter_whatever_the_page_holds() {
        for page in [1, 2, 5, 63, 64, 256] {
            let shape = Shape::new(page);
            for count in 0..=page {
                let probes: Vec<u64> = (0..count as u64).map(|n| probe(&key(n))).collect();
                let mut filter = Vec::new();
                write(shape, &probes, &mut filter);
                assert_eq!(filter.len(), shape.bytes);
                assert!(probes.iter().all(|&probe| may_hold(shape, &filter, probe)));
            }
        }
    }

    #[test]
    fn keys_that_look_all_the_same_pass_too() {
        let shape = Shape::new(16);
        for probe in [0, u64::MAX, 1 << 16] {
            let mut filter = Vec::new();
            write(shape, &[probe; 16], &mut filter);
            assert!(may_hold(shape, &filter, probe));
            assert!(!may_hold(shape, &filter, !probe));
        }
    }

    #[test]
    fn few_others_pass() {
        let shape = Shape::new(256);
        let probes: Vec<u64> = (0..256).map(|n| probe(&key(n))).collect();
        let mut filter = Vec::new();
        write(shape, &probes, &mut filter);
        let passed = (1_000..101_000).filter(|&n| may_hold(shape, &filter, probe(&key(n)))).count();
        assert!(passed < 200, "{passed} of 100,000 keys passed");
    }
}
