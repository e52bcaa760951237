//! `/dashboard/app/{version}/…`: the files that the dashboard's pages are made of, in the binary.
//! All of them have one version, the hash over them together: a browser may keep them for ever,
//! and a page never meets a module of another build.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use hyper::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, HeaderValue, VARY};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::gate::{Request, Route, Surface};
use crate::http::{ApiError, ApiResult, Response};
use crate::pages::assets::ASSET_CACHING;

const FOLDER: &str = "/dashboard/app";

/// Name and content of each file.
const FILES: &[(&str, &[u8])] = include!("modules.in");

/// The modules of the first view, which a browser loads beside each other and not one after the
/// other.
const FIRST: &[&str] = &include!("first.in");

struct File {
    name: &'static str,
    kind: &'static str,
    plain: &'static [u8],
    packed: Bytes,
}

struct Bundle {
    version: String,
    files: Vec<File>,
}

static BUNDLE: LazyLock<Bundle> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (name, bytes) in FILES {
        hash.update(name);
        hash.update(bytes);
    }
    let files = FILES.iter().map(|&(name, plain)| File {
        name,
        kind: kind(name),
        plain,
        packed: packed(plain),
    });
    Bundle { version: HEXLOWER.encode(&hash.finalize()[..6]), files: files.collect() }
});

/// Where the files of this build are.
pub(super) fn base() -> String {
    format!("{FOLDER}/{}", BUNDLE.version)
}

pub(super) fn first() -> &'static [&'static str] {
    FIRST
}

/// Whether `name` is one of the pages, so that its address is answered with the dashboard.
pub(super) fn is_page(name: &str) -> bool {
    let mut files = FILES.iter();
    files.any(|(file, _)| {
        file.strip_prefix("pages/").and_then(|rest| rest.strip_suffix(".js")) == Some(name)
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    }
}

fn packed(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    written.expect("memory takes whatever is written to it").into()
}

/// Whether the browser reads what is packed.
fn reads_gzip(accepted: Option<&str>) -> bool {
    accepted.unwrap_or_default().split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().trim_start_matches("q=");
        let refused = weight.bytes().all(|byte| byte == b'0' || byte == b'.');
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

async fn serve(_: Arc<App>, request: Request) -> ApiResult {
    let part = |name| request.text_param(name);
    let version = part("version")?;
    let name = match part("folder") {
        Ok(folder) => format!("{folder}/{}", part("file")?),
        Err(_) => part("file")?.into_owned(),
    };
    let mut files = BUNDLE.files.iter();
    let file = files.find(|file| file.name == name && version == BUNDLE.version);
    let file = file.ok_or_else(ApiError::missing)?;
    let kind = HeaderValue::from_static(file.kind);
    let answer = match reads_gzip(request.header(ACCEPT_ENCODING.as_str())) {
        true => Response::bytes(StatusCode::OK, kind, file.packed.clone())
            .header(CONTENT_ENCODING, HeaderValue::from_static("gzip")),
        false => Response::bytes(StatusCode::OK, kind, file.plain),
    };
    Ok(answer
        .header(VARY, HeaderValue::from_static("accept-encoding"))
        .header(CACHE_CONTROL, HeaderValue::from_static(ASSET_CACHING)))
}

pub fn routes() -> Vec<Route> {
    let file = |path| {
        // One view is many files, and a build has them all in memory: they count as no pages.
        Route::get(path, serve)
            .on(Surface::Operations)
            .page()
            .summary("A file of the dashboard")
            .path_text("version", "The build that the file belongs to.")
            .path_text("file", "Name of the file.")
            .answer_as(200, "*/*", "The file; packed where the browser reads that.")
            .refuses(404, "No such file in this build.")
    };
    vec![
        file("/dashboard/app/{version}/{file}"),
        file("/dashboard/app/{version}/{folder}/{file}").path_text("folder", "Folder of the file."),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
        FILES.iter().map(|(name, bytes)| (*name, std::str::from_utf8(bytes).expect("text")))
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard/app");
        let mut found = BTreeSet::from(["tokens.css".to_owned()]);
        for folder in ["", "lib", "parts", "pages", "vendor"] {
            for entry in fs::read_dir(root.join(folder)).expect("a folder") {
                let name = entry.expect("an entry").file_name().into_string().expect("a name");
                if name.ends_with(".js") || name.ends_with(".css") {
                    found.insert(format!("{folder}/{name}").trim_start_matches('/').to_owned());
                }
            }
        }
        let served: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        let path = |name: &str| match name {
            "tokens.css" => "../pages/assets/tokens.css".to_owned(),
            name => format!("app/{name}"),
        };
        let lines: String = found
            .iter()
            .map(|name| format!("    (\"{name}\", include_bytes!(\"{}\")),\n", path(name)))
            .collect();
        assert_eq!(served, found, "src/dashboard/modules.in should be\n&[\n{lines}]\n");
    }

    #[test]
    fn every_module_that_is_named_is_there_and_on_no_other_host() {
        for (name, text) in texts() {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            // Pages are loaded by names that are put together.
            let named = text.split(['\'', '"', '`']).filter(|path| !path.contains('$'));
            for path in named.filter(|path| path.starts_with('.') && path.ends_with(".js")) {
                let path = match (path.strip_prefix("../"), path.strip_prefix("./")) {
                    (Some(path), _) => path.to_owned(),
                    (None, Some(path)) => format!("{folder}/{path}"),
                    (None, None) => continue,
                };
                let path = path.trim_start_matches('/');
                assert!(FILES.iter().any(|(file, _)| *file == path), "{name} imports {path}");
            }
            let text = text.replace("http://www.w3.org/", "");
            assert!(name.starts_with("vendor/") || !text.contains("http://"), "{name}");
        }
    }

    #[test]
    fn the_first_view_is_there() {
        for name in FIRST {
            assert!(FILES.iter().any(|(file, _)| file == name), "{name}");
        }
        assert!(is_page("overview") && is_page("invoices") && !is_page("graphql"));
    }

    #[test]
    fn files_are_packed_for_whoever_reads_that() {
        for accepted in ["gzip", "br, gzip", "deflate, GZIP;q=0.5", "gzip;q=1.0"] {
            assert!(reads_gzip(Some(accepted)), "{accepted}");
        }
        for accepted in ["", "br", "gzip;q=0", "gzip;q=0.0", "gzippy"] {
            assert!(!reads_gzip(Some(accepted)), "{accepted}");
        }
        assert!(!reads_gzip(None));
    }
}
