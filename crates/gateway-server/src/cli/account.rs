//! `gateway-server account`.

use super::{Database, print, print_table, show_time};
use crate::Clock;
use crate::error::{Error, ErrorKind};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Make an account.
    Create {
        /// Its name, which the other commands take.
        name: String,
        #[command(flatten)]
        database: Database,
    },
    /// List the accounts.
    List(Database),
}

pub(super) fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Create { name, database } => {
            if name.trim() != name || !(1..=200).contains(&name.chars().count()) {
                let help = "an account name has 1 to 200 characters and no space at its ends";
                return Err(Error::new(ErrorKind::Config, help));
            }
            let id = database.open()?.create_account(&name, Clock::system().now())?;
            print(&format!("account {id}: {name}\n"))
        }
        Command::List(database) => {
            let rows: Vec<_> = database
                .open()?
                .accounts()?
                .into_iter()
                .map(|one| {
                    let created = show_time(one.created_at);
                    [one.id.to_string(), one.name, one.revision.to_string(), created]
                })
                .collect();
            print_table(["ID", "NAME", "REVISION", "CREATED"], &rows)
        }
    }
}
