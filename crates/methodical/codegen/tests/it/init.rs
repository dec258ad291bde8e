//! A new workspace: its files, the text that `init` prints, and the arguments that it refuses.
//! `tests/workspaces/another_service.rs` compiles and runs one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use methodical_codegen::Workspace;
use methodical_codegen::cli::{self, Outcome};

fn init(folder: &Path, args: &[&str]) -> Outcome {
    let args: Vec<_> = ["init"].iter().chain(args).map(|arg| (*arg).to_owned()).collect();
    cli::run(&args, folder)
}

const GIT: &str = "--runtime=https://git.example.com/gateway";

/// Returns all files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The snapshot has the lines that are not lines of a template.
#[test]
fn a_new_workspace_has_a_spec_crates_a_demo_and_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = init(folder.path(), &["photo-albums", GIT]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let root = folder.path().join("photo-albums");
    let workspace = Workspace::read(&root, "spec/codegen.toml").expect("it is valid");
    let output = workspace.generate().expect("rustfmt runs");
    assert_eq!(output.compare(&root).expect("it is readable"), []);

    let templates = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/init"));
    let templates: String =
        templates.iter().map(|path| fs::read_to_string(path).expect("text")).collect();
    let templates: BTreeSet<_> = templates.lines().collect();
    let mut text = outcome.stdout;
    for path in files(&root) {
        let name = path.strip_prefix(&root).expect("below").display().to_string();
        if !output.files().contains_key(&name) && !name.starts_with("target/") {
            writeln!(text, "\n======== {name}").expect("memory");
            let content = fs::read_to_string(&path).expect("text");
            for line in content.lines().filter(|line| !templates.contains(*line)) {
                writeln!(text, "{line}").expect("memory");
            }
        }
    }
    insta::assert_snapshot!(text);
}

/// Replaces text in a file of a workspace.
fn edit(root: &Path, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(root.join(path)).expect("text");
    assert!(text.contains(from), "no `{from}` in {path}");
    fs::write(root.join(path), text.replace(from, to)).expect("written");
}

/// The samples name an operation. The generator updates them until people delete their first line.
#[test]
fn the_samples_follow_the_spec_until_people_own_them() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(init(folder.path(), &["photos", GIT]).stderr, "");
    let root = folder.path().join("photos");
    let own = "crates/photos-client/examples/demo.rs";
    let text = fs::read_to_string(root.join(own)).expect("text");
    let (_, without_mark) = text.split_once('\n').expect("lines");
    fs::write(root.join(own), without_mark).expect("written");

    edit(&root, "spec/photos.toml", "list_items", "list_photos");
    edit(&root, "spec/photos.toml", "items/list", "photos/list");
    edit(&root, "spec/photos.toml", "items-of-a-shelf\"", "photos-of-a-shelf\"");
    assert_eq!(run(&root, &["generate"]).stderr, "");
    for (sample, expected) in [
        ("crates/photos-testkit/src/generated/mocks.rs", "fn like_photos_of_a_shelf"),
        ("crates/photos-client/tests/round_trip.rs", "ListPhotos::new()"),
    ] {
        let text = fs::read_to_string(root.join(sample)).expect("text");
        assert!(text.contains(expected) && !text.contains("ListItems"), "{text}");
    }
    assert_eq!(fs::read_to_string(root.join(own)).expect("text"), without_mark);
    assert_eq!(run(&root, &["generate", "--check"]).code, 0);
}

/// Whatever is wrong, nothing is left behind.
#[test]
fn nothing_is_created_if_an_argument_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("taken")).expect("a folder");
    let mut report = String::new();
    for args in [
        &[][..],
        &["photos"],
        &["photos", "--runtime"],
        &["photos", "--runtime", "."],
        &["Photos", GIT],
        &["../photos", GIT],
        &["taken", GIT],
        &["photos", "albums", GIT],
    ] {
        let Outcome { stdout, stderr, code } = init(folder.path(), args);
        assert_eq!((stdout.as_str(), code), ("", 2), "{args:?}");
        writeln!(report, "$ init {}\n{stderr}", args.join(" ")).expect("memory");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    insta::assert_snapshot!(report);
}

#[test]
fn options_of_init_belong_to_init() {
    let outcome = run(Path::new("."), &["generate", GIT]);
    assert_eq!(
        outcome.stderr,
        "error: only `init` has the option `--runtime`\n\n`--help` lists the commands.\n"
    );
}

fn run(folder: &Path, args: &[&str]) -> Outcome {
    let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
    cli::run(&args, folder)
}

/// Starts a workspace with two services, and returns its parent with its root.
fn two_services() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(init(folder.path(), &["photos", GIT]).stderr, "");
    let root = folder.path().join("photos");
    assert_eq!(run(&root, &["add", "things"]).stderr, "");
    (folder, root)
}

/// Returns the file of the first service with the purpose of one of the second service, with the names of the second.
fn twin(root: &Path, name: &str) -> String {
    let path = name.replace("spec/lead-desk/", "spec/").replace("lead_desk_demo", "demo");
    let text = fs::read_to_string(root.join(path.replace("lead-desk", "photos")));
    let names = [("photos_", "lead_desk_"), ("photos", "lead-desk"), ("Photos", "Lead desk")];
    names.iter().fold(text.unwrap_or_default(), |text, (from, to)| text.replace(from, to))
}

/// The files are those of a new workspace. The snapshot has the lines that differ.
#[test]
fn a_service_is_added_to_a_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(init(folder.path(), &["photos", GIT]).stderr, "");
    let root = folder.path().join("photos");
    let before = files(&root);
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("text");

    // The workspace is found from a folder within.
    let outcome = run(&root.join("crates"), &["add", "lead-desk"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let service = Workspace::read(&root, "spec/lead-desk/codegen.toml").expect("it is valid");
    let output = service.generate().expect("rustfmt runs");
    assert_eq!(output.compare(&root).expect("it is readable"), []);
    let mut text = outcome.stdout;
    assert_eq!(fs::read_to_string(root.join("Cargo.toml")).expect("text"), manifest);
    for path in files(&root) {
        let name = path.strip_prefix(&root).expect("below").display().to_string();
        if !before.contains(&path) && !output.files().contains_key(&name) {
            writeln!(text, "\n======== {name}").expect("memory");
            let content = fs::read_to_string(&path).expect("text");
            let twin = twin(&root, &name);
            for line in content.lines().filter(|line| !twin.contains(line)) {
                writeln!(text, "{line}").expect("memory");
            }
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn every_command_reads_all_services() {
    let (_folder, root) = two_services();
    let release = root.join("spec/things/released");
    fs::create_dir(&release).expect("a folder");
    fs::copy(root.join("spec/things/things.toml"), release.join("1.0.0.toml")).expect("copied");
    let mut report = String::new();
    let mut show = |args: &[&str]| {
        let Outcome { stdout, stderr, code } = run(&root, args);
        write!(report, "$ methodical-codegen {}  # {code}\n{stdout}{stderr}\n", args.join(" "))
            .expect("memory");
    };
    show(&["generate"]);
    show(&["generate", "--check"]);
    show(&["spec", "diff"]);
    show(&["spec", "diff", "a.toml"]);

    // The second service would overwrite files of the first one.
    edit(&root, "spec/things/codegen.toml", "docs/things", "docs/reference");
    show(&["generate"]);
    edit(&root, "spec/things/codegen.toml", "docs/reference", "docs/things");

    // Two specs are invalid: all mistakes are reported, and no file is written.
    for spec in ["spec/photos.toml", "spec/things/things.toml"] {
        let text = fs::read_to_string(root.join(spec)).expect("text");
        fs::write(root.join(spec), text.replace("spec-language", "spec-langage")).expect("written");
    }
    show(&["generate"]);
    insta::assert_snapshot!(report);
}

#[test]
fn a_service_that_cannot_be_added_changes_nothing() {
    let (_folder, root) = two_services();
    let before = files(&root);
    let mut report = String::new();
    for args in [&[][..], &["things"], &["Things"], &["leads", GIT]] {
        let Outcome { stdout, stderr, code } = run(&root, &[&["add"], args].concat());
        assert_eq!((stdout.as_str(), code), ("", 2), "{args:?}");
        writeln!(report, "$ add {}\n{stderr}", args.join(" ")).expect("memory");
    }
    // The workspace was not started by `init`.
    edit(&root, "Cargo.toml", "methodical-client", "other-client");
    let outcome = run(&root, &["add", "leads"]);
    writeln!(report, "$ add leads\n{}", outcome.stderr).expect("memory");
    assert_eq!(files(&root), before);
    insta::assert_snapshot!(report);
}
