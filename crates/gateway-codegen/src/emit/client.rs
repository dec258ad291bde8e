//! Code of the client: one method for each operation, on the async and on the blocking client.

use crate::config::Role;
use crate::emit::describe;
use crate::emit::file::GeneratedFile;
use crate::emit::model::output;
use crate::emit::model::service::marker;
use crate::emit::model::states::States;
use crate::ir::{Operation, Service};
use crate::project::Project;
use crate::text::RustFile;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let folder = project.config.modules(Role::Client);
    let mut root = RustFile::new("The clients of the service, with a method for each operation.");
    root.line("pub(crate) mod blocking;");
    root.line("pub(crate) mod client;");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), root),
        GeneratedFile::rust(format!("{folder}/client.rs"), client(project, &ASYNC)),
        GeneratedFile::rust(format!("{folder}/blocking.rs"), client(project, &BLOCKING)),
    ]
}

/// The differences between the two clients.
struct Mode {
    purpose: &'static str,
    doc: &'static str,
    /// The path of the client in its crate, and in the runtime crate.
    client: &'static str,
    /// The path of the builder in the runtime crate.
    builder: &'static str,
    /// The imports of the example of the client.
    imports: &'static str,
    /// The keyword before `fn`.
    keyword: &'static str,
    /// The suffix of a call.
    wait: &'static str,
}

fn client(project: &Project<'_>, mode: &Mode) -> RustFile {
    let Project { service, config } = project;
    let mut file = RustFile::new(mode.purpose);
    file.import(&format!("use {}", config.rust_name(Role::Model)), names(service));
    file.blank();
    file.line("use crate::Error;");
    file.blank();
    declare(&mut file, project, mode);
    file.blank();
    file.open("impl Client {");
    file.doc_markdown(
        "Returns a builder of a client of the service at this base URL, such as `https://host` or `https://host/prefix`.",
    );
    file.open("pub fn builder(base_url: impl Into<String>) -> ClientBuilder {");
    file.line("ClientBuilder::new(base_url)");
    file.close("}");
    file.blank();
    file.doc_markdown(
        "Returns a client whose calls have these options, over the same connections and with the same token and retry budget.",
    );
    file.doc_break();
    file.doc_markdown(format_args!(
        "It keeps the options of this client that `options` does not set, as [`gateway_client_core::{}::with`] does.",
        mode.client
    ));
    file.line("#[must_use]");
    file.open("pub fn with(&self, options: gateway_client_core::CallOptions) -> Self {");
    file.line("Self(self.0.with(options))");
    file.close("}");
    for operation in &service.operations {
        file.blank();
        method(&mut file, project, operation, mode);
    }
    file.close("}");
    file.blank();
    traits(&mut file, project, mode);
    file
}

/// Declares the client and the alias of its builder.
fn declare(file: &mut RustFile, project: &Project<'_>, mode: &Mode) {
    let Mode { doc, client, builder, imports, .. } = mode;
    let krate = project.config.rust_name(Role::Client);
    let variable = project.variable("TOKEN");
    let marker = service_type(project.service);
    file.doc_markdown(doc);
    file.doc_break();
    file.doc_markdown(format_args!(
        "It has one method for each operation. It dereferences to [`gateway_client_core::{client}`], whose\n\
         methods send any operation of the service, stream lists, and return responses undecoded."
    ));
    file.doc_break();
    file.doc_markdown("# Cloning");
    file.doc_break();
    file.doc_markdown(
        "A clone is cheap and shares the connections, the token and the retry budget. Do not wrap the client in an `Arc`.",
    );
    file.doc_break();
    file.doc_markdown("# Examples");
    file.doc_example(
        "no_run",
        format_args!(
            "use {krate}::{imports};\n\
             \n\
             let client = Client::builder(\"https://gateway.example.com\")\n    \
                 .token(EnvironmentToken::new(\"{variable}\"))\n    \
                 .build()?;\n\
             # Ok::<(), {krate}::Error>(())"
        ),
    );
    file.line("#[derive(Clone, Debug)]");
    file.line(format_args!("pub struct Client(gateway_client_core::{client}<{marker}>);"));
    file.blank();
    file.doc_markdown(
        "Builds a [`Client`]; [`gateway_client_core::ClientBuilder`] describes the settings.",
    );
    file.line(format_args!("pub type ClientBuilder = gateway_client_core::{builder}<Client>;"));
}

/// Connects the client with the one that it wraps.
fn traits(file: &mut RustFile, project: &Project<'_>, mode: &Mode) {
    let marker = service_type(project.service);
    let inner = format!("gateway_client_core::{}<{marker}>", mode.client);
    file.open("impl std::ops::Deref for Client {");
    file.line(format_args!("type Target = {inner};"));
    file.blank();
    file.open("fn deref(&self) -> &Self::Target {");
    file.line("&self.0");
    file.close("}");
    file.close("}");
    file.blank();
    file.open(format_args!("impl From<{inner}> for Client {{"));
    file.open(format_args!("fn from(client: {inner}) -> Self {{"));
    file.line("Self(client)");
    file.close("}");
    file.close("}");
    file.blank();
    file.open("impl gateway_client_core::ServiceClient for Client {");
    file.line(format_args!("type Service = {marker};"));
    file.blank();
    file.line(
        "const USER_AGENT: &'static str = concat!(env!(\"CARGO_PKG_NAME\"), \"/\", env!(\"CARGO_PKG_VERSION\"));",
    );
    file.close("}");
}

fn method(file: &mut RustFile, project: &Project<'_>, operation: &Operation, mode: &Mode) {
    let service = project.service;
    let (name, query) = (operation.rust.method(), operation.rust.pascal());
    describe::operation(file, service, operation);
    if operation.response.is_list() {
        file.doc_break();
        file.doc_markdown(
            "A record that cannot be decoded is in [`Listing::rejected`]; the others are returned.",
        );
    }
    if operation.paging.is_some() {
        file.doc_break();
        file.doc_markdown(format_args!(
            "It returns one page. [`pages`](gateway_client_core::{client}::pages) and\n\
             [`stream_all`](gateway_client_core::{client}::stream_all) request the pages after it, too.",
            client = mode.client
        ));
    }
    file.doc_break();
    file.doc_markdown("# Errors");
    file.doc_break();
    file.doc_markdown(
        "Fails unless a complete, successful and readable response is received; see [`Error::kind`].",
    );
    example(file, project, operation, mode);
    if let Some(reason) = &operation.deprecated {
        file.line(format_args!("#[deprecated = {}]", crate::text::string(reason)));
    }
    let output = output(service, operation);
    let Mode { keyword, wait, .. } = mode;
    let states = States::of(operation).names();
    file.open(format_args!(
        "pub {keyword}fn {name}{states}(&self, query: &{query}{states}) -> Result<{output}, Error> {{"
    ));
    file.line(format_args!("self.0.send(query){wait}"));
    file.close("}");
}

fn example(file: &mut RustFile, project: &Project<'_>, operation: &Operation, mode: &Mode) {
    // The model has the examples that need values for required parameters.
    if operation.params.iter().any(|param| param.required) {
        return;
    }
    let (name, query) = (operation.rust.method(), operation.rust.pascal());
    let krate = project.config.rust_name(Role::Client);
    let output = match project.service.response_model(operation) {
        Some(_) if operation.response.is_list() => "let listing = ".to_owned(),
        Some(model) => format!("let {} = ", model.rust.snake()),
        None if operation.response.is_nothing() => String::new(),
        None => "let value = ".to_owned(),
    };
    let Mode { client, keyword, wait, .. } = mode;
    file.doc_example(
        "no_run",
        format_args!(
            "use {krate}::model::{query};\n\
             \n\
             # {keyword}fn example(client: {krate}::{client}) -> Result<(), {krate}::Error> {{\n\
             {output}client.{name}(&{query}::new()){wait}?;\n\
             # Ok(())\n\
             # }}"
        ),
    );
}

/// Returns the names of the model that the methods use.
fn names(service: &Service) -> impl Iterator<Item = String> {
    let names = service.operations.iter().flat_map(|operation| {
        let model = service.response_model(operation).map(|model| model.rust.pascal());
        let value = operation.response.value();
        let value = value.map(|ty| ty.imported(service)).unwrap_or_default();
        let listing = operation.response.is_list().then(|| "Listing".to_owned());
        let beside = operation.response.beside().map(|id| service.model(id).rust.pascal());
        let names = [Some(operation.rust.pascal()), model, listing, beside];
        names.into_iter().flatten().chain(value)
    });
    names.chain(["service".to_owned()])
}

/// Returns the path of the type that is the service.
fn service_type(service: &Service) -> String {
    format!("service::{}", marker(service))
}

const ASYNC: Mode = Mode {
    purpose: "The async client.",
    doc: "An async client for one account of the service.",
    client: "Client",
    builder: "ClientBuilder",
    imports: "{Client, EnvironmentToken}",
    keyword: "async ",
    wait: ".await",
};

const BLOCKING: Mode = Mode {
    purpose: "The blocking client.",
    doc: "A client for one account of the service, for code without `async`.",
    client: "blocking::Client",
    builder: "blocking::ClientBuilder",
    imports: "{EnvironmentToken, blocking::Client}",
    keyword: "",
    wait: "",
};
