//! Speed of decoding each kind of field, compared in the same run with `serde_json` into derived structs.
//!
//! `cargo bench -p methodical-model --bench kinds` prints a table. A ratio is the median over interleaved rounds;
//! above 1, the decoder is faster than `serde_json`. `-- --count KIND ours 3` decodes a body three times, and `serde`
//! instead of `ours` does it with `serde_json`, for tools that count instructions.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints for a person and stops at the first error"
)]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use methodical_model::codegen::{self, Layout, Nulls, OneAsList};
use methodical_model::{Extra, Float, Map};

/// Declares a record with one field of a kind, which `$reader` reads, the same struct for serde, and both decoders.
macro_rules! kind {
    ($module:ident, $owned:ty, $borrowed:ty, $derived:ty) => {
        kind!($module, $owned, $borrowed, $derived, $owned);
    };
    ($module:ident, $owned:ty, $borrowed:ty, $derived:ty, $reader:ty) => {
        mod $module {
            use super::*;

            #[derive(Clone, PartialEq, Eq)]
            pub(super) struct Holder {
                pub(super) value: $owned,
                extra: Extra<'static>,
                nulls: Nulls,
            }

            #[derive(Clone, PartialEq, Eq)]
            pub(super) struct HolderRef<'a> {
                pub(super) value: $borrowed,
                extra: Extra<'a>,
                nulls: Nulls,
            }

            codegen::record! {
                Holder, HolderRef, "a holder object";
                0 required plain value: $reader = "value";
            }

            #[derive(serde::Deserialize)]
            struct Derived {
                value: $derived,
            }

            pub(super) fn ours(body: &[u8]) -> usize {
                let listing = codegen::list::<Holder, ()>(Layout::Array, body).expect("valid");
                listing.items.iter().map(|item| black_box(&item.value)).count()
            }

            pub(super) fn serde(body: &[u8]) -> usize {
                let items = serde_json::from_slice::<Vec<Derived>>(body).expect("valid");
                items.iter().map(|item| black_box(&item.value)).count()
            }
        }
    };
}

kind!(texts, Vec<String>, Vec<Cow<'a, str>>, Vec<String>);
kind!(integers, Vec<i64>, Vec<i64>, Vec<i64>);
kind!(grid, Vec<Vec<u64>>, Vec<Vec<u64>>, Vec<Vec<u64>>);
kind!(floats, Vec<Float>, Vec<Float>, Vec<f64>);
kind!(flags, Vec<bool>, Vec<bool>, Vec<bool>);
kind!(map, Map<String>, Map<Cow<'a, str>, Cow<'a, str>>, std::collections::BTreeMap<String, String>);
kind!(lists, Map<Vec<String>>, Map<Vec<Cow<'a, str>>, Cow<'a, str>>, std::collections::BTreeMap<String, Vec<String>>);

/// A record in a list or a map.
#[derive(Clone, PartialEq, Eq)]
struct Photo {
    id: String,
    title: Option<String>,
    views: Option<i64>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The same record, which borrows its text.
#[derive(Clone, PartialEq, Eq)]
struct PhotoRef<'a> {
    id: Cow<'a, str>,
    title: Option<Cow<'a, str>>,
    views: Option<i64>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Photo, PhotoRef, "a photo object";
    0 required plain id: String = "id";
    1 optional plain title: String = "title";
    2 optional plain views: i64 = "views";
}

/// The same record for serde.
#[derive(serde::Deserialize)]
#[expect(dead_code, reason = "the benchmark only decodes it")]
struct DerivedPhoto {
    id: String,
    title: Option<String>,
    views: Option<i64>,
}

kind!(photos, Vec<Photo>, Vec<PhotoRef<'a>>, Vec<DerivedPhoto>);
kind!(photos_by_key, Map<Photo>, Map<PhotoRef<'a>, Cow<'a, str>>, std::collections::BTreeMap<String, DerivedPhoto>);

codegen::scalar! {
    /// A price.
    Price, decimal, or_number
}

codegen::scalar! {
    /// A number of views.
    Views, integer, or_text
}

codegen::scalar! {
    /// Whether a photo is public.
    IsPublic, boolean, ["1", "\"1\""], ["0", "\"0\""]
}

codegen::coded_enum! {
    /// The state of a photo.
    State, UnknownState, i64, not 99,
    {
        /// It is new.
        New = 0,
        /// It is sold.
        Sold = 2,
    }
}

/// What `serde_json` can derive for text or a number.
#[derive(serde::Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "the benchmark only decodes it")]
enum TextOrNumber {
    Text(String),
    Number(f64),
}

/// What `serde_json` can derive for a number or text.
#[derive(serde::Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "the benchmark only decodes it")]
enum NumberOrText {
    Number(u64),
    Text(String),
}

kind!(prices, Vec<Price>, Vec<Cow<'a, str>>, Vec<TextOrNumber>);
kind!(views, Vec<Views>, Vec<Views>, Vec<NumberOrText>);
kind!(public, Vec<IsPublic>, Vec<IsPublic>, Vec<NumberOrText>);
/// What `serde_json` can derive for a list or a single value.
#[derive(serde::Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "the benchmark only decodes it")]
enum OneOrList {
    One(String),
    List(Vec<String>),
}

kind!(ones, Vec<String>, Vec<Cow<'a, str>>, OneOrList, OneAsList<String>);
kind!(states, Vec<State>, Vec<State>, Vec<i64>);

/// A kind of field, a sample of its values by their number, and both decoders.
struct Kind {
    name: &'static str,
    value: fn(u64) -> String,
    decoders: [fn(&[u8]) -> usize; 2],
}

const KINDS: &[Kind] = &[
    Kind { name: "list<text>", value: |n| list(n, text), decoders: [texts::ours, texts::serde] },
    Kind {
        name: "list<integer>",
        value: |n| list(n, |n| (n * 7919).to_string()),
        decoders: [integers::ours, integers::serde],
    },
    Kind {
        name: "list<list<integer>>",
        value: |n| list(n, |n| list(n, |n| (n % 1000).to_string())),
        decoders: [grid::ours, grid::serde],
    },
    Kind {
        name: "list<float>",
        value: |n| list(n, |n| format!("{}.{}", n % 1000, n * 7919 % 100_000)),
        decoders: [floats::ours, floats::serde],
    },
    Kind {
        name: "list<boolean>",
        value: |n| list(n, |n| (n % 3 == 0).to_string()),
        decoders: [flags::ours, flags::serde],
    },
    Kind {
        name: "text-or-number",
        value: |n| list(n, |n| if n % 2 == 0 { format!("{n}.50") } else { text(n) }),
        decoders: [prices::ours, prices::serde],
    },
    Kind {
        name: "integer-or-text",
        value: |n| list(n, |n| if n % 2 == 0 { n.to_string() } else { format!("\"{n}\"") }),
        decoders: [views::ours, views::serde],
    },
    Kind {
        name: "codes",
        value: |n| list(n, |n| if n % 3 == 0 { "1".to_owned() } else { "\"0\"".to_owned() }),
        decoders: [public::ours, public::serde],
    },
    Kind {
        name: "enum of integers",
        value: |n| list(n, |n| (n % 4).to_string()),
        decoders: [states::ours, states::serde],
    },
    Kind {
        name: "one-as-list",
        value: |n| if n % 2 == 0 { list(n, text) } else { text(n) },
        decoders: [ones::ours, ones::serde],
    },
    Kind { name: "map<text>", value: |n| object(n, text), decoders: [map::ours, map::serde] },
    Kind {
        name: "map<list<text>>",
        value: |n| object(n, |n| list(n, text)),
        decoders: [lists::ours, lists::serde],
    },
    Kind {
        name: "list<Model>",
        value: |n| list(n, photo),
        decoders: [photos::ours, photos::serde],
    },
    Kind {
        name: "map<Model>",
        value: |n| object(n, photo),
        decoders: [photos_by_key::ours, photos_by_key::serde],
    },
];

fn photo(number: u64) -> String {
    let views = if number.is_multiple_of(3) { "null".to_owned() } else { number.to_string() };
    format!("{{\"id\":\"{number}\",\"title\":{},\"views\":{views}}}", text(number))
}

fn text(number: u64) -> String {
    format!("\"value {}\"", number % 9973)
}

fn list(number: u64, of: fn(u64) -> String) -> String {
    let values: Vec<_> = (0..number % 12).map(|index| of(number * 31 + index)).collect();
    format!("[{}]", values.join(","))
}

fn object(number: u64, of: fn(u64) -> String) -> String {
    let entries: Vec<_> = (0..number % 12)
        .map(|index| format!("\"k{}-{index}\":{}", number % 97, of(number * 31 + index)))
        .collect();
    format!("{{{}}}", entries.join(","))
}

impl Kind {
    fn body(&self) -> Vec<u8> {
        let mut body = String::from("[");
        for number in 0.. {
            if body.len() > BYTES {
                break;
            }
            let comma = if number == 0 { "" } else { "," };
            write!(body, "{comma}{{\"value\":{}}}", (self.value)(number))
                .expect("a string takes all");
        }
        body.push(']');
        body.into_bytes()
    }

    /// Returns the median of the ratio of the times.
    fn ratio(&self) -> f64 {
        let body = self.body();
        let [ours, serde] = self.decoders;
        assert_eq!(ours(&body), serde(&body), "{}", self.name);
        let time = |decode: fn(&[u8]) -> usize| {
            let start = Instant::now();
            black_box(decode(black_box(&body)));
            start.elapsed().as_secs_f64()
        };
        let mut ratios: Vec<_> = (0..ROUNDS).map(|_| time(serde) / time(ours)).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ROUNDS / 2).copied().expect("there are rounds")
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, kind, whose, times] = arguments.as_slice()
        && mode == "--count"
    {
        let kind = KINDS.iter().find(|one| one.name == kind).expect("a kind of the table");
        let [ours, serde] = kind.decoders;
        let decode = if whose == "ours" { ours } else { serde };
        let body = kind.body();
        let times: u32 = times.parse().expect("a number");
        println!("{}", (0..times).map(|_| decode(black_box(&body))).sum::<usize>());
        return;
    }
    println!("| kind | times the speed of serde_json |\n|---|--:|");
    for kind in KINDS {
        println!("| `{}` | {:.2} |", kind.name, kind.ratio());
    }
}

const BYTES: usize = 1_000_000;
const ROUNDS: usize = 41;
