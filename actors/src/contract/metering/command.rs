//! What can be asked of a contract's metering, and who answers it.

use std::sync::Arc;

use super::closing::CloseCounts;
use super::pricing::NewPrice;
use super::recording::Recorded;
use super::seats::SeatsChanged;
use crate::contract::answers::InvoiceCounts;
use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::usage::upload::{Window, WindowOutcome};
use crate::domain::billing::usage::{
    Adjustment, ChangeSeats, CorrectLate, MetricName, MetricUsage, NewEvent, UsageLimit,
};
use crate::kernel::Once;
use crate::room::Desk;

/// A command to the metering of one contract.
#[derive(Debug)]
pub enum Command {
    /// Records events.
    Record { events: Arc<Vec<NewEvent>>, reply: Answer<Recorded> },
    /// Records the rows of an upload.
    Upload { window: Window, events: Arc<Vec<NewEvent>>, reply: Answer<Option<WindowOutcome>> },
    /// Adds a price.
    SetPrice { new: Box<NewPrice>, reply: Answer<PriceVersion> },
    /// Closes what is over.
    CloseUsage { reply: Answer<CloseCounts> },
    /// Issues the invoice of what is closed.
    BillUsage { reply: Answer<InvoiceCounts> },
    /// Sets what a period may use of a metric.
    SetLimit { metric: MetricName, limit: Option<UsageLimit>, reply: Answer<Option<UsageLimit>> },
    /// Changes the seats.
    ChangeSeats { request: ChangeSeats, reply: Answer<SeatsChanged> },
    /// Corrects late events.
    CorrectLate { request: Box<CorrectLate>, reply: Answer<Once<Adjustment>> },
    /// Reads what was used so far.
    Usage { reply: Answer<Vec<MetricUsage>> },
}

impl ContractRoom {
    pub(in crate::contract) fn metering(&mut self, desk: &Desk<Self>, command: Command) {
        match command {
            Command::Record { events, reply } => self.record(desk, &events, reply),
            Command::Upload { window, events, reply } => {
                self.record_upload(desk, window, &events, reply);
            }
            Command::SetPrice { new, reply } => self.set_price(desk, *new, reply),
            Command::CloseUsage { reply } => self.run_usage_close(desk, reply),
            Command::BillUsage { reply } => self.run_usage_invoices(desk, reply),
            Command::SetLimit { metric, limit, reply } => {
                self.set_usage_limit(desk, &metric, limit, reply);
            }
            Command::ChangeSeats { request, reply } => self.change_seats(desk, request, reply),
            Command::CorrectLate { request, reply } => self.correct_late(desk, &request, reply),
            Command::Usage { reply } => self.usage(desk, reply),
        }
    }
}
