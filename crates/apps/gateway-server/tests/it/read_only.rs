//! A database file that the server cannot write.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::process::{Served, account, error, program, run};
use crate::support::get;

/// Returns the program as a user without rights, if this process is one of root. Root may write every file.
fn unprivileged() -> Command {
    let plain = program();
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout != b"0\n" {
        return plain;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    command.arg(plain.get_program());
    for (name, _) in plain.get_envs() {
        command.env_remove(name);
    }
    command
}

#[test]
fn a_read_only_file_is_served_and_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.db");
    let database = file.to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    run(&database, &["demo-data", "--account", "acme"]);
    let set_mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(&file, 0o444);
    set_mode(directory.path(), 0o555);
    let bytes = std::fs::read(&file).unwrap();
    let mut command = unprivileged();
    command.stderr(Stdio::piped());
    let mut served = Served::started_by(command, &database, &[]);
    for query in ["method=credits/get", "method=candidates/list", "method=vacancies/list"] {
        assert_eq!(get(&served.base_url, &token, query).status, 200, "{query}");
    }
    let import = ["credits", "set", "--account", "acme", "1", "EUR", "--database", &database];
    let output = unprivileged().args(import).output().unwrap();
    assert!(!output.status.success());
    let text = error(&output);
    assert!(text.contains("it is read-only; run this command where it can be written"), "{text}");
    let backup = ["backup", "never.bak", "--database", &database];
    let output = unprivileged().args(backup).output().unwrap();
    let text = error(&output);
    assert!(text.contains("it is read-only; run this command where it can be written"), "{text}");
    served.signal("-TERM");
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("the database file is read-only"), "{log}");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    set_mode(directory.path(), 0o755);
}
