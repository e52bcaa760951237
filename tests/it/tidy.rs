//! The rules of the source tree: what may be named where, how long a file may be, which licences and
//! versions come in with the dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};

/// The most lines of a source file that is not a test.
const MOST_LINES: usize = 500;

/// Licences whose terms the product can keep.
const LICENCES: [&str; 17] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Zlib",
    "BlueOak-1.0.0",
    "CDLA-Permissive-2.0",
    "CC0-1.0",
    "BSL-1.0",
    "0BSD",
];

/// Packages that come in more than one version. A line is added or taken away knowingly.
const TWICE: &[&str] = include!("tidy/twice.in");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn metadata() -> Metadata {
    let manifest = root().join("Cargo.toml");
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    MetadataCommand::new()
        .manifest_path(manifest)
        // What other systems would bring need not be on this disk.
        .other_options(["--locked", "--offline", "--filter-platform", &host].map(str::to_owned))
        .exec()
        .expect("cargo metadata")
}

/// Every Rust file under `folder`, with its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let (mut folders, mut found) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).expect("inside").display().to_string();
                found.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found.sort();
    found
}

/// The sources of the three crates.
fn production() -> Vec<(String, String)> {
    ["src", "actors/src", "storage/src"].into_iter().flat_map(sources).collect()
}

fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs")
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = body.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The identifiers of some code, in lower case, and the words that they are made of.
fn words(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in code.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let mut word = String::new();
        for letter in name.chars() {
            if (letter == '_' || letter.is_uppercase()) && !word.is_empty() {
                found.insert(std::mem::take(&mut word));
            }
            if letter != '_' {
                word.extend(letter.to_lowercase());
            }
        }
        found.insert(word);
    }
    found
}

#[test]
fn every_licence_can_be_kept() {
    for package in metadata().packages {
        if package.source.is_none() {
            continue;
        }
        let licence = package.license.clone().unwrap_or_default();
        // One of the alternatives must do, with all of its parts.
        let fits = licence
            .replace('/', " OR ")
            .replace(['(', ')'], "")
            .split(" OR ")
            .any(|choice| choice.split(" AND ").all(|part| LICENCES.contains(&part.trim())));
        assert!(fits, "{} {} is under {licence:?}", package.name, package.version);
    }
}

#[test]
fn what_comes_in_two_versions_is_known() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata().packages {
        let of = versions.entry(package.name.to_string()).or_default();
        of.insert(package.version.to_string());
    }
    let twice: Vec<String> = versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| {
            format!("{name} {}", versions.into_iter().collect::<Vec<_>>().join(" "))
        })
        .collect();
    let listed = twice.iter().map(|line| format!("    \"{line}\",\n")).collect::<String>();
    assert_eq!(twice, TWICE, "tests/it/tidy/twice.in should be\n&[\n{listed}]\n");
}

#[test]
fn the_manifest_of_the_program_does_not_know_the_engine() {
    let metadata = metadata();
    for name in ["accrue", "actors"] {
        let package = metadata.packages.iter().find(|package| package.name == name);
        let dependencies = &package.expect("a package").dependencies;
        assert!(dependencies.iter().all(|dependency| dependency.name != "sled"), "{name}");
    }
    let storage = metadata.packages.iter().find(|package| package.name == "storage");
    for dependency in &storage.expect("a package").dependencies {
        assert!(!["actors", "accrue", "hyper"].contains(&dependency.name.as_str()));
    }
    let actors = metadata.packages.iter().find(|package| package.name == "actors");
    assert!(actors.expect("a package").dependencies.iter().all(|one| one.name != "accrue"));
}

#[test]
fn storage_has_no_word_of_the_business() {
    let business = [
        "seller",
        "contract",
        "invoice",
        "subscription",
        "customer",
        "payment",
        "payee",
        "money",
        "currency",
        "webhook",
        "billing",
        "price",
        "tax",
        "credit",
    ];
    for (name, text) in sources("storage/src") {
        let words = words(&code(&text));
        for word in business {
            assert!(!words.contains(word), "{name} says {word}");
        }
    }
}

#[test]
fn actors_do_not_know_http() {
    for (name, text) in sources("actors/src") {
        if is_test(&name) {
            continue;
        }
        let code = code(&text);
        // The API document has its vocabulary from one file; what is read from a body as it is
        // derives its schema where it stands.
        let code = match name.as_str() {
            "actors/src/schema.rs" => code.replace("utoipa", ""),
            _ => code.replace("derive(utoipa::ToSchema)", ""),
        };
        for word in ["hyper::server", "hyper_util::server", "matchit", "utoipa", "accrue::"] {
            assert!(!code.contains(word), "{name} names {word}");
        }
        // Connector, deliveries and logos are clients, they may know what an answer is.
        let clients = ["actors/src/delivery", "actors/src/connector", "actors/src/logos"];
        let client = clients.iter().any(|client| name.starts_with(client));
        assert!(client || !code.contains("StatusCode"), "{name} names StatusCode");
    }
    for (name, text) in sources("actors/src/domain") {
        for word in ["tokio", "ractor::", "sled", "storage::Store", "async fn", "crate::clock"] {
            assert!(!code(&text).contains(word), "{name}, a rule, names {word}");
        }
    }
}

#[test]
fn only_storage_knows_the_engine() {
    for (name, text) in ["src", "actors/src"].into_iter().flat_map(sources) {
        assert!(!code(&text).contains("sled::"), "{name}");
    }
    for (name, text) in sources("storage/src") {
        let code = code(&text).replace("engine::sled::", "");
        assert!(name.starts_with("storage/src/engine") || !code.contains("sled::"), "{name}");
    }
}

#[test]
fn no_file_is_longer_than_it_should_be() {
    for (name, text) in production() {
        let lines = text.lines().count();
        assert!(is_test(&name) || lines <= MOST_LINES, "{name} has {lines} lines");
    }
}

#[test]
fn no_file_is_called_mod() {
    for (name, _) in production() {
        assert!(!name.ends_with("/mod.rs"), "{name}");
    }
}

#[test]
fn time_and_randomness_are_read_in_two_files() {
    let readers = [
        ("Utc::now", "actors/src/clock.rs"),
        ("Local::now", "actors/src/clock.rs"),
        ("SystemTime::now", "actors/src/clock.rs"),
        ("Uuid::new_v4", "actors/src/entropy.rs"),
        ("getrandom::", "actors/src/entropy.rs"),
        ("rand::", "actors/src/entropy.rs"),
        ("thread_rng", "actors/src/entropy.rs"),
        ("OsRng", "actors/src/entropy.rs"),
    ];
    for (name, text) in production() {
        // `brand::` and `Brand::` are no `rand::`.
        let code = code(&text).replace("brand::", "").replace("Brand::", "");
        for (call, place) in readers {
            assert!(name == place || is_test(&name) || !code.contains(call), "{name} calls {call}");
        }
    }
    let rules = fs::read_to_string(root().join("clippy.toml")).expect("clippy.toml");
    for call in ["chrono::Utc::now", "std::time::SystemTime::now", "getrandom::fill"] {
        assert!(rules.contains(call), "clippy.toml forbids {call}");
    }
}

#[test]
fn no_tag_of_a_table_is_used_twice_and_none_changes_its_meaning() {
    let mut tags = BTreeMap::new();
    for (name, text) in sources("actors/src") {
        if is_test(&name) {
            continue;
        }
        let code = code(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        let code = code.replace("Table::in_first_shard(", "Table::new(");
        for call in code.split("Table::new(").skip(1) {
            let (tag, rest) = call.split_once(',').expect("a tag");
            let tag: u16 = tag.trim().replace('_', "").parse().expect("a number");
            let title = rest.split('"').nth(1).expect("a name").to_owned();
            assert!(tags.insert(tag, title.clone()).is_none(), "tag {tag} of {title} is taken");
        }
    }
    const LISTED: &[(u16, &str)] = include!("tidy/tags.in");
    let listed: BTreeMap<u16, String> =
        LISTED.iter().map(|(tag, title)| (*tag, (*title).to_owned())).collect();
    let lines: String =
        tags.iter().map(|(tag, title)| format!("    ({tag}, \"{title}\"),\n")).collect();
    assert_eq!(tags, listed, "tests/it/tidy/tags.in should be\n&[\n{lines}]\n(never reuse a tag)");
}

#[test]
fn no_tag_of_an_index_is_used_twice_and_none_changes_its_meaning() {
    const LISTED: [(&str, &str); 2] = [("1", "usage keys"), ("2", "payment keys")];
    let sources = sources("actors/src").into_iter().filter(|(name, _)| !is_test(name));
    let code: String = sources.map(|(_, text)| code(&text)).collect();
    let mut found: Vec<_> = code
        .split("Index::new(")
        .skip(1)
        .filter_map(|call| {
            let (tag, rest) = call.split_once(',')?;
            Some((tag.trim(), rest.split('"').nth(1)?))
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, LISTED, "never reuse a tag");
}

/// What a seller owns is measured and removed by these lists: no table may be forgotten.
#[test]
fn every_table_says_whose_its_rows_are() {
    let owned = fs::read_to_string(root().join("actors/src/tables/owned.rs")).expect("text");
    let (owned, told) = owned.split_once("pub struct Told").expect("two lists");
    let lists = |text: &str, name: &str| text.split_whitespace().any(|word| word == name);
    for (file, text) in sources("actors/src/tables") {
        let code = code(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        for table in code.split("pub const ").skip(1) {
            let Some((name, rest)) = table.split_once(": ") else { continue };
            let Some(key) = ["Table<", "Parts<"].iter().find_map(|kind| rest.strip_prefix(kind))
            else {
                continue;
            };
            let by_seller = key.starts_with("SellerId") || key.starts_with("(SellerId");
            let passing = ["MINTS", "SANDBOX_ENDS", "CREDIT_COUNTED", "SECRETS_KEY", "BACKFILLS"]
                .contains(&name);
            assert!(
                if by_seller { lists(owned, name) } else { passing || lists(told, name) },
                "{name} of {file} is not listed in actors/src/tables/owned.rs"
            );
        }
    }
}

/// A comment says the rule itself: whoever reads it has this repository and nothing else.
#[test]
fn no_comment_cites_a_document_that_is_not_here() {
    let cites = |line: &str| {
        let comment = line.find("//").map_or("", |at| &line[at..]);
        ["billing ", "payments ", "decisions "].iter().any(|document| {
            comment.match_indices(document).any(|(at, _)| {
                let place = &comment[at + document.len()..];
                place.starts_with(|c: char| c.is_ascii_digit())
            })
        })
    };
    assert!(cites("// The term is cut (billing 4.5)."), "the search sees a citation");
    for folder in ["storage", "actors", "src", "tests", "benches"] {
        for (name, text) in sources(folder) {
            let found = text.lines().find(|line| cites(line) && !line.contains("cites("));
            assert_eq!(found, None, "{name}");
        }
    }
}

#[test]
fn nothing_is_left_to_be_done() {
    for (name, text) in production() {
        for word in ["TODO", "FIXME", "XXX", "todo!(", "unimplemented!("] {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}
