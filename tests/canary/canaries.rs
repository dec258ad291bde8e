//! Secrets and personal data that no output may contain, and a search for all their encodings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A value that is searched for.
pub(crate) struct Canary {
    /// The name in a failure. The value itself is not shown.
    name: &'static str,
    /// The value unchanged, in base64, percent-encoded and in hexadecimal digits, all in lower case.
    forms: Vec<String>,
}

impl Canary {
    pub(crate) fn new(name: &'static str, value: &str) -> Self {
        let mut forms = vec![value.to_owned(), percent_encoded(value), hexadecimal(value, "")];
        forms.push(hexadecimal(value, "%"));
        // The base64 digits depend on the position of the value in the encoded data.
        for before in 0..3_usize {
            let bytes = [&vec![b' '; before], value.as_bytes()].concat();
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                let encoded = engine.encode(&bytes);
                // The first and last digits depend on the data around the value.
                let end = encoded.len() - usize::from(!bytes.len().is_multiple_of(3));
                forms.push(encoded.get(before.div_ceil(3) * 4..end).unwrap().to_owned());
            }
        }
        for form in &mut forms {
            form.make_ascii_lowercase();
            assert!(form.len() >= 8, "{name} is too short to be searched for");
        }
        forms.sort();
        forms.dedup();
        Self { name, forms }
    }

    fn is_in(&self, text: &str) -> bool {
        self.forms.iter().any(|form| text.contains(form))
    }
}

/// Returns the names of the canaries in some bytes.
pub(crate) fn found<'a>(
    canaries: impl IntoIterator<Item = &'a Canary>,
    bytes: &[u8],
) -> Vec<&'a str> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let found = canaries.into_iter().filter(|canary| canary.is_in(&text));
    found.map(|canary| canary.name).collect()
}

/// Adds the files below a folder that contain canaries, with their names.
pub(crate) fn search_files(canaries: &[Canary], folder: &Path, hits: &mut Vec<String>) {
    for (path, bytes) in files(folder) {
        let in_name = found(canaries, path.as_os_str().as_encoded_bytes());
        for name in found(canaries, &bytes).into_iter().chain(in_name) {
            hits.push(format!("{name} in {}", path.display()));
        }
    }
}

/// Returns the files below a folder, with their bytes.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            all.insert(path, bytes);
        }
    }
    all
}

fn percent_encoded(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                text.push(char::from(byte));
            }
            _ => write!(text, "%{byte:02x}").unwrap(),
        }
        text
    })
}

fn hexadecimal(value: &str, before: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        write!(text, "{before}{byte:02x}").unwrap();
        text
    })
}

#[test]
fn a_canary_is_found_in_all_its_forms() {
    let canaries = [Canary::new("name", "Kanarie+4b7d@example")];
    let standard = |text: &str| STANDARD_NO_PAD.encode(text);
    for text in [
        "a KANARIE+4B7D@EXAMPLE b".to_owned(),
        "a=Kanarie%2B4b7d%40example".to_owned(),
        "4B616E617269652B34623764406578616D706C65".to_owned(),
        standard("Kanarie+4b7d@example"),
        standard("x:Kanarie+4b7d@example and more"),
        standard("xy:Kanarie+4b7d@example!"),
        format!("{}=", URL_SAFE_NO_PAD.encode("1234567Kanarie+4b7d@example12")),
    ] {
        assert_eq!(found(&canaries, text.as_bytes()), ["name"], "{text}");
    }
    assert_eq!(found(&canaries, b"Kanarie+4b7d@exampl"), [""; 0]);
}
