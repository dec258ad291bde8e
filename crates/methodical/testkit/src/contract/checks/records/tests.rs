use gateway_transport::{BlockingBody, blocking_transport_fn};
use methodical_model::paging::PagedBy;
use methodical_model::{Auth, Dispatch};

use crate::contract::checks::records::group;
use crate::contract::description::{Contract, Data, Kind, Operation, Pages, Param, Record};
use crate::contract::evidence::Evidence;
use crate::contract::target::Target;
use crate::contract::tests::{LIMIT, OBJECT, field, service};
use crate::outcome::Stop;

static PHOTO: Record = Record { identity: Some("id"), fields: &[field("id", Kind::Text, true)] };

const POSITION: Param = Param { check: "at", name: "at", ..LIMIT };

/// Returns a contract with a list whose pages follow each other in this way.
fn paged(by: PagedBy) -> &'static Contract {
    let is_next = !matches!(by, PagedBy::Number { .. } | PagedBy::Offset);
    let pages = Pages {
        by,
        param: "at",
        last: if matches!(by, PagedBy::Number { .. }) { &["pages"] } else { &[] },
        total: if by == PagedBy::Offset { &["total"] } else { &[] },
        next: if is_next { &["next"] } else { &[] },
        more: Some((&["more"], &["false", "0"])),
    };
    let operation = Operation {
        group: "photos",
        select: "photos/list",
        source: "",
        post: None,
        response: Data { is_list: true, at: &["photos"], pages: Some(pages), ..OBJECT },
        reports_failures: false,
        record: &PHOTO,
        params: &[POSITION],
    };
    let operations = Box::leak(Box::new([operation]));
    let dispatch = Dispatch::query(&["method"]);
    Box::leak(Box::new(service("/api", Auth::None, dispatch, operations)))
}

/// Judges a service whose second page has this query.
fn judge(
    by: PagedBy,
    query: &'static str,
    first: &'static str,
    second: &'static str,
) -> Result<(), Stop> {
    let contract = paged(by);
    let transport = blocking_transport_fn(move |request| {
        let asked = request.uri().query().unwrap_or_default();
        let body = match asked.strip_prefix("method=photos/list") {
            Some("") => first,
            Some(rest) if rest == query => second,
            _ => "{}",
        };
        Ok(http::Response::new(BlockingBody::from(bytes::Bytes::from(body.replace('\'', "\"")))))
    });
    let target = Target::new("https://gateway.example.com", "token").unwrap();
    let evidence = Evidence::new(contract, &target, &transport);
    let checks = group(&contract.operations[0]).checks;
    let pages = checks.last().unwrap();
    assert_eq!(pages.check.name, "photos.pages");
    (pages.judge)(&evidence)
}

const NUMBER: PagedBy = PagedBy::Number { first: 1 };
const OTHER: &str = "{'photos':[{'id':'2'}]}";

#[test]
fn a_second_page_with_other_records_passes() {
    for (by, query, first) in [
        (NUMBER, "&at=2", "{'photos':[{'id':'1'}],'pages':'2'}"),
        (PagedBy::Offset, "&at=1", "{'photos':[{'id':'1'}],'total':2}"),
        (PagedBy::Offset, "&at=1", "{'photos':[{'id':'1'}],'more':1}"),
        (PagedBy::NextOffset, "&at=50", "{'photos':[{'id':'1'}],'next':50}"),
        (PagedBy::Cursor, "&at=b%2F1", "{'photos':[{'id':'1'}],'next':'b/1'}"),
    ] {
        assert_eq!(judge(by, query, first, OTHER), Ok(()), "{by:?}");
        let again = Stop::Fail("1 of 1 records are on the first page as well".to_owned());
        assert_eq!(judge(by, query, first, first), Err(again), "{by:?}");
    }
}

#[test]
fn a_list_with_one_page_is_not_judged() {
    for (by, first) in [
        (NUMBER, "{'photos':[{'id':'1'}],'pages':1}"),
        (PagedBy::Offset, "{'photos':[{'id':'1'}],'total':1}"),
        (PagedBy::Offset, "{'photos':[]}"),
        (PagedBy::NextOffset, "{'photos':[{'id':'1'}]}"),
        (NUMBER, "{'photos':[{'id':'1'}],'pages':2,'more':false}"),
        (PagedBy::Cursor, "{'photos':[{'id':'1'}],'next':'b','more':0}"),
        (PagedBy::Cursor, "{'photos':[{'id':'1'}],'next':''}"),
    ] {
        let skipped = Stop::Skip("the list has one page".to_owned());
        assert_eq!(judge(by, "", first, OTHER), Err(skipped), "{by:?}");
    }
}
