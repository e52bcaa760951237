//! Closed lists of names: each is declared once, with its names on the wire and its numbers on
//! the disk.

/// Declares such a list. An entry is `number Entry = "name"`; a number is never given to another
/// entry. After the list's name may stand the text with which a name that is not in it is refused
/// in JSON, and an older name that is read as one of the entries:
/// `List, "expected one or two", alias "uno" => One;`.
macro_rules! names {
    (
        $(#[$doc:meta])* $list:ident $(, $expected:literal)? $(, alias $alias:literal => $meant:ident)?;
        $($(#[$entry_doc:meta])* $number:literal $entry:ident = $name:literal,)+
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(minicbor::Encode, minicbor::Decode)]
        #[cbor(index_only)]
        pub enum $list { $($(#[$entry_doc])* #[n($number)] $entry = $number),+ }

        impl $list {
            /// Every entry, in the order of the documents.
            pub const ALL: &[Self] = &[$(Self::$entry),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$entry => $name),+ }
            }

            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$entry),)+ $($alias => Some(Self::$meant),)? _ => None }
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl serde::Serialize for $list {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $list {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let name = String::deserialize(from)?;
                Self::parse(&name).ok_or_else(|| {
                    crate::domain::names::names!(@unknown name, [$($name),+] $(, $expected)?)
                })
            }
        }
    };
    (@unknown $name:ident, $names:expr) => {
        serde::de::Error::unknown_variant(&$name, &$names)
    };
    (@unknown $name:ident, $names:expr, $expected:literal) => {
        serde::de::Error::custom($expected)
    };
}

pub(crate) use names;

#[cfg(test)]
#[expect(unreachable_pub, reason = "the lists of a test are its own")]
mod tests {
    names! {
        Few, "expected one or two", alias "uno" => One;
        1 One = "one",
        2 Two = "two",
    }

    names! {
        Fewer;
        7 Only = "only",
    }

    #[test]
    fn names_and_numbers_lead_back() {
        for entry in Few::ALL {
            assert_eq!(Few::parse(entry.name()), Some(*entry));
            let json = serde_json::to_string(entry).expect("a name");
            assert_eq!(json, format!("\"{entry}\""));
            assert_eq!(serde_json::from_str::<Few>(&json).expect("the same"), *entry);
        }
        assert_eq!(Few::parse("uno"), Some(Few::One));
        assert_eq!(Few::parse("One"), None);
        assert_eq!(storage::cbor_encode(&Few::Two), [2]);
        assert_eq!(Fewer::ALL, [storage::cbor_decode(&[7]).expect("its number")]);
    }

    #[test]
    fn a_name_that_is_not_there_is_refused_in_the_words_of_its_list() {
        let few = serde_json::from_str::<Few>("\"three\"").expect_err("no such entry");
        assert!(few.to_string().starts_with("expected one or two"), "{few}");
        let fewer = serde_json::from_str::<Fewer>("\"none\"").expect_err("no such entry");
        assert!(
            fewer.to_string().starts_with("unknown variant `none`, expected `only`"),
            "{fewer}"
        );
    }
}
