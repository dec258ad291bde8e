//! Names that people must also write in other files. Without this test, nothing would miss them there.

use std::collections::BTreeSet;

use regex::Regex;

use crate::{read, root, sources};

/// Names in the source, and the files that list them.
struct Names {
    what: &'static str,
    /// Files, or a folder.
    source: &'static [&'static str],
    /// The names are between this text and the next line that is only a brace, or anywhere if it is empty.
    after: &'static str,
    /// Finds a name, its only group.
    pattern: &'static str,
    places: &'static [Place],
}

/// A file, or a folder of files, with how it writes a `NAME`, and the names that it leaves out.
struct Place(&'static str, &'static str, &'static str);

#[test]
fn a_name_is_in_each_file_that_lists_it() {
    let mut wrong = Vec::new();
    for Names { what, source, after, pattern, places } in NAMES {
        let source: String = source.iter().map(|path| text(path)).collect();
        let (_, source) = source.split_once(after).expect(after);
        let end = if after.is_empty() { None } else { source.find("\n}") };
        let source = source.get(..end.unwrap_or(source.len())).expect("a text");
        let pattern = Regex::new(pattern).expect("a pattern");
        let names: BTreeSet<&str> =
            pattern.captures_iter(source).map(|found| found.extract::<1>().1[0]).collect();
        assert!(names.len() > 1, "found {names:?} as {what}");
        for Place(path, written, except) in *places {
            let text = normal(&text(path));
            let except: BTreeSet<&str> = except.split_terminator(", ").collect();
            for name in names.union(&except) {
                let is_written = text.contains(&normal(&written.replace("NAME", name)));
                if is_written == except.contains(name) {
                    let verb = if is_written { "is now listed in" } else { "is missing in" };
                    wrong.push(format!("the {what} {name} {verb} {path}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Returns the text of a file, or of all code and documents below a folder.
fn text(path: &str) -> String {
    let path = root().join(path);
    if path.is_file() {
        return read(&path);
    }
    ["md", "rs"].iter().flat_map(|extension| sources(&path, extension).into_values()).collect()
}

/// Normalizes a name: a flag becomes equal to its field, and a header to its constant.
fn normal(text: &str) -> String {
    text.to_ascii_lowercase().replace('_', "-")
}

const NAMES: &[Names] = &[
    Names {
        what: "metric",
        source: &[
            "crates/apps/gateway-server/src/front",
            "crates/apps/gateway-server/src/ops.rs",
            "crates/apps/gateway-server/src/cleanup.rs",
        ],
        after: "",
        pattern: r#""(gateway_[a-z_]+)""#,
        places: &[Place("docs/server/monitoring.md", "`NAME`", "")],
    },
    Names {
        what: "field of the access log",
        source: &["crates/apps/gateway-server/src/front/recorder.rs"],
        after: "",
        pattern: r"(?m)^ {16}([a-z_]+) = ",
        places: &[Place("docs/server/monitoring.md", "`NAME`", "")],
    },
    Names {
        what: "end of a response",
        source: &["crates/apps/gateway-server/src/front/recorder.rs"],
        after: "",
        pattern: r#"Self::[A-Za-z:()]+ => "([a-z_]+)""#,
        places: &[Place("docs/server/monitoring.md", "`NAME`", "")],
    },
    Names {
        what: "attribute of a span",
        source: &["crates/apps/gateway-server/src/traces.rs"],
        after: "",
        pattern: r#"KeyValue::new\("([a-z._]+)""#,
        places: &[Place("docs/server/monitoring.md", "`NAME`", "")],
    },
    Names {
        what: "setting of the server",
        source: &["crates/apps/gateway-server/src/cli/settings.rs"],
        after: "struct Settings {",
        pattern: r"(?m)^    (?:pub\(super\) )?([a-z_]+): ",
        places: &[Place("docs/server", "--NAME", "")],
    },
    Names {
        what: "flag of `import`",
        source: &["crates/apps/gateway-server/src/cli/data.rs"],
        after: "struct ImportArguments {",
        pattern: r"(?m)^    ([a-z_]+): ",
        places: &[Place("docs/server/data.md", "--NAME", "files, database")],
    },
    Names {
        what: "limit of connections",
        source: &["crates/methodical/serve/src/lib.rs"],
        after: "struct Limits {",
        pattern: r"(?m)^    pub ([a-z_]+):",
        places: &[Place("crates/methodical/serve/src", "limits.NAME", "body")],
    },
    Names {
        what: "format",
        source: &["crates/methodical/cli/src/output.rs"],
        after: "",
        pattern: r#"Self::new\(\s*"([a-z]+)""#,
        places: &[
            Place("docs/program.md", "| `NAME` |", ""),
            Place("crates/apps/gateway-cli/tests/it/mirror.rs", "\"NAME\"", "raw, xlsx"),
            Place("crates/apps/gateway-cli/tests/it/selecting.rs", "\"NAME\"", "raw, xlsx"),
            Place("crates/apps/gateway-cli/tests/it/service.rs", "\"NAME\"", "xlsx"),
            Place("crates/apps/gateway-cli/tests/it/streams.rs", "\"NAME\"", "raw, table, xlsx"),
            Place("crates/apps/gateway-cli/tests/it/terminal.rs", "\"NAME\"", "xlsx"),
        ],
    },
    Names {
        what: "extension",
        source: &["crates/methodical/cli/src/output.rs"],
        after: "",
        pattern: r#"extensions: &\[(?:"[a-z]+", )?"([a-z]+)"\]"#,
        places: &[Place("docs/program.md", "`.NAME`", "")],
    },
    Names {
        what: "flag of the output",
        source: &["crates/methodical/cli/src/output.rs"],
        after: "struct OutputFlags {",
        pattern: r"(?m)^    pub\(crate\) ([a-z_]+): ",
        places: &[Place("docs/program.md", "--NAME", "formats, quiet")],
    },
    Names {
        what: "column of placements",
        source: &["crates/methodical/mirror/src/queries.rs"],
        after: "struct Placement {",
        pattern: r"(?m)^    pub ([a-z_]+):",
        places: &[
            Place("crates/methodical/cli/src/mirror/placements.rs", "one.NAME", ""),
            Place("crates/methodical/cli/src/mirror/assistant.rs", "one.NAME", "id"),
            Place("crates/apps/gateway-python/src/mirror.rs", "one.NAME", ""),
            Place("crates/apps/gateway-python/python/gateway/_mirror.py", "    NAME:", ""),
        ],
    },
    Names {
        what: "table of the mirror",
        source: &["crates/methodical/mirror/src/store/schema.sql"],
        after: "",
        pattern: r"(?m)^CREATE TABLE (mirror_[a-z_]+)",
        places: &[Place("crates/methodical/mirror/src/lib.rs", "`NAME`", "")],
    },
    Names {
        what: "table of a copy",
        source: &["crates/methodical/mirror/src/copy.rs"],
        after: "const OWN",
        pattern: r#""(mirror_[a-z_]+)""#,
        places: &[Place("docs/copies.md", "`NAME`", "")],
    },
    Names {
        what: "column of records",
        source: &["crates/methodical/mirror/src/store/table.rs"],
        after: "",
        pattern: r"\b(mirror_[a-z_]+) (?:TEXT|INTEGER|BLOB)",
        places: &[Place("crates/methodical/mirror/src/lib.rs", "`NAME`", "")],
    },
    Names {
        what: "page",
        source: &["crates/methodical/dashboard/src/app.rs"],
        after: "",
        pattern: r#"(?m)^    \("(/[a-z]*)", "#,
        places: &[
            Place("crates/methodical/dashboard/tests/it/attacks.rs", "\"NAME", ""),
            Place("crates/methodical/dashboard/tests/it/login.rs", "\"NAME", "/addresses"),
            Place("crates/methodical/dashboard/tests/it/pages.rs", "\"NAME", "/addresses"),
        ],
    },
    Names {
        what: "page with the title",
        source: &["crates/methodical/dashboard/src"],
        after: "",
        pattern: r#"Frame::new\([^"]*(?:"/[a-z]*", )?"([A-Z][a-z]+)""#,
        places: &[
            Place("crates/methodical/dashboard/src/lib.rs", "| NAME |", ""),
            Place("docs/dashboard.md", "| NAME |", ""),
        ],
    },
    Names {
        what: "tool for assistants",
        source: &[
            "crates/apps/gateway-cli/tests/it/snapshots/it__assistant__the_list_of_tools_is_short.snap",
        ],
        after: "",
        pattern: r#""name":"([a-z_]+)""#,
        places: &[
            Place("crates/apps/gateway-cli/tests/it/assistant.rs", "NAME", ""),
            Place("docs/assistants.md", "`NAME`", ""),
        ],
    },
    Names {
        what: "argument of a tool",
        source: &["crates/methodical/cli/src/mirror/assistant.rs"],
        after: "",
        pattern: r#"get\(arguments, "([a-z_]+)""#,
        places: &[Place("crates/apps/gateway-cli/tests/it/assistant.rs", "NAME", "")],
    },
    Names {
        what: "flag of `watch`",
        source: &["crates/methodical/cli/src/mirror/sync.rs"],
        after: "struct WatchFlags {",
        pattern: r"(?m)^    (?:pub\(crate\) )?([a-z_]+): ",
        places: &[Place("docs/changes.md", "--NAME", "sync")],
    },
    Names {
        what: "header of requests",
        source: &["crates/methodical/client/src/request.rs"],
        after: "",
        pattern: r"headers\.insert\(([A-Z_]+),",
        places: &[Place(
            "crates/methodical/client/src/call_options.rs",
            "\n    NAME,",
            "CONTENT_TYPE",
        )],
    },
    Names {
        what: "reserved header",
        source: &["crates/methodical/client/src/call_options.rs"],
        after: "const RESERVED",
        pattern: r#"(?m)^    (?:HeaderName::from_static\(")?([A-Za-z_-]+)(?:"\))?,$"#,
        places: &[Place("crates/methodical/codegen/src/spec/lower.rs", " NAME", "AUTHORIZATION")],
    },
    Names {
        what: "header of responses",
        source: &[
            "crates/methodical/client/src/head.rs",
            "crates/methodical/client/src/response.rs",
        ],
        after: "",
        pattern: r#"get\("?([A-Za-z_-]+)"?\)"#,
        places: &[Place("crates/gateway-transport/src/cassette.rs", "\"NAME\"", "CONTENT_LENGTH")],
    },
    Names {
        what: "kind of errors",
        source: &["crates/methodical/client/src/error.rs"],
        after: "",
        pattern: r#"Self::[A-Za-z]+ => "([a-z_]+)""#,
        places: &[Place("crates/apps/gateway-python/python/gateway/_errors.py", "\"NAME\"", "")],
    },
    Names {
        what: "status",
        source: &["crates/methodical/client/src/head.rs"],
        after: "",
        pattern: r"\b(\d{3}) (?:\||=>)",
        places: &[
            Place("crates/methodical/client/src/error.rs", "NAME", "499"),
            Place("crates/methodical/client/src/lib.rs", "NAME", "499, 599"),
        ],
    },
    Names {
        what: "limit of the client",
        source: &["crates/methodical/client/src/policy.rs"],
        after: "",
        pattern: r"(?m)^    pub\(crate\) ([a-z_]+): ",
        places: &[
            Place(
                "crates/methodical/client/src/lib.rs",
                "ClientBuilder::NAME`",
                "retry, budget, is_strict",
            ),
            Place(
                "crates/methodical/client/src/policy.rs",
                "(\"NAME\"",
                "retry, budget, is_strict",
            ),
        ],
    },
    Names {
        what: "token source",
        source: &["crates/methodical/client/src/token.rs"],
        after: "",
        pattern: r"pub use self::\w+::(\w+);",
        places: &[
            Place("crates/gateway-client/src/lib.rs", "NAME", ""),
            Place("tests/it/errors.rs", "NAME", ""),
        ],
    },
    Names {
        what: "setting of the program",
        source: &["crates/methodical/cli/src/settings.rs"],
        after: "",
        pattern: r#"Key::new\("([a-z-]+)""#,
        places: &[Place("docs/program.md", "NAME", "")],
    },
    // A command in a message repeats these flags.
    Names {
        what: "flag of the service",
        source: &["crates/methodical/cli/src/settings.rs"],
        after: "struct ServiceFlags {",
        pattern: r"(?m)^    pub\(crate\) ([a-z_]+): ",
        places: &[
            Place(
                "crates/methodical/cli/src/commands.rs",
                "\"--NAME\"",
                "timeout, dry_run, verbose",
            ),
            Place("docs/program.md", "--NAME", "verbose"),
        ],
    },
    Names {
        what: "command",
        source: &[
            "crates/apps/gateway-cli/tests/it/snapshots/it__tree__every_command_has_the_one_output_flag.snap",
        ],
        after: "",
        pattern: r"(?m)^([a-z]+(?: [a-z]+)*)$",
        places: &[Place("docs", "gateway NAME", "auth logout, config get, config unset")],
    },
    Names {
        what: "point of a check",
        source: &["crates/methodical/testkit/src/contract/checks"],
        after: "",
        pattern: r#"Decision\("(D-[a-z-]+)"\)"#,
        places: &[Place("spec/gateway.toml", "NAME", "")],
    },
    Names {
        what: "field",
        source: &["spec/gateway.toml"],
        after: "",
        pattern: r"(?m)^(\w+) = \{ type = ",
        places: &[
            Place("docs/server/data.md", "`NAME`", ""),
            Place("docs/service.md", "`NAME`", ""),
        ],
    },
    Names {
        what: "field of a stored record",
        source: &["crates/apps/gateway-server/src/generated/record.rs"],
        after: "",
        pattern: r"(?m)^    pub (\w+): ",
        places: &[Place("crates/apps/gateway-server/src/demo_data.rs", "NAME", "")],
    },
    Names {
        what: "model",
        source: &["spec/gateway.toml"],
        after: "",
        pattern: r"(?m)^\[model\.(\w+)\]$",
        places: &[
            Place("crates/gateway-model/src/lib.rs", "[`NAME`]", ""),
            Place("tests/it/cases.rs", "agree::<NAME>(", ""),
        ],
    },
    Names {
        what: "query",
        source: &["crates/gateway-model/src/generated/queries.rs"],
        after: "",
        pattern: r"(?m)^pub struct (\w+)",
        places: &[
            Place("crates/gateway-model/src/lib.rs", "NAME", ""),
            Place("tests/fuzz/targets/decode.rs", "NAME", ""),
        ],
    },
    Names {
        what: "method",
        source: &["spec/gateway.toml"],
        after: "",
        pattern: r#"(?m)^select = "([^"]+)""#,
        places: &[Place(".ci/suites", "NAME", ""), Place("docs/service.md", "`NAME`", "")],
    },
    Names {
        what: "operation",
        source: &["spec/gateway.toml"],
        after: "",
        pattern: r"(?m)^\[operation\.(\w+)\]$",
        places: &[Place("docs/python.md", "NAME", "")],
    },
    Names {
        what: "table",
        source: &["crates/gateway-model/src/generated/tables.rs"],
        after: "",
        pattern: r#"Table::new\(\s*"(\w+)""#,
        places: &[
            Place("docs/connectors.md", "NAME", ""),
            Place("docs/mirror.md", "NAME", ""),
            Place("docs/parquet.md", "NAME", ""),
        ],
    },
    Names {
        what: "stored kind of records",
        source: &["crates/apps/gateway-server/src/store/schema.sql"],
        after: "",
        pattern: r"(?m)^CREATE INDEX (\w+)_superseded",
        places: &[
            Place("crates/apps/gateway-server/src/store/check.rs", "NAME", ""),
            Place("crates/apps/gateway-server/src/store/deletion.rs", "NAME", ""),
            Place("crates/apps/gateway-server/src/store/import.rs", "NAME", ""),
            Place("crates/apps/gateway-server/src/store/postgres.rs", "NAME", ""),
            Place("crates/apps/gateway-server/src/store/sqlite.rs", "NAME", ""),
            Place("docs/server/erasure.md", "NAME", ""),
            Place("docs/server/postgresql.md", "NAME", ""),
        ],
    },
    Names {
        what: "tag of a revision",
        source: &["crates/apps/gateway-server/src/store/schema.sql"],
        after: "",
        pattern: r"(?m)^  (\w+_tag) BIGINT",
        places: &[
            Place("crates/apps/gateway-server/src/store/import.rs", "NAME", ""),
            Place("crates/apps/gateway-server/src/store/read.rs", "NAME", ""),
            Place("crates/apps/gateway-server/tests/it/schema.rs", "NAME", ""),
        ],
    },
    Names {
        what: "method of `Stage`",
        source: &["crates/apps/gateway-server/src/store/model.rs"],
        after: "",
        pattern: r"(?m)^    fn (\w+)\(&mut self, place: Place",
        places: &[
            Place("crates/apps/gateway-server/src/demo_data.rs", "NAME(", ""),
            Place("crates/apps/gateway-server/src/import/target.rs", "NAME(", ""),
            Place("crates/apps/gateway-server/tests/it/delete.rs", "NAME(", "credits"),
            Place("crates/apps/gateway-server/tests/it/oracle.rs", "NAME(", "credits"),
            Place("crates/apps/gateway-server/tests/it/revisions.rs", "NAME(", ""),
            Place("crates/apps/gateway-server/tests/it/store.rs", "NAME(", ""),
            Place("tests/simulation/src/account.rs", "stage.NAME(", ""),
        ],
    },
    Names {
        what: "deletion",
        source: &["crates/apps/gateway-server/src/store/model.rs"],
        after: "pub enum Deletion {",
        pattern: r"(?m)^    (\w+)\(Vec<",
        places: &[
            Place("crates/apps/gateway-server/tests/it/delete.rs", "Deletion::NAME", ""),
            Place("crates/apps/gateway-server/tests/it/oracle.rs", "Deletion::NAME", ""),
        ],
    },
    Names {
        what: "field that only one kind of imported records has",
        source: &["crates/apps/gateway-server/src/import/target.rs"],
        after: "",
        pattern: r#"(?m)^ +own: "(\w+)""#,
        places: &[
            Place("crates/apps/gateway-server/src/import.rs", "`NAME`", ""),
            Place("docs/server/data.md", "`NAME`", ""),
        ],
    },
    Names {
        what: "word of the language of specs",
        source: &["crates/methodical/codegen/src/ir/types.rs"],
        after: "",
        pattern: r#"(?m)^        \w+ = "([a-z-]+)",$"#,
        places: &[Place("spec/README.md", "`NAME`", "")],
    },
    Names {
        what: "key of the language of specs",
        source: &["crates/methodical/codegen/src/spec/language.rs"],
        after: "",
        pattern: r"(?m)^        ([a-z_]+): [A-Z]",
        places: &[Place("spec/README.md", "NAME", "enums, open_points")],
    },
    Names {
        what: "kind of document",
        source: &["crates/methodical/codegen/src/config.rs"],
        after: "enum Document",
        pattern: r#"(?m)= "([a-z-]+)",$"#,
        places: &[
            Place("spec/README.md", "NAME", ""),
            Place("spec/codegen.toml", "NAME", ""),
            Place("crates/methodical/codegen/src/init/spec/codegen.toml", "NAME", ""),
        ],
    },
    Names {
        what: "kind of document",
        source: &["crates/methodical/codegen/src/config.rs"],
        after: "enum Document",
        pattern: r#"(?m)^        (\w+) = "[a-z-]+",$"#,
        places: &[
            Place("crates/methodical/codegen/src/emit.rs", "(Document::NAME, ", "Contract"),
            Place(
                "crates/methodical/codegen/src/emit/reference.rs",
                "Document::NAME)",
                "Reference, SpecSchema",
            ),
        ],
    },
    Names {
        what: "way of paging",
        source: &["crates/methodical/model/src/paging.rs"],
        after: "pub enum PagedBy {",
        pattern: r"(?m)^    (\w+)(?: \{|,)",
        places: &[Place("crates/methodical/client/src/pager.rs", "PagedBy::NAME", "Cursor")],
    },
    Names {
        what: "conversion",
        source: &["crates/methodical/model/Cargo.toml"],
        after: "",
        pattern: r#"(?m)^([a-z][a-z_]*) = \["dep:"#,
        places: &[
            Place("crates/gateway-model/Cargo.toml", "\nNAME = ", ""),
            Place("crates/gateway-model/src/lib.rs", "| `NAME` |", ""),
            Place("crates/methodical/model/src/lib.rs", "| `NAME` |", ""),
            Place("crates/methodical/codegen/src/init/model/manifest.toml", "NAME = ", ""),
        ],
    },
    Names {
        what: "feature of the transports",
        source: &["crates/gateway-transport/Cargo.toml"],
        after: "[features]",
        pattern: r"(?m)^([a-z][a-z-]*) = \[",
        places: &[
            Place("crates/gateway-client/Cargo.toml", "\nNAME = ", "test-util"),
            Place("crates/gateway-client/src/lib.rs", "`NAME`", "default, test-util"),
            Place("crates/gateway-transport/src/lib.rs", "`NAME`", "default, test-util"),
            Place("crates/methodical/client/Cargo.toml", "\nNAME = ", ""),
            Place("crates/methodical/client/src/lib.rs", "`NAME`", "default, test-util"),
            Place(
                "crates/methodical/codegen/src/init/client/manifest.toml",
                "NAME = ",
                "test-util",
            ),
        ],
    },
    Names {
        what: "optional library of the transports",
        source: &["crates/gateway-transport/Cargo.toml"],
        after: "",
        pattern: r"(?m)^([a-z][\w-]*) = .*optional = true",
        places: &[
            Place("docs/supply-chain.md", "`NAME`", "flate2, pollster, tower-service, url"),
            Place(
                "xtask/src/layers.rs",
                "NAME",
                "flate2, pollster, rustls-platform-verifier, serde_json, tower-service",
            ),
        ],
    },
    Names {
        what: "adapter",
        source: &["crates/gateway-transport/tests/conformance/subjects.rs"],
        after: "",
        pattern: r"(?m)^use gateway_transport::\w+::(\w+Transport);",
        places: &[
            Place("crates/gateway-transport/tests/it/main.rs", "NAME", "ReqwestTransport"),
            Place("crates/gateway-transport/tests/it/options.rs", "NAME", "ReqwestTransport"),
            Place("crates/gateway-transport/tests/it/tls.rs", "NAME", "ReqwestBlockingTransport"),
            Place("tests/it/faults/client.rs", "NAME", "ReqwestBlockingTransport"),
            Place("tests/it/secrets.rs", "NAME", "ReqwestBlockingTransport"),
        ],
    },
    Names {
        what: "adapter",
        source: &["crates/gateway-transport/tests/conformance/subjects.rs"],
        after: "",
        pattern: r#"Adapter \{ title: "([^"]+)""#,
        places: &[Place("docs/transports.md", "| NAME |", "")],
    },
    Names {
        what: "option of the transports",
        source: &["crates/gateway-transport/src/options.rs"],
        after: "pub struct Options {",
        pattern: r"(?m)^    pub (\w+): ",
        places: &[Place(
            "crates/gateway-transport/src/options.rs",
            "[`NAME`](Self::",
            "extra_roots",
        )],
    },
];
