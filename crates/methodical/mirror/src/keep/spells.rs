//! Reads the spells of a recovered table.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::keep::spell::{Spell, SpellFilter};
use crate::mirror::{Mirror, lock};
use crate::store::data::{Direction, PAGE, SpellPage};

impl Mirror {
    /// Passes each spell of a recovered table that the filter accepts to `take`, in the order of their numbers, until it
    /// breaks. A table without a recovery has no spells.
    ///
    /// Spells are read in pages, so a sync that ends meanwhile may change those that follow.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use std::ops::ControlFlow;
    ///
    /// use methodical_mirror::{Error, Mirror, SpellFilter};
    ///
    /// /// Returns the number of ended spells and the seconds in them, for each value.
    /// fn time_in_value(mirror: &Mirror, table: &str) -> Result<BTreeMap<String, (u32, i64)>, Error> {
    ///     let mut times = BTreeMap::<String, (u32, i64)>::new();
    ///     mirror.each_spell(table, &SpellFilter::new(), |spell| {
    ///         if let (Some(value), Some(ended_at), false) = (spell.value, spell.ended_at, spell.began_before) {
    ///             let (count, seconds) = times.entry(value).or_default();
    ///             *count += 1;
    ///             *seconds += ended_at - spell.began_at;
    ///         }
    ///         ControlFlow::Continue(())
    ///     })?;
    ///     Ok(times)
    /// }
    /// # assert!(time_in_value(&Mirror::in_memory()?, "photo_album")?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn each_spell(
        &self,
        table: &str,
        filter: &SpellFilter,
        mut take: impl FnMut(Spell) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut from = 0;
        loop {
            let direction = Direction::After(from);
            let page = SpellPage { table, filter, direction, limit: PAGE };
            let spells = lock(&self.store).spells(&page)?;
            let Some(last) = spells.last() else { return Ok(()) };
            from = last.number;
            for spell in spells {
                if take(spell).is_break() {
                    return Ok(());
                }
            }
        }
    }
}
