//! `gateway-server account`.

use crate::Clock;
use crate::cli::{Database, note, print, print_table, show_time};
use crate::error::{Error, ErrorKind};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Make an account.
    Create {
        /// Its name, which the other commands take.
        name: String,
        /// Make a token of this label too and print it. It is shown this once.
        #[arg(long, value_name = "LABEL")]
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
            if name.trim() != name || !(1..=200).contains(&name.chars().count()) {
                let help = "an account name has 1 to 200 characters and no space at its ends";
                return Err(Error::new(ErrorKind::Config, help));
            }
            let (store, now) = (database.open_or_make()?, Clock::system().now());
            let id = store.create_account(&name, now)?;
            let Some(label) = token else { return print(&format!("account {id}: {name}\n")) };
            note(&format!("account {id}: {name}; its token is shown this once"));
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
