//! The modules of each crate form no cycle: no file uses, directly or through others, an item defined in a file that
//! uses it.
//!
//! A test and not a part of `cargo xtask layers`, because it parses Rust, and `xtask` itself builds without a parser.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot read the sources fails"
)]

mod graph;
mod source;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::graph::Graph;
use crate::source::Crate;

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The `lib.rs` and `main.rs` of every crate.
fn roots() -> Vec<PathBuf> {
    let crates = fs::read_dir(workspace().join("crates")).expect("the crates");
    let mut folders: Vec<_> = crates.map(|entry| entry.expect("a folder").path()).collect();
    folders.push(workspace().join("xtask"));
    folders.sort();
    let files = |folder: &PathBuf| ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file));
    folders.iter().flat_map(files).filter(|file| file.is_file()).collect()
}

#[test]
fn no_crate_has_a_cycle_of_modules() {
    let roots = roots();
    assert!(roots.len() >= 7, "only {} roots were found", roots.len());
    let mut report = String::new();
    for root in roots {
        let graph = Graph::of(&Crate::read(&root));
        assert!(graph.files() > 0);
        for cycle in graph.cycles() {
            let name = root.strip_prefix(workspace()).expect("below the workspace");
            writeln!(report, "{}:\n{cycle}", name.display()).expect("a string");
        }
    }
    assert!(report.is_empty(), "move what both sides use into a file below both\n{report}");
}

/// Writes the files of a crate to a folder and returns its cycles, one text each.
fn cycles(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    Graph::of(&Crate::read(&folder.path().join("lib.rs"))).cycles()
}

#[test]
fn a_cycle_of_three_files_is_found() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub(crate) struct A(B);"),
        ("b.rs", "pub(crate) struct B; fn f() { crate::c::g(); }"),
        ("c.rs", "pub(crate) fn g() { let _: Option<crate::a::A> = None; }"),
    ];
    assert_eq!(
        cycles(&files),
        ["  a.rs uses B of b.rs\n  b.rs uses g of c.rs\n  c.rs uses A of a.rs\n"]
    );
}

#[test]
fn a_child_that_uses_its_parent_is_a_cycle_when_the_parent_uses_it() {
    let child = ("a/child.rs", "pub(crate) fn f() -> crate::a::Shared { crate::a::Shared }");
    let uses = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod child; pub(crate) struct Shared; fn g() { child::f(); }"),
        child,
    ];
    assert_eq!(cycles(&uses), ["  a.rs uses f of a/child.rs\n  a/child.rs uses Shared of a.rs\n"]);

    let only_re_exports = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod child; pub(crate) use child::f; pub(crate) struct Shared;"),
        child,
    ];
    assert_eq!(cycles(&only_re_exports), [""; 0]);
}

#[test]
fn a_re_export_counts_as_a_use_of_the_defining_file() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use crate::a::One;"),
        ("a.rs", "mod inner; pub use inner::One; pub(crate) struct Two(crate::b::B);"),
        ("a/inner.rs", "pub struct One;"),
        ("b.rs", "use crate::a::One; pub(crate) struct B(One);"),
    ];
    assert_eq!(cycles(&files), [""; 0]);
}

#[test]
fn test_modules_are_ignored_and_macro_input_is_read() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub(crate) fn f() { println!(\"{}\", crate::b::text()); }"),
        ("b.rs", "pub(crate) fn text() -> u8 { 1 } #[cfg(test)] mod tests { use crate::a::f; }"),
    ];
    assert_eq!(cycles(&files), [""; 0]);

    let (lib, a) = (files[0], files[1]);
    let back = ("b.rs", "pub(crate) fn text() { assert!(true, \"{}\", crate::a::f()); }");
    assert_eq!(cycles(&[lib, a, back]).len(), 1);
}
