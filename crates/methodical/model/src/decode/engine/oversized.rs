//! Skips a record that exceeds the limit, without keeping it.

use crate::decode::engine::{After, Engine, State, Step, Window};
use crate::decode::splitter::Splitter;
use crate::{Error, Rejected};

impl Engine {
    /// Advances to the end of the record and rejects it with this error, or advances to the end of the window.
    #[cold]
    pub(super) fn skip_oversized<R>(
        &mut self,
        window: Window<'_>,
        at: &mut usize,
        error: Error,
    ) -> Result<Step<R>, Error> {
        let rest = window.text.get(*at..).unwrap_or_default();
        let Some(end) = self.splitter.end(rest.as_bytes(), window.after == After::Nothing) else {
            self.splitter.forget();
            *at = window.text.len();
            self.oversized = Some(error);
            return self.exhausted(window).map(|_| Step::More).map_err(|error| self.fail(error));
        };
        *at += end;
        self.splitter = Splitter::default();
        self.state = match self.state {
            State::Oversized { only: true } => self.after_data(),
            _ => State::AfterRecord,
        };
        let index = self.index;
        self.index += 1;
        Ok(Step::Rejected(Rejected::new(index, error.with_delivered(index), "")))
    }
}
