//! A server that keeps nothing but a journal: each request appends so many bytes, one sync makes
//! all that have gathered durable, and each is answered behind it.

use std::convert::Infallible;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::mpsc::{Receiver, Sender, channel};

use accrue::cli::folder::FreshFolder;
use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The file is written over from the beginning when it has so many bytes, as a journal's files are
/// used again.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

type Waiting = oneshot::Sender<()>;

/// Serves until it is killed; prints where. `arguments` are the bytes of a request in the journal,
/// and those of an answer.
#[expect(clippy::print_stdout, reason = "whoever started it reads the address")]
pub(crate) fn serve(arguments: &[String]) -> anyhow::Result<()> {
    let [bytes, answer] = arguments else { anyhow::bail!("bytes and answer, not {arguments:?}") };
    let (bytes, answer) = (bytes.parse()?, answer.parse()?);
    let folder = FreshFolder::new("bare-journal")?;
    let file = File::create(folder.path().join("journal"))?;
    // Written through, so that no append changes the length of the file.
    let zeros = vec![0; 1024 * 1024];
    for at in (0..FILE_BYTES).step_by(zeros.len()) {
        file.write_all_at(&zeros, at)?;
    }
    file.sync_all()?;
    let (queue, waiting) = channel();
    std::thread::spawn(move || append(&file, bytes, &waiting));
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        let body = Bytes::from(vec![b' '; answer]);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let (queue, body) = (queue.clone(), body.clone());
            let service = service_fn(move |request| write(request, queue.clone(), body.clone()));
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service),
            );
        }
    })
}

async fn write(
    request: Request<Incoming>,
    queue: Sender<Waiting>,
    body: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (sender, durable) = oneshot::channel();
    let taken = request.into_body().collect().await.is_ok() && queue.send(sender).is_ok();
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = match taken && durable.await.is_ok() {
        true => StatusCode::CREATED,
        false => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Ok(response)
}

fn append(file: &File, bytes: usize, waiting: &Receiver<Waiting>) -> anyhow::Result<()> {
    let mut at = 0;
    loop {
        let mut group = vec![waiting.recv().context("nobody serves")?];
        group.extend(waiting.try_iter());
        let frame = vec![b'.'; group.len() * bytes];
        if at + frame.len() as u64 > FILE_BYTES {
            at = 0;
        }
        file.write_all_at(&frame, at)?;
        file.sync_data()?;
        at += frame.len() as u64;
        for one in group {
            let _ = one.send(());
        }
    }
}
