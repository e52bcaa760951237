//! Long commands in strides: each is one batch of bounded size, made durable before the next is
//! decided. Whoever else waits for the contract or for the disk is served in between.

use std::ops::AddAssign;

use super::Contracts;
use super::room::{Context, ContractKey, ContractRoom, Decision};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

pub(super) struct Stride<T> {
    pub(super) done: T,
    /// Whether something is left, which the next stride goes on with.
    pub(super) more: bool,
}

pub(super) type Decided<T> = Result<Decision<Stride<T>>, Refusal>;

impl Contracts {
    /// Carries out strides until nothing is left, and adds up what they did.
    pub(super) async fn in_strides<T: AddAssign + Default + Send + 'static>(
        &self,
        contract: ContractKey,
        stride: fn(&ContractRoom, &Context) -> Decided<T>,
    ) -> Result<T, AskError> {
        let mut all = T::default();
        loop {
            let Stride { done, more } = self.rooms.command_in_passing(contract, stride).await?;
            all += done;
            if !more {
                return Ok(all);
            }
        }
    }
}
