//! Snapshots of the public API of the model, transport and client crates, as Rust headers. They show reviewers every
//! change that users will see.
//!
//! The items are read from the sources, so the result does not depend on the compiler: modules are
//! followed, `pub use` is resolved, and `macro_rules!` macros of the crate are expanded.
//!
//! The generated code is that of the last released spec. Users see a change of the spec with the next release only, and
//! `cargo xtask spec diff` lists it.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot continue has failed")]

use std::fmt::Write as _;
use std::path::Path;

mod expand;
mod header;
mod paths;
mod public;
mod released;
mod source;

/// Lists the items of the core where the crate re-exports them.
#[test]
fn public_api_of_gateway_model() {
    let listed = listed_with("gateway-model", &["methodical-model"], MODEL);
    insta::assert_snapshot!("gateway-model", listed);
}

#[test]
fn public_api_of_gateway_transport() {
    let listed = listed("gateway-transport", TRANSPORT);
    insta::assert_snapshot!("gateway-transport", listed);
}

#[test]
fn public_api_of_methodical_client() {
    let listed = listed("methodical-client", METHODICAL_CLIENT);
    insta::assert_snapshot!("methodical-client", listed);
}

#[test]
fn public_api_of_gateway_client() {
    let listed = listed("gateway-client", CLIENT);
    insta::assert_snapshot!("gateway-client", listed);
}

/// A snapshot of the model has the items of `methodical-model`. Programs are the main users of the other crates.
#[test]
fn signatures_of_the_other_crates_name_only_these_crates() {
    for (name, may_name) in OTHERS {
        listed(name, may_name);
    }
}

/// The crates whose types signatures may contain. Users need the same version of each as we do, so
/// the list contains neither HTTP clients nor runtimes, and an optional crate is enabled by a feature of
/// the same name.
const MODEL: &[&str] = &["arbitrary", "chrono", "jiff", "proptest", "rust_decimal", "serde"];
const TRANSPORT: &[&str] = &["bytes", "futures_core", "http", "http_body", "tower_service"];
const METHODICAL_CLIENT: &[&str] =
    &["bytes", "futures_core", "gateway_transport", "http", "methodical_model"];
const CLIENT: &[&str] = &["gateway_model", "methodical_client"];
const OTHERS: &[(&str, &[&str])] = &[
    ("methodical-model", &["arbitrary", "chrono", "jiff", "proptest", "serde"]),
    (
        "methodical-mirror",
        &["methodical_client", "methodical_model", "methodical_postgres", "serde"],
    ),
    ("methodical-dashboard", &["methodical_mirror"]),
    ("methodical-cli", &["clap", "methodical_client", "methodical_mirror", "serde"]),
    ("methodical-postgres", &["postgres"]),
];

fn listed(name: &str, may_name: &[&str]) -> String {
    listed_with(name, &[], may_name)
}

fn listed_with(name: &str, runtimes: &[&str], may_name: &[&str]) -> String {
    let released = released::crates(&[&[name], runtimes].concat());
    let folder = released.path().join(name);
    let source = source::Source::read(&folder, runtimes);
    let header = header::of(&source, &public::Public::of(&source, &name.replace('-', "_")));
    let named: Vec<&str> = header.crates.iter().map(String::as_str).collect();
    assert_eq!(named, may_name, "crates in signatures of {name}");
    assert_eq!(without_their_feature(&folder, may_name), [""; 0], "of {name}");
    features(&folder) + &header.text
}

/// Returns the optional crates of this list that no feature enables by their name.
fn without_their_feature(folder: &Path, crates: &[&str]) -> Vec<String> {
    let package = manifest(folder);
    let table =
        |key: &str| package.get(key).and_then(toml::Value::as_table).cloned().unwrap_or_default();
    let (dependencies, features) = (table("dependencies"), table("features"));
    // Our own crates are released together, so that their versions need no name.
    let is_public = |name: &String| {
        crates.contains(&name.replace('-', "_").as_str())
            && !name.starts_with("gateway-")
            && !name.starts_with("methodical-")
    };
    let optional = dependencies.into_iter().filter(|(_, entry)| entry.get("optional").is_some());
    let expected = optional.map(|(name, _)| name).filter(is_public);
    expected.filter(|feature| !features.contains_key(feature)).collect()
}

fn manifest(folder: &Path) -> toml::Table {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    text.parse().expect("TOML")
}

/// Returns the list of features, with the features and crates that each enables.
fn features(folder: &Path) -> String {
    let manifest = manifest(folder);
    let mut text = String::from("// Features\n");
    for (feature, turns_on) in
        manifest.get("features").and_then(toml::Value::as_table).into_iter().flatten()
    {
        let turns_on = turns_on.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
        let turns_on: Vec<&str> = turns_on.collect();
        writeln!(text, "//     {feature} = [{}]", turns_on.join(", ")).expect("memory");
    }
    text
}

/// Tests the rules of visibility in one small crate.
#[test]
fn only_items_with_a_public_path_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("src")).expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join("src").join(name), text).expect("a file");
    };
    write("lib.rs", LIB);
    write("inner.rs", INNER);
    let source = source::Source::read(folder.path(), &[]);
    let header = header::of(&source, &public::Public::of(&source, "a_crate"));
    assert_eq!(header.text, HEADER);
}

const LIB: &str = r#"
    mod inner;
    #[cfg(feature = "extra")]
    pub mod extra { pub use core::fmt::Error; pub(crate) struct Hidden; }
    pub use crate::inner::{Open as Renamed, *};
    #[cfg(test)]
    pub struct OnlyInTests;
    impl From<Renamed> for String { fn from(_: Renamed) -> Self { Self::new() } }
    impl inner::Sealed for Renamed {}
"#;

const INNER: &str = r#"
    use std::fmt;
    macro_rules! text {
        ($(#[$attribute:meta])* $name:ident, [$($variant:ident = $wire:literal),+ $(,)?]) => {
            $(#[$attribute])*
            pub enum $name { $($variant,)+ }
            impl $name { pub const ALL: &[&str] = &[$($wire),+]; fn hidden(&self) {} }
            $crate::inner::shown! { $name }
        };
    }
    macro_rules! shown { ($name:ty) => {
        impl fmt::Display for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) } }
    }; }
    text! { #[non_exhaustive] Kind, [One = "one", Two = "two"] }
    pub trait Sealed {}
    pub struct Open { pub kind: Kind, secret: u8 }
    pub(crate) struct Closed;
    impl Closed { pub fn new() -> Self { Self } }
    pub fn make<T: Into<Kind>>(value: T) -> Result<Open, fmt::Error> { loop {} }
"#;

const HEADER: &str = r#"
// a_crate::Kind
#[non_exhaustive]
pub enum Kind {
    One,
    Two,
}
impl Kind {
    pub const ALL: &[&str] = &["one", "two"];
}
impl Display for Kind {}

// a_crate::Open
/// Has private fields.
pub struct Open {
    pub kind: Kind,
}
impl Sealed for Open {}

// a_crate::Renamed
pub use a_crate::Open;

// a_crate::Sealed
pub trait Sealed {}

// a_crate::extra
#[cfg(feature = "extra")]
pub mod extra;

// a_crate::extra::Error
#[cfg(feature = "extra")]
pub use core::fmt::Error;

// a_crate::make
pub fn make<T: Into<Kind>>(value: T) -> Result<Open, fmt::Error> {}

// Implementations for types of other crates
impl From<Open> for String {}
"#;
