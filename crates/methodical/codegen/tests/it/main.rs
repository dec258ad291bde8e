//! The generator: what it reads, refuses, writes and compares.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

mod bad_specs;
mod changes;
mod configuration;
mod emitters;
mod environment;
mod generated;
mod init;
mod mirrored;
mod samples;

use std::fs;
use std::path::Path;

use methodical_codegen::config::Config;
use methodical_codegen::emit::{self, GeneratedFile};
use methodical_codegen::ir::Service;
use methodical_codegen::spec::read_bytes;
use methodical_codegen::{Report, Workspace};

/// The folder of the good spec and its fixtures.
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// The root of this workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The spec that the tests change.
fn good() -> String {
    fs::read_to_string(Path::new(HERE).join("good-spec.toml")).expect("it is there")
}

/// Reads a spec, with the fixtures of the good one.
fn read(spec: impl AsRef<[u8]>) -> Result<Service, Report> {
    read_bytes(spec.as_ref(), Some(Path::new(HERE)), "spec.toml")
}

/// Returns the service of a valid spec.
#[track_caller]
fn service(reading: Result<Service, Report>) -> Service {
    reading.unwrap_or_else(|report| panic!("{report}"))
}

/// The configuration of this workspace.
fn config() -> Config {
    Config::parse(include_bytes!("../../../../../spec/codegen.toml"), "spec/codegen.toml")
        .expect("it is valid")
}

/// A service of this workspace.
fn workspace(service: Service, config: Config) -> Workspace {
    Workspace { root: Path::new(ROOT).to_owned(), config, service }
}

/// Generates all files of a service with a configuration.
fn files(service: Service, config: Config) -> Vec<GeneratedFile> {
    emit::all(&workspace(service, config))
}

/// Replaces the first occurrence of each text in a spec.
#[track_caller]
fn replaced(spec: String, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(spec, |spec, (from, to)| {
        assert!(spec.contains(from), "the spec has no `{from}`");
        spec.replacen(from, to, 1)
    })
}
