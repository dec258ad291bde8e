//! The end of the program's help: examples, token sources, settings, variables and exit codes.

/// Returns the end of the short help.
pub(crate) fn short() -> String {
    format!("{TRY}{EXAMPLES}\n\n{MORE}")
}

/// Returns the end of the long help.
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

const MORE: &str = "See `gateway --help` for token sources, environment variables and exit codes.";

const REST: &str = "\
Access token, first source found wins:
  --token-file FILE, --token-stdin
  GATEWAY_TOKEN, GATEWAY_TOKEN_FILE
  token-command, then token-file of the profile
  the token stored by `gateway auth login`: in the keyring, or in a file that only you can read

Settings, first source found wins (`gateway config list --origin` shows which):
  the flag
  the environment
  the profile

Environment:
  GATEWAY_BASE_URL    base URL of the service
  GATEWAY_PROFILE     profile
  GATEWAY_TOKEN       access token
  GATEWAY_TOKEN_FILE  file that contains the access token
  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY
                      proxy for each scheme, and hosts to call directly
  GATEWAY_FORCE_TTY   print as on a terminal with this number of columns
  NO_COLOR            no colours
  CI                  no progress line

Exit codes:
  0    success
  1    the output could not be written, for example because the disk is full
  2    invalid usage or configuration, or no access token
  3    not authorised
  4    network or TLS error, timeout, or the service was overloaded or failing; retry later
  5    the service refused the request or reported a failure, or its response is unusable
  6    success, but some records were skipped; standard error lists them
  129  hung up: the terminal was closed
  130  interrupted: Ctrl-C
  143  terminated: by `kill`, or by the system that runs the program";
