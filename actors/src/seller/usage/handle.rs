//! What callers ask of a seller's side of metering.

use super::command::{Command, EndpointAnswer, SignedDelivery};
use crate::domain::billing::usage::Metric;
use crate::domain::billing::usage::dead_letter::{DeadLetter, RefusedEvent, Retried};
use crate::domain::billing::usage::inbound::InboundEndpoint;
use crate::domain::billing::usage::registry::NewMetric;
use crate::domain::billing::usage::upload::{Tally, Upload};
use crate::domain::ids::{DeadLetterId, InboundEndpointId, SellerId, UploadId};
use crate::seller::handle::{Asked, Sellers};

impl Sellers {
    /// Registers a metric, or finds it registered (billing 4.6).
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError), as of all that follows.
    pub async fn register_metric(&self, id: SellerId, new: NewMetric) -> Asked<Metric> {
        self.usage(id, |reply| Command::RegisterMetric { new: new.clone(), reply }).await
    }

    /// Makes an inbound endpoint (decisions 6).
    ///
    /// # Errors
    /// Above.
    pub async fn open_endpoint(
        &self,
        id: SellerId,
        description: Option<String>,
    ) -> Asked<EndpointAnswer> {
        let command = |reply| Command::OpenEndpoint { description: description.clone(), reply };
        self.usage(id, command).await
    }

    /// Gives an inbound endpoint a new secret; the old one stops at once (decisions 6).
    ///
    /// # Errors
    /// Above.
    pub async fn rotate_endpoint_secret(
        &self,
        id: SellerId,
        endpoint: InboundEndpointId,
    ) -> Asked<EndpointAnswer> {
        self.usage(id, |reply| Command::RotateSecret { endpoint, reply }).await
    }

    /// Takes an inbound endpoint out of use for good (decisions 6).
    ///
    /// # Errors
    /// Above.
    pub async fn revoke_endpoint(
        &self,
        id: SellerId,
        endpoint: InboundEndpointId,
    ) -> Asked<InboundEndpoint> {
        self.usage(id, |reply| Command::RevokeEndpoint { endpoint, reply }).await
    }

    /// Parks what was refused of a delivery, once however often the delivery comes (billing 3.4).
    ///
    /// # Errors
    /// Above.
    pub async fn park(
        &self,
        id: SellerId,
        delivery: SignedDelivery,
        refused: Vec<RefusedEvent>,
    ) -> Asked<()> {
        let command =
            |reply| Command::Park { delivery: delivery.clone(), refused: refused.clone(), reply };
        self.usage(id, command).await
    }

    /// Notes what came of trying a dead letter again (billing 3.4, decisions 11).
    ///
    /// # Errors
    /// Above.
    pub async fn redrive(
        &self,
        id: SellerId,
        letter: DeadLetterId,
        outcome: Retried,
    ) -> Asked<DeadLetter> {
        self.usage(id, |reply| Command::Redrive { letter, outcome: outcome.clone(), reply }).await
    }

    /// Gives a dead letter up (billing 3.4).
    ///
    /// # Errors
    /// Above.
    pub async fn discard(&self, id: SellerId, letter: DeadLetterId) -> Asked<DeadLetter> {
        self.usage(id, |reply| Command::Discard { letter, reply }).await
    }

    /// Takes over an upload whose parts are on disk.
    ///
    /// # Errors
    /// Above.
    pub(crate) async fn accept_upload(&self, id: SellerId, upload: Upload) -> Asked<()> {
        let command = |reply| Command::AcceptUpload { upload: Box::new(upload.clone()), reply };
        self.usage(id, command).await
    }

    /// Counts a part of an upload and parks what was refused of it, once.
    ///
    /// # Errors
    /// Above.
    pub(crate) async fn count_part(
        &self,
        id: SellerId,
        upload: UploadId,
        (part, tally): (u32, Tally),
        refused: Vec<RefusedEvent>,
    ) -> Asked<Upload> {
        let command =
            |reply| Command::CountPart { upload, part, tally, refused: refused.clone(), reply };
        self.usage(id, command).await
    }
}
