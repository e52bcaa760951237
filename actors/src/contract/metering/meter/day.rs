//! A day in memory, as it will be on disk once the room's batches have landed.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, Store};

use crate::domain::billing::usage::{
    DistinctValues, Entry, Measured, MetricName, UsageDay, UsageEvent, UsageTotal, hour_of,
};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Date;
use crate::query::usage::{day_values, unreadable};
use crate::tables::{USAGE_CHUNKS, USAGE_DAYS, USAGE_VALUES};

pub(super) type DayKey = (SellerId, ContractId, MetricName, Date);

#[derive(Clone, Debug, Default)]
pub(in crate::contract::metering) struct OpenDay {
    row: UsageDay,
    values: BTreeMap<u32, DistinctValues>,
    changed: Vec<u32>,
    /// The last command that used it.
    pub(super) turn: u64,
}

impl OpenDay {
    /// A day that is not in memory: no batch that is under way has written it.
    pub(in crate::contract::metering) fn read(
        store: &Store,
        key: &DayKey,
    ) -> Result<Self, ReadError> {
        let row = store.get(USAGE_DAYS, key)?.unwrap_or_default();
        let values = day_values(store, key, &row)?;
        Ok(Self { row, values, ..Self::default() })
    }

    /// The tail, where so many more events, of so many bytes at most, do not fit behind it: then
    /// it has to be sealed.
    pub(in crate::contract::metering) fn full_tail(
        &self,
        more: usize,
        bytes: usize,
    ) -> Result<Option<Vec<UsageEvent>>, ReadError> {
        if self.row.has_room(more, bytes) {
            return Ok(None);
        }
        self.row.tail().map(Some).map_err(|error| unreadable(USAGE_DAYS.name(), error))
    }

    pub(super) fn count(&mut self, event: Measured) {
        self.row.count(event);
        if let Some(value) = event.value
            && self.values.entry(event.version).or_default().add(value, hour_of(event.at))
            && !self.changed.contains(&event.version)
        {
            self.changed.push(event.version);
        }
    }

    /// Keeps events that were counted and puts the rows of the day: events go behind the tail,
    /// or into chunks together with it where it is given.
    pub(super) fn keep<'a>(
        &mut self,
        key: &DayKey,
        full_tail: Option<Vec<UsageEvent>>,
        fresh: impl Iterator<Item = Entry<'a>>,
        rows: &mut Batch,
    ) {
        let (seller, contract, metric, day) = key;
        match full_tail {
            None => fresh.for_each(|event| self.row.keep(event)),
            Some(tail) => {
                for (first, chunk) in self.row.seal(&tail, fresh) {
                    let key = (*seller, *contract, metric.clone(), *day, first);
                    rows.put(USAGE_CHUNKS, &key, &chunk);
                }
            }
        }
        rows.put(USAGE_DAYS, key, &self.row);
        for version in self.changed.drain(..) {
            if let Some(values) = self.values.get(&version) {
                let key = (*seller, *contract, metric.clone(), *day, version);
                rows.put(USAGE_VALUES, &key, values);
            }
        }
    }

    pub(super) fn add_to(&self, total: &mut UsageTotal) {
        self.row.add_to(total, |version| self.values.get(&version));
    }
}
