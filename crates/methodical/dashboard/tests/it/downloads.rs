//! Downloads of a view.

use std::io::{self, Write};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use methodical_dashboard::{DownloadFormat, DownloadWriter};

use crate::browser::{Browser, Response};
use crate::sample::{Sample, three_days};

/// Returns a format with the values of each record on a line.
fn lines() -> DownloadFormat {
    ending_with(|| Ok(()))
}

/// Returns the same, with a function that runs before the last byte.
fn ending_with(at_end: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> DownloadFormat {
    let at_end: Arc<dyn Fn() -> io::Result<()> + Send + Sync> = Arc::new(at_end);
    DownloadFormat::new("Lines", "lines", "text/plain; charset=utf-8", move |columns| {
        let paths = columns.iter().map(|column| column.path.clone()).collect();
        Ok(Box::new(LineWriter { paths, has_head: false, at_end: Arc::clone(&at_end) }))
    })
}

struct LineWriter {
    paths: Vec<String>,
    has_head: bool,
    at_end: Arc<dyn Fn() -> io::Result<()> + Send + Sync>,
}

impl LineWriter {
    fn head(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_head, true) {
            writeln!(out, "{}", self.paths.join(" "))?;
        }
        Ok(())
    }
}

impl DownloadWriter for LineWriter {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        self.head(out)?;
        let record: serde_json::Value = serde_json::from_str(record)?;
        let values = self.paths.iter().map(|path| {
            let value = record.pointer(&format!("/{}", path.replace('.', "/")));
            value.map_or_else(|| "-".to_owned(), |value| value.to_string().replace('"', ""))
        });
        writeln!(out, "{}", values.collect::<Vec<_>>().join("|"))
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        self.head(out)?;
        (self.at_end)()
    }
}

/// Joins the chunks of a response (RFC 9112, section 7.1). Without the last chunk, the response was truncated: `None`.
fn whole(response: &Response) -> Option<String> {
    let (mut rest, mut text) = (&*response.body, String::new());
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return Some(text);
        }
        text.push_str(after.get(..size)?);
        rest = after.get(size..)?.strip_prefix("\r\n")?;
    }
}

#[test]
fn a_download_has_exactly_the_rows_of_the_view() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard.format(lines())).log_in();
    let mut all = String::new();
    for path in [
        "/records?of=photo",
        "/records?of=photo&sort=-title&state=all",
        "/records?of=photo&q=LAKE",
        "/records?of=photo&q=nothing",
        "/records?of=photo&group=7",
        "/records?of=photo&group=7&value=New",
        "/records?of=photo&group=8&unknown=1&state=all",
        "/records?of=album",
    ] {
        let page = browser.page(path);
        let link = page.split("download href=\"").nth(1).and_then(|rest| rest.split('"').next());
        let link = link.unwrap().replace("&#38;", "&");
        let response = browser.get(&link);
        assert_eq!(response.status, 200, "{link}");
        all.extend(["# ", &link, "\n", &whole(&response).unwrap(), "\n"]);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_download_has_a_safe_name_and_its_type() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard.format(lines())).log_in();
    let response = browser.get("/download?of=photo&as=lines&q=%22%0d%0aX-Evil:%201");
    assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
    let disposition = response.header("content-disposition");
    assert_eq!(disposition, Some("attachment; filename=\"photos-2026-11-03.lines\""));
    assert_eq!(
        (response.header("x-evil"), response.header("cache-control")),
        (None, Some("no-store"))
    );
    for (path, status) in [
        ("/download?of=photo&as=exe", 404),
        ("/download?of=photo", 404),
        ("/download?of=secret&as=lines", 404),
        ("/download?of=photo&as=lines&sort=size", 400),
        ("/download?as=lines", 404),
    ] {
        let response = browser.get(path);
        assert_eq!(
            (response.status, response.header("content-disposition")),
            (status, None),
            "{path}"
        );
    }
    let (dashboard, _folder) = three_days().dashboard();
    let stranger = Browser::start(dashboard.format(lines()));
    assert_eq!(stranger.get("/download?of=photo&as=lines").status, 403);
}

#[test]
fn a_download_has_all_pages_of_a_view() {
    let ids: Vec<String> = (0..4_321).map(|id| format!("p{id:05}")).collect();
    let photos: Vec<(&str, &str)> = ids.iter().map(|id| (&**id, "Sea")).collect();
    let (dashboard, _folder) = Sample::new().sync(&photos, &[], &[]).dashboard();
    let browser = Browser::start(dashboard.format(lines())).log_in();
    for sort in ["new", "old", "changed", "title", "-title"] {
        let response = browser.get(&format!("/download?of=photo&as=lines&sort={sort}"));
        let text = whole(&response).unwrap();
        let mut found: Vec<&str> =
            text.lines().skip(1).filter_map(|line| line.split('|').next()).collect();
        assert_eq!(found.len(), ids.len(), "{sort}");
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, ids, "{sort}");
    }
}

#[test]
fn a_masked_download_has_no_personal_values() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard.mask().format(lines())).log_in();
    for query in ["of=photo", "of=photo&personal=1", "of=photo&group=7"] {
        let text = whole(&browser.get(&format!("/download?as=lines&{query}"))).unwrap();
        assert!(!text.contains("Sea at") && !text.contains("Lake") && text.contains('|'), "{text}");
    }
}

#[test]
fn a_download_of_an_empty_mirror_has_its_columns() {
    let (dashboard, _folder) = Sample::new().dashboard();
    let browser = Browser::start(dashboard.format(lines())).log_in();
    let text = whole(&browser.get("/download?of=photo&as=lines")).unwrap();
    assert_eq!(text, "id title mirror.state mirror.first_seen mirror.changed_at\n");
}

#[test]
fn a_download_is_cut_if_the_format_fails_or_the_mirror_changes_meanwhile() {
    let (dashboard, _folder) = three_days().dashboard();
    let full = ending_with(|| Err(io::Error::other("a cell is too long")));
    let browser = Browser::start(dashboard.format(full)).log_in();
    assert_eq!(whole(&browser.get("/download?of=photo&as=lines")), None);

    let (dashboard, _folder) = three_days().dashboard();
    let broken = ending_with(|| panic!("a bug of a format"));
    let browser = Browser::start(dashboard.format(broken)).log_in();
    assert_eq!(whole(&browser.get("/download?of=photo&as=lines")), None);

    let sample = three_days();
    let mirror = Mutex::new(Some(sample.again()));
    let (dashboard, _folder) = sample.dashboard();
    let changing = ending_with(move || {
        if let Some(other) = mirror.lock().unwrap().take() {
            drop(other.sync(&[("1", "Moon")], &[("7", "Harbour")], &[("7", "1", Some("Print"))]));
        }
        Ok(())
    });
    let browser = Browser::start(dashboard.format(changing)).log_in();
    assert_eq!(whole(&browser.get("/download?of=photo&as=lines")), None);
    let text = whole(&browser.get("/download?of=photo&as=lines")).unwrap();
    assert!(text.contains("Moon") && !text.contains("Lake"), "{text}");
}

#[test]
fn more_downloads_than_a_few_are_refused_and_pages_are_still_answered() {
    let (begun, wait) = sync_channel(4);
    let (release, released) = sync_channel(4);
    let released = Mutex::new(released);
    let waiting = ending_with(move || {
        begun.send(()).map_err(io::Error::other)?;
        released.lock().unwrap().recv_timeout(LIMIT).map_err(io::Error::other)
    });
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard.format(waiting)).log_in();
    std::thread::scope(|scope| {
        let first: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| whole(&browser.get("/download?of=photo&as=lines"))))
            .collect();
        for _ in &first {
            wait.recv_timeout(LIMIT).unwrap();
        }
        assert_eq!(browser.get("/download?of=photo&as=lines").status, 503);
        assert!(browser.page("/funnel").contains("Harbour"));
        for _ in 0..3 {
            release.send(()).unwrap();
        }
        for one in first {
            assert!(one.join().unwrap().unwrap().contains("Lake"));
        }
    });
    release.send(()).unwrap();
    assert!(whole(&browser.get("/download?of=photo&as=lines")).is_some());
}

/// Maximum time of any step, on the slowest machine.
const LIMIT: Duration = Duration::from_secs(60);
