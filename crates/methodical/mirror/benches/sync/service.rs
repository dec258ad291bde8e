//! The model of a service with a list of people, and a client that receives a generated list.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use methodical_mirror::client::transport::bytes::Bytes;
use methodical_mirror::client::transport::http::Response;
use methodical_mirror::client::transport::{BlockingBody, blocking_transport_fn};
use methodical_mirror::client::{AccessToken, RetryPolicy, blocking};
use methodical_mirror::model::codegen::{self, Body, Nulls, QueryBuilder};
use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::model::{
    DecodeError, Extra, ListOperation, Listing, Operation, Query, Service,
};

#[derive(Debug)]
pub(crate) struct Directory;

impl Service for Directory {
    const PATH: &'static str = "/api/v2";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
}

pub(crate) const PERSON: Table = Table::new(
    "person",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["name"]).personal(),
        Column::text(&["email"]).personal(),
        Column::text(&["phone"]).personal(),
        Column::text(&["date"]),
        Column::text(&["site", "id"]),
        Column::text(&["site", "name"]),
        Column::text(&["type"]),
    ],
);

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Person {
    id: String,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    date: Option<String>,
    site: Option<Site>,
    kind: Option<String>,
    extra: Extra<'static>,
    nulls: Nulls,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PersonRef<'a> {
    id: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    email: Option<Cow<'a, str>>,
    phone: Option<Cow<'a, str>>,
    date: Option<Cow<'a, str>>,
    site: Option<SiteRef<'a>>,
    kind: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Person, PersonRef, "a person object";
    0 required plain id: String = "id";
    1 optional personal name: String = "name";
    2 optional personal email: String = "email";
    3 optional personal phone: String = "phone";
    4 optional plain date: String = "date";
    5 optional plain site: Site = "site";
    6 optional plain kind: String = "type";
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Site {
    id: String,
    name: Option<String>,
    extra: Extra<'static>,
    nulls: Nulls,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SiteRef<'a> {
    id: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Site, SiteRef, "a site object";
    0 required plain id: String = "id";
    1 optional plain name: String = "name";
}

/// The place of the list in a body.
const LAYOUT: &Body = &Body { at: &["list"], ..Body::ROOT };

#[derive(Clone, Debug)]
pub(crate) struct ListPersons;

impl Operation for ListPersons {
    type Service = Directory;
    type Output = Listing<Person>;

    const METHOD: &'static str = "persons/list";
    const BODY: &'static Body = LAYOUT;

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Directory>(Self::METHOD).finish())
    }
}

impl ListOperation for ListPersons {
    type Item = Person;
    type Metadata = ();
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    Same,
    /// 0.5 % changed, 0.2 % absent, 0.5 % new.
    Changed,
}

impl List {
    /// Returns the id and the version of each person.
    fn persons(self, size: u64) -> Box<dyn Iterator<Item = (u64, bool)> + Send> {
        match self {
            Self::Same => Box::new((1..=size).map(|id| (id, false))),
            Self::Changed => {
                let known = (1..=size).filter(|id| id % 500 != 250);
                let new = size + 1..=size + size / 200;
                let known = known.map(|id| (id, id % 200 == 7));
                Box::new(known.chain(new.map(|id| (id, false))))
            }
        }
    }

    /// Returns the body of the list in parts, as they arrive from a network.
    pub(crate) fn body(self, size: u64) -> impl Iterator<Item = Bytes> + Send {
        let (mut persons, mut is_first, mut is_last) = (self.persons(size), true, false);
        std::iter::from_fn(move || {
            if is_last {
                return None;
            }
            let mut text = String::with_capacity(CHUNK + 512);
            while text.len() < CHUNK {
                let Some((id, is_changed)) = persons.next() else {
                    is_last = true;
                    text.push_str("]}");
                    break;
                };
                text.push_str(if is_first { r#"{"list":["# } else { "," });
                is_first = false;
                let kind = if is_changed { "former" } else { "person" };
                let _infallible = write!(
                    text,
                    r#"{{"id":"{id}","name":"Person Number {id}","email":"person{id}@example.com","phone":"+31 20 {id:07}","date":"{DATE}","site":{{"id":"3","name":"Northwind Jobs"}},"type":"{kind}"}}"#
                );
            }
            Some(text.into())
        })
    }

    /// Returns a client that receives the list.
    pub(crate) fn client(self, size: u64) -> blocking::Client<Directory> {
        let answer = move |_| {
            let body = BlockingBody::from_chunks(self.body(size).map(Ok));
            let mut response = Response::new(body);
            let json = "application/json".parse().unwrap();
            response.headers_mut().insert("content-type", json);
            Ok(response)
        };
        blocking::Client::builder(URL)
            .token(AccessToken::new("gwt_6yqW").unwrap())
            .transport(Arc::new(blocking_transport_fn(answer)))
            .retry(RetryPolicy::never())
            .build()
            .unwrap()
    }
}

/// The base URL, to which nothing connects.
pub(crate) const URL: &str = "https://gateway.example.com";

pub(crate) const DATE: &str = "2024-03-31 02:30:00";

/// Size of a part of a body, in bytes.
const CHUNK: usize = 64 << 10;
