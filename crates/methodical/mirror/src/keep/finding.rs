//! The results of a check of a mirror.

use std::fmt;

/// The result of [`Mirror::check`](crate::Mirror::check).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The damage that was found: at most 1,000 findings, in the order of the tables and their rows.
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub more: u64,
    /// How many records were checked.
    pub records: u64,
    /// How many changes of the feed were checked.
    pub changes: u64,
    /// Whether changes of the feed were removed. The state of a record whose changes were all removed is not compared with
    /// the feed.
    pub is_pruned: bool,
}

impl Check {
    pub(crate) fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Keeps the first findings, and counts the others.
    pub(crate) fn cut(mut self) -> Self {
        self.more = self.findings.len().saturating_sub(MAX_FINDINGS) as u64;
        self.findings.truncate(MAX_FINDINGS);
        self
    }
}

/// Something wrong in a mirror. Its text names the table, the record and what to do next, and has no personal value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The table; `None` if the finding concerns the whole mirror.
    pub table: Option<String>,
    /// The identity of the record; `None` if the finding concerns the whole table.
    pub id: Option<String>,
    /// The cause.
    pub cause: String,
}

/// The kind of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// The database reports damage.
    Damage,
    /// The counts of a table differ from its rows.
    Counts,
    /// The state of a record is not the one that the feed leads to.
    Feed,
    /// The hash of a record is not that of its contents: another program changed the row.
    Hash,
    /// A record that is gone or forgotten has a personal or an unlisted value.
    Erasure,
    /// A record whose identity is forgotten is present or missing.
    Forgotten,
    /// A consumer is at a position that the feed has not reached.
    Consumer,
    /// The spells of a placement are not those of its value and of the feed.
    Spell,
}

impl FindingKind {
    /// Returns the name of the kind.
    ///
    /// ```
    /// assert_eq!(methodical_mirror::FindingKind::Hash.as_str(), "hash");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Damage => "damage",
            Self::Counts => "counts",
            Self::Feed => "feed",
            Self::Hash => "hash",
            Self::Erasure => "erasure",
            Self::Forgotten => "forgotten",
            Self::Consumer => "consumer",
            Self::Spell => "spell",
        }
    }

    /// Returns what to do next.
    pub const fn next_step(self) -> &'static str {
        match self {
            Self::Damage => "restore a backup, or sync into a new mirror",
            Self::Consumer => "repair the mirror, and give the consumer a new snapshot",
            Self::Counts
            | Self::Feed
            | Self::Hash
            | Self::Erasure
            | Self::Forgotten
            | Self::Spell => "repair the mirror",
        }
    }

    /// Returns what [`Mirror::repair`](crate::Mirror::repair) did about a finding of this kind.
    ///
    /// ```
    /// use methodical_mirror::FindingKind;
    ///
    /// assert_eq!(FindingKind::Counts.repair(), "the rows were counted again");
    /// ```
    pub const fn repair(self) -> &'static str {
        match self {
            Self::Damage => "nothing was changed",
            Self::Counts => "the rows were counted again",
            Self::Feed => "the feed got the changes that it lacked",
            Self::Hash => "the next sync writes the row again",
            Self::Erasure => "it was erased again",
            Self::Forgotten => "it was forgotten again",
            Self::Consumer => "the consumer is at the end of the feed, and needs a new snapshot",
            Self::Spell => "its spells begin anew",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(f, "`{table}`")?;
            if let Some(id) = &self.id {
                write!(f, " {}", id.escape_debug())?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}; {}", self.cause, self.kind.next_step())
    }
}

/// Maximum number of findings that are kept.
const MAX_FINDINGS: usize = 1000;

#[cfg(test)]
mod tests {
    use super::{Check, Finding, FindingKind, MAX_FINDINGS};

    #[test]
    fn each_kind_has_a_name_a_next_step_and_a_repair() {
        use FindingKind::{Consumer, Counts, Damage, Erasure, Feed, Forgotten, Hash, Spell};
        for (kind, shown) in [
            (Damage, "damage; restore a backup, or sync into a new mirror; nothing was changed"),
            (Counts, "counts; repair the mirror; the rows were counted again"),
            (Feed, "feed; repair the mirror; the feed got the changes that it lacked"),
            (Hash, "hash; repair the mirror; the next sync writes the row again"),
            (Erasure, "erasure; repair the mirror; it was erased again"),
            (Forgotten, "forgotten; repair the mirror; it was forgotten again"),
            (
                Consumer,
                "consumer; repair the mirror, and give the consumer a new snapshot; \
                 the consumer is at the end of the feed, and needs a new snapshot",
            ),
            (Spell, "spell; repair the mirror; its spells begin anew"),
        ] {
            let texts = [kind.as_str(), kind.next_step(), kind.repair()];
            assert_eq!(texts.join("; "), shown);
        }
    }

    #[test]
    fn a_finding_names_what_it_concerns() {
        let finding = |table: Option<&str>, id: Option<&str>| Finding {
            kind: FindingKind::Hash,
            table: table.map(str::to_owned),
            id: id.map(str::to_owned),
            cause: "a cause".to_owned(),
        };
        assert_eq!(finding(None, None).to_string(), "a cause; repair the mirror");
        let table = finding(Some("photo"), None).to_string();
        assert_eq!(table, "`photo`: a cause; repair the mirror");
        let record = finding(Some("photo"), Some("a\n")).to_string();
        assert_eq!(record, "`photo` a\\n: a cause; repair the mirror");
    }

    #[test]
    fn the_first_findings_are_kept_and_the_others_counted() {
        let mut check = Check::default();
        for id in 0..MAX_FINDINGS + 2 {
            check.add(Finding {
                kind: FindingKind::Hash,
                table: None,
                id: Some(id.to_string()),
                cause: String::new(),
            });
        }
        let check = check.cut();
        assert_eq!((check.findings.len(), check.more), (MAX_FINDINGS, 2));
        assert_eq!(check.findings[0].id.as_deref(), Some("0"));
        assert_eq!(check.cut().findings.len(), MAX_FINDINGS);
    }
}
