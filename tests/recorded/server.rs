//! The record of the server for operators and clients. The records are the files next to this one.

#[path = "shell.rs"]
mod shell;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Read as _;
use std::process::Stdio;

use self::shell::{Shell, compare, without_variations};
use crate::cluster;
use crate::process::Served;
use crate::support::{exchange, parse};

fn shell() -> Shell {
    Shell::new(env!("CARGO_BIN_EXE_gateway-server"))
}

#[test]
fn commands() {
    let shell = shell().with("GATEWAY_DATABASE", "a.db");
    let both = shell.see(COMMANDS);
    let help = shell.see_each(HELP).replace("\n\n", "\n");
    let seen = help + &both + &shell.see(COMMANDS_OF_SQLITE);
    compare("server-commands", &seen);

    let file = rusqlite::Connection::open(shell.path("a.db")).unwrap();
    compare("schema-server-sqlite", &shell::sqlite_schema(&file));
    on_postgresql(&without_variations(&both));
}

const HELP: &str = r"
# Help
gateway-server --help
gateway-server serve -h
gateway-server account create -h | grep -v '^ *-h'
gateway-server account list -h | grep -e '--'
gateway-server token create -h | grep -e '--'
gateway-server token list -h | grep -e '--'
gateway-server token revoke -h | grep -e '--'
gateway-server import -h | grep -e '--'
gateway-server delete -h
gateway-server delete candidate -h | grep -e '--'
gateway-server delete vacancy -h | grep -e '--'
gateway-server delete status -h | grep -e '--'
gateway-server delete account -h | grep -e '--'
gateway-server credits set -h | grep -e '--'
gateway-server demo-data -h | grep -e '--'
gateway-server backup -h | grep -e '--'
gateway-server restore -h | grep -e '--'
gateway-server check -h | grep -e '--'
gateway-server health -h
gateway-server --version
gateway-server
gateway-server nothing
";

const COMMANDS: &str = r#"
# Accounts and tokens
gateway-server account list
gateway-server account create acme
gateway-server account create acme
gateway-server account create ''
gateway-server account create "$(printf 'a\033b')"
gateway-server account create "$(printf 'a\nb')"
gateway-server account create "$(printf 'a\302\205b')"
gateway-server account create b --token "$(printf 'a\033b')"
gateway-server token create --account acme --label "$(printf 'a\nb')"
gateway-server account create other --token first
gateway-server account list
gateway-server token create --account acme
gateway-server token list --account acme
gateway-server token create --account acme --label nightly --expires 90d
gateway-server token create --account acme --expires soon
gateway-server token create --account acme --expires 0d
gateway-server token create --account absent
gateway-server token create
gateway-server token list --account acme | grep nightly
gateway-server token list --account other
gateway-server token list --account absent
gateway-server token revoke --account acme absent
gateway-server token revoke --account other $(gateway-server token list --account other | tail -n 1 | cut -d ' ' -f 1)
gateway-server token list --account other
# Imports
printf '{"id":1,"name":"Anna","email":"anna@example.org","date":"2026-02-03 04:05:06","portal":{"id":7,"name":"Indeed"}}\n{"id":2,"name":"Jörg"}\n' > c.ndjson
printf '{"id":101,"project":"Welder"}\n{"id":102,"project":"Nurse"}\n' > v.ndjson
printf 'vacancy_id,candidate_id,status\n101,1,New\n101,2,Shortlist\n' > s.csv
printf '{"credits_number":"12.50","currency":"EUR"}' > b.json
gateway-server import --account acme --dry-run c.ndjson v.ndjson s.csv b.json
gateway-server import --account acme c.ndjson v.ndjson s.csv b.json
gateway-server import --account acme c.ndjson
gateway-server import --account acme s.csv
gateway-server import --account absent c.ndjson
gateway-server import --account acme absent.csv
gateway-server import --account acme
gateway-server import --account acme c.txt
gateway-server import --account acme - < c.ndjson
gateway-server import --account acme --format ndjson - < c.ndjson
printf '{"id":3,"name":"Zoë","score":9}\n' | gateway-server import --account acme --format ndjson -
printf '{"id":"x"}\n' | gateway-server import --account acme --format ndjson -
printf '{"id":1,"date":"31.12.2026"}\n' | gateway-server import --account acme --format ndjson -
printf '{"name":"nobody"}\n' | gateway-server import --account acme --format ndjson -
printf '{"vacancy_id":999,"candidate_id":1,"status":"New"}\n' | gateway-server import --account acme --format ndjson -
printf '{"vacancy_id":101,"candidate_id":999,"status":"New"}\n' | gateway-server import --account acme --format ndjson -
printf '{"id":1' | gateway-server import --account acme --format json -
printf 'id,name\n1\n' | gateway-server import --account acme --format csv -
printf '\377' | gateway-server import --account acme --format csv -
printf '' | gateway-server import --account acme --format csv -
printf '{"status":"success","result":[{"id":"4","name":"Noor"}]}' | gateway-server import --account acme --format json --vacancy-id 102 --status New -
printf '[{"id":"101","project":"Welder"}]' | gateway-server import --account acme --format json --replace --dry-run -
printf '[{"id":"101","project":"Welder"}]' | gateway-server import --account acme --format json --replace -
printf '[{"id":"101","project":"Welder"}]' | gateway-server import --account acme --format json --replace --accept-removals 7 -
printf '[{"id":"101","project":"Welder"}]' | gateway-server import --account acme --format json --replace --accept-removals 1 -
gateway-server import --account acme --status New c.ndjson
# Files that are refused with the place of the error: nothing is imported, and no value is repeated
printf '{"id":"1","name":"secret"}\n\n{"nmae":"secret"}\n' | gateway-server import --account acme --format ndjson -
printf '{"id":"1","name":"secret"}\n{"id":"2","name":"secret' | gateway-server import --account acme --format ndjson -
printf 'not JSON' | gateway-server import --account acme --format ndjson -
printf '[\n{"id":"1","name":""},\n{"id":"2","name":"","date":"2026-02-30 00:00:00"}\n]' | gateway-server import --account acme --format json -
printf '{"status":"success","result":[{"id":"1","name":""},\n{"id":7.5}]}' | gateway-server import --account acme --format json -
printf 'id,nmae\n1,secret\n' | gateway-server import --account acme --format csv -
printf 'id,name,vacancy_id,status\n1,secret,9,New\n' | gateway-server import --account acme --format csv -
printf '{"id":"1","id":"2"}' | gateway-server import --account acme --format ndjson -
printf '{"credits_number":"1e3","currency":"EUR"}' | gateway-server import --account acme --format json -
printf '{"id":"1","name":"secret","vacancy_id":"3"}' | gateway-server import --account acme --format ndjson -
printf '{"id":"1","name":"a\\u0000secret"}' | gateway-server import --account acme --format ndjson -
printf '{"id":"007"}\n{"id":"9223372036854775808"}' | gateway-server import --account acme --format ndjson -
printf '[{"id":"1","name":"secret"},{"id":"1","name":"other"}]' | gateway-server import --account acme --format json -
printf '{"id":"1","name":"","portal":{"nmae":"secret"}}' | gateway-server import --account acme --format ndjson -
printf '"secret"' | gateway-server import --account acme --format ndjson -
printf '{"name":["secret"]}' | gateway-server import --account acme --format ndjson -
# Files of which a part would be lost
printf '"' | gateway-server import --account acme --format csv -
printf 'id,project\r\n1,"b\nb"\r\n2,"c\r\nd\r\n' | gateway-server import --account acme --format csv -
printf 'id,name\n1,"secret\n2,Bob\n3,Carl\n' | gateway-server import --account acme --format csv -
printf 'id,name\n1,Ann\n"2","secret\n' | gateway-server import --account acme --format csv -
printf 'id,name\n3,Cleo\n4,Dan' | gateway-server import --account acme --format csv -
printf 'id,name,name\n1,Ann,secret\n' | gateway-server import --account acme --format csv -
printf '{"id":"6","name":"secret","candidate_id":"5","vacancy_id":"1","status":"New"}' | gateway-server import --account acme --format ndjson -
printf '{"id":"6","project":"P","name":"secret"}' | gateway-server import --account acme --format ndjson -
printf '{"credits_number":"1","currency":"EUR","status":"secret"}' | gateway-server import --account acme --format ndjson -
printf '{"id":"6","name":"secret","currency":"EUR"}' | gateway-server import --account acme --format ndjson -
printf '{"id":"6","email":"secret"}' | gateway-server import --account acme --format ndjson -
printf '{"credits_number":"1","currency":"EUR"}\n{"credits_number":"2","currency":"EUR"}' | gateway-server import --account acme --format json -
printf '{"status":"error","result":[]}' | gateway-server import --account acme --format json -
printf '{"result":[{"id":"6","name":"secret"}]}' | gateway-server import --account acme --format json -
printf '{"status":"success","result":[],"id":"6"}' | gateway-server import --account acme --format json -
printf '{"status":"success","result":[],"result":[]}' | gateway-server import --account acme --format json -
# Files without records
printf 'id,name\n' | gateway-server import --account acme --format csv -
printf '\n' | gateway-server import --account acme --format ndjson -
printf '{"status":"success","result":[]}' | gateway-server import --account acme --format json -
printf "id,name\n" | gateway-server import --account acme --format csv - -
# An import with many removals
seq 1000 1199 | sed 's/.*/{"id":"&","name":"A"}/' > many.ndjson
gateway-server import --account acme many.ndjson
head -n 120 many.ndjson > few.ndjson
gateway-server import --account acme --replace --dry-run few.ndjson
gateway-server import --account acme --replace few.ndjson
gateway-server credits set --account acme 7.25 CHF
gateway-server credits set --account acme 1,5 EUR
gateway-server credits set --account acme 1 ''
gateway-server credits set --account absent 1 EUR
gateway-server demo-data --account other --candidates 5
gateway-server demo-data --account absent
gateway-server check
# Deletions
gateway-server delete candidate --account acme 1 --dry-run
gateway-server delete candidate --account acme 1
gateway-server delete candidate --account acme 1
gateway-server delete candidate --account acme 1 2 --ignore-missing
gateway-server delete candidate --account acme
gateway-server delete candidate --account acme x
gateway-server delete candidate --account acme 4
gateway-server delete candidate --account acme 1000 4000
gateway-server delete candidate --account acme 1000 4000 --dry-run --ignore-missing
gateway-server delete candidate --account acme 1000 1001 4000 --ignore-missing
gateway-server delete vacancy --account acme 101 --dry-run
gateway-server delete vacancy --account acme 101
gateway-server delete status --account other --vacancy-id 101 --candidate-id 1
gateway-server delete status --account other 101 1
gateway-server delete account other
gateway-server delete account other --dry-run
gateway-server delete account other --yes
gateway-server delete account other --yes
gateway-server delete traces
gateway-server account list
"#;

const COMMANDS_OF_SQLITE: &str = r"
# Backups
gateway-server check
gateway-server backup b.db; stat -c %a b.db
gateway-server backup b.db
gateway-server backup absent/b.db
gateway-server backup /sys/b.db 2>&1 | grep -o 'cannot write .* another'
gateway-server restore b.db --database new.db; stat -c %a new.db
gateway-server account list --database new.db
gateway-server restore b.db
gateway-server restore b.db --replace
gateway-server restore absent.db --database third.db
gateway-server restore c.ndjson --database third.db
gateway-server check --database c.ndjson
gateway-server check --database absent.db
gateway-server account list --database absent.db
gateway-server account list --database ''
gateway-server account list --database absent/a.db
gateway-server account list --database postgres://nobody@127.0.0.1:1/x
gateway-server account list --database mysql://x
# Settings of the server
gateway-server serve --database absent/a.db --listen 127.0.0.1:0
gateway-server serve --listen localhost:1
gateway-server serve --rate=-1
gateway-server serve --tls-key k
gateway-server serve --listen 127.0.0.1:0 --tls-key k --tls-certificate c
gateway-server serve --prefix x
gateway-server serve --trusted-proxy x
gateway-server serve --connections 0
gateway-server serve --log-level loud
gateway-server serve --response-timeout 9999
gateway-server serve --demo --database a.db
gateway-server serve --check
gateway-server serve --check --database absent.db
chmod 644 a.db; gateway-server serve --check; chmod 600 a.db
gateway-server serve --check --tls-certificate absent.pem --tls-key absent.pem
gateway-server serve --config absent.toml
gateway-server serve --print-config
gateway-server serve --burst 3
GATEWAY_LIST_CACHE=1 gateway-server serve
gateway-server serve --connections 9999999999999999999
gateway-server serve --response-timeout 18446744073709551615
gateway-server serve --response-timeout 0
gateway-server serve --database c.ndjson
: > empty.db; gateway-server serve --database empty.db
env -u GATEWAY_DATABASE gateway-server serve
GATEWAY_RATE=x gateway-server serve
GATEWAY_DATABASE= gateway-server account list
gateway-server health --ops-listen 127.0.0.1:1
";

/// Runs the commands on PostgreSQL. Records only what differs from SQLite.
fn on_postgresql(on_sqlite: &str) {
    let Some(database) = cluster::database() else { return };
    let address = database.url.as_str();
    let shell = shell().with("GATEWAY_DATABASE", address);
    let all = without_variations(&shell.see(COMMANDS)).replace(address, "postgres://DATABASE");
    let mut seen = String::new();
    for case in all.split("\n$ ").filter(|case| !on_sqlite.contains(case)) {
        writeln!(seen, "$ {case}").unwrap();
    }
    seen += &shell.see(COMMANDS_OF_POSTGRESQL).replace(address, "postgres://DATABASE");
    compare("server-commands-postgresql", &seen);

    let mut client = postgres::Client::connect(address, postgres::NoTls).unwrap();
    let mut schema = String::new();
    for row in client.query(POSTGRESQL_SCHEMA, &[]).unwrap() {
        writeln!(schema, "{}", row.get::<_, String>(0)).unwrap();
    }
    compare("schema-server-postgresql", &schema);
}

const COMMANDS_OF_POSTGRESQL: &str = "
gateway-server check
gateway-server backup b.db
gateway-server restore b.db
";

/// The columns, keys and other objects, each in one line.
const POSTGRESQL_SCHEMA: &str = "
SELECT line FROM (
    SELECT 1 AS part, table_name || '.' || lpad(ordinal_position::text, 2, '0') AS place,
        table_name || '.' || column_name || ' ' || udt_name
            || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
            || coalesce(' DEFAULT ' || column_default, '')
            || CASE is_identity WHEN 'YES' THEN ' IDENTITY' ELSE '' END AS line
        FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL
    SELECT 2, conrelid::regclass::text || conname,
        conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL
    SELECT 3, indexname, indexdef FROM pg_indexes
        WHERE schemaname = 'public' AND indexname NOT IN (SELECT conname FROM pg_constraint)
    UNION ALL
    SELECT 4, viewname, viewname || ' AS ' || definition FROM pg_views WHERE schemaname = 'public'
    UNION ALL
    SELECT 5, proname, pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT 6, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL
    SELECT 7, relname, relname || ' ' || reloptions::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL
) AS all_lines ORDER BY part, place";

#[test]
fn exchanges_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    exchanges(folder.path().join("a.db").to_str().unwrap());
}

#[test]
fn exchanges_on_postgresql() {
    let Some(database) = cluster::database() else { return };
    exchanges(&database.url);
}

/// Sends requests to a server with this database. The responses do not depend on the kind of database.
fn exchanges(database: &str) {
    let shell = shell().with("GATEWAY_DATABASE", database);
    shell.see(RECORDS);
    let token = |name: &str| {
        let create = format!("gateway-server token create --account {name}");
        let output = shell.command(&create).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let mut asking =
        Asking { tokens: ["recorded", "empty", "demo"].map(token), tag: "\"none\"".to_owned() };

    let serve = |flags: &str| {
        let line =
            format!("exec gateway-server serve --listen 127.0.0.1:0 --log-level off {flags}");
        let child = shell.command(&line).stdout(Stdio::piped()).spawn().unwrap();
        Served::of(child, flags.contains("--ops-listen"))
    };
    let address = |served: &Served| served.base_url.split("//").nth(1).unwrap().to_owned();

    let served = serve("--rate 0 --ops-listen 127.0.0.1:0");
    let mut seen = asking.see(&address(&served), EXCHANGES);
    seen += &asking.see(&served.ops.0, EXCHANGES_OF_OPERATORS);

    for (flags, token) in [("--rate 1", "T"), ("--rate 0", "wrong")] {
        let limited = serve(flags);
        let request = format!("GET /c/oauth/v1?method=credits/get  Authorization: Bearer {token}");
        // It depends on timing which request is refused first.
        let mut responses = (0..1_000).map(|_| asking.one(&address(&limited), &request));
        let refused = responses.find(|response| response.contains("\n< 429")).unwrap();
        write!(seen, "# Too often, with {flags}\n{refused}").unwrap();
    }
    compare("server-exchanges", &seen);

    compare("metrics-server", &described(&served.ops.metrics()));
}

const RECORDS: &str = r#"
gateway-server account create recorded
gateway-server account create empty
gateway-server account create demo
gateway-server demo-data --account demo
printf '{"id":10,"name":"Zoë","email":"zoe@example.org","phone":"+31 20 1","date":"2026-02-03 04:05:06","portal":{"id":7,"name":"Indeed"},"type":"robot"}\n{"id":9,"name":"Jörg"}\n' > c.ndjson
printf '{"id":101,"project":"Welder"}\n{"id":99,"project":""}\n' > v.ndjson
printf 'vacancy_id,candidate_id,status\n101,9,New\n101,10,On hold & more\n' > s.csv
printf '{"credits_number":"012.50","currency":"EUR"}' > b.json
printf '{"credits_number":"12.50","currency":"EUR"}' > b2.json
gateway-server import --account recorded c.ndjson v.ndjson s.csv
gateway-server import --account recorded b.json
gateway-server import --account recorded b2.json
"#;

/// Each line is a request, whose parts are separated by two spaces: the first line of the head, and fields. Every
/// request has the token of an account, unless it has another field `Authorization`.
const EXCHANGES: &str = "
# The operations (D-presence, D-order, D-kind, D-credits)
GET /c/oauth/v1?method=candidates/list
GET /c/oauth/v1?method=vacancies/list
GET /c/oauth/v1?method=credits/get
GET /c/oauth/v1?method=candidates/list  Authorization: Bearer OTHER
GET /c/oauth/v1?method=vacancies/list  Authorization: Bearer OTHER
GET /c/oauth/v1?method=credits/get  Authorization: Bearer OTHER
# Filters (D-status-match, D-status-alone, D-vacancy-id, D-repeat, D-empty, D-unknown-params)
GET /c/oauth/v1?method=candidates/list&vacancy_id=101
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&status=New
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&status=new
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&status=New%20
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&status=On+hold+%26%20more
GET /c/oauth/v1?method=candidates/list&status=New
GET /c/oauth/v1?method=candidates/list&vacancy_id=7
GET /c/oauth/v1?method=candidates/list&vacancy_id=101  Authorization: Bearer OTHER
GET /c/oauth/v1?method=candidates/list&vacancy_id=x
GET /c/oauth/v1?method=candidates/list&vacancy_id=-1
GET /c/oauth/v1?method=candidates/list&vacancy_id=99999999999999999999
GET /c/oauth/v1?method=candidates/list&vacancy_id=
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&status=
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&vacancy_id=101
GET /c/oauth/v1?method=candidates/list&vacancy_id=101&vacancy_id=99
GET /c/oauth/v1?method=vacancies/list&vacancy_id=x
GET /c/oauth/v1?method=credits/get&nothing=1
# The method (D-method, D-encoding)
GET /c/oauth/v1
GET /c/oauth/v1?method=
GET /c/oauth/v1?method=candidates
GET /c/oauth/v1?method=Candidates/List
GET /c/oauth/v1?method=credits%2Fget
GET /c/oauth/v1?method=credits/get&method=credits/get
GET /c/oauth/v1?method=credits/get&method=vacancies/list
GET /c/oauth/v1?method=credits/get&a=%
GET /c/oauth/v1?method=credits/get&a=%ff
# The token (D-auth)
GET /c/oauth/v1?method=credits/get  Authorization:
GET /c/oauth/v1?method=credits/get  Authorization: Basic eDp5
GET /c/oauth/v1?method=credits/get  Authorization: Bearer
GET /c/oauth/v1?method=credits/get  Authorization: Bearer a b
GET /c/oauth/v1?method=credits/get  Authorization: Bearer wrong
GET /c/oauth/v1?method=credits/get  authorization: bearer T
GET /c/oauth/v1?method=credits/get&access_token=x
GET /c/oauth/v1?method=nothing  Authorization: Bearer wrong
# Verbs and paths (D-verbs, D-path, D-versions)
HEAD /c/oauth/v1?method=candidates/list
HEAD /c/oauth/v1?method=credits/get
HEAD /c/oauth/v1?method=nothing
POST /c/oauth/v1?method=credits/get
OPTIONS /c/oauth/v1?method=credits/get
DELETE /c/oauth/v1?method=credits/get
GET /c/oauth/v1/?method=credits/get
GET /c/oauth/v2?method=credits/get
GET /
GET /healthz
GET /metrics
# Representations (D-accept, D-compression)
GET /c/oauth/v1?method=credits/get  Accept: text/html
GET /c/oauth/v1?method=credits/get  Accept: */*
GET /c/oauth/v1?method=credits/get  Accept: application/*;q=0.5, text/html
GET /c/oauth/v1?method=credits/get  Accept: application/json;q=0
GET /c/oauth/v1?method=candidates/list  Accept-Encoding: gzip
GET /c/oauth/v1?method=vacancies/list  Accept-Encoding: gzip;q=0
GET /c/oauth/v1?method=credits/get  Accept-Encoding: gzip
GET /c/oauth/v1?method=nothing  Accept-Encoding: gzip
GET /c/oauth/v1?method=candidates/list  Accept-Encoding: gzip  Authorization: Bearer DEMO
HEAD /c/oauth/v1?method=candidates/list  Accept-Encoding: gzip  Authorization: Bearer DEMO
GET /c/oauth/v1?method=candidates/list  Accept-Encoding: br, *;q=0  Authorization: Bearer DEMO
# Conditional requests (D-cache): TAG is the ETag of the last response that had one
GET /c/oauth/v1?method=vacancies/list
GET /c/oauth/v1?method=vacancies/list  If-None-Match: TAG
HEAD /c/oauth/v1?method=vacancies/list  If-None-Match: TAG
GET /c/oauth/v1?method=vacancies/list  If-None-Match: \"a\", TAG
GET /c/oauth/v1?method=vacancies/list  If-None-Match: *
GET /c/oauth/v1?method=vacancies/list  If-None-Match: \"other\"
GET /c/oauth/v1?method=candidates/list  If-None-Match: TAG
GET /c/oauth/v1?method=vacancies/list  If-None-Match: TAG  Authorization: Bearer wrong
GET /c/oauth/v1?method=credits/get
GET /c/oauth/v1?method=credits/get  If-None-Match: TAG
GET /c/oauth/v1?method=credits/get  If-Modified-Since: Fri, 01 Jan 2027 00:00:00 GMT
GET /c/oauth/v1?method=credits/get  Range: bytes=0-3
# Malformed requests
GET /c/oauth/v1?method=credits/get  Content-Length: 5
GET /c/oauth/v1?method=credits/get  Transfer-Encoding: chunked
GET /c/oauth/v1?method=credits/get  Expect: 100-continue
GET /c/oauth/v1?method=credits/get  Host: other.example
GET /c/oauth/v1?method=credits/get  Host: a b
GET /c/oauth/v1?method=credits/get HTTP/1.2
GET /c/oauth/v1?method=credits/get  A B: c
GET  /c/oauth/v1?method=credits/get
GET /c/oauth/v1?method=credits/get  X: LONG
GET /c/oauth/v1?method=credits/get&a=LONG
";

const EXCHANGES_OF_OPERATORS: &str = "
# The address of operators
GET /healthz
GET /readyz
HEAD /readyz
GET /nothing
POST /healthz
GET /c/oauth/v1?method=credits/get
";

/// A client that shows its requests with the responses.
struct Asking {
    tokens: [String; 3],
    tag: String,
}

impl Asking {
    fn see(&mut self, address: &str, requests: &str) -> String {
        let is_comment = |line: &str| line.starts_with('#');
        let mut seen = String::new();
        for line in requests.trim().lines() {
            if is_comment(line) {
                writeln!(seen, "{line}").unwrap();
            } else {
                seen += &self.one(address, line);
            }
        }
        seen
    }

    fn one(&mut self, address: &str, line: &str) -> String {
        let [own, other, demo] = &self.tokens;
        let sent = line.replace("Bearer OTHER", &format!("Bearer {other}"));
        let sent = sent.replace("Bearer DEMO", &format!("Bearer {demo}"));
        let sent = sent.replace("earer T", &format!("earer {own}"));
        let sent = sent.replace("TAG", &self.tag).replace("LONG", &"x".repeat(17_000));
        let (first, fields) = if sent.starts_with("GET  ") {
            (sent, Vec::new())
        } else {
            let mut parts = sent.split("  ").map(str::to_owned);
            (parts.next().unwrap(), parts.collect())
        };
        let version = if first.contains("HTTP/") { "" } else { " HTTP/1.1" };
        let mut head = format!("{first}{version}\r\nConnection: close\r\n");
        for (name, default) in [("host:", "recorded"), ("authorization:", &format!("Bearer {own}"))]
        {
            if !fields.iter().any(|field| field.to_lowercase().starts_with(name)) {
                write!(head, "{name} {default}\r\n").unwrap();
            }
        }
        for field in &fields {
            write!(head, "{field}\r\n").unwrap();
        }
        let response = parse(&exchange(address, format!("{head}\r\n").as_bytes()));
        if let Some(tag) = response.header("etag") {
            tag.clone_into(&mut self.tag);
        }
        let mut shown = response.head.replace("HTTP/1.1 ", "").replace("\r\n", " | ");
        if let Some(wait) = response.header("retry-after") {
            shown = shown.replace(&format!("retry-after: {wait}"), "retry-after: N");
        }
        let mut body = String::new();
        if response.header("content-encoding") == Some("gzip") {
            let mut decoder = flate2::read::GzDecoder::new(&*response.body);
            decoder.read_to_string(&mut body).unwrap_or(0);
            shown.push_str(" | body decoded");
        } else {
            body.push_str(response.text());
        }
        // The end of a long list is enough.
        if let Some((at, _)) = body.char_indices().rev().nth(400) {
            body = format!("… {}", body.split_at(at).1);
        }
        let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
        format!("> {line}\n< {shown}\n{body}{end}")
    }
}

/// Returns the name, type and description of each metric, and the values of each of its labels.
fn described(text: &str) -> String {
    let mut seen = String::new();
    let mut labels: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            seen.push_str(help);
        } else if let Some((_, kind)) =
            line.strip_prefix("# TYPE ").and_then(|at| at.split_once(' '))
        {
            writeln!(seen, " ({kind})").unwrap();
        } else if let Some((name, rest)) = line.split_once('{') {
            for label in rest.split_once('}').unwrap().0.split(',') {
                let (label, value) = label.split_once('=').unwrap();
                labels.entry((name, label)).or_default().insert(value);
            }
        }
    }
    for ((name, label), values) in labels {
        let values: Vec<&str> = values.into_iter().collect();
        writeln!(seen, "{name} {label}: {}", values.join(" ")).unwrap();
    }
    seen
}
