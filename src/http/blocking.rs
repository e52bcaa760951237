//! Work that may wait for the disk, away from the threads that serve connections.

use std::task::{Context, Poll, Waker};

use storage::ReadError;
use tokio::sync::Semaphore;

use super::error::ApiError;

/// Reads at once. More are not faster: the disk has only so much to give, each thread keeps memory
/// of its own, and the engine's readers stand in the way of its writer. The runtime has far more
/// threads than these, since names are looked up on them, which may hang.
const AT_ONCE: usize = 32;

static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);

pub async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> Result<T, ApiError> {
    let place = PLACES.acquire().await.map_err(|closed| ApiError::internal(&closed))?;
    let read = move || {
        // Kept to the end of the reading, also when nobody waits for it any more.
        let _place = place;
        read()
    };
    match tokio::task::spawn_blocking(read).await {
        Ok(read) => read.map_err(ApiError::from),
        Err(error) => Err(ApiError::internal(&error)),
    }
}

/// Carries out what has much to do before it first waits for anything: that part away from the
/// threads that serve connections.
pub async fn begin_aside<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, ApiError> {
    let mut work = Box::pin(work);
    // Nobody is to be woken: it is asked again below.
    let begin = move || {
        let begun = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        Ok((begun, work))
    };
    Ok(match blocking(begin).await? {
        (Poll::Ready(done), _) => done,
        (Poll::Pending, work) => work.await,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn only_so_many_read_at_once_and_all_come_to_their_turn() {
        let (reading, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let reads = (0..AT_ONCE * 4).map(|number| {
            let (reading, most) = (reading.clone(), most.clone());
            blocking(move || {
                most.fetch_max(reading.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::yield_now();
                reading.fetch_sub(1, Ordering::SeqCst);
                Ok(number)
            })
        });
        let read: Vec<_> = futures::future::join_all(reads).await;
        assert!(read.into_iter().map(Result::unwrap).eq(0..AT_ONCE * 4));
        assert!(most.load(Ordering::SeqCst) <= AT_ONCE);
    }

    #[tokio::test]
    async fn what_is_long_before_it_waits_keeps_no_connection_waiting() {
        let (say, hear) = std::sync::mpsc::channel();
        let (later, wait) = tokio::sync::oneshot::channel();
        let work = begin_aside(async move {
            let heard = hear.recv_timeout(std::time::Duration::from_secs(60)).expect("a word");
            (heard, wait.await.expect("another"))
        });
        // There is one thread here: it would wait for itself.
        let other = async {
            say.send("first").expect("heard");
            tokio::task::yield_now().await;
            later.send("then").expect("waited for");
        };
        let (work, ()) = tokio::join!(work, other);
        assert_eq!(work.expect("done"), ("first", "then"));
    }
}
