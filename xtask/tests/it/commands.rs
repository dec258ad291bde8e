//! Runs the program on a small workspace.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

/// A workspace with a client that depends on a model, and an example of the transports.
struct Workspace(TempDir);

/// The exit status and the output of the program.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Workspace {
    fn new() -> Self {
        let workspace = Self(TempDir::new().unwrap());
        let members = "[workspace]\nresolver = \"3\"\nmembers = [\"gateway-*\"]\n";
        workspace.write("Cargo.toml", members);
        let lock = "version = 4\n\n\
            [[package]]\nname = \"gateway-client\"\nversion = \"0.1.0\"\n\
            dependencies = [\n \"gateway-model\",\n]\n\n\
            [[package]]\nname = \"gateway-model\"\nversion = \"0.1.0\"\n\n\
            [[package]]\nname = \"gateway-transport\"\nversion = \"0.1.0\"\n";
        workspace.write("Cargo.lock", lock);
        workspace.package("gateway-model", "");
        let model = "[dependencies]\ngateway-model = { path = \"../gateway-model\" }\n";
        workspace.package("gateway-client", model);
        workspace.package("gateway-transport", "");
        workspace
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// Writes a package without code.
    fn package(&self, name: &str, dependencies: &str) {
        let about = "version = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT/Apache-2.0\"";
        let manifest = format!("[package]\nname = \"{name}\"\n{about}\n\n{dependencies}");
        self.write(&format!("{name}/Cargo.toml"), &manifest);
        self.write(&format!("{name}/src/lib.rs"), "");
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(arguments)
            .current_dir(self.path())
            // The program treats the parent folder as the workspace.
            .env("CARGO_MANIFEST_DIR", self.path().join("xtask"))
            .env("CARGO_TARGET_DIR", self.path().join("target"))
            .env("CARGO_NET_OFFLINE", "true")
            .output()
            .unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[test]
fn help_is_printed_to_stdout() {
    let workspace = Workspace::new();
    for arguments in [&["--help"][..], &["notices", "-h"]] {
        let help = workspace.run(arguments);
        assert_eq!((help.code, &*help.stderr), (Some(0), ""));
        assert!(help.stdout.starts_with("Tasks of this workspace."), "{}", help.stdout);
    }
}

#[test]
fn an_invalid_command_line_exits_with_2() {
    let workspace = Workspace::new();
    let unknown = workspace.run(&["notice"]);
    assert_eq!((unknown.code, &*unknown.stdout), (Some(2), ""));
    assert!(unknown.stderr.contains("`notice`") && unknown.stderr.contains("notices"));
    let incomplete = workspace.run(&["spec"]);
    assert_eq!(incomplete.code, Some(2));
    assert!(incomplete.stderr.contains("`spec` needs a command"), "{}", incomplete.stderr);
}

#[test]
fn transports_writes_the_matrix_between_its_marks() {
    let workspace = Workspace::new();
    let example = "fn main() {\n    \
        println!(\"| reqwest | passes |\");\n    \
        std::process::exit(i32::from(std::path::Path::new(\"broken\").exists()));\n}\n";
    workspace.write("gateway-transport/examples/conformance_matrix.rs", example);
    let missing = workspace.run(&["transports"]);
    assert_eq!(missing.code, Some(1));
    let start = "error: cannot update docs/transports.md: ";
    assert!(missing.stderr.contains(start), "{}", missing.stderr);

    let document = |matrix: &str| {
        format!(
            "# Transports\n\n<!-- begin: matrix -->\n\n{matrix}\n\n<!-- end: matrix -->\n\nEnd.\n"
        )
    };
    workspace.write("docs/transports.md", &document("| old |"));
    let passed = workspace.run(&["transports"]);
    assert_eq!(passed.code, Some(0), "{passed:?}");
    assert_eq!(passed.stdout, "all transports pass; wrote docs/transports.md\n");
    assert_eq!(workspace.read("docs/transports.md"), document("| reqwest | passes |"));

    // The results are also written after a failure.
    workspace.write("docs/transports.md", &document("| old |"));
    workspace.write("broken", "");
    let failed = workspace.run(&["transports"]);
    assert_eq!(failed.code, Some(1));
    let message = "error: a test failed or did not run; see docs/transports.md\n";
    assert!(failed.stderr.ends_with(message), "{}", failed.stderr);
    assert_eq!(workspace.read("docs/transports.md"), document("| reqwest | passes |"));

    workspace.write("docs/transports.md", "# Transports\n");
    let unmarked = workspace.run(&["transports"]);
    assert_eq!(unmarked.code, Some(1));
    let message = "`<!-- begin: matrix -->` or `<!-- end: matrix -->` is missing\n";
    assert!(unmarked.stderr.ends_with(message), "{}", unmarked.stderr);
    assert_eq!(workspace.read("docs/transports.md"), "# Transports\n");
}

#[test]
fn the_bill_and_the_notices_of_a_program_are_printed() {
    let workspace = Workspace::new();
    let bill = workspace.run(&["sbom", "gateway-client", "--all-features"]);
    assert_eq!(bill.code, Some(0), "{bill:?}");
    let bill: Value = serde_json::from_str(&bill.stdout).unwrap();
    let model = json!({
        "type": "library",
        "bom-ref": "pkg:cargo/gateway-model@0.1.0",
        "name": "gateway-model",
        "version": "0.1.0",
        "scope": "required",
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    });
    assert_eq!(bill["components"], json!([model]));
    let depends_on = json!(["pkg:cargo/gateway-model@0.1.0"]);
    assert_eq!(bill["dependencies"][0]["dependsOn"], depends_on);

    // Both packages are in the workspace.
    let notices = workspace.run(&["notices", "gateway-client"]);
    assert_eq!(notices.code, Some(0), "{notices:?}");
    assert_eq!(notices.stdout, "gateway-client contains these packages of other projects.\n\n");

    for command in ["sbom", "notices"] {
        let unknown = workspace.run(&[command, "stranger"]);
        assert_eq!((unknown.code, &*unknown.stdout), (Some(1), ""));
        assert!(unknown.stderr.starts_with("error: "), "{}", unknown.stderr);
        assert!(unknown.stderr.contains("`stranger`"), "{}", unknown.stderr);
    }
}
