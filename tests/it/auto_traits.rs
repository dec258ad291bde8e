//! Auto traits of public types that callers rely on. Losing one of them is a breaking change.

use gateway_client::{AccessToken, Client, Error, blocking, model, transport};

fn assert_shared<T: Send + Sync + Unpin + 'static>() {}

#[test]
fn public_types_are_send_and_sync() {
    assert_shared::<Client>();
    assert_shared::<blocking::Client>();
    assert_shared::<AccessToken>();
    assert_shared::<Error>();
    assert_shared::<model::ListCandidates>();
    assert_shared::<model::Listing<model::Candidate>>();
    assert_shared::<model::DecodeError>();
    assert_shared::<model::StreamDecoder<model::Candidate>>();
    assert_shared::<transport::SharedTransport>();
    assert_shared::<transport::TransportError>();
}

#[test]
fn the_future_of_a_call_is_send() {
    fn assert_send<T: Send>(_: &T) {}

    let client = Client::builder("https://gateway.example.com")
        .token(AccessToken::new("gwt_x").unwrap())
        .transport(transport::MemoryTransport::default())
        .build()
        .unwrap();
    assert_send(&client.send(&model::GetCredits::new()));
    assert_send(&client.send(&model::ListCandidates::new()));
}
