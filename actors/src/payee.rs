//! The payee room, in its first form: it makes a payee with its wallets.

use storage::{Batch, ReadError, Store};

use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::payments::payee::{Payee, Wallet};
use crate::domain::refusal::Refusal;
use crate::room::{AskError, Desk, Reply, Room, Rooms};
use crate::tables::{PAYEES, WALLETS};

/// One payee's room.
#[derive(Debug)]
pub struct PayeeRoom {
    seller: SellerId,
    id: PayeeId,
    payee: Option<Payee>,
}

/// What can be asked of a payee room.
#[derive(Debug)]
pub enum Command {
    /// Makes the payee and its wallets: all of them or none.
    Open {
        /// The payee.
        payee: Box<Payee>,
        /// Its wallets.
        wallets: Vec<Wallet>,
        /// Where the answer goes.
        reply: Reply<Result<(), Refusal>>,
    },
}

impl Room for PayeeRoom {
    type Id = (SellerId, PayeeId);
    type Command = Command;
    type Tools = ();
    const KIND: &'static str = "payee";

    fn load((seller, id): (SellerId, PayeeId), store: &Store, (): &()) -> Result<Self, ReadError> {
        Ok(Self { seller, id, payee: store.get(PAYEES, &(seller, id))? })
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        match command {
            Command::Open { payee, wallets, reply } => self.open(desk, *payee, &wallets, reply),
        }
    }
}

impl PayeeRoom {
    /// Twice is once: a payee that is there stays as it is.
    fn open(
        &mut self,
        desk: &Desk<Self>,
        payee: Payee,
        wallets: &[Wallet],
        reply: Reply<Result<(), Refusal>>,
    ) {
        let mut batch = Batch::new();
        if self.payee.is_none() {
            batch.put(PAYEES, &(self.seller, self.id), &payee);
            for wallet in wallets {
                batch.put(WALLETS, &(self.seller, wallet.id), wallet);
            }
            self.payee = Some(payee);
        }
        desk.commit(batch, reply, |result| {
            result.map(|_| ()).map_err(|refused| {
                tracing::error!(?refused, "a payee room's batch was refused");
                Refusal::fault()
            })
        });
    }
}

/// The handle to all payee rooms.
#[derive(Clone)]
pub struct Payees {
    rooms: Rooms<PayeeRoom>,
}

impl Payees {
    /// A handle over running rooms.
    pub fn new(rooms: Rooms<PayeeRoom>) -> Self {
        Self { rooms }
    }

    /// How many payee rooms are in memory.
    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Stops all payee rooms.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Makes a payee with its wallets, unless it is there.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn open(
        &self,
        payee: Payee,
        wallets: Vec<Wallet>,
    ) -> Result<Result<(), Refusal>, AskError> {
        self.rooms
            .ask((payee.seller, payee.id), |reply| Command::Open {
                payee: Box::new(payee.clone()),
                wallets: wallets.clone(),
                reply,
            })
            .await
    }
}
