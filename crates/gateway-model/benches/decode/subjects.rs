//! The measured decoders. Every subject decodes the same body and returns the same checksum.

use std::borrow::Cow;

use facet::Facet;
use gateway_model::{Candidate, CandidateRef, ListCandidates, ListOperation, Next, Operation as _, StreamDecoder};
use serde::Deserialize;

/// A decoder to measure.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Decodes the body, and returns the number of candidates plus the length of all strings.
    pub(crate) run: fn(&[u8]) -> usize,
}

/// The subjects. The first is the reference, the code that most people would write.
pub(crate) const SUBJECTS: &[Subject] = &[
    subject("serde_json, derived `String` structs (reference)", |body| {
        serde_json::from_slice::<Answer<String>>(body).expect("valid").sum()
    }),
    subject("sonic-rs, the same structs", |body| {
        sonic_rs::from_slice::<Answer<String>>(body).expect("valid").sum()
    }),
    subject("simd-json, the same structs, on a copy of the body", |body| {
        simd_json::from_slice::<Answer<String>>(&mut body.to_vec()).expect("valid").sum()
    }),
    subject("flexon, the same structs, on a copy of the body", |body| {
        flexon::from_mut_slice::<Answer<String>>(&mut body.to_vec()).expect("valid").sum()
    }),
    subject("facet-json, the same structs", |body| {
        facet_json::from_slice::<Answer<String>>(body).expect("valid").sum()
    }),
    subject("serde_json, structs that borrow", |body| {
        serde_json::from_slice::<Answer<Text<'_>>>(body).expect("valid").sum()
    }),
    subject("sonic-rs, structs that borrow", |body| {
        sonic_rs::from_slice::<Answer<Text<'_>>>(body).expect("valid").sum()
    }),
    subject("flexon, structs that borrow from a copy of the body", |body| {
        flexon::from_mut_slice::<Answer<Text<'_>>>(&mut body.to_vec()).expect("valid").sum()
    }),
    subject("ours, whole body, owned", |body| {
        ListCandidates::decode(body).expect("valid").items.iter().map(owned).sum()
    }),
    subject("ours, whole body, borrowed", |body| {
        ListCandidates::new().decode_borrowed(body).expect("valid").items.iter().map(borrowed).sum()
    }),
    subject("ours, from 64 KiB chunks, owned", |body| {
        stream(body, |decoder| decoder.next_record().map(|next| map(next, |record| owned(&record))))
    }),
    subject("ours, from 64 KiB chunks, borrowed", |body| {
        stream(body, |decoder| decoder.next_json_with(|record, _| borrowed(&record)))
    }),
];

const fn subject(name: &'static str, run: fn(&[u8]) -> usize) -> Subject {
    Subject { name, run }
}

fn stream(
    body: &[u8],
    mut next: impl FnMut(
        &mut StreamDecoder<Candidate>,
    ) -> Result<Next<usize>, gateway_model::DecodeError>,
) -> usize {
    let mut decoder = ListCandidates::new().decoder();
    let mut chunks = body.chunks(64 * 1024);
    let mut sum = 0;
    loop {
        match next(&mut decoder).expect("valid") {
            Next::Item(item) => sum += item,
            Next::NeedMore => match chunks.next() {
                Some(chunk) => decoder.push(chunk),
                None => decoder.finish(),
            },
            Next::End => return sum,
            other => panic!("{other:?}"),
        }
    }
}

fn map<T>(next: Next<T>, read: impl FnOnce(T) -> usize) -> Next<usize> {
    match next {
        Next::Item(item) => Next::Item(read(item)),
        Next::NeedMore => Next::NeedMore,
        Next::End => Next::End,
        _ => panic!("a rejected record"),
    }
}

fn owned(candidate: &Candidate) -> usize {
    let Candidate { id, name, email, phone, phone_mobile, date, portal, kind, .. } = candidate;
    let texts = [name, email, phone, phone_mobile];
    1 + id.as_str().len()
        + texts.iter().map(|text| text.as_deref().map_or(0, str::len)).sum::<usize>()
        + date.as_ref().map_or(0, |date| date.as_str().len())
        + portal.as_ref().map_or(0, |portal| {
            portal.id.as_str().len() + portal.name.as_deref().map_or(0, str::len)
        })
        + kind.as_ref().map_or(0, |kind| kind.as_str().len())
}

fn borrowed(candidate: &CandidateRef<'_>) -> usize {
    let CandidateRef { id, name, email, phone, phone_mobile, date, portal, kind, .. } = candidate;
    let texts = [name, email, phone, phone_mobile, date];
    1 + id.len()
        + texts.iter().map(|text| text.as_deref().map_or(0, str::len)).sum::<usize>()
        + portal
            .as_ref()
            .map_or(0, |portal| portal.id.len() + portal.name.as_deref().map_or(0, str::len))
        + kind.as_ref().map_or(0, |kind| kind.as_str().len())
}

#[derive(Deserialize, Facet)]
struct Answer<T> {
    #[serde(rename = "status")]
    #[facet(rename = "status")]
    _status: T,
    result: Vec<Plain<T>>,
}

#[derive(Deserialize, Facet)]
struct Plain<T> {
    id: T,
    name: Option<T>,
    email: Option<T>,
    phone: Option<T>,
    phone_mobile: Option<T>,
    date: Option<T>,
    portal: Option<PlainPortal<T>>,
    r#type: Option<T>,
}

#[derive(Deserialize, Facet)]
struct PlainPortal<T> {
    id: T,
    name: Option<T>,
}

/// Text that borrows from the body, unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str>> Answer<T> {
    fn sum(&self) -> usize {
        self.result.iter().map(Plain::sum).sum()
    }
}

impl<T: AsRef<str>> Plain<T> {
    fn sum(&self) -> usize {
        let Self { id, name, email, phone, phone_mobile, date, portal, r#type } = self;
        let length = |text: &Option<T>| text.as_ref().map_or(0, |text| text.as_ref().len());
        1 + id.as_ref().len()
            + [name, email, phone, phone_mobile, date, r#type]
                .into_iter()
                .map(length)
                .sum::<usize>()
            + portal.as_ref().map_or(0, |portal| portal.id.as_ref().len() + length(&portal.name))
    }
}
