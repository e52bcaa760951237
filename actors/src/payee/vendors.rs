//! Vendors, which are payees with one thing more (payments 1.5, decisions 13).

mod handle;

use super::command::Answer;
use super::room::PayeeRoom;
use super::write::{Write, refused, spent};
use crate::domain::country::Country;
use crate::domain::ids::VendorId;
use crate::domain::payments::payee::{NewPayee, Payee, PayeeChange};
use crate::domain::payments::vendor::{
    AllowancePatch, Vendor, VendorRefusal, VendorStatus, VerificationLink, decide, issue_link,
    set_allowance, submit,
};
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::seller::{SpendKey, Spent};
use crate::tables::{VENDOR_HOMES, VENDORS};

/// What can be asked of a payee that is a vendor.
#[derive(Debug)]
pub enum Command {
    /// Makes a payee that is this vendor.
    Create {
        vendor: VendorId,
        new: Box<(NewPayee, Option<Country>)>,
        spend: SpendKey,
        reply: Answer<Spent<Payee>>,
    },
    /// Issues a verification link.
    Link { link: VerificationLink, spend: SpendKey, reply: Answer<Spent<Payee>> },
    /// The vendor has answered its link.
    Submit { reply: Answer<Payee> },
    /// Takes the operator's word on its verification.
    Decide { status: VendorStatus, reply: Answer<Payee> },
    /// Changes its allowance.
    Allow { patch: AllowancePatch, reply: Answer<Payee> },
}

impl PayeeRoom {
    pub(super) fn vendor(&mut self, desk: &Desk<Self>, command: Command) {
        match command {
            Command::Create { vendor, new, spend, reply } => {
                self.create_vendor(desk, vendor, *new, spend, reply);
            }
            Command::Link { link, spend, reply } => self.link_vendor(desk, link, spend, reply),
            Command::Submit { reply } => self.submit_vendor(desk, reply),
            Command::Decide { status, reply } => self.decide_vendor(desk, status, reply),
            Command::Allow { patch, reply } => self.allow_vendor(desk, patch, reply),
        }
    }

    fn create_vendor(
        &mut self,
        desk: &Desk<Self>,
        vendor: VendorId,
        new: (NewPayee, Option<Country>),
        spend: SpendKey,
        reply: Answer<Spent<Payee>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        if self.payee.is_some() {
            return reply.send(Err(Refusal::conflict("the payee is there already")));
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let home = (self.seller, self.id);
        let change = Vendor::create(new, vendor, home, write.mode(), write.now);
        let made = change.payee.clone();
        write.spend(self, desk, spend, vendor.0);
        write.batch.put(VENDORS, &(self.seller, vendor), &self.id.0);
        write.batch.put(VENDOR_HOMES, &vendor, &self.seller.0);
        write.payee(self, change);
        write.finish(self, desk, reply, |result| spent(result, made));
    }

    fn link_vendor(
        &mut self,
        desk: &Desk<Self>,
        link: VerificationLink,
        spend: SpendKey,
        reply: Answer<Spent<Payee>>,
    ) {
        let Some(reply) = self.unless_spent(desk, &spend, reply) else { return };
        let linked = Write::new(self, desk).and_then(|write| {
            let linked = issue_link(self.payee()?, link, write.mode(), write.now)?;
            Ok((write, linked))
        });
        match linked {
            Ok((mut write, payee)) => {
                let object = spend.request.object;
                write.spend(self, desk, spend, object);
                write.payee(self, PayeeChange { payee: payee.clone(), events: Vec::new() });
                write.finish(self, desk, reply, |result| spent(result, payee));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn submit_vendor(&mut self, desk: &Desk<Self>, reply: Answer<Payee>) {
        let wait = desk.tools().verification_seconds;
        self.change_vendor(desk, reply, |payee, write| {
            submit(payee, write.mode(), wait, write.now)
        });
    }

    fn decide_vendor(&mut self, desk: &Desk<Self>, status: VendorStatus, reply: Answer<Payee>) {
        self.change_vendor(desk, reply, |payee, write| {
            decide(payee, status, write.mode(), write.now)
        });
    }

    fn allow_vendor(&mut self, desk: &Desk<Self>, patch: AllowancePatch, reply: Answer<Payee>) {
        self.change_vendor(desk, reply, |payee, _| {
            let after = set_allowance(payee, patch)?;
            let changed = (after != *payee).then_some(after);
            Ok(changed.map(|payee| PayeeChange { payee, events: Vec::new() }))
        });
    }

    /// Decides on the vendor as it stands and writes what was decided; nothing when it was
    /// decided before, which is answered behind the commit that did it.
    fn change_vendor(
        &mut self,
        desk: &Desk<Self>,
        reply: Answer<Payee>,
        rule: impl FnOnce(&Payee, &Write) -> Result<Option<PayeeChange>, VendorRefusal>,
    ) {
        let decided = Write::new(self, desk).and_then(|mut write| {
            if let Some(change) = rule(self.payee()?, &write)? {
                write.payee(self, change);
            }
            Ok((write, self.payee()?.clone()))
        });
        match decided {
            Ok((write, payee)) => {
                write.finish(self, desk, reply, |result| result.map(|_| payee).map_err(refused));
            }
            Err(refusal) => reply.send(Err(refusal)),
        }
    }
}
