//! The blocking client with its default transport.

use gateway_client::model::ListVacancies;
use gateway_client::{AccessToken, blocking};
use methodical_testkit::raw_server::{Next, RawServer};

#[test]
fn the_default_transport_sends_calls() {
    let server = RawServer::start(|request, connection| {
        assert_eq!(request.header("authorization"), [b"Bearer gwt_6yqW"]);
        connection.respond("content-type: application/json\r\n", b"[]");
        Next::KeepAlive
    })
    .unwrap();
    let client = blocking::Client::builder(server.uri(""))
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .build()
        .unwrap();
    let vacancies = client.send(&ListVacancies::new()).unwrap();
    assert_eq!((vacancies.items.len(), vacancies.rejected.len()), (0, 0));
    assert_eq!(server.progress().requests.len(), 1);
}
