"""An S3 server on loopback, that of moto, for `readers.py`, `engines.py` and `lists.py`."""

import json
import logging
import os
from contextlib import contextmanager

import boto3
from moto.server import ThreadedMotoServer


@contextmanager
def s3_server():
    """Runs a server with an empty bucket `archive`. Adds the settings to the environment, and passes those of S3."""
    # Objects are files beyond this size, so that large tables do not fill the memory.
    os.environ.setdefault("MOTO_S3_DEFAULT_KEY_BUFFER_SIZE", str(1 << 20))
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    server._server.app = speaks_google(server._server.app)
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    settings = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "SECRETSECRET",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT": url,
        "AWS_ALLOW_HTTP": "true",
    }
    account = {"gcs_base_url": url, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
    os.environ.update(settings, NO_PROXY="127.0.0.1", GOOGLE_SERVICE_ACCOUNT_KEY=json.dumps(account))
    boto3.client("s3", endpoint_url=url, region_name="us-east-1").create_bucket(Bucket="archive")
    try:
        yield settings
    finally:
        server.stop()


def speaks_google(app):
    """Translates the requests of Google Cloud Storage: its XML API is that of S3, except for conditions and tokens."""

    def translated(environ, start_response):
        if not environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4"):
            # The server wants a signature, which it does not check.
            environ["HTTP_AUTHORIZATION"] = "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request"
        if environ.get("HTTP_X_GOOG_IF_GENERATION_MATCH") == "0":
            environ["HTTP_IF_NONE_MATCH"] = "*"
        return app(environ, start_response)

    return translated
