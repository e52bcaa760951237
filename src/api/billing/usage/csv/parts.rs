//! The parts of an upload while they come.

use actors::domain::billing::usage::upload::{MappingDraft, Upload};
use actors::intake::Receiving;

use super::form::{Form, Part};
use super::{MAX_FILE_BYTES, invalid};
use crate::http::upload::UploadFault;
use crate::http::{ApiError, json};

const MAX_MAPPING_BYTES: usize = 8 * 1024;

/// Reads the file and its mapping, whichever comes first; parts of other names are passed over.
pub(super) async fn read(mut form: Form, receiving: &mut Receiving) -> Result<Upload, ApiError> {
    let (mut mapping, mut file) = (None, false);
    while let Some(part) = form.next_part().await? {
        match part.name() {
            Some("file") if file => return Err(invalid("the part file is there twice")),
            Some("file") => {
                take_file(part, receiving).await?;
                file = true;
            }
            Some("mapping") if mapping.is_some() => {
                return Err(invalid("the part mapping is there twice"));
            }
            Some("mapping") => mapping = Some(read_mapping(part).await?),
            _ => part.pass_over().await?,
        }
    }
    if !file {
        return Err(invalid("the part file is required"));
    }
    let mapping = mapping.ok_or_else(|| invalid("the part mapping is required"))?;
    Ok(receiving.finish(mapping).await?)
}

async fn take_file(mut part: Part, receiving: &mut Receiving) -> Result<(), ApiError> {
    let mut length = 0;
    while let Some(piece) = part.next_piece().await? {
        length += piece.len();
        if length > MAX_FILE_BYTES {
            return Err(UploadFault::TooLarge(MAX_FILE_BYTES).into());
        }
        receiving.take(&piece).await?;
    }
    Ok(())
}

async fn read_mapping(mut part: Part) -> Result<MappingDraft, ApiError> {
    let mut text = Vec::new();
    while let Some(piece) = part.next_piece().await? {
        if text.len() + piece.len() > MAX_MAPPING_BYTES {
            let why = format!("mapping: must have at most {MAX_MAPPING_BYTES} bytes");
            return Err(invalid(&why));
        }
        text.extend_from_slice(&piece);
    }
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err(invalid("mapping: expected a JSON object"));
    }
    let mut reader = serde_json::Deserializer::from_slice(&text);
    let draft = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let why = json::words(error.inner());
        match error.path().to_string().as_str() {
            "." | "?" => invalid(&format!("mapping: {why}")),
            field => invalid(&format!("mapping: {field}: {why}")),
        }
    })?;
    reader.end().map_err(|_| invalid("mapping: expected one JSON object"))?;
    Ok(draft)
}
