//! The commands `gateway-server account`.

use crate::cli::database::Database;
use crate::cli::output::{note, print, print_table, show_time};
use crate::cli::token::label;
use crate::clock::Clock;
use crate::error::{Error, ErrorKind};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Create an account.
    Create {
        /// Name by which the other commands refer to the account.
        name: String,
        /// Also create a token with this label and print it. It cannot be shown again.
        #[arg(long, value_name = "LABEL", value_parser = label)]
        token: Option<String>,
        #[command(flatten)]
        database: Database,
    },
    /// List the accounts.
    List(Database),
}

pub(super) fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Create { name, token, database } => {
            let length = name.chars().count();
            if name.trim() != name
                || !(1..=200).contains(&length)
                || name.contains(char::is_control)
            {
                let help = "invalid account name: use 1 to 200 characters, without control characters, and without \
                            spaces at the ends";
                return Err(Error::new(ErrorKind::Config, help));
            }
            let (store, now) = (database.open_or_create()?, Clock::system().now());
            let id = store.create_account(&name, now)?;
            let Some(label) = token else { return print(&format!("account {id}: {name}\n")) };
            note(&format!("account {id}: {name}; its token cannot be shown again"));
            print(&format!("{}\n", store.create_token(id, &label, now, None)?.reveal()))
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
