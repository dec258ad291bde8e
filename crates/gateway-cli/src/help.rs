//! What stands below the help of the program: examples, and what no flag says.

/// What is below the short help.
pub(crate) fn short() -> String {
    format!("{TRY}{EXAMPLES}\n\n{MORE}")
}

/// What is below the long help.
pub(crate) fn long() -> String {
    format!("{TRY_MORE}{EXAMPLES}\n\n{REST}")
}

const TRY: &str = if cfg!(feature = "demo") {
    "\
With sample data:
  gateway --demo candidates list
  gateway --demo credits get

"
} else {
    ""
};

const TRY_MORE: &str = if cfg!(feature = "demo") {
    "\
With sample data:
  gateway --demo candidates list
  gateway --demo candidates list --vacancy-id 101 --status Shortlist
  gateway --demo candidates list --fields id,name,portal.name --sort -date
  gateway --demo candidates list --filter portal.name=Indeed -o ndjson
  gateway --demo vacancies list -o csv
  gateway --demo api vacancies/list
  gateway --demo credits get --dry-run

"
} else {
    ""
};

const EXAMPLES: &str = "\
Examples:
  gateway auth login --base-url https://gateway.example.com
  gateway candidates list --vacancy-id 101 --status Shortlist
  gateway candidates list --output-file candidates.csv --excel
  gateway credits get -o json";

const MORE: &str =
    "`gateway --help` says more: where the token comes from, exit codes, environment.";

const REST: &str = "\
Access token, from the first of these that is there:
  --token-file FILE, --token-stdin
  GATEWAY_TOKEN, GATEWAY_TOKEN_FILE
  token-command, then token-file of the profile
  what `gateway auth login` stored: in the keyring, or in a file that only you can read

Settings, from the first of these that is there (`gateway config list --origin` shows which):
  the flag
  the environment
  the profile

Environment:
  GATEWAY_BASE_URL    the base URL of the service
  GATEWAY_PROFILE     the profile
  GATEWAY_TOKEN       the access token
  GATEWAY_TOKEN_FILE  a file with the access token
  GATEWAY_FORCE_TTY   print as on a terminal of so many columns
  NO_COLOR            no colours
  CI                  no progress line

Exit codes:
  0    done
  1    the output could not be written, such as to a full disk
  2    usage or configuration
  3    not authorised
  4    network or timeout
  5    the service answered something that is not the contract
  6    done, but some records could not be read; standard error lists them
  129  hung up
  130  interrupted
  143  terminated";
