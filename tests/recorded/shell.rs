//! Runs the lines of a script in a shell, and returns what a person would see.
//!
//! The tests of the program and of the server include this file, because only they know where their program is.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use tempfile::TempDir;

/// A shell in an empty home folder, without the settings of this machine.
pub(crate) struct Shell {
    home: TempDir,
    programs: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Shell {
    /// Creates a shell that finds this program by its name.
    pub(crate) fn new(program: &str) -> Self {
        let programs = Path::new(program).parent().unwrap().to_owned();
        Self { home: tempfile::tempdir().unwrap(), programs, variables: Vec::new() }
    }

    /// Adds an environment variable.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// Returns the path of a file in the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Runs the lines one by one. A comment is repeated unchanged.
    pub(crate) fn see(&self, script: &str) -> String {
        shown(script.trim().lines().map(|line| (line, self.result(line))).collect())
    }

    /// Runs the lines concurrently: none may depend on another.
    pub(crate) fn see_each(&self, script: &str) -> String {
        let lines: Vec<&str> = script.trim().lines().collect();
        let waiting = Mutex::new(lines.iter().enumerate());
        let results = Mutex::new(vec![String::new(); lines.len()]);
        let run = || {
            loop {
                let Some((at, line)) = waiting.lock().unwrap().next() else { return };
                let result = self.result(line);
                results.lock().unwrap()[at] = result;
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(run);
            }
        });
        shown(lines.into_iter().zip(results.into_inner().unwrap()).collect())
    }

    /// Runs a line, and returns what it prints, without empty lines of standard error, and its exit code.
    fn result(&self, line: &str) -> String {
        if is_comment(line) {
            return String::new();
        }
        let output = self.command(line).output().unwrap();
        let mut result = String::from_utf8(output.stdout).unwrap();
        if !result.is_empty() && !result.ends_with('\n') {
            result.push_str("⏎\n");
        }
        let stderr = String::from_utf8(output.stderr).unwrap();
        for line in stderr.lines().filter(|line| !line.is_empty()) {
            writeln!(result, "stderr: {line}").unwrap();
        }
        writeln!(result, "exit {}", output.status.code().unwrap()).unwrap();
        // Control characters become visible.
        let result = result.replace('\r', "␍").replace('\u{1b}', "␛");
        result.replace(self.home.path().to_str().unwrap(), "~")
    }

    /// Returns a command that runs a line.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &format!("umask 022; {line}")])
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display()))
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("TMPDIR", self.home.path())
            .env("TZ", "UTC")
            // The path to which a program built with coverage writes its counts.
            .envs(std::env::var_os("LLVM_PROFILE_FILE").map(|file| ("LLVM_PROFILE_FILE", file)))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        command
    }
}

fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

/// Returns the lines with their results. Lines with the same result follow each other, and the result follows the last.
fn shown(lines: Vec<(&str, String)>) -> String {
    let mut shown = String::new();
    let mut previous = String::new();
    for (line, result) in lines {
        if result != previous {
            shown.push_str(&std::mem::take(&mut previous));
        }
        let prompt = if is_comment(line) { "" } else { "$ " };
        writeln!(shown, "{prompt}{line}").unwrap();
        previous = result;
    }
    shown + &previous
}

/// Compares the output with the record. `INSTA_UPDATE=always` rewrites the record.
pub(crate) fn compare(name: &str, seen: &str) {
    let seen = without_variations(seen);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/recorded"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, seen));
}

/// Replaces what differs from run to run.
pub(crate) fn without_variations(seen: &str) -> String {
    let mut seen = seen.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    for (varies, name) in VARIES {
        seen = regex::Regex::new(varies).unwrap().replace_all(&seen, *name).into_owned();
    }
    seen
}

/// Text that differs between runs, and its replacement in the record.
const VARIES: &[(&str, &str)] = &[
    (r"gwt_[A-Za-z0-9_-]{30,}", "gwt_TOKEN"),
    (r"127[.]0[.]0[.]1:[0-9]{5}", "HOST"),
    (r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z", "TIME"),
    (r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT", "DATE"),
    (r"from the mirror, .* old", "from the mirror, N s old"),
    (r#""age_seconds":[0-9]+"#, r#""age_seconds":N"#),
    // The state of a tap: when the amounts were read, and how many times in that second.
    (r#""at":[0-9]+"#, r#""at":N"#),
    (r"m1[.][0-9a-f]{32}[.][0-9]+[.][0-9a-f]+", "CURSOR"),
    (r#""[0-9a-f]{32}""#, "\"HEX\""),
    (r"(?-u:\b)[0-9a-f]{12}(?-u:\b)", "HEX-OF-TOKEN"),
    (r"[.][0-9a-f]{16}[.]partial", ".HEX.partial"),
    (r"x-request-id: [^ |\n]+", "x-request-id: ID"),
    (r#"W/"[^"]+""#, "TAG"),
];

/// Returns the statements that create a SQLite database like this one, and its settings.
pub(crate) fn sqlite_schema(database: &rusqlite::Connection) -> String {
    let mut seen = String::new();
    for name in ["application_id", "user_version", "auto_vacuum", "page_size", "journal_mode"] {
        let value: rusqlite::types::Value =
            database.pragma_query_value(None, name, |row| row.get(0)).unwrap();
        writeln!(seen, "PRAGMA {name} = {value:?}").unwrap();
    }
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name";
    let mut statement = database.prepare(sql).unwrap();
    for sql in statement.query_map([], |row| row.get::<_, String>(0)).unwrap() {
        writeln!(seen, "{};", sql.unwrap()).unwrap();
    }
    seen
}
