//! Syncs that are killed at random moments: the store ends up equal to a mirror in memory that was never killed.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use methodical_mirror::{Mirror, Purge, Rules};

use crate::support::{PHOTO, open, records, sync as sync_list, table};

/// The list of a generation. Records change at different times, and each is sometimes absent, once or twice in a row.
fn list(generation: u64) -> Vec<String> {
    let is_present = |id: &u64| {
        !(id + generation / 2).is_multiple_of(40) && !(id + generation).is_multiple_of(57)
    };
    let record = |id: u64| {
        let size = generation / (1 + id % 5);
        format!(r#"{{"id":"{id:03}","title":"Number {size}","size":{size}}}"#)
    };
    let number = format!(r#"{{"id":"generation","size":{generation}}}"#);
    [number].into_iter().chain((0..200).filter(is_present).map(record)).collect()
}

pub(crate) fn sync(mirror: &mut Mirror, generation: u64) {
    let rules = Rules { emits_baseline: true, ..Rules::default() };
    sync_list(mirror, &PHOTO, rules, &list(generation)).unwrap();
}

/// Returns the generation that was committed last; 0 for a new mirror.
pub(crate) fn generation(mirror: &Mirror) -> u64 {
    let found = table(mirror, "photo").into_iter().find(|record| record.id == "generation");
    let json = found.map(|record| serde_json::from_str::<serde_json::Value>(&record.json).unwrap());
    json.map_or(0, |json| json.get("size").and_then(serde_json::Value::as_u64).unwrap())
}

/// Syncs one generation after the other, and prints each that is committed, until it is killed.
fn sync_until_killed(mut mirror: Mirror) {
    let mut out = stdout().lock();
    for next in generation(&mirror) + 1..=u64::MAX {
        sync(&mut mirror, next);
        writeln!(out, "committed {next}").unwrap();
    }
}

/// Starts a test as a child process. Returns it with the numbers that it commits.
pub(crate) fn start(test: &str, place: &OsStr) -> (Child, Receiver<u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, committed) = sync_channel(1_000_000);
    std::thread::spawn(move || {
        let generations = lines.map_while(Result::ok);
        for line in generations {
            // The test harness may print text before the number.
            let number = line.split("committed ").nth(1).and_then(|number| number.parse().ok());
            if let Some(number) = number {
                sender.send(number).unwrap_or_default();
            }
        }
    });
    (child, committed)
}

/// Runs a test as a child process for a random time of up to some microseconds, after its first commit if `waits`, and
/// kills it. Each commit extends the time, up to a number of commits. Returns the last number that was committed.
pub(crate) fn run_and_kill(
    test: &str,
    place: &OsStr,
    waits: bool,
    longest: u64,
    commits: usize,
) -> Option<u64> {
    let (mut child, committed) = start(test, place);
    let seen = waits.then(|| committed.recv_timeout(LIMIT).unwrap());
    let moment = Duration::from_micros(fastrand::u64(0..longest));
    // No event marks the end of this wait: it is the random moment.
    let last = (0..=commits).map_while(|_| committed.recv_timeout(moment).ok()).last();
    child.kill().unwrap();
    child.wait().unwrap();
    committed.iter().last().or(last).or(seen)
}

#[test]
fn killed_syncs_lose_nothing_and_repeat_nothing() {
    if let Some(path) = std::env::var_os(CHILD) {
        return sync_until_killed(open(Path::new(&path)));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    kill("kill::killed_syncs_lose_nothing_and_repeat_nothing", path.as_os_str(), || open(&path));
}

/// Kills children repeatedly, and compares the mirror with one in memory.
fn kill(test: &str, place: &OsStr, open: impl Fn() -> Mirror) {
    let runs = std::env::var(RUNS).map_or(20, |runs| runs.parse().unwrap());
    let mut oracle = Mirror::in_memory().unwrap();
    let mut reached = 0;
    for run in 0..runs {
        // Half of the children are killed after a commit.
        let last = run_and_kill(test, place, run % 2 == 0, 40_000, 3);
        let mut mirror = open();
        let found = generation(&mirror);
        assert!(found >= last.unwrap_or(reached), "a commit was lost: {found}, {last:?}");
        for next in reached + 1..=found {
            sync(&mut oracle, next);
        }
        reached = found;
        if found == 0 {
            continue;
        }
        compare(&mirror, &oracle);
        // One sync catches up.
        reached += 1;
        sync(&mut mirror, reached);
        sync(&mut oracle, reached);
        compare(&mirror, &oracle);
        if run % 10 == 0 {
            // Otherwise, each comparison would take longer than the previous one.
            for mirror in [&mut mirror, &mut oracle] {
                let until = mirror.cursor().unwrap();
                mirror.purge(&Purge { until: Some(until.clone()), ..Purge::default() }).unwrap();
            }
        }
    }
    assert!(reached > runs, "only {reached} generations");
}

fn compare(mirror: &Mirror, oracle: &Mirror) {
    assert_eq!(records(mirror), records(oracle));
    let changes = |mirror: &Mirror| {
        let changes = mirror.changes(None, usize::MAX).unwrap().0.into_iter();
        changes.map(|change| (change.number, change.id, change.kind, change.fields)).collect()
    };
    let (found, expected): (Vec<_>, Vec<_>) = (changes(mirror), changes(oracle));
    assert!(found == expected, "{} changes, expected {}", found.len(), expected.len());
}

/// The environment variable with the file or URL of the child.
pub(crate) const CHILD: &str = "GATEWAY_MIRROR_SYNC_UNTIL_KILLED";

/// The environment variable with the number of kills.
pub(crate) const RUNS: &str = "GATEWAY_MIRROR_KILLS";

/// Time limit of a wait for a commit.
const LIMIT: Duration = Duration::from_secs(30);
