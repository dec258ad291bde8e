//! Whatever the surroundings do: the same bytes everywhere, and all of them or none.

#![expect(clippy::expect_used, reason = "a test that cannot start has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;

/// A workspace with a spec and the formatter's options, and nothing else.
fn scratch() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let spec = here.with_file_name("tests").join("fixtures/tool-shed");
    fs::create_dir_all(folder.path().join("spec/fixtures")).expect("a folder");
    fs::copy(spec.join("spec.toml"), folder.path().join("spec/gateway.toml")).expect("copied");
    for entry in fs::read_dir(spec.join("fixtures")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        fs::copy(&path, folder.path().join("spec/fixtures").join(name)).expect("copied");
    }
    fs::copy(here.with_file_name(".rustfmt.toml"), folder.path().join(".rustfmt.toml"))
        .expect("copied");
    folder
}

fn command(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.env_remove("CARGO_MANIFEST_DIR").arg("--root").arg(root);
    command
}

fn run(root: &Path) -> Output {
    command(root).output().expect("it starts")
}

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[track_caller]
fn fails(output: &Output, code: i32, text: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(text), "{stderr}");
}

/// Every file below a folder with its content, locks of the build folder aside.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.ends_with("target") {
                continue;
            }
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below").to_owned();
                files.insert(name, fs::read(&path).expect("readable"));
            }
        }
    }
    files
}

fn generated(root: &Path) -> Vec<PathBuf> {
    let all = tree(root).into_keys();
    all.filter(|path| path.to_string_lossy().contains("generated")).collect()
}

fn edit(root: &Path, path: &str, from: &str, to: &str) {
    let path = root.join(path);
    let text = fs::read_to_string(&path).expect("readable");
    assert!(text.contains(from), "no `{from}` in {}", path.display());
    fs::write(path, text.replacen(from, to, 1)).expect("written");
}

#[test]
fn the_same_bytes_in_any_folder_time_zone_and_language() {
    let (one, other) = (scratch(), scratch());
    succeeds(
        &command(one.path())
            .env("TZ", "Pacific/Kiritimati")
            .env("LANG", "C")
            .output()
            .expect("it starts"),
    );
    succeeds(
        &command(other.path())
            .env("TZ", "America/St_Johns")
            .env("LANG", "tr_TR.UTF-8")
            .env("LC_ALL", "tr_TR.UTF-8")
            .current_dir(other.path().join("spec"))
            .output()
            .expect("it starts"),
    );
    assert!(generated(one.path()).len() > 5);
    assert_eq!(tree(one.path()), tree(other.path()));
}

#[test]
fn a_second_run_changes_nothing_and_the_check_agrees() {
    let scratch = scratch();
    succeeds(&run(scratch.path()));
    let before = tree(scratch.path());
    let output = run(scratch.path());
    succeeds(&output);
    assert!(String::from_utf8_lossy(&output.stdout).contains("all up to date"));
    assert_eq!(tree(scratch.path()), before);
    succeeds(&command(scratch.path()).arg("--check").output().expect("it starts"));
}

#[test]
fn a_wrong_spec_touches_nothing() {
    let scratch = scratch();
    succeeds(&run(scratch.path()));
    edit(scratch.path(), "spec/gateway.toml", "type = \"Price\"", "type = \"Prise\"");
    let before = tree(scratch.path());
    fails(&run(scratch.path()), 2, "error[GW011]: unknown type `Prise`");
    fails(
        &command(scratch.path()).arg("--check").output().expect("it starts"),
        2,
        "did you mean `Price`?",
    );
    assert_eq!(tree(scratch.path()), before);
}

#[test]
fn drift_is_named_by_its_kind() {
    let scratch = scratch();
    let root = scratch.path();
    succeeds(&run(root));
    let service = "crates/gateway-model/src/generated/service.rs";
    edit(root, service, "\"tool-shed\"", "\"fool-shed\"");
    fs::write(root.join("docs/generated/notes.md"), "mine\n")
        .or_else(|_| {
            fs::create_dir_all(root.join("docs/generated"))?;
            fs::write(root.join("docs/generated/notes.md"), "mine\n")
        })
        .expect("written");
    let orphan = "crates/gateway-model/src/generated/gone.rs";
    fs::copy(root.join("spec/gateway-spec.schema.json"), root.join(orphan)).expect("copied");
    fs::remove_file(root.join("spec/gateway-spec.schema.json")).expect("removed");

    let output = command(root).arg("--check").output().expect("it starts");
    fails(&output, 1, &format!("{service}: edited by hand\n"));
    fails(&output, 1, &format!("{orphan}: no longer generated\n"));
    fails(&output, 1, "spec/gateway-spec.schema.json: missing\n");
    fails(&output, 1, "docs/generated/notes.md: not a generated file\n");
    fails(&output, 1, "run: cargo xtask\n");

    edit(root, "spec/gateway.toml", "name = \"tool-shed\"", "name = \"tool-shack\"");
    let output = run(root);
    succeeds(&output);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains(&format!("  changed  {service} (was edited by hand)\n")), "{stdout}");
    assert!(!root.join(orphan).exists());
    assert_eq!(
        fs::read_to_string(root.join("docs/generated/notes.md")).expect("readable"),
        "mine\n"
    );
}

#[test]
fn an_earlier_spec_is_out_of_date_not_edited() {
    let scratch = scratch();
    succeeds(&run(scratch.path()));
    edit(scratch.path(), "spec/gateway.toml", "path = \"/api/v2\"", "path = \"/api/v3\"");
    let output = command(scratch.path()).arg("--check").output().expect("it starts");
    fails(&output, 1, "crates/gateway-model/src/generated/service.rs: out of date\n");
}

#[test]
fn without_rustfmt_nothing_is_written() {
    let scratch = scratch();
    let output = command(scratch.path()).env("PATH", "/nonexistent").output().expect("it starts");
    fails(&output, 1, "rustup component add rustfmt");
    assert_eq!(generated(scratch.path()), [""; 0].map(PathBuf::from));
}

#[test]
fn a_place_that_cannot_be_written_stops_everything() {
    let scratch = scratch();
    // A file where a folder belongs: no permission is needed for that to fail.
    fs::write(scratch.path().join("docs"), "in the way").expect("written");
    fs::create_dir_all(scratch.path().join("crates/gateway-model/src")).expect("a folder");
    fs::write(scratch.path().join("crates/gateway-model/src/generated"), "in the way")
        .expect("written");
    fails(&run(scratch.path()), 1, "error: cannot ");
    let left: Vec<_> = generated(scratch.path());
    assert_eq!(left, [PathBuf::from("crates/gateway-model/src/generated")]);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_followed() {
    let scratch = scratch();
    let elsewhere = scratch.path().join("elsewhere");
    fs::write(&elsewhere, "mine\n").expect("written");
    let folder = scratch.path().join("crates/gateway-model/src/generated");
    fs::create_dir_all(&folder).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, folder.join("service.rs")).expect("linked");
    fails(&run(scratch.path()), 1, "symbolic link");
    assert_eq!(fs::read_to_string(&elsewhere).expect("readable"), "mine\n");
    assert_eq!(generated(scratch.path()).len(), 1);
}

#[test]
fn windows_line_ends_are_no_drift() {
    let scratch = scratch();
    succeeds(&run(scratch.path()));
    for path in generated(scratch.path()) {
        let path = scratch.path().join(path);
        let text = fs::read_to_string(&path).expect("readable");
        fs::write(path, text.replace('\n', "\r\n")).expect("written");
    }
    succeeds(&command(scratch.path()).arg("--check").output().expect("it starts"));
}

#[test]
fn two_runs_at_once_leave_what_one_leaves() {
    let (alone, shared) = (scratch(), scratch());
    succeeds(&run(alone.path()));
    let runs: Vec<_> = (0..4).map(|_| command(shared.path()).spawn().expect("it starts")).collect();
    for run in runs {
        succeeds(&run.wait_with_output().expect("it ends"));
    }
    assert_eq!(tree(shared.path()), tree(alone.path()));
}

/// Killed at any time, a run leaves each file old or new, never half; the next run mends the rest.
#[test]
fn killed_at_any_time() {
    let (old, new) = (scratch(), scratch());
    for root in [old.path(), new.path()] {
        succeeds(&run(root));
    }
    edit(new.path(), "spec/gateway.toml", "Tool shed", "Other shed");
    edit(new.path(), "spec/gateway.toml", "path = \"/api/v2\"", "path = \"/api/v3\"");
    succeeds(&run(new.path()));
    let (before, after) = (tree(old.path()), tree(new.path()));
    for delay in (0..60).step_by(4) {
        fs::write(old.path().join("spec/gateway.toml"), &after[Path::new("spec/gateway.toml")])
            .expect("written");
        let mut child = command(old.path()).spawn().expect("it starts");
        wait(Duration::from_millis(delay));
        child.kill().ok();
        child.wait().expect("it ends");
        for (path, content) in tree(old.path()) {
            let staged = path.extension().is_some_and(|extension| extension == "xtask-new");
            let whole = Some(&content) == before.get(&path) || Some(&content) == after.get(&path);
            assert!(staged || whole, "{} is half written", path.display());
        }
        for (path, content) in &before {
            fs::write(old.path().join(path), content).expect("written");
        }
    }
    fs::write(old.path().join("spec/gateway.toml"), &after[Path::new("spec/gateway.toml")])
        .expect("written");
    fs::write(old.path().join("spec/.generated.lock.1.xtask-new"), "half").expect("written");
    succeeds(&run(old.path()));
    assert_eq!(tree(old.path()), after);
}

/// Lets a process run for a while. A clock of our own would not stop it.
fn wait(time: Duration) {
    let (_keep, never) = std::sync::mpsc::sync_channel::<()>(0);
    never.recv_timeout(time).expect_err("nothing is sent");
}

/// Deleting a field changes the files that say it, and no other.
#[test]
fn a_change_touches_only_what_says_it() {
    let scratch = scratch();
    succeeds(&run(scratch.path()));
    let before = tree(scratch.path());
    let text = fs::read_to_string(scratch.path().join("spec/gateway.toml")).expect("readable");
    let line = text.lines().find(|line| line.starts_with("polish = ")).expect("a field");
    edit(scratch.path(), "spec/gateway.toml", &format!("{line}\n"), "");
    succeeds(&run(scratch.path()));
    let after = tree(scratch.path());
    for (path, content) in &before {
        let name = path.display().to_string();
        if !name.contains("generated") || name == "spec/generated.lock" {
            continue;
        }
        let said = String::from_utf8_lossy(content).contains("polish");
        assert_eq!(said, after.get(path) != Some(content), "{name}");
    }
}
