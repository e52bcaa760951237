//! The seller's allowlist: networks that deliveries may go to.
//!
//! It only narrows. Without an entry a delivery may go wherever the operator's guard lets it;
//! with entries, only there and into one of them. An entry for a private network opens nothing.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use minicbor::{Decode, Decoder, Encode, Encoder};

use crate::domain::ids::{AllowlistId, SellerId};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

pub const MAX_ENTRIES: usize = 1_000;

pub const MAX_DESCRIPTION_CHARS: usize = 256;

/// The bits that IPv4 addresses written inside IPv6 ones have in common.
const MAPPED_PREFIX: u8 = 96;

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct AllowlistEntry {
    #[n(0)]
    pub id: AllowlistId,
    #[n(1)]
    pub seller: SellerId,
    #[cbor(n(2), with = "self")]
    pub cidr: IpNet,
    #[n(3)]
    pub description: Option<String>,
    #[n(4)]
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub struct NewEntry {
    pub cidr: Option<String>,
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// A new entry: write it.
    Created(AllowlistEntry),
    /// The network has an entry already: write nothing, answer this one.
    Existing(AllowlistEntry),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllowlistRefusal {
    #[error("cidr is required")]
    CidrMissing,
    #[error("cidr must be an IPv4 or IPv6 address or network")]
    Cidr,
    #[error("description must have at most {MAX_DESCRIPTION_CHARS} characters")]
    Description,
    #[error("at most {MAX_ENTRIES} allowlist entries can be made")]
    TooMany,
}

/// Decides on a new entry. `entries` are all of the seller; `id` is drawn for a new one.
pub fn allow(
    seller: SellerId,
    entries: &[AllowlistEntry],
    command: NewEntry,
    id: impl FnOnce() -> AllowlistId,
    now: Timestamp,
) -> Result<Allowed, AllowlistRefusal> {
    let text = command.cidr.ok_or(AllowlistRefusal::CidrMissing)?;
    let cidr = parse_cidr(&text).ok_or(AllowlistRefusal::Cidr)?;
    if command.description.as_ref().is_some_and(|text| text.chars().count() > MAX_DESCRIPTION_CHARS)
    {
        return Err(AllowlistRefusal::Description);
    }
    if let Some(known) = entries.iter().find(|entry| entry.cidr == cidr) {
        return Ok(Allowed::Existing(known.clone()));
    }
    if entries.len() >= MAX_ENTRIES {
        return Err(AllowlistRefusal::TooMany);
    }
    let description = command.description;
    Ok(Allowed::Created(AllowlistEntry { id: id(), seller, cidr, description, created_at: now }))
}

/// A network in CIDR notation with its host bits cleared; a bare address is the network of that
/// address alone. Of IPv4 addresses written inside IPv6 ones, the IPv4 address counts.
pub fn parse_cidr(text: &str) -> Option<IpNet> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(IpNet::from(address.to_canonical()));
    }
    let net = match text.parse::<IpNet>().ok()? {
        IpNet::V6(net) => canonical(net)?,
        net @ IpNet::V4(_) => net,
    };
    Some(net.trunc())
}

/// Deliveries are judged by their IPv4 address wherever there is one, so a network of such
/// addresses written inside IPv6 ones would let none of them through. One that is wider than all
/// of them was meant as something else.
fn canonical(net: Ipv6Net) -> Option<IpNet> {
    let Some(address) = net.addr().to_ipv4_mapped() else { return Some(IpNet::V6(net)) };
    let prefix = net.prefix_len().checked_sub(MAPPED_PREFIX)?;
    Ipv4Net::new(address, prefix).ok().map(IpNet::V4)
}

impl Refuse for AllowlistRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TooMany => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}

impl storage::CborRecord for AllowlistEntry {}

/// Networks are stored as their text, and read as a request's is: some were stored as they came.
fn encode<C, W: minicbor::encode::Write>(
    net: &IpNet,
    e: &mut Encoder<W>,
    _: &mut C,
) -> Result<(), minicbor::encode::Error<W::Error>> {
    e.str(&net.to_string())?.ok()
}

fn decode<C>(d: &mut Decoder<'_>, _: &mut C) -> Result<IpNet, minicbor::decode::Error> {
    parse_cidr(d.str()?).ok_or_else(|| minicbor::decode::Error::message("expected a network"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(entries: &[AllowlistEntry], cidr: &str) -> Result<Allowed, AllowlistRefusal> {
        let command = NewEntry { cidr: Some(cidr.to_owned()), description: None };
        let now = Timestamp::from_micros(0);
        allow(SellerId(1), entries, command, || AllowlistId(9), now)
    }

    #[test]
    fn networks_are_normalized() {
        let table = [
            ("203.0.113.7", Some("203.0.113.7/32")),
            ("203.0.113.7/24", Some("203.0.113.0/24")),
            ("2606:4700::1", Some("2606:4700::1/128")),
            ("2606:4700::1/32", Some("2606:4700::/32")),
            ("::ffff:203.0.113.7", Some("203.0.113.7/32")),
            ("::ffff:203.0.113.7/120", Some("203.0.113.0/24")),
            ("::ffff:0:0/96", Some("0.0.0.0/0")),
            ("::ffff:203.0.113.7/24", None),
            ("::/0", Some("::/0")),
            ("0.0.0.0/0", Some("0.0.0.0/0")),
            ("203.0.113.7/33", None),
            ("203.0.113", None),
            ("example.com", None),
            ("", None),
        ];
        for (text, expected) in table {
            let net = parse_cidr(text).map(|net| net.to_string());
            assert_eq!(net.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_same_network_twice_is_one_entry() {
        let Ok(Allowed::Created(entry)) = ask(&[], "203.0.113.7/24") else { panic!("created") };
        let again = ask(std::slice::from_ref(&entry), "203.0.113.0/24");
        assert_eq!(again, Ok(Allowed::Existing(entry.clone())));
        let row = storage::Record::encode(&entry);
        assert_eq!(<AllowlistEntry as storage::Record>::decode(1, &row).unwrap(), entry);
    }

    #[test]
    fn a_network_that_was_stored_as_ipv6_is_read_as_the_ipv4_network_it_means() {
        let Ok(Allowed::Created(entry)) = ask(&[], "203.0.113.0/24") else { panic!("created") };
        let cidr = "::ffff:203.0.113.0/120".parse().unwrap();
        let row = storage::Record::encode(&AllowlistEntry { cidr, ..entry.clone() });
        assert_eq!(<AllowlistEntry as storage::Record>::decode(1, &row).unwrap(), entry);
    }

    #[test]
    fn what_is_no_network_is_refused() {
        assert_eq!(ask(&[], "10.0.0.0/40"), Err(AllowlistRefusal::Cidr));
        let command = NewEntry::default();
        let now = Timestamp::from_micros(0);
        let refused = allow(SellerId(1), &[], command, || AllowlistId(9), now);
        assert_eq!(refused, Err(AllowlistRefusal::CidrMissing));
    }
}
