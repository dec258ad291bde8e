//! The command `explain`.

use crate::cli::context::Context;
use crate::cli::outcome::{Outcome, usage};
use crate::diag::{CODES, suggestion};

pub(super) fn one(cx: &Context<'_>, code: &str) -> Outcome {
    let ids: Vec<_> = CODES.iter().map(|code| code.id).collect();
    let Some(code) = CODES.iter().find(|known| known.id.eq_ignore_ascii_case(code)) else {
        let list = || format!("`{} explain` lists all codes", cx.program);
        let hint = suggestion(code, &ids).unwrap_or_else(list);
        return usage(&format!("unknown code `{code}`; {hint}"));
    };
    let text = wrapped(code.explanation);
    Outcome::fine(format!("{}[{}]: {}\n\n{text}\n", code.level, code.id, code.title))
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CODES, Context, WIDTH, list, one};

    #[test]
    fn every_code_is_listed_and_explained_in_short_lines() {
        let cx = Context { program: "gateway-codegen", root: Path::new("."), service: None };
        let listed = list().stdout;
        assert_eq!(listed.lines().count(), CODES.len());
        for code in CODES {
            assert!(listed.contains(&format!("{}  {}\n", code.id, code.title)), "{}", code.id);
            let explained = one(&cx, &code.id.to_lowercase());
            assert_eq!(explained.code, 0);
            let (title, text) = explained.stdout.split_once("\n\n").unwrap();
            assert_eq!(title, format!("{}[{}]: {}", code.level, code.id, code.title));
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            // Only white space differs.
            assert!(text.split_whitespace().eq(code.explanation.split_whitespace()));
        }
    }

    #[test]
    fn an_unknown_code_gets_a_hint() {
        let cx = Context { program: "gateway-codegen", root: Path::new("."), service: None };
        let wrong = one(&cx, "GW01");
        assert_eq!((wrong.code, &*wrong.stdout), (2, ""));
        assert!(wrong.stderr.starts_with("error: unknown code `GW01`; "), "{}", wrong.stderr);
        let far = one(&cx, "surprise").stderr;
        assert!(far.contains("`gateway-codegen explain` lists all codes"), "{far}");
    }
}
