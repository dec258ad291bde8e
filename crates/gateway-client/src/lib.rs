//! Client of the recruitment gateway over any transport, async and blocking.
