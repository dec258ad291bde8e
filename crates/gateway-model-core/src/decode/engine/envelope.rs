//! The fields of the object around a list.

use serde::Deserialize as _;
use serde::de::IgnoredAny;

use crate::decode::depth;
use crate::decode::engine::{Engine, Layout, Member, Window};
use crate::decode::text::CowText;
use crate::{Error, ErrorKind};

impl Engine {
    /// Returns which field of the envelope this is.
    pub(super) fn name(
        &mut self,
        window: Window<'_>,
        at: usize,
        json: &str,
    ) -> Result<Member, Error> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let name = CowText::deserialize(&mut deserializer)
            .map_err(|error| self.syntax(window, at, json, &error))?;
        let Layout::Envelope(envelope) = self.layout else { return Ok(Member::Other) };
        let (member, seen) = if name.0 == envelope.marker {
            (Member::Marker, &mut self.marker_seen)
        } else if name.0 == envelope.items {
            (Member::Items, &mut self.items_seen)
        } else {
            return Ok(Member::Other);
        };
        if core::mem::replace(seen, true) {
            let position = self.position(window.text, at);
            return Err(Error::new(
                ErrorKind::Duplicate,
                name.0.into(),
                position,
                "the field once",
            ));
        }
        Ok(member)
    }

    /// Checks the value of a field of the envelope other than the list.
    pub(super) fn value(&mut self, window: Window<'_>, at: usize, json: &str) -> Result<(), Error> {
        if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
            return Err(self.syntax(window, at, json, &error));
        }
        let Layout::Envelope(envelope) = self.layout else { return Ok(()) };
        let (kind, name, expected) = match self.member {
            Member::Marker => match serde_json::from_str::<CowText<'_>>(json) {
                Ok(text) if text.0 == envelope.success => return Ok(()),
                Ok(_) => (ErrorKind::NotSuccess, envelope.marker, envelope.success),
                Err(_) => (ErrorKind::WrongType, envelope.marker, envelope.success),
            },
            Member::Items => (ErrorKind::WrongType, envelope.items, "an array"),
            Member::Other if depth::exceeded(json) => (ErrorKind::TooDeep, "*", depth::EXPECTED),
            Member::Other => return Ok(()),
        };
        let error = Error::new(kind, name.into(), self.position(window.text, at), expected);
        if self.member == Member::Items {
            // The marker may follow, and a failure it reports takes precedence.
            self.pending = Some(error);
            return Ok(());
        }
        Err(error)
    }

    /// At the end of the envelope, checks that it reported success and contained a list.
    pub(super) fn check_envelope(&mut self, text: &str, at: usize) -> Result<(), Error> {
        let Layout::Envelope(envelope) = self.layout else { return Ok(()) };
        let (name, expected) = match (self.marker_seen, self.items_seen) {
            (false, _) => (envelope.marker, envelope.success),
            (true, false) => (envelope.items, "an array"),
            (true, true) => return self.pending.take().map_or(Ok(()), Err),
        };
        let position = self.position(text, at);
        Err(Error::new(ErrorKind::Missing, name.into(), position, expected))
    }
}
