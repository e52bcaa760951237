//! The style sheet, script and icon of the pages: in the binary, named by their content, so
//! that a browser may keep them for ever.

use std::sync::{Arc, LazyLock};

use data_encoding::HEXLOWER;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// The folder that assets are served from; the router adds the name.
pub const ASSET_FOLDER: &str = "/assets/";

/// What a browser may do with an asset: keep it, since another content has another name.
pub const ASSET_CACHING: &str = "public, max-age=31536000, immutable";

#[derive(Debug)]
pub struct Asset {
    /// The absolute path, with eight digits of the content's hash in its name.
    pub path: String,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

#[derive(Debug)]
pub struct Assets {
    pub stylesheet: Asset,
    pub script: Asset,
    pub icon: Asset,
    /// The script of the GraphQL playground.
    pub playground: Asset,
}

pub static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets {
    stylesheet: asset(
        "pages",
        "css",
        "text/css; charset=utf-8",
        concat!(include_str!("assets/tokens.css"), include_str!("assets/pages.css")).as_bytes(),
    ),
    script: asset(
        "pages",
        "js",
        "text/javascript; charset=utf-8",
        include_bytes!("assets/pages.js"),
    ),
    icon: asset("icon", "svg", "image/svg+xml", include_bytes!("assets/icon.svg")),
    playground: asset(
        "playground",
        "js",
        "text/javascript; charset=utf-8",
        include_bytes!("../dashboard/assets/playground.js"),
    ),
});

/// The asset of this name, which is the path without [`ASSET_FOLDER`].
pub fn find(name: &str) -> Option<&'static Asset> {
    let Assets { stylesheet, script, icon, playground } = &*ASSETS;
    [stylesheet, script, icon, playground]
        .into_iter()
        .find(|asset| asset.path.strip_prefix(ASSET_FOLDER) == Some(name))
}

fn asset(stem: &str, extension: &str, content_type: &'static str, bytes: &'static [u8]) -> Asset {
    let digest = HEXLOWER.encode(&Sha256::digest(bytes)[..4]);
    Asset { path: format!("{ASSET_FOLDER}{stem}-{digest}.{extension}"), content_type, bytes }
}

async fn serve(_: Arc<App>, request: Request) -> ApiResult {
    let asset = find(&request.text_param("file")?).ok_or_else(ApiError::missing)?;
    let kind = HeaderValue::from_static(asset.content_type);
    Ok(Response::bytes(StatusCode::OK, kind, asset.bytes)
        .header(CACHE_CONTROL, HeaderValue::from_static(ASSET_CACHING)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/assets/{file}", serve)
            .page()
            .summary("A file of the pages")
            .path_text("file", "Name of the file.")
            .answer_as(200, "*/*", "The file.")
            .refuses(404, "No such file."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_are_found_by_the_name_that_pages_use() {
        for asset in [&ASSETS.stylesheet, &ASSETS.script, &ASSETS.icon, &ASSETS.playground] {
            let name = asset.path.strip_prefix(ASSET_FOLDER).expect("in the folder");
            assert_eq!(find(name).map(|found| &found.path), Some(&asset.path));
        }
        assert!(find("pages.css").is_none());
        assert!(find("../Cargo.toml").is_none());
    }

    #[test]
    fn what_is_hidden_is_shown_by_no_class() {
        let style = std::str::from_utf8(ASSETS.stylesheet.bytes).expect("text");
        assert!(style.contains("\n[hidden] {\n  display: none !important;\n}\n"));
    }

    #[test]
    fn assets_name_no_other_host() {
        for asset in [&ASSETS.stylesheet, &ASSETS.script, &ASSETS.icon, &ASSETS.playground] {
            let text = std::str::from_utf8(asset.bytes).expect("text");
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("//") || asset.path.ends_with(".js"), "{}", asset.path);
            assert!(!text.contains("http"), "{}", asset.path);
        }
    }
}
