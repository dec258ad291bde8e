//! The commands that show who is where, what happened, and who may be the same person.

#[cfg(unix)]
use jiff::Timestamp;
#[cfg(unix)]
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::office::{Office, application, candidate, vacancy};
use crate::run::{code, stderr, stdout};

/// An office with two vacancies, synced before and after Jörg moved.
pub(crate) fn office() -> Office {
    let twin =
        json!({"id": "3", "name": "Zoe", "email": "1@EXAMPLE.com", "date": "2026-02-03 04:05:06"});
    let cook = json!({"id": "102", "project": "Köchin"});
    let records = |status: &str| {
        [
            candidate(1, "Anna"),
            candidate(2, "Jörg"),
            twin.clone(),
            vacancy(101),
            cook.clone(),
            application(101, 1, "New"),
            application(101, 2, status),
            application(102, 3, "New"),
        ]
    };
    let office = Office::new(&records("New"));
    let person = &office.person;
    for status in ["New", "Shortlist"] {
        office.set(&records(status));
        let sync = ["--token-file", office.file("token", &Value::Null), "mirror", "sync", "-q"];
        std::fs::write(office.folder().join("token"), &office.token).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(
            office.folder().join("token"),
            std::os::unix::fs::PermissionsExt::from_mode(0o600),
        )
        .unwrap();
        let synced = person.run(&sync);
        assert_eq!(code(&synced), 0, "{}", stderr(&synced));
    }
    office
}

/// Runs a command, which must succeed.
#[track_caller]
fn printed(office: &Office, args: &[&str]) -> String {
    let output = office.person.run(args);
    assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
    stdout(&output).to_owned()
}

/// Returns the standard error of a command that is refused.
#[track_caller]
fn refused(office: &Office, args: &[&str]) -> String {
    let output = office.person.run(args);
    assert_eq!(code(&output), 2, "{args:?}: {}", stdout(&output));
    stderr(&output).to_owned()
}

#[test]
fn placements_are_chosen_by_title_status_and_time() {
    let office = office();
    let list = |args: &[&str]| {
        let fields = "id,vacancy_id,project,status,previous_status";
        printed(&office, &[&["placements", "list", "-o", "csv", "--fields", fields], args].concat())
    };
    let header = "id,vacancy_id,project,status,previous_status\r\n";
    let [anna, jorg, zoe] =
        ["1,101,Welder,New,\r\n", "2,101,Welder,Shortlist,New\r\n", "3,102,Köchin,New,\r\n"];
    assert_eq!(list(&[]), format!("{header}{anna}{jorg}{zoe}"));
    // A title in another case, without accents.
    assert_eq!(list(&["--vacancy", "KOCHIN"]), format!("{header}{zoe}"));
    assert_eq!(
        list(&["--vacancy", "102", "--vacancy", "welder", "--status", "New"]),
        format!("{header}{anna}{zoe}")
    );
    assert_eq!(list(&["--status", "Shortlist", "--status", "Hired"]), format!("{header}{jorg}"));
    assert_eq!(list(&["--waiting", "1d"]), header);
    assert_eq!(list(&["--waiting", "1w"]), header);
    let waiting = office.person.run(&["placements", "list", "--waiting", "1d"]);
    let counts = "`days` counts from the first sync, or from when the status became known";
    let note = format!("note: 2 more may have waited longer: {counts}\n");
    assert!(stderr(&waiting).contains(&note), "{}", stderr(&waiting));
    let all = office.person.run_line("placements list -o table");
    assert!(stdout(&all).starts_with("ID  NAME  PROJECT  STATUS     DAYS  SINCE\n"), "{all:?}");
    assert!(stderr(&all).contains(&format!("note: for 2 of 3 placements, {counts}\n")), "{all:?}");
    for chosen in ["--limit 3", "--filter days=0", "--since 2026-01"] {
        let part = office.person.run_line(&format!("placements list {chosen}"));
        assert!(!stderr(&part).contains(counts) && stderr(&part).contains("from the mirror"));
    }
    let several = refused(&office, &["placements", "list", "--vacancy", "101,102"]);
    assert!(several.ends_with(" lists them; each --vacancy names only one\n"), "{several}");
    let wrong = refused(&office, &["placements", "list", "--vacancy", "Weldr"]);
    assert!(wrong.contains("did you mean `Welder`?"), "{wrong}");
    assert!(wrong.contains("`gateway vacancies list --from mirror` lists them"), "{wrong}");
    // Every field of the person is there as well.
    let all = printed(&office, &["placements", "list", "-o", "ndjson", "--limit", "1"]);
    let all: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(
        (&all["email"], &all["portal"]["name"]),
        (&json!("1@example.com"), &json!("Indeed"))
    );
    assert_eq!((&all["days"], &all["status"]), (&json!(0), &json!("New")));
}

/// Changes the rows of the mirror.
fn change(office: &Office, sql: &str) {
    let file = office.folder().join("data/gateway/mirrors/default.db");
    rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn hours_of_waiting_are_elapsed_time_and_an_end_does_not_wait() {
    let office = office();
    // By the calendar, Jörg has waited for seven days. Nobody has left his status.
    change(
        &office,
        "UPDATE candidate_vacancy SET mirror_changed_at = strftime('%FT%TZ', 'now', '-13 hours') WHERE candidate_id = '1'; \
         UPDATE candidate_vacancy SET mirror_changed_at = strftime('%FT%TZ', 'now', 'start of day', '-518401 seconds') \
         WHERE candidate_id = '2'",
    );
    let list = |args: &[&str]| {
        let list = ["placements", "list", "-o", "csv", "--fields", "id", "--waiting"];
        let output = office.person.run(&[&list, args].concat());
        assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
        (stdout(&output).replace("\r\n", " "), stderr(&output).to_owned())
    };
    let (waiting, notes) = list(&["12h"]);
    assert_eq!(waiting, "id 1 ");
    let note = "note: 1 more has a status that looks final; --status Shortlist lists them; name the final ones: \
                `gateway config set statuses 'Hired: Accepted; Closed: Rejected'`\n";
    assert!(notes.contains(note), "{notes}");
    let quiet = ["placements", "list", "--waiting", "12h", "-q", "--output-file", "w.csv"];
    assert_eq!(stderr(&office.person.run(&quiet)), note, "a guess");
    assert_eq!(list(&["14h"]).0, "id ");
    let (waiting, notes) = list(&["7d", "--status", "Shortlist"]);
    assert_eq!(waiting, "id 2 ");
    assert!(!notes.contains("final"), "{notes}");
    assert_eq!(list(&["169h", "--status", "Shortlist"]).0, "id ");
    // The first status of the team is not an end, unless its group has a name.
    let set = |statuses: &str| printed(&office, &["config", "set", "statuses", statuses]);
    set("Hired: Shortlist; Closed: Rejected");
    let (waiting, notes) = list(&["12h"]);
    let note = "note: 1 more has a status that is final; --status Shortlist lists them\n";
    assert_eq!((&*waiting, notes.contains(note)), ("id 1 ", true), "{notes}");
    assert_eq!(stderr(&office.person.run(&quiet)), "", "the team has named the ends");
    set("Shortlist, New");
    assert_eq!(list(&["7d"]).0, "id 2 ");
    assert!(list(&["1s", "--status", "New", "--status", "Shortlist"]).0.starts_with("id 2 "));
    // A named status is an end although people left it, and before anybody left any.
    for history in ["FALSE", "ended_at IS NOT NULL"] {
        change(&office, &format!("DELETE FROM mirror_past_value WHERE {history}"));
        set("Shortlist; Closed: New");
        assert_eq!(list(&["12h"]).0, "id 2 ");
    }
    set("Shortlist, New");
    // The command keeps the statuses of the setting, each once.
    set("Shortlist, New; Rejected, On hold");
    let note = "note: no status looks final yet, so all count as waiting; name the final ones: `gateway \
                config set statuses 'Shortlist, New, On hold; Hired: Accepted; Closed: Rejected'`\n";
    assert_eq!(list(&["12h", "-q"]), ("id 2 1 ".to_owned(), note.to_owned()));
}

/// The service knows `Interview`, which the contract does not list.
#[test]
fn the_setting_names_the_statuses_to_sync_their_order_and_the_ends() {
    let office = office();
    let statuses = "New, Shortlist, Interview; Hired: Hired";
    printed(&office, &["config", "set", "statuses", statuses]);
    for (jorg, zoe) in [("Interview", "Interview"), ("Interview", "Hired"), ("On hold", "Hired")] {
        office.set(&[
            candidate(1, "Anna"),
            candidate(2, "Jörg"),
            candidate(3, "Zoe"),
            vacancy(101),
            vacancy(102),
            application(101, 1, "Interview"),
            application(101, 2, jorg),
            application(102, 3, zoe),
        ]);
        let synced = office.person.run(&["mirror", "sync", "--all", "--token-file", "token"]);
        let unknown = jorg == "On hold";
        let share = if unknown { "66.6 %" } else { "100.0 %" };
        assert!(stderr(&synced).contains(share), "{}", stderr(&synced));
        let hint =
            "name each missing status with `gateway --token-file token mirror sync --values NAME`";
        assert_eq!(stderr(&synced).contains(hint), unknown, "{}", stderr(&synced));
    }
    let list = ["candidates", "list", "--from", "mirror", "--vacancy", "101", "--status"];
    let output = office.person.run(&[&list[..], &["Hired", "-o", "csv", "-q"]].concat());
    assert_eq!(stderr(&output), "", "a status of the mirror is known");
    change(
        &office,
        "UPDATE candidate_vacancy SET mirror_changed_at = strftime('%FT%TZ', 'now', '-10 days')",
    );
    let output = office.person.run_line("placements list --waiting 7d -o csv --fields id");
    assert_eq!(stdout(&output), "id\r\n1\r\n2\r\n");
    assert!(stderr(&output).contains("is final; --status Hired lists"), "{}", stderr(&output));
    let report = ["report", "-o", "csv", "--filter", "by=status", "--fields", "name"];
    assert_eq!(printed(&office, &report), "name\r\nShortlist\r\nInterview\r\n");
    // A misspelled status of the setting is not known.
    printed(&office, &["config", "set", "statuses", "New; Hired: Hird"]);
    let synced = office.person.run(&["mirror", "sync", "--token-file", "token"]);
    let text = "no candidate has the status `Hird`; did you mean `Hired`?";
    assert!(stderr(&synced).contains(text), "{}", stderr(&synced));
    let output = office.person.run(&[&list[..], &["Hird", "-o", "csv", "-q"]].concat());
    assert!(stderr(&output).contains("unknown status `Hird`"), "{}", stderr(&output));
}

#[cfg(feature = "demo")]
#[test]
fn hints_for_the_sample_service_can_be_followed() {
    let person = crate::run::Person::new();
    let wrong = person.run_line("--demo candidates list --vacancy Sculptor");
    let hint = "hint: `gateway --demo vacancies list` lists them\n";
    assert!(stderr(&wrong).ends_with(hint), "{}", stderr(&wrong));
    assert_eq!(code(&person.run_line("--demo mirror sync -q")), 0);
    let report = person.run_line("--demo report");
    assert!(!stderr(&report).contains("config set"), "{}", stderr(&report));
}

#[test]
fn a_report_says_that_the_first_sync_counts_as_new() {
    let office = office();
    let noted = |line: &str| stderr(&office.person.run_line(line)).to_owned();
    let unknown = "note: changes before the first complete sync, at 2";
    let new = "; the records of a first sync count as new\n";
    let said = noted("report");
    assert!(said.contains(unknown) && said.contains(new), "{said}");
    let said = noted("report --since last-week --until yesterday");
    assert!(said.contains(unknown) && !said.contains(new), "{said}");
    // The first sync was without the statuses, then without any record, and then is no longer in the log.
    let first = "UPDATE mirror_run SET ended_at = strftime('%FT%TZ', 'now', '-72 days')";
    change(&office, &format!("{first} WHERE table_name = 'candidate'"));
    assert!(noted("report").contains(unknown));
    change(&office, first);
    assert!(!noted("report").contains(unknown));
    change(&office, "DELETE FROM mirror_run");
    assert!(noted("report").contains(unknown));
    for line in ["--since 7d report --week", "report --month --since 7d"] {
        assert!(noted(line).contains("error: cannot use --since with --week or --month"));
    }
    assert!(noted("report --since 2026-11").contains("invalid value for --since: expected a date"));
}

#[test]
fn a_list_takes_a_title_and_several_statuses() {
    let office = office();
    for from in [&["--token-file", "token"][..], &["--from", "mirror"]] {
        let list = |args: &[&str]| {
            let list = ["candidates", "list", "--fields", "id", "-o", "csv", "-q"];
            printed(&office, &[&list, from, args].concat())
        };
        assert_eq!(list(&["--vacancy", "WELDER"]), "id\r\n1\r\n2\r\n");
        let both = ["--vacancy", "Welder", "--status", "New", "--status", "Shortlist"];
        assert_eq!(list(&both), "id\r\n1\r\n2\r\n");
        assert_eq!(list(&["--vacancy", "Welder", "--status", "Shortlist"]), "id\r\n2\r\n");
        let wrong =
            refused(&office, &[&["candidates", "list", "--vacancy", "Koch"], from].concat());
        assert!(wrong.contains("no vacancy has the id or title `Koch`"), "{wrong}");
        let list = match from {
            ["--from", ..] => "vacancies list --from mirror",
            _ => "--token-file token vacancies list",
        };
        assert!(wrong.contains(&format!("`gateway {list}` lists them")), "{wrong}");
    }
    let several =
        refused(&office, &["candidates", "list", "--vacancy", "102", "--vacancy", "Welder"]);
    assert!(several.contains("cannot be used multiple times"), "{several}");
    let dry = "candidates list --vacancy 101 --status New --status Hired --dry-run";
    assert_eq!(stdout(&office.person.run_line(dry)).lines().count(), 2);
}

#[test]
fn a_list_of_a_mirror_without_statuses_names_the_sync_that_recovers_them() {
    let office = office();
    printed(&office, &["mirror", "sync", "--to", "m.db", "--no-recover", "--token-file", "token"]);
    for vacancy in ["Kochh", "Welder", "101"] {
        let list = ["candidates", "list", "--from", "m.db", "--vacancy", vacancy];
        let wrong = refused(&office, &list);
        let hint = "run `gateway mirror sync --to m.db` again, without --no-recover";
        assert!(wrong.contains(hint), "{vacancy}: {wrong}");
    }
}

#[test]
fn a_person_is_shown_with_the_history() {
    let office = office();
    let shown = printed(&office, &["candidates", "show", "2"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["name"], &shown["placements"][0]["title"]),
        (&json!("Jörg"), &json!("Welder"))
    );
    let history: Vec<&Value> =
        shown["history"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(history, ["New", "Shortlist"]);
    let text = printed(&office, &["candidates", "show", "2", "-o", "table"]);
    assert!(text.contains("Welder (101): Shortlist for 0 days"), "{text}");
    let lists = text.split("\n\n").map(|part| part.lines().count()).collect::<Vec<_>>();
    assert_eq!(lists, [9, 2, 3], "{text}");
    let unknown = refused(&office, &["candidates", "show", "9"]);
    assert!(unknown.contains("`gateway mirror search TEXT`"), "{unknown}");
}

#[test]
fn a_report_keeps_its_own_fields_beside_groups_with_their_names() {
    let office = office();
    printed(&office, &["config", "set", "statuses", "new: New; No. 1: Shortlist"]);
    assert_eq!(
        printed(&office, &["report", "-o", "csv", "--filter", "by=vacancy"]),
        "by,id,name,new,moved,status=new,No. 1,times,average_days,median_days\r\n\
         vacancy,101,Welder,2,1,0,1,,,\r\nvacancy,102,Köchin,1,0,0,0,,,\r\n"
    );
}

#[test]
fn a_report_counts_moves_and_those_into_the_groups_of_statuses() {
    let office = office();
    let report: Value = serde_json::from_str(&printed(&office, &["report"])).unwrap();
    assert_eq!((&report[0]["new"], &report[0]["moved"]), (&json!(3), &json!(1)));
    let sources = printed(&office, &["report", "-o", "csv", "--filter", "by=portal"]);
    assert!(sources.contains("\r\nportal,,Indeed,2,,,,\r\n"), "{sources}");
    let named = ["config", "set", "statuses", "New; Hired: Shortlist, Interview"];
    assert_eq!(printed(&office, &named), "");
    let line = |line: &str| printed(&office, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(
        line("report --month -o csv --filter by=vacancy --fields id,name,new,moved,Hired"),
        "id,name,new,moved,Hired\r\n101,Welder,2,1,1\r\n102,Köchin,1,0,0\r\n"
    );
    assert_eq!(
        line("board -o csv --fields id,New,Hired,total"),
        "id,New,Hired,total\r\n101,1,1,2\r\n102,1,0,1\r\n"
    );
    assert_eq!(
        line("report --since 2020-01-01 --until 2020-01-31 -o csv"),
        "by,id,name,new,moved,Hired,times,average_days,median_days\r\n\
         total,,2020-01-01 to 2020-01-31,0,0,0,,,\r\n"
    );
    let wrong = refused(&office, &["report", "--since", "2020-01-31", "--until", "2020-01-01"]);
    assert!(
        wrong.contains("the period begins on 2020-01-31, after its end on 2020-01-01"),
        "{wrong}"
    );
    let wrong = refused(&office, &["config", "set", "statuses", "New; : Hired"]);
    assert!(wrong.contains("`statuses` must be statuses in their order"), "{wrong}");
}

#[cfg(unix)]
#[test]
fn a_day_on_which_clocks_are_set_back_ends_at_midnight() {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    // In a zone where it is 23:30 now, and in one whose clocks went back this morning, so that today has 25 hours.
    let minutes = 23 * 60 + 30 - (i64::from(now.hour()) * 60 + i64::from(now.minute()));
    let sign = if minutes < 0 { "+" } else { "-" };
    let offset = format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
    // Days are counted without 29 February.
    let today = now.day_of_year() - i16::from(now.in_leap_year() && now.month() > 2);
    let begin = (today + 100) % 365 + 1;
    let zone = format!("AAA{offset}BBB,J{begin}/2,J{today}/2");
    let office = office();
    let mut report = office.person.command(&["report", "--since", "today"]);
    let report = report.env("TZ", zone).output().unwrap();
    let report: Value = serde_json::from_str(stdout(&report)).unwrap();
    assert_eq!((&report[0]["new"], &report[0]["moved"]), (&json!(3), &json!(1)));
}

#[test]
fn people_with_the_same_address_are_found() {
    let office = office();
    let found = printed(&office, &["duplicates", "-o", "csv", "--fields", "set,same,id,name"]);
    assert_eq!(found, "set,same,id,name\r\n1,email,1,Anna\r\n1,email,3,Zoe\r\n");
}

#[test]
fn a_filtered_table_says_of_how_many_records_it_is() {
    let office = office();
    let person = office.person.on_terminal(100);
    let list = ["candidates", "list", "--from", "mirror", "--filter", "name~jorg"];
    assert!(person.see(&list).contains("showing 1 of 3 candidates"), "{}", person.see(&list));
    let counted =
        person.see(&["candidates", "list", "--from", "mirror", "--count-by", "date:month"]);
    assert!(
        counted.contains("2026-02  3      100.0") && counted.contains("total: 3 candidates"),
        "{counted}"
    );
}
