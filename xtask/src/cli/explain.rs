//! `cargo xtask explain`.

use crate::cli::outcome::{Outcome, usage};
use crate::diag::{CODES, closest};

pub(super) fn one(code: &str) -> Outcome {
    let ids: Vec<_> = CODES.iter().map(|code| code.id).collect();
    match CODES.iter().find(|known| known.id.eq_ignore_ascii_case(code)) {
        Some(code) => {
            let level = if code.warning { "warning" } else { "error" };
            let text = wrapped(code.explanation);
            Outcome::fine(format!("{level}[{}]: {}\n\n{text}\n", code.id, code.title))
        }
        None => usage(&match closest(code, &ids) {
            Some(id) => format!("there is no code `{code}`; did you mean `{id}`?"),
            None => format!("there is no code `{code}`; `cargo xtask explain` lists them"),
        }),
    }
}

pub(super) fn list() -> Outcome {
    let lines = CODES.iter().map(|code| format!("{}  {}\n", code.id, code.title));
    Outcome::fine(lines.collect::<String>())
}

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for (index, paragraph) in text.split("\n\n").enumerate() {
        out.push_str(if index > 0 { "\n\n" } else { "" });
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > WIDTH {
                out.push('\n');
                column = 0;
            } else if column > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
    }
    out
}

const WIDTH: usize = 80;
