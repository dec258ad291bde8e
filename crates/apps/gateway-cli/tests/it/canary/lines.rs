//! The command lines of the sweep, in the order in which they run.

use std::fs;
use std::path::Path;

/// Whether the output of a command may contain personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Personal {
    Printed,
    /// The command prints the body of the response unchanged, with everything that the service has put into it.
    Body,
    Never,
}

/// A command line.
pub(crate) struct Line {
    pub(crate) words: &'static str,
    /// Standard input.
    pub(crate) input: &'static str,
    /// The exit code if the service responds.
    pub(crate) code: i32,
    pub(crate) personal: Personal,
    /// Whether the command calls the service.
    pub(crate) calls: bool,
    /// Whether the command runs with `-vv`.
    pub(crate) is_logged: bool,
}

impl Line {
    const fn new(words: &'static str) -> Self {
        let personal = Personal::Never;
        Self { words, input: "", code: 0, personal, calls: false, is_logged: true }
    }

    const fn input(self, input: &'static str) -> Self {
        Self { input, ..self }
    }

    const fn code(self, code: i32) -> Self {
        Self { code, ..self }
    }

    const fn prints_persons(self) -> Self {
        Self { personal: Personal::Printed, ..self }
    }

    const fn prints_the_body(self) -> Self {
        Self { personal: Personal::Body, ..self }
    }

    const fn calls(self) -> Self {
        Self { calls: true, ..self }
    }

    /// For connectors and scripts, which print a protocol.
    const fn without_log(self) -> Self {
        Self { is_logged: false, ..self }
    }
}

pub(crate) const LINES: &[Line] = &[
    Line::new("help"),
    Line::new("completions bash"),
    Line::new("man"),
    Line::new("auth status").calls(),
    Line::new("auth login --token-stdin").input("{TOKEN}\n").calls(),
    Line::new("config list"),
    Line::new("config get base-url"),
    Line::new("config set timeout 30"),
    Line::new("config unset timeout"),
    Line::new("config path"),
    Line::new("profile list"),
    Line::new("config set timeout 30 --profile other"),
    Line::new("dashboard reader add ana").input("{TOKEN}\n"),
    Line::new("dashboard reader list"),
    Line::new("dashboard reader remove ana"),
    Line::new("profile use other"),
    Line::new("profile use default"),
    Line::new("profile remove other"),
    Line::new("candidates list").prints_persons().calls(),
    Line::new("candidates list -o raw").prints_the_body().calls(),
    Line::new("candidates list --output-file list.ndjson").calls(),
    Line::new("candidates list --dry-run"),
    Line::new("vacancies list").calls(),
    Line::new("credits get").calls(),
    Line::new("credits check --below 1").calls(),
    Line::new("api candidates/list").prints_the_body().calls(),
    Line::new("check").code(5).calls(),
    Line::new("mirror sync --to {FROM} --values New --emit-baseline").calls(),
    Line::new("mirror status --from {FROM}"),
    Line::new("mirror changes --from {FROM} -o ndjson").prints_persons(),
    Line::new("mirror consumers --from {FROM}"),
    Line::new("mirror consumers rewind none --to m1.0.1.0 --from {FROM}").code(2),
    Line::new("mirror search Kanarie --from {FROM}").prints_persons(),
    Line::new("candidates list --from {FROM}").prints_persons(),
    Line::new("credits forecast --from {FROM}"),
    Line::new("board --from {FROM}"),
    Line::new("mcp --from {FROM}").input(ASSISTANT).without_log(),
    Line::new("mcp --from {FROM} --personal").input(ASSISTANT).prints_persons().without_log(),
    Line::new("candidates show 48001 --from {FROM}").code(2),
    Line::new("duplicates --from {FROM}"),
    Line::new("placements list --from {FROM}").prints_persons(),
    Line::new("report --from {FROM}"),
    Line::new("watch --to watched.db --once --emit-baseline --values New").prints_persons().calls(),
    Line::new("watch --to hooked.db --once --emit-baseline --values New --webhook {URL}/hook")
        .calls(),
    Line::new("watch --to run.db --once --emit-baseline --values New --exec true").calls(),
    Line::new("mirror check --from {FROM}"),
    Line::new("mirror rebuild --from {FROM}"),
    Line::new("mirror backup backup.db --from {FROM}"),
    Line::new("mirror restore backup.db --to restored.db"),
    Line::new("mirror forget 7 --from restored.db --yes"),
    Line::new("mirror purge --gone-for 1d --from {FROM} --yes"),
    Line::new("mirror copy --to tables --from {FROM}").code(2),
    Line::new("mirror copy --to postgres://u:geheim@127.0.0.1:1/d --from {FROM}").code(4),
    Line::new("tap --config config.json").prints_persons().calls().without_log(),
    Line::new("tap --config config.json --discover").without_log(),
    // This line erases the person.
    Line::new("mirror forget 7 --from {FROM} --yes"),
    Line::new("mirror forget 7 --from tap.db --yes"),
    Line::new("mirror forget 7 --from watched.db --yes"),
    Line::new("mirror forget 7 --from hooked.db --yes"),
    Line::new("mirror forget 7 --from run.db --yes"),
    Line::new("mirror search Kanarie --from {FROM}"),
    Line::new("candidates list --from {FROM} -o csv"),
    Line::new("mirror changes --from {FROM}"),
    // The last lines: they use the stored token.
    Line::new("auth status --profile default"),
    Line::new("auth logout --profile absent").code(2),
];

/// The files with personal data that the lines write for a reader.
pub(crate) const FILES_FOR_READERS: &[&str] = &["list.ndjson", "backup.db"];

/// Writes the files that the lines name.
pub(crate) fn write_files(folder: &Path) {
    fs::write(folder.join("config.json"), r#"{"mirror": "tap.db"}"#).unwrap();
}

/// Calls of an assistant.
const ASSISTANT: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_placements"}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"report"}}"#,
    "\n",
);
