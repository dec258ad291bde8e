//! Spells in memory.

use crate::keep::spell::{Spell, SpellFilter};
use crate::recovery::target::parts;
use crate::store::spells::{Direction, SpellPage, SpellStep, SpellsOf, StepKind};

/// The spells of all tables, in the order of their numbers.
#[derive(Clone, Default)]
pub(crate) struct Spells {
    last: i64,
    all: Vec<(String, Spell)>,
}

impl Spells {
    pub(crate) fn write(&mut self, step: &SpellStep<'_>) {
        let SpellStep { table, id, kind } = *step;
        let mut own = self
            .all
            .iter_mut()
            .rev()
            .map(|(one, spell)| (&**one == table && spell.id == id, spell));
        match kind {
            StepKind::Begin { value, at, began_before } => {
                self.last += 1;
                let (group, member) = parts(id);
                let spell = Spell {
                    number: self.last,
                    id: id.to_owned(),
                    group,
                    member: member.to_owned(),
                    value: value.map(str::to_owned),
                    began_at: at,
                    ended_at: None,
                    began_before,
                };
                self.all.push((table.to_owned(), spell));
            }
            StepKind::End { at } => {
                let open = own.find(|(is_own, spell)| *is_own && spell.ended_at.is_none());
                if let Some((_, spell)) = open {
                    spell.ended_at = Some(at.max(spell.began_at));
                }
            }
            StepKind::Resume => {
                if let Some((_, spell)) = own.find(|(is_own, _)| *is_own) {
                    spell.ended_at = None;
                }
            }
        }
    }

    pub(crate) fn erase(&mut self, table: &str, of: SpellsOf<'_>) {
        self.all.retain(|(one, spell)| {
            one != table
                || match of {
                    SpellsOf::Record(id) => spell.id != id,
                    SpellsOf::Group(id) => spell.group != id,
                    SpellsOf::Member(id) => spell.member != id,
                    SpellsOf::Table => false,
                }
        });
    }

    /// Removes the spells of placements that have no row.
    pub(crate) fn keep_rows(&mut self, table: &str, has_row: impl Fn(&str) -> bool) {
        self.all.retain(|(one, spell)| one != table || has_row(&spell.id));
    }

    pub(crate) fn read(&self, page: &SpellPage<'_>) -> Vec<Spell> {
        let own = self.all.iter().filter(|(table, _)| table == page.table);
        let own = own.map(|(_, spell)| spell).filter(|spell| accepts(page.filter, spell));
        match page.direction {
            Direction::After(number) => {
                own.filter(|one| one.number > number).take(page.limit).cloned().collect()
            }
            Direction::Before(number) => {
                own.rev().filter(|one| one.number < number).take(page.limit).cloned().collect()
            }
        }
    }
}

fn accepts(filter: &SpellFilter, spell: &Spell) -> bool {
    let is =
        |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|one| one == found);
    is(&filter.id, &spell.id)
        && is(&filter.group, &spell.group)
        && is(&filter.member, &spell.member)
        && filter.from.is_none_or(|from| spell.ended_at.is_none_or(|ended_at| ended_at > from))
        && filter.before.is_none_or(|before| spell.began_at < before)
}
