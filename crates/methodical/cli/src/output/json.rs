//! JSON with everything the service sent, as one document or one object per line; and `--jq`, which applies a jq filter
//! to it. On a terminal, JSON is indented and colored.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::iter;

use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Compiler, Ctx, Error, Exn, Filter, Vars, compile, data};
use jaq_json::write::{Pp, Styles, write};
use jaq_json::{Val, read};
use jaq_std::ValT as _;
use serde_json::value::RawValue;

use crate::failure::{Exit, Failure};
use crate::output::{OutputSetup, RecordWriter};
use crate::screen::{View, is_hostile, printable};

/// Creates the writer of one JSON document or, with `--jq`, of the filter's results.
pub(crate) fn document(setup: &OutputSetup) -> Result<Box<dyn RecordWriter>, Failure> {
    let &OutputSetup { single, view, .. } = setup;
    Ok(match &setup.flags.jq {
        Some(code) => Box::new(Jq::new(code, single, view.is_terminal())?),
        None => Box::new(Json { single, view, has_bracket: false }),
    })
}

/// A list as a JSON array with one record per line, or one object.
#[derive(Debug)]
struct Json {
    single: bool,
    view: View,
    has_bracket: bool,
}

impl RecordWriter for Json {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_bracket, true);
        let bracket: &[u8] = if self.single { b"" } else { b"[\n" };
        out.write_all(if is_first { bracket } else { b",\n" })?;
        if !self.view.is_terminal() {
            return out.write_all(record.as_bytes());
        }
        let (level, indentation) = if self.single { (0, "") } else { (1, "  ") };
        write!(out, "{indentation}{}", pretty(record, level, self.view.color))
    }

    fn abort(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        if self.has_bracket { writeln!(out) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        let end = match (self.single, self.has_bracket) {
            (true, _) => "\n",
            (false, true) => "\n]\n",
            (false, false) => "[]\n",
        };
        out.write_all(end.as_bytes())?;
        Ok(Vec::new())
    }
}

/// A writer of one record per line, without brackets. The whitespace within a record stays as received.
#[derive(Debug)]
pub(crate) struct Ndjson {
    pub(crate) terminal: bool,
}

impl RecordWriter for Ndjson {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        out.write_all(safe(record, self.terminal).as_bytes())?;
        out.write_all(b"\n")
    }
}

/// On a terminal, replaces characters that would act on it with `\u` escapes. The JSON value stays the same.
fn safe(json: &str, terminal: bool) -> Cow<'_, str> {
    if !terminal || !json.contains(is_hostile) {
        return Cow::Borrowed(json);
    }
    Cow::Owned(escaped(json, |_| true))
}

fn escaped(json: &str, is_data: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_hostile(letter) && is_data(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Returns a JSON text on several lines, in which no character acts on a terminal. `level` is the indentation of its
/// first line, which is not included. Text that is not valid JSON is returned unchanged.
fn pretty(json: &str, level: usize, color: bool) -> String {
    let styles = if color { Styles::ansi().parse("2::::32:::1;34") } else { Styles::default() };
    let pp = Pp { indent: Some("  ".to_owned()), styles, sep_space: true, ..Pp::default() };
    let mut text = Vec::new();
    let written = read::parse_single(json.as_bytes())
        .map_err(|_syntax| io::ErrorKind::InvalidData.into())
        .and_then(|value| write(&mut text, &pp, level, &value));
    match written {
        // Strings contain control characters only as escapes. The others are line breaks and the start of colors.
        Ok(()) => escaped(&String::from_utf8_lossy(&text), |letter| !"\n\u{1b}".contains(letter)),
        Err(_) => safe(json, true).into_owned(),
    }
}

/// A writer that collects all records, then applies the filter to the list or the object.
struct Jq {
    filter: Filter<data::JustLut<Val>>,
    code: String,
    single: bool,
    terminal: bool,
    /// The JSON text of the input so far.
    input: String,
}

impl Jq {
    /// Compiles the filter.
    fn new(code: &str, single: bool, terminal: bool) -> Result<Self, Failure> {
        let refused = |cause: String| Failure::usage("cannot use the --jq filter").because(cause);
        let formats = load::parse(FORMATS, |parser| parser.defs()).unwrap_or_default();
        let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(formats);
        let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let own = functions();
        // The environment contains the token.
        let replaced: Vec<_> = own.iter().map(|(name, ..)| *name).chain(["env"]).collect();
        let funs = funs.filter(|(name, ..)| !replaced.contains(name)).chain(own);
        let arena = Arena::default();
        let modules = Loader::new(defs)
            .load(&arena, File { code, path: () })
            .map_err(|errors| refused(errors.iter().map(|(_, one)| syntax(one)).collect()))?;
        let filter = Compiler::default().with_funs(funs).compile(modules).map_err(|errors| {
            let first = errors.iter().flat_map(|(_, errors)| errors).next();
            let undefined = |(name, kind): &compile::Error<&str>| {
                format!("the {} `{name}` is not defined", kind.as_str())
            };
            refused(first.map(undefined).unwrap_or_default())
        })?;
        Ok(Self { filter, code: code.to_owned(), single, terminal, input: String::new() })
    }
}

impl RecordWriter for Jq {
    fn write(&mut self, _out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        if !self.single {
            self.input.push(if self.input.is_empty() { '[' } else { ',' });
        }
        self.input.push_str(record);
        Ok(())
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        if !self.single {
            self.input.push_str(if self.input.is_empty() { "[]" } else { "]" });
        }
        let failed = |cause: String| {
            Failure::usage("cannot apply the --jq filter").because(cause).hint(
                "the input is one array for a list (`.[]` yields each record), and one object otherwise",
            )
        };
        let input = std::mem::take(&mut self.input);
        let input = read::parse_single(input.as_bytes()).map_err(|one| failed(one.to_string()))?;
        let context = Ctx::<data::JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        for value in self.filter.id.run((context, input)) {
            let value = match value.map_err(Exn::get_err) {
                Ok(value) => value,
                Err(Ok(error)) => {
                    return Err(failed(without_data(&error.to_string(), &self.code)));
                }
                Err(Err(other)) => match other.get_halt() {
                    Ok(code) if code & 0xff != 0 => {
                        let text = "the --jq filter ended with `halt_error`";
                        return Err(Failure::new(Exit::Contract, text));
                    }
                    _ => break,
                },
            };
            let text = text_of(&value);
            let text = match &value {
                Val::TStr(_) if self.terminal => printable(&text),
                _ => safe(&text, self.terminal),
            };
            writeln!(out, "{text}")?;
        }
        Ok(Vec::new())
    }
}

/// Returns a string without its quotes, and any other value as JSON.
fn text_of(value: &Val) -> Cow<'_, str> {
    match value {
        Val::TStr(text) => String::from_utf8_lossy(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Replaces the JSON values in a filter's message with their types, unless the filter itself contains them. The values
/// may be personal data.
fn without_data(message: &str, code: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some(start) =
        rest.find(|first: char| "[{\"".contains(first) || first.is_ascii_digit())
    {
        let (before, value) = rest.split_at(start);
        text.push_str(before);
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<&RawValue>();
        let Some(Ok(found)) = values.next() else {
            text.push('…');
            return text;
        };
        let found = found.get();
        text.push_str(match found.as_bytes().first() {
            Some(b'[') => "an array",
            Some(b'{') => "an object",
            _ if code.contains(found.trim_matches('"')) => found,
            Some(b'"') => "a string",
            _ => "a number",
        });
        rest = value.get(found.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// Describes a syntax error in a filter.
fn syntax(error: &load::Error<&str>) -> String {
    let (expected, place) = match error {
        load::Error::Io(errors) => {
            let path = errors.first().map(|(path, _)| *path).unwrap_or_default();
            return format!("modules such as `{path}` are not supported");
        }
        load::Error::Lex(errors) => errors.first().map(|(expected, at)| (expected.as_str(), *at)),
        load::Error::Parse(errors) => errors.first().map(|(expected, at)| (expected.as_str(), *at)),
    }
    .unwrap_or(("a filter", ""));
    match place {
        "" => format!("expected {expected} at its end"),
        place => format!("expected {expected} before `{place}`"),
    }
}

/// The jq formats that jaq lacks.
const FORMATS: &str = r#"
def @csv: [.[] |
    if . == null then ""
    elif type == "string" then "\"" + (split("\"") | join("\"\"")) + "\""
    else tostring end] | join(",");
def @tsv: [.[] |
    if . == null then ""
    elif type == "string" then
        split("\\") | join("\\\\") | split("\t") | join("\\t") |
        split("\n") | join("\\n") | split("\r") | join("\\r")
    else tostring end] | join("\t");
"#;

/// Returns the functions that replace jaq's functions of the same names.
fn functions() -> [Fun<data::JustLut<Val>>; 2] {
    [
        run(("fromjson", v(0), |(_, value)| match from_json(&value) {
            Ok(values) => Box::new(values.into_iter().map(Ok)),
            Err(error) => bome(Err(error)),
        })),
        // A part of `stderr` and `halt_error`.
        run(("stderr_empty", v(0), |(_, value)| {
            for line in text_of(&value).lines() {
                // If standard error is closed, this cannot be reported anywhere.
                drop(writeln!(io::stderr(), "{}", printable(line)));
            }
            Box::new(iter::empty())
        })),
    ]
}

/// Parses a sequence of JSON values. The parser is recursive, so input nested too deeply for serde is refused.
fn from_json(value: &Val) -> Result<Vec<Val>, Error<Val>> {
    let text = value.try_as_utf8_bytes()?;
    let refused = || Error::typ(value.clone(), "JSON");
    let mut checked = serde_json::Deserializer::from_slice(text).into_iter::<serde_json::Value>();
    if checked.any(|one| one.is_err()) {
        return Err(refused());
    }
    read::parse_many(text).collect::<Result<_, _>>().map_err(|_syntax| refused())
}

#[cfg(test)]
mod text_tests {
    use super::safe;

    #[test]
    fn escapes_keep_the_value() {
        let json = "{\"n\":\"a\u{9b}\u{202e}\u{7f}é\"}";
        let escaped = safe(json, true);
        assert_eq!(escaped, "{\"n\":\"a\\u009b\\u202e\\u007fé\"}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&escaped), read(json));
        assert_eq!(safe(json, false), json);
    }
}
#[cfg(test)]
mod pretty_tests {
    use proptest::prelude::*;

    use super::pretty;
    use crate::output::record::one_line;

    #[test]
    fn numbers_keep_their_text_and_strings_their_value() {
        let json = r#"{"a":1.10,"b":{},"c":[],"d":[1e400,12345678901234567890.0,{"x":null}],"é\"":"\u0041,\\","t":true}"#;
        let expected = r#"{
  "a": 1.10,
  "b": {},
  "c": [],
  "d": [
    1e400,
    12345678901234567890.0,
    {
      "x": null
    }
  ],
  "é\"": "A,\\",
  "t": true
}"#;
        assert_eq!(pretty(json, 0, false), expected);
        assert_eq!(pretty("\"a\"", 0, false), "\"a\"");
        let hostile = r#"["\u001b[2J\u009b"]"#;
        assert_eq!(pretty(hostile, 0, false), "[\n  \"\\u001b[2J\\u009b\"\n]");
        let colored = "[\n  \u{1b}[32m\"\\u001b[2J\\u009b\"\u{1b}[0m\n]";
        assert_eq!(pretty(hostile, 0, true), colored);
    }

    proptest! {
        #[test]
        fn only_whitespace_is_added(text in r#"[ -~é"\\\[\]{},:]{0,40}"#) {
            let json = serde_json::json!({ "a": [text, 1.5, [[]], {}], "b": { "": text } }).to_string();
            prop_assert_eq!(one_line(&pretty(&json, 0, false)), json);
        }

        #[test]
        fn no_text_makes_it_fail(text in r#"[ a1"\\\[\]{},:]{0,20}"#) {
            prop_assert!(pretty(&text, 0, true).len() >= text.trim().len() / 2);
        }
    }
}
#[cfg(test)]
mod jq_tests {
    use super::Jq;
    use crate::output::RecordWriter as _;

    const RECORDS: [&str; 2] =
        [r#"{"a":1.10,"b":"x\u001b"}"#, r#"{"a":12345678901234567890.10,"b":"y"}"#];

    fn run(code: &str, terminal: bool) -> Result<String, String> {
        let mut jq = Jq::new(code, false, terminal).map_err(|failure| format!("{failure:?}"))?;
        let mut out = Vec::new();
        for record in RECORDS {
            jq.write(&mut out, record).unwrap();
        }
        let notes = jq.finish(&mut out).map_err(|failure| failure.text())?;
        assert_eq!(notes, Vec::<String>::new());
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn strings_are_raw_and_numbers_keep_their_text() {
        assert_eq!(run(".[].b", false).unwrap(), "x\u{1b}\ny\n");
        assert_eq!(
            run(".[].b, .[0]", true).unwrap(),
            "x\\u{1b}\ny\n{\"a\":1.10,\"b\":\"x\\u001b\"}\n"
        );
        assert_eq!(run(".[].a", false).unwrap(), "1.10\n12345678901234567890.10\n");
        assert_eq!(run("map(select(.a > 2)) | length", false).unwrap(), "1\n");
        assert_eq!(run("map(.b | test(\"y\"))", false).unwrap(), "[false,true]\n");
        assert_eq!(run("halt", false).unwrap(), "");
    }

    #[test]
    fn rows_are_formatted_as_jq_does() {
        let row = r#"[1.50, null, true, "a\"b", "c\td\ne\\"]"#;
        assert_eq!(
            run(&format!("{row} | @csv"), false).unwrap(),
            "1.50,,true,\"a\"\"b\",\"c\td\ne\\\"\n"
        );
        assert_eq!(
            run(&format!("{row} | @tsv"), false).unwrap(),
            "1.50\t\ttrue\ta\"b\tc\\td\\ne\\\\\n"
        );
    }

    #[test]
    fn a_filter_that_is_wrong_or_fails_says_why() {
        for (code, cause) in [
            (".[", "expected closing bracket at its end"),
            (". | | .", "expected term before `|"),
            ("nme", "the filter `nme` is not defined"),
            ("env", "the filter `env` is not defined"),
            ("$ENV", "the variable `$ENV` is not defined"),
            ("input", "the filter `input` is not defined"),
            ("import \"a\" as b; .", "not supported"),
            (".[].a.b", "cannot index a number with \"b\""),
            (".name", "cannot index an array with \"name\""),
            (".[0] | .b.c", "cannot index a string with \"c\""),
            ("error(\"x\")", "x"),
        ] {
            let error = run(code, false).unwrap_err();
            assert!(error.contains(cause), "{code}: {error}");
        }
    }
}
