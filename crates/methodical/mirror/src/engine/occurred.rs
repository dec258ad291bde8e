//! The identities that occurred in a list: a Bloom filter, so that a first sync looks up only what may be repeated.

use std::hash::{BuildHasher as _, RandomState};

/// A set of identities that takes 4 MiB for any list. It may contain one that was not added.
#[derive(Debug, Default)]
pub(crate) struct Occurred {
    blocks: Vec<Block>,
    hasher: RandomState,
}

impl Occurred {
    /// Adds an identity. Returns whether it is certainly new.
    pub(crate) fn insert(&mut self, id: &str) -> bool {
        if self.blocks.is_empty() {
            self.blocks.resize(usize::try_from(BLOCKS).unwrap_or_default(), Block::default());
        }
        let hash = self.hasher.hash_one(id);
        let block = usize::try_from(hash % BLOCKS).unwrap_or_default();
        let Some(block) = self.blocks.get_mut(block) else { return false };
        let (mut is_new, mut probes) = (false, hash / BLOCKS);
        for _ in 0..PROBES {
            let (word, bit) = (probes / 64 % WORDS, 1 << (probes % 64));
            probes /= 64 * WORDS;
            if let Some(bits) = usize::try_from(word).ok().and_then(|word| block.get_mut(word)) {
                is_new |= *bits & bit == 0;
                *bits |= bit;
            }
        }
        is_new
    }
}

/// The bits of some identities. It has the size of a cache line, so that one identity costs one access to memory.
type Block = [u64; 8];

const WORDS: u64 = 8;

const BLOCKS: u64 = 1 << 16;

/// With a million identities, one in 10,000 is taken for a repeated one.
const PROBES: u64 = 5;

#[cfg(test)]
mod tests {
    use super::Occurred;

    #[test]
    fn a_repeated_identity_is_never_new_and_few_others_are_taken_for_one() {
        let mut occurred = Occurred::default();
        let mistaken = (0..100_000).filter(|id: &u32| !occurred.insert(&id.to_string())).count();
        assert!(mistaken < 20, "{mistaken}");
        assert!((0..100_000).all(|id: u32| !occurred.insert(&id.to_string())));
    }
}
