//! A mirror behind `PgBouncer` in transaction mode, where each transaction may have another session.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use methodical_mirror::{ErrorKind, Mirror, Rules, StartAt};

use crate::cluster::shell;
use crate::leases::compete;
use crate::place::Place;
use crate::place::schema::{Schema, connector};
use crate::support::{PHOTO, feed, photos, records, source};

#[test]
fn a_pooler_in_transaction_mode_is_transparent() {
    let Some(Place::Postgres(schema)) = Place::in_postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some((_pooler, url)) = pooler(&schema, folder.path()) else { return };
    let open = || Mirror::open_postgres(&connector(&url), "mirror", &source()).unwrap();
    let (mut one, mut other) = (open(), open());
    let list: Vec<String> = (0..3000).map(|id| format!(r#"{{"id":"{id}","size":1}}"#)).collect();
    let mut list: Vec<&str> = list.iter().map(String::as_str).collect();
    photos(&mut one, &list);
    list[7] = r#"{"id":"7","size":2}"#;
    let run = one.begin("photos/list", &PHOTO, Rules::new()).unwrap();
    let error = other.begin("photos/list", &PHOTO, Rules::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    drop(run);
    for mirror in [&mut other, &mut one] {
        photos(mirror, &list);
        assert_eq!(feed(mirror), ["changed 7 size"]);
        assert_eq!(records(mirror).len(), 3000);
    }
    photos(&mut other, &list[1..]);
    photos(&mut one, &list[1..]);
    assert_eq!(feed(&other)[1..], ["missing 0", "gone 0"]);
    assert_eq!(one.check().unwrap().findings, []);
    for name in ["one", "other"] {
        one.add_consumer(name, &StartAt::Oldest).unwrap();
    }
    compete(&one, &other);
}

/// Starts `PgBouncer` with a socket in the folder. Returns it with the URL of the database.
fn pooler(schema: &Schema, folder: &Path) -> Option<(Pooler, String)> {
    if !Path::new(PGBOUNCER).exists() {
        crate::cluster::skip("PgBouncer was not found; run .ci/postgres");
        return None;
    }
    let (server, name) = schema.url.rsplit_once('/').unwrap();
    let server = server.rsplit_once('@').unwrap().1.replace("%2F", "/");
    let folder = folder.to_str().unwrap();
    let settings = format!(
        "[databases]\n{name} = host={server} user=postgres\n\
         [pgbouncer]\nlisten_port = 6432\nunix_socket_dir = {folder}\nauth_type = any\npool_mode = transaction\n\
         default_pool_size = 3\n"
    );
    let file = format!("{folder}/pgbouncer.ini");
    std::fs::write(&file, settings).unwrap();
    // The user of the shell, which is not root.
    let output = shell().args(["-c", "id -u"]).output().unwrap();
    let user = String::from_utf8(output.stdout).unwrap();
    Command::new("chown").args(["-R", user.trim(), folder]).status().unwrap();
    let mut child = shell()
        .args(["-c", RUN, "sh", PGBOUNCER, &file])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let (socket, started) = (Path::new(folder).join(".s.PGSQL.6432"), Instant::now());
    while !socket.exists() {
        assert!(child.try_wait().unwrap().is_none(), "PgBouncer has ended");
        assert!(started.elapsed() < Duration::from_secs(30), "PgBouncer does not listen");
        std::thread::yield_now();
    }
    let folder = folder.replace('/', "%2F");
    Some((Pooler(child), format!("postgres://postgres@{folder}:6432/{name}")))
}

/// A process of `PgBouncer`. A shell stops it when this process ends.
struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        // Closes the pipe first.
        drop(self.0.wait());
    }
}

const RUN: &str = r#""$1" -q "$2" & read -r _; kill $!; wait"#;

const PGBOUNCER: &str = "/usr/sbin/pgbouncer";
