//! The identities that occurred in a list: a Bloom filter, so that a first sync looks up only what may be repeated.

use std::hash::{BuildHasher as _, RandomState};

/// A set of identities that takes 4 MiB for any list. It may contain one that was not added.
#[derive(Debug)]
pub(crate) struct Occurred {
    bits: Vec<u64>,
    hasher: RandomState,
}

impl Occurred {
    /// Adds an identity. Returns whether it is certainly new.
    pub(crate) fn insert(&mut self, id: &str) -> bool {
        let hash = self.hasher.hash_one(id);
        let (start, step) = (hash >> 32, hash | 1);
        let mut is_new = false;
        for probe in 0..PROBES {
            let place = start.wrapping_add(step.wrapping_mul(probe)) % BITS;
            let word = usize::try_from(place / 64).unwrap_or_default();
            if let Some(bits) = self.bits.get_mut(word) {
                let bit = 1 << (place % 64);
                is_new |= *bits & bit == 0;
                *bits |= bit;
            }
        }
        is_new
    }
}

impl Default for Occurred {
    fn default() -> Self {
        let words = usize::try_from(BITS / 64).unwrap_or_default();
        Self { bits: vec![0; words], hasher: RandomState::new() }
    }
}

/// With a million identities, one in 6,000 is taken for a repeated one.
const BITS: u64 = 1 << 25;

const PROBES: u64 = 4;

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
