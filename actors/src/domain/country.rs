//! Countries by their ISO 3166-1 alpha-2 codes.

use std::fmt;

use minicbor::{Decoder, Encoder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// All officially assigned codes, in order, two capitals each.
const CODES: &[u8] = b"ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBW\
BYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGH\
GIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLI\
LKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOMPAPEPFPG\
PHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTN\
TOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

impl Country {
    pub fn parse(code: &str) -> Option<Self> {
        let wanted: [u8; 2] = code.as_bytes().try_into().ok()?;
        Self::all().find(|country| country.0 == wanted)
    }

    pub fn all() -> impl Iterator<Item = Self> {
        CODES.as_chunks::<2>().0.iter().copied().map(Self)
    }

    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Country {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code = String::deserialize(from)?;
        Self::parse(&code)
            .ok_or_else(|| serde::de::Error::custom("expected an ISO 3166-1 alpha-2 country code"))
    }
}

impl<C> minicbor::Encode<C> for Country {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(self.code())?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Country {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        Self::parse(d.str()?).ok_or_else(|| minicbor::decode::Error::message("unknown country"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole_and_in_order() {
        let all: Vec<Country> = Country::all().collect();
        assert_eq!(all.len(), 249);
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(CODES.iter().all(u8::is_ascii_uppercase));
    }

    #[test]
    fn only_assigned_codes_in_capitals_are_countries() {
        for code in ["DE", "GB", "US", "SE", "ZW", "AD", "AX"] {
            assert_eq!(Country::parse(code).map(|c| c.to_string()).as_deref(), Some(code));
        }
        for code in ["", "D", "de", "UK", "EU", "XX", "ZZ", "DEU", "ÄÄ", "EA"] {
            assert!(Country::parse(code).is_none(), "{code} was taken");
        }
    }
}
