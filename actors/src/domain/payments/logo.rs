//! A seller's logo: a picture of one of the kinds that browsers draw, told by its first bytes.

use storage::CborRecord;

use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    /// The kinds of picture that are served; none of them can carry a script.
    ImageKind;
    0 Png = "image/png",
    1 Jpeg = "image/jpeg",
    2 Webp = "image/webp",
}

/// How long a logo is good, in seconds, until it is fetched again.
pub const KEPT_SECONDS: i64 = 24 * 3600;

/// How long it is not asked for again after it could not be fetched, in seconds.
pub const FAILED_SECONDS: i64 = 5 * 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub kind: ImageKind,
    pub bytes: Vec<u8>,
}

/// What is known of a logo beside its picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Logo {
    #[n(0)]
    pub fetched_at: Timestamp,
    /// In how many parts the picture lies; none when it could not be fetched.
    #[n(1)]
    pub parts: u16,
}

impl Logo {
    pub fn is_good(&self, now: Timestamp) -> bool {
        let kept = if self.parts > 0 { KEPT_SECONDS } else { FAILED_SECONDS };
        now < self.fetched_at.plus_seconds(kept)
    }
}

impl Image {
    /// The picture that these bytes are; `None` when they are none, whatever was said of them.
    pub fn of(bytes: Vec<u8>) -> Option<Self> {
        let kind = match bytes.as_slice() {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => ImageKind::Png,
            [0xff, 0xd8, 0xff, ..] => ImageKind::Jpeg,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ImageKind::Webp,
            _ => return None,
        };
        Some(Self { kind, bytes })
    }
}

impl CborRecord for Logo {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_bytes() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some(ImageKind::Png)),
            (b"\xff\xd8\xff\xe0....", Some(ImageKind::Jpeg)),
            (b"RIFF\x10\x00\x00\x00WEBPVP8 ", Some(ImageKind::Webp)),
            (b"RIFF\x10\x00\x00\x00WAVEfmt ", None),
            (b"GIF89a", None),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", None),
            (b"<html>", None),
            (b"\x89PNG", None),
            (b"", None),
        ] {
            assert_eq!(Image::of(bytes.to_vec()).map(|image| image.kind), kind);
        }
    }
}
