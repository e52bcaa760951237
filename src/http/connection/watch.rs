//! What can be seen of a connection from outside its protocol, and when that is too little.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hyper::Version;

use crate::http::server::Patience;

#[derive(Debug, Default)]
pub(super) struct Signs {
    /// Bytes have gone in or out since the watch last looked.
    moved: AtomicBool,
    /// Bytes have come in while no request was under way: a head has begun.
    head_begun: AtomicBool,
    /// The connection speaks HTTP/2, where bytes between requests are no head.
    is_http2: AtomicBool,
    under_way: AtomicU32,
    begun: AtomicU32,
}

impl Signs {
    pub(super) fn begin(self: &Arc<Self>, version: Version) -> UnderWay {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.under_way.fetch_add(1, Ordering::Relaxed);
        self.head_begun.store(false, Ordering::Relaxed);
        if version == Version::HTTP_2 {
            self.is_http2.store(true, Ordering::Relaxed);
        }
        UnderWay(self.clone())
    }

    /// Whether a request has come at all.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed) > 0
    }

    pub(super) fn is_http2(&self) -> bool {
        self.is_http2.load(Ordering::Relaxed)
    }

    pub(super) fn read(&self) {
        self.moved.store(true, Ordering::Relaxed);
        if self.under_way.load(Ordering::Relaxed) == 0 {
            self.head_begun.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn wrote(&self) {
        self.moved.store(true, Ordering::Relaxed);
    }
}

pub(super) struct UnderWay(Arc<Signs>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How long a connection has been silent, or slow with a head, in ticks.
#[derive(Debug, Default)]
pub(super) struct Watch {
    silent: u32,
    slow: u32,
    begun: u32,
}

impl Watch {
    pub(super) fn has_lost_patience(&mut self, signs: &Signs, patience: &Patience) -> bool {
        let busy = signs.under_way.load(Ordering::Relaxed) > 0;
        let moved = signs.moved.swap(false, Ordering::Relaxed);
        self.silent = if busy || moved { 0 } else { self.silent.saturating_add(1) };

        let begun = signs.begun.load(Ordering::Relaxed);
        let fresh = std::mem::replace(&mut self.begun, begun) != begun;
        let head = signs.head_begun.load(Ordering::Relaxed) && !busy && !fresh;
        let head = head && !signs.is_http2();
        self.slow = if head { self.slow.saturating_add(1) } else { 0 };

        let never_spoke = begun == 0;
        let silence = if never_spoke { patience.head } else { patience.idle };
        patience.tick() * self.silent > silence || patience.tick() * self.slow > patience.head
    }
}
