//! The commands that write the data of an account, and `gateway-server check`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::database::Database;
use crate::cli::{note, print};
use crate::demo_data::DemoData;
use crate::error::{Error, ErrorKind, Place};
use crate::generated::record::CreditsRow;
use crate::import::{Import, ImportFormat, target};
use crate::store::{Changes, CheckReport, ImportMode, ImportReport, Removals};

#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// Account that receives the data.
    #[arg(long, value_name = "NAME")]
    account: String,
    /// Vacancy in which every candidate in the files gets the status given by --status. Use both flags to import
    /// filtered responses, which contain neither value.
    #[arg(long, value_name = "N", requires = "status")]
    vacancy_id: Option<i64>,
    /// Status of the candidates in the vacancy given by --vacancy-id.
    #[arg(long, value_name = "NAME", requires = "vacancy_id")]
    status: Option<String>,
    /// Remove records that are not in the files, if the files contain records of the same kind. Refused if many records
    /// would be removed.
    #[arg(long, conflicts_with = "vacancy_id")]
    replace: bool,
    /// Let --replace remove exactly this number of records.
    #[arg(long, value_name = "N", requires = "replace")]
    accept_removals: Option<u64>,
    /// Format of all files, regardless of their names. Required for standard input.
    #[arg(long, value_name = "FORMAT")]
    format: Option<ImportFormat>,
    /// Read the column or field FROM as TO, such as `mobile=phone_mobile`. May be repeated.
    #[arg(long, value_name = "FROM=TO", value_parser = renaming)]
    rename: Vec<(String, String)>,
    /// Dry run: check and count everything, but change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Files in NDJSON (.ndjson, .jsonl), JSON (.json, including responses of the service) or CSV (.csv); `-` reads
    /// standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    database: Database,
}

pub(super) fn import(arguments: ImportArguments) -> Result<(), Error> {
    let store = arguments.database.open()?;
    let account = store.account(&arguments.account)?;
    let mode = if arguments.dry_run { ImportMode::DryRun } else { ImportMode::Commit };
    let removals = arguments.accept_removals.map_or(Removals::Few, Removals::Exactly);
    let import = Import {
        files: arguments.files,
        format: arguments.format,
        application: arguments.vacancy_id.zip(arguments.status),
        replace: arguments.replace.then_some(removals),
        rename: arguments.rename,
    };
    let (report, records) = import.run(&store, account, mode)?;
    if records == 0 {
        note("warning: the files contain no records; check the program that wrote them");
    }
    print(&describe(&report, mode))?;
    if mode == ImportMode::DryRun && removals == Removals::Few && report.removes_many() {
        let removed = report.removed();
        let text = format!("the import would be refused without --accept-removals {removed}");
        return Err(Error::new(ErrorKind::RemovalsRefused, text));
    }
    Ok(())
}

fn renaming(text: &str) -> Result<(String, String), &'static str> {
    let (from, to) = text.split_once('=').ok_or("expected FROM=TO, such as mobile=phone_mobile")?;
    Ok((from.to_owned(), to.to_owned()))
}

#[derive(Debug, clap::Subcommand)]
pub(super) enum CreditsCommand {
    /// Set the balance.
    Set {
        /// Account whose balance is set.
        #[arg(long, value_name = "NAME")]
        account: String,
        /// Plain decimal number. Responses repeat it exactly as written here.
        #[arg(allow_negative_numbers = true)]
        number: String,
        /// Currency code.
        currency: String,
        #[command(flatten)]
        database: Database,
    },
}

pub(super) fn credits(command: CreditsCommand) -> Result<(), Error> {
    let CreditsCommand::Set { account, number, currency, database } = command;
    let place = Place { file: 0, line: 0 };
    target::credits(place, &number, &currency)
        .map_err(|error| Error::new(ErrorKind::Config, error.to_string()))?;
    let store = database.open()?;
    let id = store.account(&account)?;
    let row = CreditsRow::new(&number, &currency);
    store.import(id, ImportMode::Commit, &mut |stage| stage.credits(place, &row))?;
    print(&format!("{account}: {number} {currency}\n"))
}

#[derive(Debug, Args)]
pub(super) struct DemoArguments {
    /// Account that receives the data.
    #[arg(long, value_name = "NAME")]
    account: String,
    /// Number of candidates.
    #[arg(long, value_name = "N", default_value_t = DemoData::default().candidates)]
    candidates: u32,
    /// Seed: the same seed gives the same data.
    #[arg(long, value_name = "S", default_value_t = DemoData::default().seed)]
    seed: u64,
    #[command(flatten)]
    database: Database,
}

pub(super) fn demo(arguments: &DemoArguments) -> Result<(), Error> {
    let data = DemoData { candidates: arguments.candidates, seed: arguments.seed };
    let store = arguments.database.open()?;
    let account = store.account(&arguments.account)?;
    let report = store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage))?;
    print(&describe(&report, ImportMode::Commit))
}

pub(super) fn check(database: &Database) -> Result<(), Error> {
    let CheckReport { damage, pending_erasures } = database.open_to_read()?.check()?;
    for line in &damage {
        note(&format!("damage: {line}"));
    }
    if pending_erasures > 0 {
        note("a deletion left bytes in the files; run `gateway-server delete traces`");
    }
    if damage.is_empty() {
        return print("no damage found\n");
    }
    let text = "the database is damaged; restore a backup";
    Err(Error::new(ErrorKind::StorageCorrupt, text))
}

fn describe(report: &ImportReport, mode: ImportMode) -> String {
    let line = |name: &str, changes: Changes| {
        let Changes { added, changed, unchanged, removed } = changes;
        let removed = if removed > 0 { format!(", {removed} removed") } else { String::new() };
        format!("{name}: {added} new, {changed} changed, {unchanged} unchanged{removed}\n")
    };
    let mut text = line("vacancies", report.vacancies);
    text.push_str(&line("candidates", report.candidates));
    text.push_str(&line("statuses", report.applications));
    let credits = if report.credits_changed { "changed" } else { "unchanged" };
    text.push_str(&["credits: ", credits, "\n"].concat());
    if mode == ImportMode::DryRun {
        text.push_str("dry run: nothing was written\n");
    }
    text
}
