//! `version`: the version and the features of this build.

use methodical_client::model::Service;
use serde::Serialize;

use crate::command::print::print;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::printer::Printer;
use crate::output::schema::Schema;

/// The facts that belong in a bug report.
#[derive(Serialize)]
struct Version {
    name: &'static str,
    version: &'static str,
    api: &'static str,
    demo: bool,
    keyring: bool,
}

/// Prints text for a person, or a record if any flag asks for one.
pub(crate) fn run<S: Service>(invocation: &Invocation) -> Result<(), Failure> {
    let Invocation { program, output, .. } = invocation;
    let version = Version {
        name: program.name.as_str(),
        version: program.version,
        api: S::API_VERSION,
        demo: program.demo.is_some(),
        keyring: cfg!(feature = "keyring"),
    };
    if output.format()?.is_none() && output.selection().is_none() {
        let with = |there| if there { "with" } else { "without" };
        let text = format!(
            "{} {}\nAPI {}, {} sample data, {} the keyring of the operating system\n",
            version.name,
            version.version,
            version.api,
            with(version.demo),
            with(version.keyring)
        );
        return print(invocation, text.as_bytes());
    }
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, true))?;
    printer.print(&version)?;
    printer.finish()
}

const FIELDS: &[&str] = &["name", "version", "api", "demo", "keyring"];
