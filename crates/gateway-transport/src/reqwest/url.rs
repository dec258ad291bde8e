//! Refuses the targets that reqwest would rewrite.
use ::url::{Position, Url};
use http::Uri;

use crate::{TransportError, target};

/// Converts `uri` to the URL type of reqwest, and refuses it if that changes any byte of the target.
///
/// The URL standard re-encodes some bytes (`'` in a query) and resolves dot segments, so the peer would receive a
/// different target than the caller wrote.
pub(super) fn unchanged(uri: &Uri) -> Result<Url, TransportError> {
    target::check(uri)?;
    let scheme = uri.scheme_str().unwrap_or_default();
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    // RFC 9112, section 3.2.1: an empty path is sent as `/`, also before a query.
    let slash = if target.starts_with('/') { "" } else { "/" };
    // One allocation; the `Display` of a URI writes in parts.
    let url = Url::parse(&[scheme, "://", authority, slash, target].concat())
        .map_err(|e| target::refused("the target is not a URL").with_source(e))?;
    let sent = url.as_str().get(target_range(&url)).and_then(|sent| sent.strip_prefix(slash));
    if sent == Some(target) {
        Ok(url)
    } else {
        Err(target::refused(
            "the target is not in the normal form of the URL standard and would be rewritten",
        ))
    }
}

/// Returns the range of path and query in the text of `url`.
fn target_range(url: &Url) -> std::ops::Range<usize> {
    let start = url[..Position::BeforePath].len();
    let end = url[..Position::AfterQuery].len();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &'static str, expected: Result<(), &str>) {
        let result = unchanged(&Uri::from_static(uri)).map(drop).map_err(|e| e.to_string());
        assert_eq!(result.as_ref().map(|&()| ()).map_err(String::as_str), expected);
    }

    #[test]
    fn normal_targets_are_accepted() {
        check("http://localhost:8080", Ok(()));
        check("http://localhost/api/v1?method=photos/list&title=a%20b", Ok(()));
        check("http://[::1]:1/?", Ok(()));
        check("http://localhost?a=1", Ok(()));
    }

    #[test]
    fn targets_that_would_be_rewritten_are_refused() {
        let rewritten =
            "the target is not in the normal form of the URL standard and would be rewritten";
        check("http://localhost/?name=O'Brien", Err(rewritten));
        check("http://localhost/a/../b", Err(rewritten));
        check("http://localhost/a/%2e%2e/b", Err(rewritten));
    }
}
