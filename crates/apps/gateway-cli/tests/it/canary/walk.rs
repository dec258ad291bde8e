//! Finds every command through the help, hidden headings included.

use crate::run::{Person, code, stdout};

/// Returns the paths of all commands without subcommands, such as `mirror sync`.
pub(crate) fn commands(person: &Person) -> Vec<String> {
    let mut found = Vec::new();
    let mut paths = vec![Vec::new()];
    while let Some(path) = paths.pop() {
        let names = subcommands(person, &path);
        if names.is_empty() {
            found.push(path.join(" "));
        }
        for name in names {
            paths.push([path.clone(), vec![name]].concat());
        }
    }
    found
}

/// Returns the names of the commands in a help. Under any heading, a command is a word after two spaces whose own help has
/// it in its usage.
fn subcommands(person: &Person, path: &[String]) -> Vec<String> {
    let help = help(person, path).unwrap();
    let mut names = Vec::new();
    for line in help.lines() {
        let Some(line) = line.strip_prefix("  ") else { continue };
        let name = line.split(' ').next().unwrap();
        let is_word = !name.is_empty()
            && !name.starts_with('-')
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if is_word && !["gateway", "help"].contains(&name) && !names.contains(&name.to_owned()) {
            let deeper = [path, &[name.to_owned()]].concat();
            let usage = format!("Usage: gateway {}", deeper.join(" "));
            if self::help(person, &deeper).is_some_and(|help| help.contains(&usage)) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn help(person: &Person, path: &[String]) -> Option<String> {
    let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
    args.push("--help");
    let output = person.run(&args);
    (code(&output) == 0).then(|| stdout(&output).to_owned())
}
