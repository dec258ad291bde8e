//! Revisions: how long their rows are kept, the error after their removal, and the tags that distinguish them.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use gateway_server::{
    CandidateFilter, CheckReport, CreditsRow, Cursor, DemoData, ErrorKind, ImportMode, Page,
    Snapshot, Stage, Store, TokenDigest, Versions,
};

use crate::front::Here;
use crate::store::{
    NOW, application, candidate, import, names, on_each_store, place, snapshot, vacancy,
};
use crate::support::{call, get, request};

#[test]
fn an_import_is_atomic_and_old_snapshots_keep_their_data() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        let first = import(store, account, ImportMode::Commit, |stage| {
            candidate(stage, 1, 1, "one")?;
            candidate(stage, 2, 2, "two")?;
            vacancy(stage, 3, 9, "nine")?;
            application(stage, 4, 9, 1, "New")
        })
        .unwrap();
        assert_eq!((first.revision, first.candidates.added), (1, 2));
        let before = snapshot(store, account);

        let second = |stage: &mut dyn Stage| {
            candidate(stage, 1, 1, "one")?;
            candidate(stage, 2, 2, "TWO")?;
            candidate(stage, 3, 3, "three")?;
            application(stage, 4, 9, 1, "Rejected")?;
            application(stage, 5, 9, 3, "New")?;
            let credits = CreditsRow::new("12.50", "CHF");
            stage.credits(place(6), &credits)
        };
        let dry = import(store, account, ImportMode::DryRun, second).unwrap();
        assert_eq!(snapshot(store, account), before);
        let real = import(store, account, ImportMode::Commit, second).unwrap();
        assert_eq!(dry, real);
        assert_eq!(
            (real.candidates.added, real.candidates.changed, real.candidates.unchanged),
            (1, 1, 1)
        );
        assert_eq!((real.applications.added, real.applications.changed), (1, 1));
        assert!(real.credits_changed && real.revision == 2);
        let after = snapshot(store, account);

        let portal = "Portal \"seven\"";
        let all = &CandidateFilter::All;
        let expected = ["1 one", "2 two"].map(|name| format!("{name} {portal}"));
        assert_eq!(names(store, before, all, 1), expected);
        let expected = ["1 one", "2 TWO", "3 three"].map(|name| format!("{name} {portal}"));
        assert_eq!(names(store, after, all, 1), expected);
        let new = &CandidateFilter::Status(9, "New".into());
        assert_eq!(names(store, before, new, 1), [format!("1 one {portal}")]);
        assert_eq!(names(store, after, new, 1), [format!("3 three {portal}")]);
        let mut credits = String::new();
        let sink = &mut |record: &[u8]| credits = String::from_utf8(record.to_vec()).unwrap();
        store.credits(account, sink).unwrap();
        assert!(credits.contains(r#""credits_number":"12.50","currency":"CHF""#), "{credits}");

        let again = import(store, account, ImportMode::Commit, second).unwrap();
        assert!(!again.changed_anything() && again.revision == 2);
        assert_eq!(store.check().unwrap(), CheckReport::default());
    });
}

#[test]
fn superseded_rows_are_removed_after_their_time() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        for name in ["one", "two", "three"] {
            import(store, account, ImportMode::Commit, |stage| candidate(stage, 1, 1, name))
                .unwrap();
        }
        let all = &CandidateFilter::All;
        let old = Snapshot { account, revision: 1 };
        assert_eq!(store.collect(Duration::from_secs(3600)).unwrap(), 0);
        assert_eq!(names(store, old, all, 10).len(), 1);
        assert_eq!(store.collect(Duration::ZERO).unwrap(), 2);
        assert!(names(store, snapshot(store, account), all, 10)[0].starts_with("1 three"));
        assert_eq!(store.check().unwrap(), CheckReport::default());
    });
}

/// A short page means the end of a list, so a page of a revision whose rows were removed must be an error.
#[test]
fn reading_a_removed_revision_fails_instead_of_missing_rows() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        let empty = snapshot(store, account);
        let fill = |name: &'static str| {
            import(store, account, ImportMode::Commit, |stage| {
                candidate(stage, 1, 1, name)?;
                candidate(stage, 2, 2, "as before")?;
                vacancy(stage, 3, 9, name)?;
                vacancy(stage, 4, 10, "as before")?;
                application(stage, 5, 9, 1, name)?;
                application(stage, 6, 9, 2, "New")
            })
            .unwrap();
            snapshot(store, account)
        };
        let (old, new) = (fill("one"), fill("two"));
        let page = Page { from: Cursor::START, limit: 10 };
        let filters = [
            CandidateFilter::All,
            CandidateFilter::Vacancy(9),
            CandidateFilter::Status(9, "New".into()),
        ];
        let read =
            |snapshot, filter, page| store.candidates(snapshot, filter, page, &mut |_record| {});
        // From the first page to the last one.
        let begun: Vec<_> = [old, new]
            .into_iter()
            .flat_map(|snapshot| filters.iter().map(move |filter| (snapshot, filter)))
            .flat_map(|(snapshot, filter)| {
                let mut pages = vec![(snapshot, filter, page)];
                let mut one = Page { limit: 1, ..page };
                while let Some(from) = read(snapshot, filter, one).unwrap() {
                    one.from = from;
                    pages.push((snapshot, filter, Page { from, ..page }));
                }
                pages
            })
            .collect();
        assert_eq!(begun.len(), 3 + 3 + 2 + 3 + 3 + 2);
        store.collect(Duration::ZERO).unwrap();
        for (snapshot, filter, page) in begun {
            let read = read(snapshot, filter, page);
            if snapshot == old {
                assert_eq!(read.unwrap_err().kind(), ErrorKind::SnapshotGone);
            } else {
                assert_eq!(read.unwrap(), None);
            }
            assert!(names(store, empty, filter, 10).is_empty());
        }
        let read = |snapshot| store.vacancies(snapshot, page, &mut |_row| {});
        assert_eq!(read(old).unwrap_err().kind(), ErrorKind::SnapshotGone);
        assert_eq!((read(new).unwrap(), read(empty).unwrap()), (None, None));
    });
}

/// The rows that a long import supersedes are live until it ends, so their age counts from then.
#[test]
fn the_age_of_a_revision_counts_from_the_end_of_the_import() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        import(store, account, ImportMode::Commit, |stage| candidate(stage, 1, 1, "one")).unwrap();
        let old = snapshot(store, account);
        let begun = Instant::now();
        import(store, account, ImportMode::Commit, |stage| {
            while begun.elapsed() < Duration::from_millis(4_100) {
                std::thread::yield_now();
            }
            candidate(stage, 1, 1, "two")
        })
        .unwrap();
        store.collect(Duration::from_secs(3)).unwrap();
        assert_eq!(names(store, old, &CandidateFilter::All, 10).len(), 1);
    });
}

/// A recreated or restored database reaches the same revision numbers with other data.
#[test]
fn revisions_with_the_same_number_have_different_tags() {
    let mut tags = Vec::new();
    for name in ["one", "two"] {
        on_each_store(|store| {
            let account = store.create_account("a", NOW).unwrap();
            let token = store.create_token(account, "", NOW, None).unwrap();
            let digest = TokenDigest::of(token.reveal());
            let live = || store.authenticate(&digest, NOW).unwrap().unwrap();
            let fill = |mode, name| {
                import(store, account, mode, |stage| candidate(stage, 1, 1, name)).unwrap();
                live().versions.candidates
            };
            assert_eq!(live().versions, Versions::default());
            let first = fill(ImportMode::Commit, name);
            assert_eq!(live().snapshot.revision, 1);
            // Nothing changed, so cached data stays valid.
            assert_eq!(fill(ImportMode::Commit, name), first);
            assert_eq!(fill(ImportMode::DryRun, "three"), first);
            tags.extend([first, fill(ImportMode::Commit, "three")]);
        });
    }
    let drawn = tags.len();
    tags.sort_unstable();
    tags.dedup();
    assert!(drawn >= 8 && tags.len() == drawn && !tags.contains(&0), "{tags:?}");
}

/// The rows of a revision can be removed during a long response. The response is then truncated, and never looks
/// complete.
#[test]
fn a_list_whose_rows_are_removed_meanwhile_is_cut() {
    let here = Here::start(|_| {});
    let store = Store::open(here.directory.path().join("t.db")).unwrap();
    let account = store.account("a").unwrap();
    // More than the buffers of two sockets hold, so the end of the list is not read before the rows are removed.
    let fill = |seed| {
        let data = DemoData { candidates: 60_000, seed };
        store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
    };
    fill(1);
    let mut socket = here.connect();
    let request = request(&here.token, "method=candidates/list", "Connection: close\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut bytes = vec![0; 1024];
    socket.read_exact(&mut bytes).unwrap();
    fill(2);
    assert!(store.collect(Duration::ZERO).unwrap() > 30_000);
    let begun = Instant::now();
    drop(socket.read_to_end(&mut bytes));
    assert!(begun.elapsed() < Duration::from_secs(20), "the connection was left open");
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.len() > 100_000, "{}", text.len());
    assert!(!text.ends_with("0\r\n\r\n"), "the response looks complete");
}

/// Stages the records of an import.
type Work = fn(&mut dyn Stage) -> Result<(), gateway_server::Error>;

/// An import changes the entity tags of the lists that it changes, and no others.
#[test]
fn an_import_changes_only_the_entity_tags_of_its_lists() {
    let here = Here::start(|_config| {});
    let store = Store::open(here.directory.path().join("t.db")).unwrap();
    let account = store.account("a").unwrap();
    let fill = |work: Work| {
        import(&store, account, ImportMode::Commit, work).unwrap();
    };
    fill(|stage| {
        candidate(stage, 1, 900_001, "one")?;
        vacancy(stage, 1, 900_009, "nine")?;
        application(stage, 1, 900_009, 900_001, "New")
    });
    let queries = [
        "method=candidates/list",
        "method=candidates/list&vacancy_id=900009",
        "method=candidates/list&vacancy_id=900009&status=New",
        "method=vacancies/list",
        "method=credits/get",
    ];
    let base_url = here.running.base_url();
    let tags = || {
        queries.map(|query| get(&base_url, &here.token, query).header("etag").unwrap().to_owned())
    };
    let imports: [(Work, [bool; 5]); 5] = [
        (|stage| candidate(stage, 1, 900_001, "two"), [true, true, true, false, false]),
        (|stage| application(stage, 1, 900_009, 900_001, "Old"), [false, true, true, false, false]),
        (|stage| vacancy(stage, 1, 900_009, "ten"), [false, false, false, true, false]),
        (
            |stage| stage.credits(place(1), &CreditsRow::new("77.25", "EUR")),
            [false, false, false, false, true],
        ),
        (|stage| vacancy(stage, 1, 900_009, "ten"), [false; 5]),
    ];
    let mut before = tags();
    for (number, (work, changed)) in imports.into_iter().enumerate() {
        fill(work);
        let after = tags();
        for (((query, old), new), changed) in
            queries.into_iter().zip(&before).zip(&after).zip(changed)
        {
            assert_eq!(old != new, changed, "import {number}, {query}");
            let more = format!("If-None-Match: {old}\r\n");
            let status = call(&base_url, &here.token, "GET", query, &more).status;
            assert_eq!(status, if changed { 200 } else { 304 }, "import {number}, {query}");
        }
        before = after;
    }
}
