//! The checks, by group.

use crate::contract::check::Check;

mod authorization;
mod candidates;
mod credits;
mod errors;
mod filters;
mod method;
pub(super) mod record;
mod representation;
mod vacancies;

pub(super) const ALL: &[&[Check]] = &[
    vacancies::CHECKS,
    candidates::CHECKS,
    filters::CHECKS,
    credits::CHECKS,
    method::CHECKS,
    authorization::CHECKS,
    errors::CHECKS,
    representation::CHECKS,
];
