//! The record of the program for its users: commands, output and exit codes. The records are the files next to this
//! one.

#[path = "shell.rs"]
mod shell;

use std::fmt::Write as _;

use calamine::Reader as _;
use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use self::shell::{Shell, compare};
use crate::office::{Office, application, candidate, credits, vacancy};
use crate::run::{ClosedPort, TOKEN};

fn shell() -> Shell {
    Shell::new(env!("CARGO_BIN_EXE_gateway"))
}

#[test]
fn help() {
    let script: String =
        crate::tree::leaves().iter().fold(String::new(), |mut script, (path, _)| {
            writeln!(script, "gateway {} -h", path.join(" ")).unwrap();
            script
        });
    // The last line is the same on every page.
    let end = "\nCommon options: `gateway help options`\nexit 0\n";
    let seen = shell().see_each(&script).replace(end, "\n");
    compare("help", &seen.replace("\n\n", "\n"));
}

#[test]
fn lists() {
    let mut seen = shell().see_each(LISTS);
    let shell = shell();
    seen += &shell.see(WORKBOOKS);
    for name in ["candidates.xlsx", "vacancies.xlsx", "credits.xlsx"] {
        let mut book: calamine::Xlsx<_> = calamine::open_workbook(shell.path(name)).unwrap();
        for (sheet, cells) in book.worksheets() {
            writeln!(seen, "# {name}, sheet {sheet}").unwrap();
            for row in cells.rows() {
                let cells: Vec<String> = row.iter().map(cell).collect();
                writeln!(seen, "{}", cells.join(" | ")).unwrap();
            }
        }
    }
    compare("lists", &seen);
}

/// Returns a cell with its type.
fn cell(cell: &calamine::Data) -> String {
    let kind = format!("{cell:?}");
    format!("{} {cell}", kind.split('(').next().unwrap())
}

const LISTS: &str = r#"
# Formats
gateway --demo candidates list --vacancy-id 101 --status Shortlist
gateway --demo candidates list --vacancy-id 101 --status Shortlist -o ndjson
gateway --demo candidates list --vacancy-id 101 --status Shortlist -o csv
gateway --demo candidates list --vacancy-id 101 --status Shortlist -o csv --excel
gateway --demo candidates list --vacancy-id 101 --status Shortlist -o csv --separator tab
gateway --demo candidates list --vacancy-id 101 --status Shortlist -o csv --csv-raw
gateway --demo candidates list --vacancy-id 101 --status Shortlist -o raw
gateway --demo candidates list --limit 2 -o table
GATEWAY_FORCE_TTY=80 gateway --demo candidates list --limit 2
GATEWAY_FORCE_TTY=80 gateway --demo candidates list --limit 1 -o json
NO_COLOR=1 GATEWAY_FORCE_TTY=80 gateway --demo candidates list --limit 2 --wide
GATEWAY_FORCE_TTY=80 gateway --demo candidates list --limit 1
gateway --demo vacancies list
gateway --demo vacancies list -o raw
gateway --demo vacancies list -o csv --excel
gateway --demo vacancies list -o csv --separator '|'
GATEWAY_FORCE_TTY=80 gateway --demo vacancies list
gateway --demo credits get
gateway --demo credits get -o ndjson
gateway --demo credits get -o raw
GATEWAY_FORCE_TTY=80 gateway --demo credits get
gateway --demo vacancies list -o xml
gateway --demo vacancies list -o xlsx | head -c 2; echo
gateway --demo version -o json
gateway --version
gateway version
# Selections
gateway --demo candidates list --vacancy-id 9
gateway --demo candidates list --vacancy-id 101 --status Shortlst
gateway --demo candidates list --vacancy-id 101 --status Shortlst -o table
gateway --demo candidates list --fields id,name --limit 2 -o csv
gateway --demo candidates list --fields ID,Portal.Name --sort -date --limit 3 -o ndjson
gateway --demo candidates list --fields id,nmae
gateway --demo candidates list --fields id,score --any-field --limit 1
gateway --demo candidates list --filter portal.name=Indeed --fields id -o ndjson
gateway --demo candidates list --filter 'portal.name!=Indeed' --filter 'date>=2026-09-01' --fields id,date -o ndjson
gateway --demo candidates list --filter 'date=2026-08' --fields id -o ndjson
gateway --demo candidates list --filter 'date=2026-08-15' --fields id,date -o ndjson
gateway --demo candidates list --filter 'name~GROSS' --fields id,name -o ndjson
gateway --demo candidates list --filter 'id<48010' --fields id -o ndjson
gateway --demo candidates list --filter 'date<soon'
gateway --demo candidates list --since 2026-09-20 --fields id,date -o ndjson
gateway --demo candidates list --since 2999-01-01
gateway --demo candidates list --since soon
gateway --demo vacancies list --since today
gateway --demo candidates list --count-by portal.name
gateway --demo candidates list --count-by portal.name -o csv --limit 2
gateway --demo candidates list --count-by nothing
gateway --demo candidates list --count-by Portal.Name --since 2026-09-20 -o table
gateway --demo vacancies list --count-by id --fields id
gateway --demo vacancies list --limit 1 -o raw
gateway --demo credits get --limit 1
gateway --demo credits get --since 2026-11-01
gateway --demo vacancies list --sort -project --limit 2
gateway --demo vacancies list --sort size
gateway --demo vacancies list --limit 0
gateway --demo vacancies list --limit -1
# jq
gateway --demo vacancies list --jq 'map(.id)'
gateway --demo vacancies list --jq '.[].project' --limit 2
gateway --demo credits get --jq .currency
gateway --demo credits get --jq '.credits_number|tonumber'
gateway --demo vacancies list --jq '.['
gateway --demo vacancies list --jq '.[0].id.x'
gateway --demo vacancies list --jq halt_error
gateway --demo vacancies list --jq 'error("no")'
gateway --demo vacancies list --jq . -o csv
gateway --demo vacancies list --jq input
# Files
gateway --demo vacancies list --limit 1 --output-file - -o csv
gateway --demo vacancies list --limit 1 --output-file v.csv; cat v.csv
gateway --demo vacancies list --limit 1 --output-file v.jsonl; cat v.jsonl
gateway --demo vacancies list --limit 1 --output-file v.txt; cat v.txt
gateway --demo vacancies list --limit 1 --output-file v; cat v
gateway --demo vacancies list --output-file v.xml
gateway --demo vacancies list --output-file absent/v.csv
gateway --demo vacancies list --output-file w.csv -q; stat -c %a w.csv
gateway --demo vacancies list >/dev/full
gateway --demo vacancies list -o table | head -n 1
# Requests
gateway --demo candidates list --vacancy-id 101 --status "On hold & more" --dry-run
gateway --demo credits get --dry-run
gateway --demo api x/y -f 'a=b c' --dry-run
gateway --demo --base-url https://gateway.example.com credits get
gateway --demo --profile work credits get
gateway --demo credits get --timeout 0
gateway --demo credits get --new-since today
# The raw call
gateway --demo api credits/get
gateway --demo api credits/get -o table
gateway --demo api credits/get -o csv
gateway --demo api vacancies/list -o ndjson
gateway --demo api vacancies/list -o csv --limit 1
gateway --demo api vacancies/list --jq length
gateway --demo api candidates/list -f vacancy_id=101 -f status=Shortlist
gateway --demo api candidates/list -f vacancy_id=x
gateway --demo api candidates/list -f status=New
gateway --demo api candidates/list -f vacancy_id=1 -f vacancy_id=2
gateway --demo api candidates/list -f vacancy_id
gateway --demo api candidates/lst
gateway --demo api credits/get
gateway --demo api nothing
# Amounts
gateway --demo credits check --below 10
gateway --demo credits check --below 1000
gateway --demo credits check --below 1000 -o table
gateway --demo credits check --below x
gateway --demo credits check
gateway --demo credits check --days 7
gateway --demo credits forecast
# Checks of the service
gateway --demo check | sha256sum
gateway --demo check -o table
gateway --demo check --strict -o table
gateway --demo check --filter check=authorization.required -o json
# Long texts
gateway man | grep -v '^.TH' | sha256sum
gateway man candidates list | wc -l
gateway man mirror sync | wc -l
gateway man --all pages && ls pages | wc -l
gateway man nothing
gateway completions bash | sha256sum
gateway completions elvish | sha256sum
gateway completions fish | sha256sum
gateway completions powershell | sha256sum
gateway completions zsh | sha256sum
gateway completions tcsh
gateway candidates
gateway help candidates list | head -n 3
gateway candidates list extra
gateway --demo candidates list --vacancy-id 101 --staus New
gateway dashboard --demo --listen 0.0.0.0:0
gateway dashboard --from absent.db
gateway --demo dashboard --from absent.db
gateway cache clear
gateway --demo --cache vacancies list --limit 1
"#;

const WORKBOOKS: &str = "
gateway --demo candidates list --vacancy-id 101 --status Shortlist --output-file candidates.xlsx
gateway --demo vacancies list --limit 2 --output-file vacancies.xlsx
gateway --demo credits get --output-file credits.xlsx
GATEWAY_FORCE_TTY=80 gateway --demo vacancies list -o xlsx
";

#[test]
fn faults() {
    let server = fault_server();
    let nobody = ClosedPort::new();
    let shell = shell().with("FAULTS", &server.uri("")).with("GATEWAY_TOKEN", TOKEN);
    let mut script = String::new();
    for fault in FAULTS.split_whitespace() {
        writeln!(script, "# {fault}").unwrap();
        for command in [
            "candidates list",
            "vacancies list -o csv",
            "credits get -o table",
            "api vacancies/list",
        ] {
            writeln!(script, "gateway --base-url $FAULTS/{fault} {command}").unwrap();
        }
        writeln!(script, "gateway --base-url $FAULTS/{fault} mirror sync --to {fault}.db").unwrap();
    }
    for fault in ["unauthorized", "forbidden", "too-many", "failing", "cut", "bad-records", "empty"]
    {
        for command in ["auth status", "credits check --below 1", "credits get --jq ."] {
            writeln!(script, "gateway --base-url $FAULTS/{fault} {command}").unwrap();
        }
    }
    let mut seen = shell.see_each(&script);
    let shell = shell.with("FAULTS", &nobody.url());
    seen += &shell.see_each(
        "
# Nobody listens
gateway --base-url $FAULTS candidates list
gateway --base-url $FAULTS credits get
gateway --base-url $FAULTS api vacancies/list
gateway --base-url $FAULTS check
gateway --base-url $FAULTS auth status
gateway --base-url $FAULTS mirror sync --to nobody.db
",
    );
    assert!(!seen.contains(TOKEN));
    compare("faults", &seen);
}

/// Each is a path below the base URL of the fault server.
const FAULTS: &str = "unauthorized forbidden too-many too-many-for-long failing unavailable \
    not-found moved failure-in-envelope not-json html nothing cut unfinished bad-records \
    other-types more-fields empty notice garbage closed";

/// Starts a server with one fault below each path.
#[expect(clippy::too_many_lines, reason = "one table of faults")]
fn fault_server() -> RawServer {
    RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        let target = request.target();
        let fault = target.split('/').nth(1).unwrap();
        let pick = |candidates: &'static str, vacancies, credits| {
            if target.contains("candidates/list") {
                candidates
            } else if target.contains("vacancies/list") {
                vacancies
            } else {
                credits
            }
        };
        let problem = |name: &str, title: &str, status: &str| {
            format!(
                r#"{{"type":"urn:gateway:problem:{name}","title":"{title}","status":{status}}}"#
            )
        };
        let json = "content-type: application/json\r\n";
        let (status, headers, body) = match fault {
            "unauthorized" => (
                "401 Unauthorized",
                "content-type: application/problem+json\r\nwww-authenticate: Bearer error=\"invalid_token\"\r\n",
                problem("token-invalid", "The token is not valid", "401"),
            ),
            "forbidden" => (
                "403 Forbidden",
                "content-type: application/problem+json\r\n",
                r#"{"title":"Forbidden","detail":"the account is closed"}"#.to_owned(),
            ),
            "too-many" => (
                "429 Too Many Requests",
                "content-type: application/problem+json\r\nretry-after: 0\r\n",
                problem("too-many-requests", "Too many requests", "429"),
            ),
            "too-many-for-long" => ("429 Too Many Requests", "retry-after: 9999\r\n", String::new()),
            "failing" => {
                ("500 Internal Server Error", "content-type: text/plain\r\n", "broken".to_owned())
            }
            "unavailable" => ("503 Service Unavailable", "retry-after: 0\r\n", String::new()),
            "not-found" => ("404 Not Found", "", "nothing here".to_owned()),
            "moved" => ("302 Found", "location: https://elsewhere.example\r\n", String::new()),
            "failure-in-envelope" => {
                let body = r#"{"status":"error","message":"closed for today"}"#;
                ("200 OK", json, body.to_owned())
            }
            "not-json" => ("200 OK", json, "welcome".to_owned()),
            "html" => ("200 OK", "content-type: text/html\r\n", "<html>".to_owned()),
            "nothing" => ("200 OK", json, String::new()),
            "cut" => {
                let body = pick(ONE_CANDIDATE, ONE_VACANCY, ONE_BALANCE);
                let half = body.split_at(body.len() - 3).0;
                let head = format!("HTTP/1.1 200 OK\r\n{json}content-length: 500\r\n\r\n{half}");
                connection.send(head.as_bytes());
                return Next::Close;
            }
            "unfinished" => {
                let body = pick(ONE_CANDIDATE, ONE_VACANCY, ONE_BALANCE);
                ("200 OK", json, body.split_at(body.len() - 1).0.to_owned())
            }
            "bad-records" => {
                let body = pick(
                    r#"{"status":"success","result":[{"id":"1","name":"Anna"},{"name":"no id"},null,{"id":4}]}"#,
                    r#"[{"id":"1","project":"Welder"},{"project":"no id"},[],{"id":"4"}]"#,
                    r#"{"credits_number":"many","currency":""}"#,
                );
                ("200 OK", json, body.to_owned())
            }
            "other-types" => {
                let body = pick("[]", r#"{"status":"success","result":{}}"#, "[1]");
                ("200 OK", json, body.to_owned())
            }
            "more-fields" => {
                let body = pick(
                    r#"{"status":"success","result":[{"id":"1","name":"Anna","score":9.50,"tags":["a"]}],"page":1}"#,
                    r#"[{"id":"1","project":"Welder","open":true}]"#,
                    r#"{"credits_number":"12.50","currency":"EUR","held":"1"}"#,
                );
                ("200 OK", json, body.to_owned())
            }
            "empty" => {
                let body = pick(
                    r#"{"status":"success","result":[]}"#,
                    "[]",
                    r#"{"credits_number":"0","currency":"EUR"}"#,
                );
                ("200 OK", json, body.to_owned())
            }
            "notice" => {
                let body = pick(ONE_CANDIDATE, ONE_VACANCY, ONE_BALANCE);
                let headers =
                    "content-type: application/json\r\ngateway-notice: closes at noon\r\n";
                ("200 OK", headers, body.to_owned())
            }
            "garbage" => {
                connection.send(b"220 mail.example.com ESMTP\r\n");
                return Next::Close;
            }
            _ => return Next::Close,
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        connection.send(head.as_bytes());
        Next::Close
    })
    .unwrap()
}

const ONE_CANDIDATE: &str = r#"{"status":"success","result":[{"id":"1","name":"Anna"}]}"#;
const ONE_VACANCY: &str = r#"[{"id":"1","project":"Welder"}]"#;
const ONE_BALANCE: &str = r#"{"credits_number":"12.50","currency":"EUR"}"#;

#[test]
fn settings() {
    let office = Office::new(&[vacancy(101), credits()]);
    let shell = shell().with("URL", &office.base_url()).with("TOKEN", &office.token);
    compare("settings", &shell.see(SETTINGS));
}

const SETTINGS: &str = r#"
gateway config path
gateway config list
gateway profile list
gateway auth status
gateway auth logout
gateway credits get
printf 'gwt_wrong\n' | gateway auth login --base-url $URL --token-stdin
printf '%s\n' $TOKEN | gateway auth login --base-url $URL --token-stdin
ls config/gateway; stat -c %a config/gateway config/gateway/*
cat config/gateway/config.toml
gateway credits get
gateway auth status -o table
gateway auth status -o csv
gateway config get base-url
gateway config get token
gateway config get nothing
gateway config set timeout 9
gateway config set timeout soon
gateway config set base-url ftp://x
gateway config set mirror m.db
gateway config set nothing 1
gateway config set cache-size 10
gateway config set allow-insecure-http maybe
gateway config unset timeout
gateway config unset timeout
gateway config unset nothing
# Profiles
gateway --profile work credits get
gateway --profile work config set base-url https://work.example
gateway --profile work config list -o csv
gateway --profile work auth status
printf '%s\n' $TOKEN | gateway --profile second auth login --base-url $URL --token-stdin
gateway --profile second credits get
printf 'gwt_unchecked\n' | gateway --profile third auth login --base-url https://third.example --token-stdin --unchecked
gateway profile list
gateway profile list -o table
gateway profile use work
gateway profile list -o csv
gateway credits get
gateway profile use absent
gateway profile remove third --dry-run
gateway profile remove third
gateway profile remove third
gateway profile use default
gateway --profile 'a b' profile list
cat config/gateway/config.toml
# Other sources of the token
GATEWAY_TOKEN=gwt_wrong gateway credits get
printf 'gwt_wrong' > token; chmod 600 token; gateway credits get --token-file token
chmod 644 token; gateway credits get --token-file token
gateway credits get --token-file absent
printf '%s' $TOKEN | gateway credits get --token-stdin
gateway credits get --token-stdin
gateway credits get --token x
gateway config set token-command 'sh -c "exit 3"'
gateway credits get
gateway config set token-command 'printenv TOKEN'
gateway config get token
gateway auth logout
gateway credits get
gateway credits get --base-url https://other.example
gateway config unset token-command
gateway credits get
gateway auth logout
echo 'nonsense' > config/gateway/config.toml
gateway credits get
printf '[profile.default]\nbase-url = 7\n' > config/gateway/config.toml
gateway credits get
"#;

#[test]
fn mirror() {
    let office = Office::new(&[
        candidate(1, "Anna"),
        candidate(2, "Jörg"),
        candidate(3, "Zoë"),
        vacancy(101),
        vacancy(102),
        application(101, 1, "New"),
        application(101, 2, "Shortlist"),
        application(102, 3, "Hired"),
        credits(),
    ]);
    let shell = shell()
        .with("GATEWAY_BASE_URL", &office.base_url())
        .with("GATEWAY_TOKEN", &office.token)
        .with("GATEWAY_MIRROR", "m.db");
    let mut seen = shell.see(MIRROR_BEFORE);
    office.set(&[
        candidate(1, "Anna-Maria"),
        candidate(2, "Jörg"),
        candidate(4, "Noor"),
        vacancy(101),
        vacancy(102),
        application(101, 1, "Rejected"),
        application(101, 2, "Shortlist"),
        application(102, 4, "Hired"),
        credits(),
    ]);
    seen += &shell.see(MIRROR_AFTER);
    compare("mirror", &seen);

    let file = rusqlite::Connection::open(shell.path("m.db")).unwrap();
    compare("schema-mirror", &shell::sqlite_schema(&file));
}

const MIRROR_BEFORE: &str = r"
# Before the first sync
gateway mirror status
gateway mirror changes
gateway mirror check
gateway mirror backup b.db
gateway mirror restore b.db
gateway mirror search anna
gateway mirror forget 1 --yes
gateway mirror purge --gone-for 1d --yes
gateway mirror consumers
gateway board
gateway candidates list --from mirror
gateway mirror sync --dry-run
# The first sync
gateway mirror sync
gateway mirror sync -o table
gateway mirror sync --values Hired
gateway mirror sync -q --no-recover
gateway mirror sync --values Hird
gateway mirror sync --accept-missing x
gateway mirror sync --every 0s
gateway mirror sync --values ''
gateway mirror sync --from m.db
gateway mirror restore m.db --from m.db
gateway tap --discover --from m.db
gateway tap --dry-run --from m.db
gateway mirror status
gateway mirror status -o table --fields table,synced_at,records,missing
gateway mirror status -o csv --fields table,records
gateway mirror status --max-age 1h -q --fields table
gateway mirror status --max-age soon
gateway mirror changes
gateway mirror changes -o table
gateway mirror changes --cursor
gateway mirror changes --after nonsense
gateway mirror changes --after $(gateway mirror changes --cursor)
gateway mirror search ANNA
gateway mirror search welder -o table --fields table,id,state
gateway mirror search nobody
gateway mirror consumers
gateway mirror consumers -o table
gateway mirror consumers --remove absent --yes
# Lists of the mirror
gateway candidates list --from mirror
gateway candidates list --from mirror -o csv -q
gateway candidates list --from m.db --vacancy-id 101 -o ndjson --fields id,name
gateway candidates list --from m.db --vacancy-id 101 --status Shortlist -o ndjson --fields id,name
gateway candidates list --from m.db --vacancy-id 101 --status Nothing
gateway candidates list --from m.db --vacancy-id 999
gateway candidates list --from m.db --new-since yesterday --count-by type -o csv
gateway candidates list --from m.db --new-since 2999-01-01 -o table
gateway vacancies list --from mirror -o table
gateway vacancies list --from mirror -o raw
gateway vacancies list --from absent.db
gateway credits get --from m.db
gateway api vacancies/list --from m.db
gateway check --from m.db
gateway vacancies list --new-since today
gateway board --from m.db --new-since today
gateway board --to m.db
gateway --demo board --from m.db
gateway board
gateway board -o table
gateway board -o csv
NO_COLOR=1 GATEWAY_FORCE_TTY=60 gateway board
NO_COLOR=1 GATEWAY_FORCE_TTY=32 gateway board
gateway board --count-by Hired
gateway credits check --below 100
gateway credits check --days 7
gateway credits forecast
gateway credits forecast -o table
# Consumers
gateway watch --once
gateway watch --once --exec 'cat' --emit-baseline
gateway watch --once --exec false
gateway watch --once --webhook ftp://x
gateway watch --once --webhook https://hooks.example.com
GATEWAY_WEBHOOK_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw gateway watch --once --webhook ftp://x
GATEWAY_WEBHOOK_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw gateway watch --once --webhook http://127.0.0.1:1/ -q
GATEWAY_WEBHOOK_SECRET=short gateway watch --once --webhook https://hooks.example.com
gateway watch --every 1x
gateway mirror consumers -o csv
";

const MIRROR_AFTER: &str = r#"
# Later changes
gateway watch --once --exec ./absent
gateway watch --once --exec 'cat' --consumer second
gateway watch --once
gateway mirror sync
gateway mirror changes -o ndjson --fields number,table,record_id,kind,fields
gateway mirror changes -o table --limit 3 --fields number,table,record_id,kind,fields
gateway mirror changes -o csv --limit 2
gateway mirror changes --limit 1
gateway mirror changes --filter kind=gone --jq 'map(.record_id)'
gateway mirror changes --count-by kind -o csv
gateway mirror consumers -o ndjson
gateway watch --once --exec false --resume
gateway mirror consumers --remove exec --yes
gateway mirror consumers --remove second --yes
gateway mirror search zoë --fields table,id,state -o csv
gateway candidates list --from mirror --fields id,name -q -o csv
gateway board -o csv -q
# One file for each account
gateway --base-url https://other.example mirror sync
# Singer
gateway tap --discover | sha256sum
gateway tap --discover | grep tap_stream_id
gateway tap | head -n 2
gateway tap | tail -n 1
gateway tap --config absent.json
echo '{"nothing":1}' > tap.json; gateway tap --config tap.json
echo '{}' > air.json
# Backups
gateway mirror check
gateway mirror check -o table
gateway mirror rebuild
gateway mirror backup b.db
gateway mirror backup b.db
gateway mirror backup b.db --replace
gateway mirror backup absent/b.db
gateway mirror backup b.db --from absent.db
gateway mirror restore b.db
gateway mirror restore b.db --yes
gateway mirror restore b.db --to other.db; stat -c %a other.db
gateway mirror restore air.json --yes
gateway mirror restore ./m.db --yes
gateway mirror changes --after m1.0.1.0
gateway mirror status --from air.json
# Erasure
gateway mirror forget 1
gateway mirror forget 1 --dry-run
gateway mirror forget 1 --yes
gateway mirror forget 1 --yes
gateway mirror forget 99 --yes
gateway mirror forget 99 --yes --unknown
gateway mirror forget 1 --table nothing --yes
gateway mirror forget --undo 1
gateway mirror forget --undo 77
gateway mirror sync
gateway candidates list --from mirror --fields id,name -q -o csv
gateway mirror sync -q
gateway mirror purge --yes
gateway mirror purge --gone-for 0d --dry-run
gateway mirror purge --gone-for 1d --changes-older-than 1d --yes
gateway mirror purge --gone-for 1d
gateway mirror sync --no-personal
gateway candidates list --from mirror -q --limit 1
gateway --demo mirror sync
gateway --demo board -o table
NO_COLOR=1 GATEWAY_FORCE_TTY=50 gateway --demo board
gateway mirror sync --to postgres://nobody@127.0.0.1:1/x
gateway mirror copy --to postgres://nobody@127.0.0.1:1/x
gateway mirror copy --to folder
gateway mirror status --from postgres://nobody@127.0.0.1:1/x
"#;
