//! What callers hold of the seller rooms.

use storage::Store;

use super::account::Minted;
use super::room::SellerRoom;
use super::{splits, topups, usage};
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::domain::billing::customer::{Customer, CustomerRequest};
use crate::domain::ids::{AllowlistId, ContractId, CustomerId, SellerId, TerminalId, WebhookId};
use crate::domain::money::Currency;
use crate::domain::payments::terminal::{NewTerminal, Terminal};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::post_key::PostKey;
use crate::domain::platform::seller::{NewSeller, Seller, SellerPatch};
use crate::domain::platform::switches::Switch;
use crate::domain::platform::webhook::allowlist::{AllowlistEntry, NewEntry};
use crate::domain::platform::webhook::{Patch, Registration, Webhook};
use crate::domain::refusal::Refusal;
pub use crate::kernel::Once as Spent;
use crate::outbox::Outbox;
use crate::room::{AskError, Reply, Rooms};
use crate::secrets::SecretBox;
use crate::tables::ids;

/// What all seller rooms work with.
#[derive(Debug)]
pub struct SellerTools {
    /// Told to forget what has changed.
    pub directory: Directory,
    /// Which addresses webhooks may name.
    pub guard: AddressGuard,
    /// Seals webhook secrets.
    pub secrets: SecretBox,
    /// Told of webhooks that were disabled.
    pub deliveries: DeliveryPool,
    /// Brings deposits to the main wallet.
    pub outbox: Outbox,
}

/// The contract that an ad-hoc invoice goes to (billing 1.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdhocContract {
    /// Its id.
    pub id: ContractId,
    /// Whether it is still to be made under this id.
    pub vacant: bool,
}

/// A webhook as a registration is answered.
#[derive(Clone, Debug)]
pub struct WebhookAnswer {
    /// The webhook.
    pub webhook: Webhook,
    /// Its secret, where the answer shows it.
    pub secret: Option<String>,
    /// Whether it was made just now.
    pub created: bool,
}

/// An idempotency key of the payments surface, to be spent with the write it is for.
#[derive(Clone, Debug)]
pub struct SpendKey {
    /// The endpoint it belongs to.
    pub endpoint: &'static str,
    /// The key.
    pub key: String,
    /// The request.
    pub request: PostKey,
}

impl SpendKey {
    /// Where the key is kept once it is used.
    pub fn row(&self, seller: SellerId) -> (SellerId, String, String) {
        (seller, self.endpoint.to_owned(), self.key.clone())
    }
}

type Answer<T> = Reply<Result<T, Refusal>>;

/// What can be asked of a seller room.
#[derive(Debug)]
pub enum Command {
    /// Makes a sandbox account under the room's id.
    MintSandbox { reply: Answer<Minted> },
    /// Makes a live account under the room's id.
    OpenLive { new: NewSeller, reply: Answer<Minted> },
    /// The operator's changes.
    Patch { patch: Box<SellerPatch>, reply: Answer<Seller> },
    /// Turns a switch for this seller, or for all when the room is everyone's.
    Switch { switch: Switch, enabled: bool, reply: Answer<()> },
    /// Finds or creates a customer.
    Customer { request: Box<CustomerRequest>, reply: Answer<Customer> },
    /// Names the contract that ad-hoc invoices to a customer go to.
    AdhocContract { customer: CustomerId, currency: Currency, reply: Answer<AdhocContract> },
    /// Registers a webhook.
    RegisterWebhook {
        registration: Registration,
        spend: SpendKey,
        reply: Answer<Spent<WebhookAnswer>>,
    },
    /// Changes a webhook.
    PatchWebhook { webhook: WebhookId, patch: Patch, reply: Answer<Webhook> },
    /// Adds a network to the allowlist.
    Allow { entry: NewEntry, spend: SpendKey, reply: Answer<Spent<(AllowlistEntry, bool)>> },
    /// Spends a key for something that was done elsewhere.
    Spend { spend: SpendKey, reply: Answer<Spent<()>> },
    /// Takes a network from the allowlist.
    Disallow { entry: AllowlistId, reply: Answer<()> },
    /// Makes a terminal, or changes the one with this id.
    SaveTerminal { terminal: Option<TerminalId>, new: Box<NewTerminal>, reply: Answer<Terminal> },
    /// Something about split rules.
    Splits(splits::Command),
    /// Something of the money that the seller brings in.
    Funding(topups::Command),
    /// Something of the seller's side of metering.
    Usage(usage::Command),
    /// Makes the room panic.
    #[cfg(feature = "faults")]
    Panic { _reply: Reply<Result<(), Refusal>> },
}

/// The handle to all seller rooms.
#[derive(Clone)]
pub struct Sellers {
    pub(super) rooms: Rooms<SellerRoom>,
    store: Store,
}

/// A room's answer: a value, a refusal, or none at all.
pub type Asked<T> = Result<T, AskError>;

impl Sellers {
    /// A handle over running rooms.
    pub fn new(rooms: Rooms<SellerRoom>, store: Store) -> Self {
        Self { rooms, store }
    }

    /// How many seller rooms are in memory.
    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Stops all seller rooms.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Mints a sandbox account (billing 4.8).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn mint_sandbox(&self) -> Asked<Minted> {
        let id = SellerId(self.store.next_id(ids::SELLER));
        self.rooms.ask(id, |reply| Command::MintSandbox { reply }).await
    }

    /// Makes a live account, active at once (decisions 9).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn open_live(&self, new: NewSeller) -> Asked<Minted> {
        let id = SellerId(self.store.next_id(ids::SELLER));
        self.rooms.ask(id, |reply| Command::OpenLive { new: new.clone(), reply }).await
    }

    /// Applies the operator's changes to an account (decisions 9).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn patch(&self, id: SellerId, patch: SellerPatch) -> Asked<Seller> {
        self.rooms.ask(id, |reply| Command::Patch { patch: Box::new(patch), reply }).await
    }

    /// Turns a switch for one seller, or for all with
    /// [`EVERYONE`](crate::directory::EVERYONE) (billing 4.9).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn switch(&self, id: SellerId, switch: Switch, enabled: bool) -> Asked<()> {
        self.rooms.ask(id, |reply| Command::Switch { switch, enabled, reply }).await
    }

    /// Finds or creates a customer by e-mail (billing 4.2).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn customer(&self, id: SellerId, request: CustomerRequest) -> Asked<Customer> {
        self.rooms
            .ask(id, |reply| Command::Customer { request: Box::new(request.clone()), reply })
            .await
    }

    /// The contract that an ad-hoc invoice to this customer goes to: the oldest active one in
    /// the currency, else one that is still to be made (billing 1.9, decisions 12).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn adhoc_contract(
        &self,
        id: SellerId,
        customer: CustomerId,
        currency: Currency,
    ) -> Asked<AdhocContract> {
        self.rooms.ask(id, |reply| Command::AdhocContract { customer, currency, reply }).await
    }

    /// Registers a webhook (payments 2.5).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn register_webhook(
        &self,
        id: SellerId,
        registration: Registration,
        spend: SpendKey,
    ) -> Asked<Spent<WebhookAnswer>> {
        self.rooms
            .ask(id, |reply| Command::RegisterWebhook {
                registration: registration.clone(),
                spend: spend.clone(),
                reply,
            })
            .await
    }

    /// Changes a webhook (payments 4).
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn patch_webhook(
        &self,
        id: SellerId,
        webhook: WebhookId,
        patch: Patch,
    ) -> Asked<Webhook> {
        self.rooms
            .ask(id, |reply| Command::PatchWebhook { webhook, patch: patch.clone(), reply })
            .await
    }

    /// Adds a network to the allowlist; true when it is new.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn allow(
        &self,
        id: SellerId,
        entry: NewEntry,
        spend: SpendKey,
    ) -> Asked<Spent<(AllowlistEntry, bool)>> {
        self.rooms
            .ask(id, |reply| Command::Allow { entry: entry.clone(), spend: spend.clone(), reply })
            .await
    }

    /// Spends a key for something that was done elsewhere and may be done twice.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn spend(&self, id: SellerId, spend: SpendKey) -> Asked<Spent<()>> {
        self.rooms.ask(id, |reply| Command::Spend { spend: spend.clone(), reply }).await
    }

    /// Takes a network from the allowlist.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn disallow(&self, id: SellerId, entry: AllowlistId) -> Asked<()> {
        self.rooms.ask(id, |reply| Command::Disallow { entry, reply }).await
    }

    /// Asks for something of the seller's side of metering.
    pub(super) async fn usage<T>(
        &self,
        id: SellerId,
        command: impl Fn(Reply<Result<T, Refusal>>) -> usage::Command,
    ) -> Asked<T> {
        self.rooms.ask(id, |reply| Command::Usage(command(reply))).await
    }

    /// Makes a room panic, in test builds.
    ///
    /// # Errors
    /// Always [`AskError::Unanswered`].
    #[cfg(feature = "faults")]
    pub async fn panic(&self, id: SellerId) -> Result<(), AskError> {
        self.rooms.ask(id, |reply| Command::Panic { _reply: reply }).await
    }
}
