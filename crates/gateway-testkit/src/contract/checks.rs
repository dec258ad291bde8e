//! The checks, by group.

use crate::contract::check::ContractCheck;

mod authorization;
mod candidates;
mod credits;
mod errors;
mod filters;
mod method;
mod representation;
mod vacancies;

pub(super) const ALL: &[&[ContractCheck]] = &[
    vacancies::CHECKS,
    candidates::CHECKS,
    filters::CHECKS,
    credits::CHECKS,
    method::CHECKS,
    authorization::CHECKS,
    errors::CHECKS,
    representation::CHECKS,
];
