//! The fields of the objects around the data.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use serde::Deserialize as _;
use serde::de::IgnoredAny;

use crate::decode::diagnose::diagnose;
use crate::decode::engine::{Engine, State, Window};
use crate::decode::layout::{Body, Decides, Path, Verdict};
use crate::decode::shape::Shape;
use crate::decode::text::CowText;
use crate::decode::value::Value as _;
use crate::decode::{Metadata, depth, members};
use crate::error::{CODE_LIMIT, MESSAGE_LIMIT, Position, ServiceError, bounded};
use crate::{DecodeError, DecodeErrorKind};

/// The purposes of a field in an object around the data.
#[expect(clippy::struct_excessive_bools, reason = "a field may have several purposes")]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Purposes {
    /// The field is the data, or contains it.
    pub(super) is_step: bool,
    /// The field decides about success, or contains the field that does.
    pub(super) decides: bool,
    /// The field is the error code, or contains it.
    pub(super) code: bool,
    /// The field is the error message, or contains it.
    pub(super) message: bool,
    /// The field is part of the list's metadata, so it is kept.
    pub(super) is_metadata: bool,
}

impl Engine {
    /// Returns the purposes of the field whose name is the JSON string `json`.
    pub(super) fn name(
        &mut self,
        window: Window<'_>,
        at: usize,
        json: &str,
    ) -> Result<Purposes, DecodeError> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let name = CowText::deserialize(&mut deserializer)
            .map_err(|error| self.syntax(window, at, json, &error))?;
        let (body, depth) = (self.body, self.depth);
        let leads = |path: Path| {
            path.get(depth).is_some_and(|step| *step == name.0)
                && path.get(..depth) == body.at.get(..depth)
        };
        let member = Purposes {
            is_step: leads(body.at),
            decides: body.decides().is_some_and(|decides| leads(path(decides))),
            code: body.verdict.is_some_and(|verdict| leads(verdict.code)),
            message: body.verdict.is_some_and(|verdict| leads(verdict.message)),
            is_metadata: false,
        };
        let member = Purposes { is_metadata: self.keep_name(member, &name.0, json), ..member };
        if (member.is_step && self.found > depth) || (member.decides && self.is_decided) {
            let path = body.at.get(..depth).into_iter().flatten().copied().chain([&*name.0]);
            let (kind, path) = (DecodeErrorKind::Duplicate, path.collect::<Vec<_>>().join("."));
            return Err(self.error(window.text, at, kind, path, "the field once"));
        }
        if member.is_step {
            self.found = depth + 1;
        }
        Ok(member)
    }

    /// Returns the state in which the value of a field is read in parts, or `None` if it is read as a whole.
    pub(super) fn part(&mut self, byte: u8) -> Option<State> {
        let (body, is_object) = (self.body, self.is_object);
        let is_last = self.found == body.at.len();
        if !self.member.is_step {
            return None;
        }
        match byte {
            b'{' if !is_last => {
                self.depth += 1;
                Some(State::Name { first: true })
            }
            b'[' if is_last && !is_object => (self.failure.is_none()
                || body.verdict.is_some_and(Verdict::has_empty))
            .then_some(State::Record { first: true }),
            _ if !is_last || self.failure.is_some() => None,
            b'{' if body.one_as_list => Some(State::Only),
            _ => is_object.then_some(State::Only),
        }
    }

    /// Checks the value of a field that is read as a whole.
    pub(super) fn value(
        &mut self,
        window: Window<'_>,
        at: usize,
        json: &str,
    ) -> Result<(), DecodeError> {
        if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
            return Err(self.syntax(window, at, json, &error));
        }
        self.learn(json);
        if self.member.is_metadata {
            self.keep(window, at, json)?;
        }
        if self.member.decides {
            self.decide(window, at, json)?;
        }
        if self.member.is_step {
            if json != "null" || !self.body.absent_as_empty {
                let (path, expected) = self.step(self.depth);
                let kind = DecodeErrorKind::WrongType;
                // The marker may still follow, and a failure that it reports takes precedence.
                self.pending = Some(self.error(window.text, at, kind, path, expected));
            }
        } else if !self.member.decides && depth::exceeded(json) {
            let kind = DecodeErrorKind::TooDeep;
            return Err(self.error(window.text, at, kind, "*".into(), depth::EXPECTED));
        }
        Ok(())
    }

    /// Records the error code and the error message if the value of the current field contains them.
    pub(super) fn learn(&mut self, json: &str) {
        let Some(verdict) = self.body.verdict else { return };
        let depth = self.depth;
        let text = |path: Path, limit| -> Option<Box<str>> {
            let text = scalar(within(json, path.get(depth + 1..)?)?)?;
            Some(bounded(&text, limit))
        };
        if self.member.code && self.reported.code.is_none() {
            self.reported.code = text(verdict.code, CODE_LIMIT);
        }
        if self.member.message && self.reported.message.is_none() {
            self.reported.message = text(verdict.message, MESSAGE_LIMIT);
        }
    }

    /// Keeps the name of a field if the field is metadata. Returns whether it is, so that its value is kept as well.
    fn keep_name(&mut self, member: Purposes, name: &str, json: &str) -> bool {
        let is_inside = self.depth + 1 + self.body.metadata_above == self.body.at.len();
        match &mut self.metadata {
            Some((object, text))
                if is_inside && !member.is_step && object.member(name).is_some() =>
            {
                if text.len() > 1 {
                    text.push(',');
                }
                text.push_str(json);
                text.push(':');
                true
            }
            _ => false,
        }
    }

    /// Keeps the value of a metadata field.
    fn keep(&mut self, window: Window<'_>, at: usize, json: &str) -> Result<(), DecodeError> {
        let Some((_, text)) = &mut self.metadata else { return Ok(()) };
        if text.len() + json.len() > self.limit {
            let (kind, path) = (DecodeErrorKind::TooLarge, self.container());
            return Err(self.error(window.text, at, kind, path, "fewer fields next to the list"));
        }
        text.push_str(json);
        Ok(())
    }

    /// At the end of the document, decodes the list's metadata.
    #[cold]
    pub(crate) fn take_metadata<M: Metadata>(&mut self) -> Result<M, DecodeError> {
        let mut json = self.metadata.take().map(|(_, text)| text).unwrap_or_default();
        json.push('}');
        if let Some(metadata) = M::read(&json) {
            return Ok(metadata);
        }
        let shape = M::OBJECT.map_or_else(String::shape, Shape::Object);
        let error = diagnose(&json, shape, self.container(), Position::NONE);
        Err(self.fail(error.without_position()))
    }

    /// Returns the path of the object that holds the metadata.
    fn container(&self) -> String {
        let Body { at, metadata_above, .. } = *self.body;
        let depth = at.len().saturating_sub(1 + metadata_above);
        at.get(..depth).unwrap_or_default().join(".")
    }

    /// Decides whether the service reports a failure.
    fn decide(&mut self, window: Window<'_>, at: usize, json: &str) -> Result<(), DecodeError> {
        let Some(verdict) = self.body.verdict else { return Ok(()) };
        let decides = verdict.decides;
        let below = path(decides).get(self.depth + 1..).unwrap_or_default();
        let Some(value) = within(json, below) else { return Ok(()) };
        let (has_failed, expected) = match decides {
            Decides::Success { is, .. } => {
                let succeeded = scalar(value).is_some_and(|text| is.contains(&&*text));
                (!succeeded, is.first().copied().unwrap_or_default())
            }
            Decides::Failure { .. } => (value != "null", "no failure"),
        };
        self.is_decided = true;
        // A code or a message is more useful than the type of the field.
        let kind = if !verdict.has_details() && is_text(decides) && !value.starts_with('"') {
            DecodeErrorKind::WrongType
        } else if has_failed {
            DecodeErrorKind::NotSuccess
        } else {
            return Ok(());
        };
        let error = self.error(window.text, at, kind, path(decides).join("."), expected);
        if !verdict.has_details() {
            return Err(error);
        }
        // The code and the message may still follow.
        self.failure = Some(error);
        Ok(())
    }

    /// At the end of the outermost object, checks that it reported success and contained the data.
    pub(super) fn conclude(&mut self, text: &str, at: usize) -> Result<(), DecodeError> {
        if self.failure.is_some() {
            return self.reported_failure().map_or(Ok(()), Err);
        }
        if let Some(Decides::Success { at: marker, is }) = self.body.decides()
            && !self.is_decided
        {
            let expected = is.first().copied().unwrap_or_default();
            let (kind, path) = (DecodeErrorKind::Missing, marker.join("."));
            return Err(self.error(text, at, kind, path, expected));
        }
        if let Some(pending) = self.pending.take() {
            return Err(pending);
        }
        if self.found < self.body.at.len() && !self.body.absent_as_empty {
            let (path, expected) = self.step(self.found);
            return Err(self.error(text, at, DecodeErrorKind::Missing, path, expected));
        }
        Ok(())
    }

    /// Returns the failure that the service reported, if any, unless that failure means an empty list.
    pub(super) fn reported_failure(&mut self) -> Option<DecodeError> {
        let verdict = self.body.verdict?;
        let texts = [&self.reported.code, &self.reported.message];
        if texts.into_iter().flatten().any(|text| verdict.empty.contains(&&**text)) {
            return None;
        }
        let failure = self.failure.take()?;
        let ServiceError { code, message, .. } = &self.reported;
        let text = if verdict.code.is_empty() { message } else { code }.as_deref();
        let mut classes = verdict.classes.iter();
        let class = classes.find(|(listed, _)| text.is_some_and(|text| is_listed(listed, text)));
        let class = class.map(|(_, class)| *class).unwrap_or_default();
        let reported = mem::take(&mut self.reported);
        Some(failure.with_service(ServiceError { class, ..reported }))
    }

    /// Returns the path of the field at `depth` on the way to the data, and what is expected there.
    pub(super) fn step(&self, depth: usize) -> (String, &'static str) {
        let path = self.body.at.get(..=depth).unwrap_or_default();
        let is_data = path.len() == self.body.at.len();
        (path.join("."), if is_data { self.what } else { "an object" })
    }
}

/// Returns whether `text` matches `listed`, in which a `*` at the end matches any text.
fn is_listed(listed: &str, text: &str) -> bool {
    listed.strip_suffix('*').map_or(listed == text, |start| text.starts_with(start))
}

/// Returns whether every success value of the field that decides is text.
fn is_text(decides: Decides) -> bool {
    let is_json = |text: &&str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    matches!(decides, Decides::Success { is, .. } if !is.iter().any(is_json))
}

fn path(decides: Decides) -> Path {
    match decides {
        Decides::Success { at, .. } => at,
        Decides::Failure { present } => present,
    }
}

/// Returns the JSON text at a path below a value, or `None` if nothing is there.
fn within<'j>(json: &'j str, path: &[&str]) -> Option<&'j str> {
    path.iter().try_fold(json, |json, step| {
        let inner = json.strip_prefix('{')?.trim_ascii_start();
        members::iter(inner).find(|(name, _)| name == step).map(|(_, value)| value)
    })
}

/// Returns a string, or the text of a number or boolean; `None` for any other value.
fn scalar(json: &str) -> Option<Cow<'_, str>> {
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str::<CowText<'_>>(json).ok().map(|text| text.0),
        b'{' | b'[' | b'n' => None,
        _ => Some(Cow::Borrowed(json)),
    }
}
