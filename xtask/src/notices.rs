//! The licenses of the crates in a program, as text to accompany it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, io};

use crate::components::Component;

/// Writes the licenses of all linked crates of other projects, each text once.
///
/// # Errors
///
/// Fails if a license cannot be read, or if a crate has no license.
pub fn notices(package: &str, components: &[Component]) -> Result<String, String> {
    let linked: Vec<_> = components.iter().filter(|one| one.is_linked && !one.is_own()).collect();
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without_text = Vec::new();
    let mut text = format!("{package} contains these packages of other projects.\n\n");
    for component in linked {
        let Component { name, version, license, .. } = component;
        let license = license
            .as_deref()
            .ok_or_else(|| format!("{name} {version} has no `license` in its Cargo.toml"))?;
        _ = writeln!(text, "{name} {version}: {license}");
        let failed = |error| format!("cannot read the license of {name} {version}: {error}");
        let texts = texts(component, license).map_err(failed)?;
        if texts.is_empty() {
            without_text.push(component);
        }
        for one in texts {
            by_text.entry(one).or_default().push(format!("{name} {version}"));
        }
    }
    if !without_text.is_empty() {
        text.push_str("\nThe packages below name their license, but do not contain its text:\n\n");
        for Component { name, version, repository, .. } in without_text {
            let repository = repository.as_deref().unwrap_or("unknown sources");
            _ = writeln!(text, "{name} {version}: {repository}");
        }
    }
    for (license, packages) in by_text {
        let line = "=".repeat(80);
        _ = writeln!(text, "\n{line}\n{}\n{line}\n\n{license}", packages.join("\n"));
    }
    Ok(text)
}

/// Returns the license texts of a package. If there is a choice, takes the MIT license, which is the shortest.
fn texts(component: &Component, license: &str) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(&component.folder)? {
        let path = entry?.path();
        if path.is_file() && is_license(&name(&path)) {
            files.push(path);
        }
    }
    files.sort();
    let is_mit = |path: &PathBuf| name(path).contains("MIT");
    let is_chosen = license.contains("OR") && !license.contains("AND") && license.contains("MIT");
    if is_chosen && files.iter().any(is_mit) {
        files.retain(is_mit);
    }
    let texts = files.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
    Ok(texts.iter().map(|text| String::from_utf8_lossy(text).trim().replace('\r', "")).collect())
}

fn is_license(name: &str) -> bool {
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::notices;
    use crate::components::Component;

    /// Returns a crate of another project with this license.
    fn component(name: &str, license: Option<&str>, folder: &Path) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            repository: None,
            checksum: Some("00".repeat(32)),
            folder: folder.to_owned(),
            is_linked: true,
            dependencies: BTreeSet::new(),
        }
    }

    #[test]
    fn a_crate_without_the_text_of_its_license_has_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        let known = Component {
            repository: Some("https://example.com/known".to_owned()),
            ..component("known", Some("MIT"), folder.path())
        };
        let unknown = component("unknown", Some("MIT"), folder.path());
        assert_eq!(
            notices("program", &[known, unknown]).unwrap(),
            "program contains these packages of other projects.\n\n\
             known 1.0.0: MIT\n\
             unknown 1.0.0: MIT\n\n\
             The packages below name their license, but do not contain its text:\n\n\
             known 1.0.0: https://example.com/known\n\
             unknown 1.0.0: unknown sources\n"
        );
    }

    #[test]
    fn the_same_text_is_there_once_and_the_shorter_license_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("LICENSE-MIT"), "Permission\r\n").unwrap();
        fs::write(folder.path().join("LICENSE-APACHE"), "Conditions\n").unwrap();
        fs::write(folder.path().join("README.md"), "Words\n").unwrap();
        let choice = |name| component(name, Some("MIT OR Apache-2.0"), folder.path());
        let line = "=".repeat(80);
        assert_eq!(
            notices("program", &[choice("a"), choice("b")]).unwrap(),
            format!(
                "program contains these packages of other projects.\n\n\
                 a 1.0.0: MIT OR Apache-2.0\nb 1.0.0: MIT OR Apache-2.0\n\n\
                 {line}\na 1.0.0\nb 1.0.0\n{line}\n\nPermission\n"
            )
        );
        for all in ["MIT AND Apache-2.0", "(MIT OR Zlib) AND Apache-2.0", "Zlib OR Apache-2.0"] {
            let both = component("c", Some(all), folder.path());
            let text = notices("program", &[both]).unwrap();
            assert!(text.contains("Permission") && text.contains("Conditions"), "{text}");
        }
    }

    #[test]
    fn a_crate_without_a_license_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let none = component("none", None, folder.path());
        assert_eq!(
            notices("program", &[none]).unwrap_err(),
            "none 1.0.0 has no `license` in its Cargo.toml"
        );
        let lost = component("lost", Some("MIT"), &folder.path().join("lost"));
        let error = notices("program", &[lost]).unwrap_err();
        assert!(error.starts_with("cannot read the license of lost 1.0.0: "), "{error}");
    }
}
