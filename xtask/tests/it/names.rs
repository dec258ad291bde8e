//! The generator gives no command and no flag the name of a hand-written one.

use std::collections::BTreeSet;

use crate::{read, root};

#[test]
fn the_commands_and_flags_of_the_program_are_reserved() {
    let source = read(&root().join("crates/methodical/codegen/src/ir/operation.rs"));
    let reserved = |name: &str| -> BTreeSet<String> {
        let (_, rest) = source.split_once(&format!("const {name}: &str = \"\\\n")).expect("it");
        let (words, _) = rest.split_once("\";").expect("the end of the text");
        words.split([' ', '\n', '\\']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    // The tests of the program keep its whole help up to date.
    let help = "crates/apps/gateway-cli/tests/it/snapshots/it__usage__help.snap";
    let help = read(&root().join(help));
    let (_, help) = help.split_once("$ gateway --help\n").expect("the long help");
    let (commands, rest) = help.split_once("Every command has these options:\n").expect("both");
    let (flags, _) = rest.split_once("\nExamples:\n").expect("the examples");

    let commands = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let generated = ["candidates", "credits", "vacancies"];
    let commands = commands.filter(|name| !generated.contains(name)).map(str::to_owned);
    assert_eq!(commands.collect::<BTreeSet<_>>(), reserved("RESERVED_COMMANDS"));

    let flags =
        flags.lines().filter(|line| line.starts_with("  -") || line.starts_with("      --"));
    let flags = flags.filter_map(|line| line.split_once("--")?.1.split([' ', '.']).next());
    // Not in the help: `--token` only says what to use instead.
    let flags = flags.chain(["token"]).map(str::to_owned);
    assert_eq!(flags.collect::<BTreeSet<_>>(), reserved("RESERVED_FLAGS"));
}
