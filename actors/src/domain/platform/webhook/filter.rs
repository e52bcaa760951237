//! Which events a webhook hears.

use minicbor::{Decoder, Encoder};

use super::WebhookRefusal;
use crate::domain::platform::event::EventType;

/// The `eventTypes` of a webhook, each once, in the order given. None named means every type
/// but the opt-in families.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter(Vec<EventType>);

impl EventFilter {
    /// The filter of these names; a name said twice counts once.
    pub fn parse(names: &[String]) -> Result<Self, WebhookRefusal> {
        let mut kinds = Vec::with_capacity(names.len().min(EventType::ALL.len()));
        for name in names {
            let kind = EventType::parse(name)
                .filter(|kind| !kind.is_call_back())
                .ok_or_else(|| WebhookRefusal::EventType(shortened(name)))?;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(Self(kinds))
    }

    pub fn only(kind: EventType) -> Self {
        Self(vec![kind])
    }

    pub fn matches(&self, kind: EventType) -> bool {
        if self.0.is_empty() { !kind.is_opt_in() } else { self.0.contains(&kind) }
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|kind| kind.name())
    }
}

/// Enough of a wrong name to find it again.
fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}

impl<C> minicbor::Encode<C> for EventFilter {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.array(self.0.len() as u64)?;
        for kind in &self.0 {
            e.str(kind.name())?;
        }
        Ok(())
    }
}

impl<'b, C> minicbor::Decode<'b, C> for EventFilter {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        d.array_iter::<&str>()?.map(|name| known_type(name?)).collect::<Result<_, _>>().map(Self)
    }
}

/// The event type of a stored name. Names are never taken back, so each stored one is known.
pub(crate) fn known_type(name: &str) -> Result<EventType, minicbor::decode::Error> {
    EventType::parse(name)
        .ok_or_else(|| minicbor::decode::Error::message("an event type that is not known here"))
}
