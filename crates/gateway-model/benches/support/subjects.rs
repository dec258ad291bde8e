//! The measured decoders. Every subject decodes the same body and returns the same checksum.

use gateway_model::{Candidate, CandidateRef, ListCandidates, ListOperation, Next, StreamDecoder};
use serde::Deserialize;

/// A decoder to measure.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Decodes the body, and returns the number of candidates plus the length of all strings.
    pub(crate) run: fn(&[u8]) -> usize,
}

/// The subjects. The first is the reference, the code that most people would write.
pub(crate) const SUBJECTS: &[Subject] = &[
    subject("serde_json, derived `String` structs (reference)", reference),
    subject("sonic-rs, the same structs", |body| {
        sonic_rs::from_slice::<Answer>(body).expect("valid").sum()
    }),
    subject("simd-json, the same structs, on a copy of the body", |body| {
        simd_json::from_slice::<Answer>(&mut body.to_vec()).expect("valid").sum()
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

fn reference(body: &[u8]) -> usize {
    serde_json::from_slice::<Answer>(body).expect("valid").sum()
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

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "status")]
    _status: String,
    result: Vec<Plain>,
}

impl Answer {
    fn sum(&self) -> usize {
        self.result.iter().map(Plain::sum).sum()
    }
}

#[derive(Deserialize)]
struct Plain {
    id: String,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    phone_mobile: Option<String>,
    date: Option<String>,
    portal: Option<PlainPortal>,
    r#type: Option<String>,
}

#[derive(Deserialize)]
struct PlainPortal {
    id: String,
    name: Option<String>,
}

impl Plain {
    fn sum(&self) -> usize {
        let texts =
            [&self.name, &self.email, &self.phone, &self.phone_mobile, &self.date, &self.r#type];
        1 + self.id.len()
            + texts.iter().map(|text| text.as_deref().map_or(0, str::len)).sum::<usize>()
            + self
                .portal
                .as_ref()
                .map_or(0, |portal| portal.id.len() + portal.name.as_deref().map_or(0, str::len))
    }
}
