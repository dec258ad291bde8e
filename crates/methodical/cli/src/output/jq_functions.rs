//! Functions of jq that replace those of jaq.

use std::io::{self, Write as _};
use std::iter;

use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Error, Exn, data};
use jaq_json::{Val, read};
use jaq_std::ValT as _;

use crate::escape::printable;

/// Returns the functions. They replace those with the same names.
pub(crate) fn functions() -> [Fun<data::JustLut<Val>>; 2] {
    [
        run(("fromjson", v(0), |(_, value)| match from_json(&value) {
            Ok(values) => Box::new(values.into_iter().map(|one| one.map_err(Exn::from))),
            Err(error) => bome(Err(error)),
        })),
        // A part of `stderr` and `halt_error`.
        run(("stderr_empty", v(0), |(_, value)| {
            let text = match &value {
                Val::TStr(text) => String::from_utf8_lossy(text).into_owned(),
                other => other.to_string(),
            };
            for line in text.lines() {
                // If standard error is closed, this cannot be reported anywhere.
                drop(writeln!(io::stderr(), "{}", printable(line)));
            }
            Box::new(iter::empty())
        })),
    ]
}

/// Parses the JSON values in a text, up to the first error. The parser is recursive, so deep values are refused.
fn from_json(value: &Val) -> Result<Vec<Result<Val, Error<Val>>>, Error<Val>> {
    let text = value.try_as_utf8_bytes()?;
    if is_deep(text) {
        return Err(Error::typ(value.clone(), "JSON: it is nested too deeply"));
    }
    let mut values = Vec::new();
    for one in read::parse_many(text) {
        let failed = one.is_err();
        values.push(one.map_err(|_syntax| Error::typ(value.clone(), "JSON")));
        if failed {
            break;
        }
    }
    Ok(values)
}

/// Returns whether values are nested too deeply. Like the parser, it skips comments, which begin with `#`.
fn is_deep(json: &[u8]) -> bool {
    let (mut depth, mut bytes) = (0_usize, json.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => _ = bytes.find(|byte| **byte == b'\n'),
            b'"' => {
                while let Some(byte) = bytes.next().filter(|byte| **byte != b'"') {
                    if *byte == b'\\' {
                        bytes.next();
                    }
                }
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Maximum nesting of the JSON in a text, the same as that of a response.
const MAX_DEPTH: usize = 128;
