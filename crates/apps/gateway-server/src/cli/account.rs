//! The commands `gateway-server account` and `gateway-server token`.

use jiff::{Span, SpanRelativeTo};

use crate::cli::database::Database;
use crate::cli::{note, print, print_table, show_time};
use crate::config::{Clock, UnixTime};
use crate::error::{Error, ErrorKind};
use crate::store::TokenInfo;
use crate::token::TokenId;

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

#[derive(Debug, clap::Subcommand)]
pub(super) enum TokenCommand {
    /// Create a token and print it. It cannot be shown again: only its hash is stored.
    Create {
        /// Account that the token gives access to.
        #[arg(long, value_name = "NAME")]
        account: String,
        /// Label for the list of tokens.
        #[arg(long, default_value = "", value_parser = label)]
        label: String,
        /// Lifetime, such as `90d`, `12h`, `30m` or `45s`. By default the token never expires.
        #[arg(long, value_name = "TIME", value_parser = lifetime)]
        expires: Option<i64>,
        #[command(flatten)]
        database: Database,
    },
    /// List the tokens of an account. Token values cannot be shown again.
    List {
        /// Account whose tokens are listed.
        #[arg(long, value_name = "NAME")]
        account: String,
        #[command(flatten)]
        database: Database,
    },
    /// Revoke a token, effective immediately.
    Revoke {
        /// Account that the token belongs to.
        #[arg(long, value_name = "NAME")]
        account: String,
        /// Id of the token, from `token list`.
        id: String,
        #[command(flatten)]
        database: Database,
    },
}

pub(super) fn run_token(command: TokenCommand) -> Result<(), Error> {
    let now = Clock::system().now();
    match command {
        TokenCommand::Create { account, label, expires, database } => {
            let store = database.open()?;
            let expires = expires.map(|seconds| UnixTime(now.0.saturating_add(seconds)));
            let token = store.create_token(store.account(&account)?, &label, now, expires)?;
            note(&format!("token {} for {account}; it cannot be shown again", token.digest().id()));
            // Only the token goes to standard output: `GATEWAY_TOKEN=$(gateway-server token create …)`.
            print(&format!("{}\n", token.reveal()))
        }
        TokenCommand::List { account, database } => {
            let store = database.open()?;
            let tokens = store.tokens(store.account(&account)?)?;
            let rows: Vec<_> = tokens.into_iter().map(|token| row(token, now)).collect();
            print_table(["ID", "STATE", "CREATED", "EXPIRES", "LABEL"], &rows)
        }
        TokenCommand::Revoke { account, id, database } => {
            let store = database.open()?;
            if store.revoke_token(store.account(&account)?, &TokenId(id.as_str().into()), now)? {
                return print(&format!("revoked token {id}\n"));
            }
            Err(Error::new(
                ErrorKind::NotFound,
                format!("account {account} has no token {id}; see `gateway-server token list`"),
            ))
        }
    }
}

fn row(token: TokenInfo, now: UnixTime) -> [String; 5] {
    let state = match (token.revoked_at, token.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(at)) if at <= now => "expired",
        _ => "valid",
    };
    let expires = token.expires_at.map_or_else(|| "never".to_owned(), show_time);
    [token.id.to_string(), state.to_owned(), show_time(token.created_at), expires, token.label]
}

/// Reads the label of a token, which `token list` prints to a terminal.
pub(super) fn label(text: &str) -> Result<String, String> {
    if text.contains(char::is_control) {
        return Err("a label must not contain control characters".to_owned());
    }
    Ok(text.to_owned())
}

fn lifetime(text: &str) -> Result<i64, &'static str> {
    let span = text.parse::<Span>().and_then(|span| span.to_duration(DAYS_HAVE_24_HOURS));
    match span.map(|time| time.as_secs()) {
        Ok(seconds @ 1..) => Ok(seconds),
        Ok(_) => Err("must be longer than 0"),
        Err(_) => Err("expected a number and a unit (d, h, m or s), such as 90d"),
    }
}

const DAYS_HAVE_24_HOURS: SpanRelativeTo<'_> = SpanRelativeTo::days_are_24_hours();
