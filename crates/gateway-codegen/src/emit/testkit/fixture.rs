//! The responses of the examples as constants, byte for byte. A package has only the files of its crate, so generated
//! code cannot include them from the folder of the spec.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Example, Service};
use crate::text::{RustFile, raw_string};

/// The responses of the examples of a service, and the names of their constants.
pub(super) struct Fixtures<'a> {
    service: &'a Service,
    /// The names by the paths of the files.
    names: BTreeMap<&'a str, String>,
}

impl<'a> Fixtures<'a> {
    /// Names each constant after its file.
    pub(super) fn of(service: &'a Service) -> Self {
        let (mut names, mut taken) = (BTreeMap::new(), BTreeSet::new());
        let paths: BTreeSet<_> = service.examples.iter().map(|one| one.path.as_str()).collect();
        for path in paths {
            let mut name = name(path);
            while !taken.insert(name.clone()) {
                name.push_str("_2");
            }
            names.insert(path, name);
        }
        Self { service, names }
    }

    /// Returns the module of the constants.
    pub(super) fn emit(&self) -> RustFile {
        let mut file = RustFile::new("The responses of the examples of the spec, byte for byte.");
        let mut bodies: BTreeMap<&str, (&str, bool)> = BTreeMap::new();
        for Example { path, body, client, .. } in &self.service.examples {
            bodies.entry(path).or_insert((body, false)).1 |= client;
        }
        for (path, (body, has_mock)) in bodies {
            if !has_mock {
                file.line("#[cfg(feature = \"cases\")]");
            }
            let (name, body) = (self.name(path), raw_string(body));
            file.line(format_args!("pub(crate) const {name}: &str = {body};"));
        }
        file
    }

    /// Returns the expression for the response of an example.
    pub(super) fn expression(&self, example: &Example) -> String {
        format!("fixtures::{}", self.name(&example.path))
    }

    fn name(&self, path: &str) -> &str {
        self.names.get(path).map_or("", String::as_str)
    }
}

/// The import of the module.
pub(super) const IMPORT: &str = "use crate::generated::fixtures;";

/// Returns the name of the constant for a file: `ALL_PHOTOS` for `fixtures/all-photos.json`.
fn name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = stem.chars().map(letter).collect();
    if name.starts_with(|first: char| first.is_ascii_uppercase()) {
        name
    } else {
        format!("FILE_{name}")
    }
}
