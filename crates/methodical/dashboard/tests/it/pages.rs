//! The contents of the pages, and that each link leads to a page.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use methodical_dashboard::Dashboard;
use methodical_dashboard::mirror::{Mirror, Rules, Source, SyncOptions};

use crate::browser::Browser;
use crate::gallery::{Gallery, Server, marks};
use crate::sample::{ALBUM, DAY, Sample, three_days};

/// Returns the text between tags, without the layout around a page.
fn text(page: &str) -> String {
    let main = page.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap();
    let mut text = String::new();
    for part in main.split('<').skip(1) {
        text.push_str(part.split_once('>').map_or("", |(_, text)| text));
        if part.starts_with("/tr") || part.starts_with("/li") || part.starts_with("/p>") {
            text.push('\n');
        } else if part.starts_with('/') {
            text.push(' ');
        }
    }
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns the targets of the links of a page.
fn links(page: &str) -> Vec<String> {
    let targets = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    // A browser reads the entities of an attribute.
    targets.map(|target| target.replace("&#38;", "&").replace("&amp;", "&")).collect()
}

#[test]
fn each_page_shows_the_mirror() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let mut all = String::new();
    for path in [
        "/",
        "/records?of=photo",
        "/records?of=photo&sort=title&state=all",
        "/records?of=photo&group=7&value=New",
        "/records?of=photo&group=7&unknown=1",
        "/records?of=photo&value=New&value=Print",
        "/records?of=photo&waiting=7",
        "/records?of=photo&since=2026-11-02",
        "/funnel",
        "/records?of=album",
        "/record?of=photo&id=1",
        "/record?of=photo&id=3",
        "/record?of=album&id=7",
        "/changes",
        "/changes?from=New&to=Print",
        "/duplicates",
        "/health",
    ] {
        all.extend(["# ", path, "\n", &text(&browser.page(path)), "\n\n"]);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_html_of_the_board_is_as_reviewed() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    insta::assert_snapshot!(browser.page("/funnel"));
}

#[test]
fn every_link_of_every_page_leads_to_a_page() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec!["/".to_owned()]);
    while let Some(path) = waiting.pop() {
        if path.starts_with('#') || !seen.insert(path.clone()) {
            continue;
        }
        assert!(path.starts_with('/') && !path.starts_with("//"), "{path}");
        let page = browser.page(&path);
        waiting.extend(links(&page));
    }
    assert!(seen.len() > 40, "{seen:?}");
}

#[test]
fn pages_of_records_follow_each_other() {
    let ids: Vec<String> = (0..120).map(|id| format!("p{id:03}")).collect();
    let photos: Vec<(&str, &str)> = ids.iter().map(|id| (&**id, "Sea")).collect();
    let (dashboard, _folder) = Sample::new().sync(&photos, &[], &[]).dashboard();
    let browser = Browser::start(dashboard).log_in();
    for sort in ["new", "old", "changed", "unchanged", "title", "-title"] {
        let mut seen = BTreeSet::new();
        let mut next = Some(format!("/records?of=photo&sort={sort}"));
        while let Some(path) = next {
            let page = browser.page(&path);
            let here = links(&page).into_iter().filter(|link| link.starts_with("/record?"));
            seen.extend(here);
            let rest = page.split("rel=\"next\" href=\"").nth(1);
            next =
                rest.and_then(|rest| rest.split('"').next()).map(|one| one.replace("&#38;", "&"));
        }
        assert_eq!(seen.len(), 120, "{sort}");
    }
    let found = browser.page("/records?of=photo&q=P07");
    assert_eq!(links(&found).iter().filter(|link| link.starts_with("/record?")).count(), 10);
}

#[test]
fn a_record_shows_its_past_values() {
    let server = Server::start();
    let at = |day: u64| UNIX_EPOCH + Duration::from_secs(1_793_520_000 + day * DAY);
    let mut mirror = Mirror::in_memory().unwrap();
    for (day, mark) in [(0, "New"), (2, "New"), (3, "Print"), (5, "Sold")] {
        server.state().put("7", "1", mark);
        mirror = mirror.with_clock(move || at(day));
        server
            .sync(&mut mirror, &SyncOptions { recheck_every: 1, ..SyncOptions::default() })
            .unwrap();
    }
    let dashboard = Dashboard::of::<Gallery>(mirror).with_clock(move || at(7));
    let browser = Browser::start(dashboard).log_in();
    let page = browser.page("/record?of=photo&id=1");
    let timeline = page.split("id=\"timeline\"").nth(1).unwrap();
    insta::assert_snapshot!(timeline.split("</section>").next().unwrap());
}

#[test]
fn health_shows_why_records_were_rejected_without_their_values() {
    let (dashboard, _folder) = three_days().reject(r#"{"title":"secret <b>"}"#).dashboard();
    let browser = Browser::start(dashboard).log_in();
    let page = browser.page("/health");
    let rejected = page.split("id=\"rejections\"").nth(1).unwrap();
    let rejected = rejected.split("</section>").next().unwrap();
    assert!(rejected.contains("<tr><th scope=\"row\">Photo</th><td class=\"number\">1</td><td>"));
    assert!(!page.contains("secret"), "{page}");
}

#[test]
fn today_has_the_last_amount_of_a_gauge_and_how_long_it_lasts() {
    let server = Server::start();
    server.state().put("7", "1", "New");
    let at = |day: u64| UNIX_EPOCH + Duration::from_secs(1_793_520_000 + day * DAY);
    let mut mirror = Mirror::in_memory().unwrap();
    for (day, free) in [(0, "100"), (1, "90.5"), (2, "81"), (4, "62")] {
        free.clone_into(&mut server.state().free);
        mirror = mirror.with_clock(move || at(day));
        server.sync(&mut mirror, &SyncOptions::default()).unwrap();
    }
    let dashboard = Dashboard::of::<Gallery>(mirror).with_clock(move || at(4));
    let today = text(&Browser::start(dashboard).log_in().page("/"));
    assert!(today.contains("62 GB 6 days left, as of 2026-11-05"), "{today}");
}

#[test]
fn an_empty_mirror_has_all_pages() {
    let (dashboard, _folder) = Sample::new().dashboard();
    let browser = Browser::start(dashboard).log_in();
    for path in ["/", "/funnel", "/records?of=photo", "/changes", "/duplicates", "/health"] {
        let page = browser.page(path);
        assert!(page.contains("Not synced yet"), "{page}");
    }
    assert_eq!(browser.get("/record?of=photo&id=1").status, 404);
}

#[test]
fn masked_values_are_on_no_page_until_they_are_asked_for() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard.mask()).log_in();
    for path in [
        "/",
        "/funnel",
        "/records?of=photo",
        "/records?of=photo&group=7&value=New",
        "/record?of=photo&id=1",
        "/record?of=album&id=7",
        "/changes",
    ] {
        let page = browser.page(path);
        assert!(!page.contains("Sea at") && !page.contains("Lake"), "{path}\n{page}");
    }
    assert!(browser.page("/record?of=photo&id=1&personal=1").contains("Sea at night"));
}

#[test]
fn the_board_follows_a_sync_of_another_process() {
    let (dashboard, folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    assert!(!browser.page("/funnel").contains("Pier"));
    let source = Source::new("https://photos.example.com", "me");
    let mut other = Mirror::open(folder.path().join("mirror.db"), &source).unwrap();
    let mut run = other.begin("albums/list", &ALBUM, Rules::default()).unwrap();
    run.record(r#"{"id":"9","title":"Pier"}"#).unwrap();
    run.finish().unwrap();
    assert!(browser.page("/funnel").contains("Pier"));
}

#[test]
fn every_page_warns_if_the_last_sync_was_refused_or_is_old() {
    let refused = "Photo: last sync refused: ";
    let old = "This is not today’s data: the last complete sync was 25 h ago.";
    let start = 1_793_520_000;
    for (hours, is_refused, warning) in
        [(23, false, None), (23, true, Some(refused)), (25, false, Some(old))]
    {
        let at = move |hours: u64| UNIX_EPOCH + Duration::from_secs(start + hours * 3600);
        let server = Server::start();
        server.state().put("7", "1", "New");
        let mut mirror = Mirror::in_memory().unwrap().with_clock(move || at(0));
        server.sync(&mut mirror, &SyncOptions::default()).unwrap();
        if is_refused {
            server.state().photos.clear();
            server.sync(&mut mirror, &SyncOptions::default()).unwrap_err();
        }
        let dashboard = Dashboard::of::<Gallery>(mirror).with_clock(move || at(hours));
        let browser = Browser::start(dashboard).log_in();
        for path in
            ["/", "/funnel", "/records?of=photo", "/record?of=photo&id=1", "/changes", "/health"]
        {
            let page = browser.page(path);
            let found = [refused, old].into_iter().find(|text| page.contains(text));
            assert_eq!(found, warning, "{path}\n{page}");
        }
    }
}

#[test]
fn without_a_named_group_the_final_marks_are_guessed() {
    let server = Server::start();
    let mut mirror = Mirror::in_memory().unwrap();
    server.state().put("7", "1", "New");
    server.sync(&mut mirror, &marks(&["Sold"])).unwrap();
    let order = [(None, vec!["New".to_owned(), "Sold".to_owned()])];
    let browser = Browser::start(Dashboard::of::<Gallery>(mirror).order(order)).log_in();
    let page = text(&browser.page("/funnel"));
    assert!(page.contains("Which marks are final is guessed; the setting statuses"), "{page}");
}

#[test]
fn the_funnel_has_the_order_of_the_team_the_shares_and_the_times() {
    let server = Server::start();
    let at = |day: u64| UNIX_EPOCH + Duration::from_secs(1_793_520_000 + day * DAY);
    let mut mirror = Mirror::in_memory().unwrap();
    let changes =
        [(0, "New", "New"), (3, "Print", "New"), (5, "Sold", "New"), (20, "Sold", "Print")];
    for (day, one, two) in changes {
        server.state().put("7", "1", one);
        server.state().put("7", "2", two);
        if day == 5 {
            server.state().put("7", "3", "New");
        }
        mirror = mirror.with_clock(move || at(day));
        let options = SyncOptions { recheck_every: 1, ..marks(&["Sold"]) };
        server.sync(&mut mirror, &options).unwrap();
    }
    let order =
        [(None, vec!["New".to_owned()]), (Some("Done".to_owned()), vec!["Sold".to_owned()])];
    let dashboard = Dashboard::of::<Gallery>(mirror).with_clock(move || at(37)).order(order);
    let browser = Browser::start(dashboard).log_in();
    let all = browser.page("/funnel");
    assert!(!all.contains("guessed") && !all.contains("In progress"), "{all}");
    // The number of people who went to a final mark matches the linked list.
    let to_end = all.split("/changes?kind=moved&#38;from=Print&#38;to=Sold").nth(1).unwrap();
    assert!(to_end.starts_with("\">1</a> <small>50 %</small>"), "{all}");
    let changes = browser.page("/changes?kind=moved&from=Print&to=Sold");
    assert_eq!(changes.matches("Print → Sold").count(), 1, "{changes}");
    assert_eq!(changes.matches(" → ").count(), 1, "{changes}");
    let one = browser.page("/record?of=album&id=7");
    let one = text(&one);
    let funnel = one.split("Funnel\n").nth(1).unwrap().split("History").next().unwrap();
    insta::assert_snapshot!(format!("{}\n# One album\n{funnel}", text(&all)));
    // The number of people who are waiting matches the linked list.
    for (days, expected) in [(7, "2"), (14, "2"), (30, "1")] {
        let today = browser.page(&format!("/?days={days}"));
        let card = today.split("<dt>Waiting</dt>").nth(1).unwrap();
        let part =
            |from: &str, to: &str| card.split(from).nth(1).unwrap().split(to).next().unwrap();
        let people = browser.page(&part("href=\"", "\"").replace("&#38;", "&"));
        assert_eq!(part("<strong>", "<"), expected, "{today}");
        assert_eq!(
            people.matches("href=\"/record?of=photo").count().to_string(),
            expected,
            "{people}"
        );
    }
    let today = browser.page("/?days=14");
    assert!(today.contains("These count as waiting: New, Rejected, Print."), "{today}");
    // The photo with Print has waited for 17 days. The end mark does not count as waiting.
    assert!(all.contains(r#"<td class="number heat2"><a class="count" href="/records?of=photo&#38;group=7&#38;value=Print""#), "{all}");
    assert!(
        all.contains("New in each of the last 12 weeks: 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0"),
        "{all}"
    );
}
