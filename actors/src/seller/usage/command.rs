//! What can be asked of a seller's side of metering, and who answers it.

use crate::domain::billing::usage::Metric;
use crate::domain::billing::usage::dead_letter::{DeadLetter, RefusedEvent, Retried};
use crate::domain::billing::usage::inbound::InboundEndpoint;
use crate::domain::billing::usage::registry::NewMetric;
use crate::domain::billing::usage::upload::{Tally, Upload};
use crate::domain::ids::{DeadLetterId, InboundEndpointId, UploadId};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{Desk, Reply};
use crate::seller::room::SellerRoom;

pub(super) type Answer<T> = Reply<Result<T, Refusal>>;

/// An endpoint whose secret was just drawn.
#[derive(Clone, Debug)]
pub struct EndpointAnswer {
    /// The endpoint.
    pub endpoint: InboundEndpoint,
    /// Its secret, which is shown now and never again.
    pub secret: String,
}

/// What tells one signed delivery from another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignedDelivery {
    /// The signed time.
    pub sent_at: Timestamp,
    /// Of endpoint, time and body.
    pub digest: [u8; 16],
}

/// A command to the metering of one seller.
#[derive(Debug)]
pub enum Command {
    /// Registers a metric.
    RegisterMetric { new: NewMetric, reply: Answer<Metric> },
    /// Makes an inbound endpoint.
    OpenEndpoint { description: Option<String>, reply: Answer<EndpointAnswer> },
    /// Gives an inbound endpoint a new secret.
    RotateSecret { endpoint: InboundEndpointId, reply: Answer<EndpointAnswer> },
    /// Takes an inbound endpoint out of use.
    RevokeEndpoint { endpoint: InboundEndpointId, reply: Answer<InboundEndpoint> },
    /// Parks what was refused of a delivery.
    Park { delivery: SignedDelivery, refused: Vec<RefusedEvent>, reply: Answer<()> },
    /// Notes what came of trying a dead letter again.
    Redrive { letter: DeadLetterId, outcome: Retried, reply: Answer<DeadLetter> },
    /// Gives a dead letter up.
    Discard { letter: DeadLetterId, reply: Answer<DeadLetter> },
    /// Takes over an upload whose parts are on disk.
    AcceptUpload { upload: Box<Upload>, reply: Answer<()> },
    /// Counts a part of an upload, and parks what was refused of it.
    CountPart {
        upload: UploadId,
        part: u32,
        tally: Tally,
        refused: Vec<RefusedEvent>,
        reply: Answer<Upload>,
    },
}

impl SellerRoom {
    pub(in crate::seller) fn usage(&mut self, desk: &Desk<Self>, command: Command) {
        match command {
            Command::RegisterMetric { new, reply } => self.register_metric(desk, new, reply),
            Command::OpenEndpoint { description, reply } => {
                self.open_endpoint(desk, description, reply);
            }
            Command::RotateSecret { endpoint, reply } => self.rotate_secret(desk, endpoint, reply),
            Command::RevokeEndpoint { endpoint, reply } => {
                self.revoke_endpoint(desk, endpoint, reply);
            }
            Command::Park { delivery, refused, reply } => {
                self.park(desk, &delivery, refused, reply);
            }
            Command::Redrive { letter, outcome, reply } => {
                self.redrive(desk, letter, outcome, reply);
            }
            Command::Discard { letter, reply } => self.discard(desk, letter, reply),
            Command::AcceptUpload { upload, reply } => self.accept_upload(desk, &upload, reply),
            Command::CountPart { upload, part, tally, refused, reply } => {
                self.count_part(desk, upload, (part, tally), refused, reply);
            }
        }
    }
}
