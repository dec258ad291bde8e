//! The environment variables of libpq, as the program reads them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::encrypted::{Authority, Encrypted, HOSTSSL, named};
use crate::process::{error, program};

#[test]
fn the_environment_of_libpq_is_honored() {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    let url = server.url("").replace(":canary", "");
    let passwords = authority.file("passwords");
    std::fs::write(&passwords, "*:*:d:u:canary\n").unwrap();
    std::fs::set_permissions(&passwords, std::fs::Permissions::from_mode(0o600)).unwrap();
    let run = |variables: &[(&str, &Path)], url: &str| {
        let mut command = program();
        command.args(["account", "create", "acme", "--database", url]);
        command.env_remove("PGPASSWORD").env("HOME", "/nowhere");
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        let text = error(&output);
        assert!(!text.contains("canary"), "{text}");
        (output.status.success(), text)
    };
    let ca = authority.file("ca.pem");
    let full = [("PGSSLMODE", Path::new("verify-full")), ("PGSSLROOTCERT", &*ca)];
    let (done, text) = run(&[full[0], full[1], ("PGPASSFILE", &passwords)], &url);
    assert!(done && text.is_empty(), "{text}");
    // The second time the account exists: the connection was accepted.
    let password = ("PGPASSWORD", Path::new("canary"));
    let system = format!("{url}&sslrootcert=system");
    let (done, text) = run(&[password, ("SSL_CERT_FILE", &*ca)], &system);
    assert!(!done && text.contains("already exists"), "{text}");
    let (done, text) = run(&[password], &url);
    assert!(!done && text.contains("already exists"), "{text}");
    std::fs::set_permissions(&passwords, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (done, text) = run(&[("PGPASSFILE", &passwords)], &url);
    assert!(!done && text.contains("other users can access it; set its mode to 0600"), "{text}");
}
