#!/usr/bin/env python3
"""Reads a list with our program, directly and through squid, from an origin that frames its responses in odd ways.

    tests/garden/client.py GATEWAY      GATEWAY is the program gateway

The program must print the whole list or fail, and must not send its token to the host of a redirect.
"""

import http.server
import os
import subprocess
import sys
import tempfile
import threading

import garden
import proxies

BODY = b'[{"id":"1","project":"One"},{"id":"2","project":"Two"}]'
CHUNKS = b"%x\r\n%s\r\n" % (len(BODY), BODY)
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
# The bytes of each response; the origin closes the connection after it.
RESPONSES = {
    "length": OK + LENGTH + b"\r\n" + BODY, "chunked": OK + CHUNKED + b"\r\n" + CHUNKS + b"0\r\n\r\n",
    "until close, 1.0": OK.replace(b"1.1", b"1.0") + b"\r\n" + BODY, "100 first": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + LENGTH + b"\r\n" + BODY,
    "cut, 1.0": OK.replace(b"1.1", b"1.0") + b"\r\n" + BODY[:-20], "cut length": OK + LENGTH + b"\r\n" + BODY[:-20],
    "cut after a record": OK + LENGTH + b"\r\n" + BODY[:28] + b"]", "short length": OK + b"Content-Length: 27\r\n\r\n" + BODY,
    "short list": OK.replace(b"1.1", b"1.0") + b"\r\n" + BODY[:27], "no last chunk": OK + CHUNKED + b"\r\n" + CHUNKS,
    "chunk too long": OK + CHUNKED + b"\r\nff\r\n" + BODY, "chunk extension": OK + CHUNKED + b"\r\n" + CHUNKS.replace(b"\r\n", b";a=b\r\n", 1) + b"0\r\n\r\n",
    "trailer": OK + CHUNKED + b"\r\n" + CHUNKS + b"0\r\nX-A: b\r\n\r\n", "LF": (OK + LENGTH + b"\r\n").replace(b"\r\n", b"\n") + BODY,
    "folded": OK + b"X-A: b\r\n c\r\n" + LENGTH + b"\r\n" + BODY, "two lengths": OK + LENGTH * 2 + b"\r\n" + BODY,
    "other lengths": OK + LENGTH + b"Content-Length: 27\r\n\r\n" + BODY, "length and chunked": OK + b"Content-Length: 27\r\n" + CHUNKED + b"\r\n" + CHUNKS + b"0\r\n\r\n",
    "gzip that is none": OK + b"Content-Encoding: gzip\r\n" + LENGTH + b"\r\n" + BODY, "gzip coding": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS + b"0\r\n\r\n",
    "0.9": BODY, "no reason": OK.replace(b" OK", b"") + LENGTH + b"\r\n" + BODY, "204": OK.replace(b"200 OK", b"204 No") + b"\r\n",
    "206": OK.replace(b"200 OK", b"206 Part") + LENGTH + b"\r\n" + BODY, "status 2000": OK.replace(b"200", b"2000") + LENGTH + b"\r\n" + BODY,
    "NUL": OK + b"X-A: \0\r\n" + LENGTH + b"\r\n" + BODY, "long head": OK + b"X-A: " + b"b" * 300_000 + b"\r\n" + LENGTH + b"\r\n" + BODY,
    "two responses": (OK + LENGTH + b"\r\n" + BODY) * 2, "redirect": b"HTTP/1.1 302 Found\r\nLocation: http://other.test:%d/\r\nContent-Length: 0\r\n\r\n",
}


class Origin(http.server.BaseHTTPRequestHandler):
    response, requests = b"", []

    def handle_one_request(self):
        head = b""
        while line := self.rfile.readline(65536).strip():
            head += line + b"\n"
        self.close_connection = True
        if head:
            self.requests.append(head)
            self.wfile.write(self.response)


def listen(response):
    kind = type("", (Origin,), {"response": response, "requests": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1], kind


def main(program):
    running, failed, count, whole = [], [], 0, {"direct": 0, "squid": 0}
    with tempfile.TemporaryDirectory(prefix="garden-", ignore_cleanup_errors=True) as root:
        os.chmod(root, 0o755)
        hosts = proxies.write(root, "hosts", "127.0.0.1 gateway.test other.test\n")
        squid = garden.free_port()
        settings = proxies.squid_settings(root, squid) + f"hosts_file {hosts}\nhttp_port 127.0.0.1:{squid}\n"
        try:
            try:
                process = garden.start(["squid", "-N", "-f", proxies.write(root, "squid.conf", settings)], root, running)
            except OSError as error:
                print(f"SKIPPED: {error}; run: apt-get install squid")
                return False
            if not garden.asyncio.run(garden.answers(squid, None, process)):
                print("SKIPPED: cannot start squid")
                return False
            for name, response in RESPONSES.items():
                foreign, other = listen(RESPONSES["length"])
                port, origin = listen(response.replace(b"%d", b"%d" % foreign))
                for way in whole:
                    env = {"HOME": root, "GATEWAY_TOKEN": "secret-of-the-test", "PATH": os.environ["PATH"]}
                    host = "127.0.0.1"
                    if way == "squid":
                        env["HTTP_PROXY"], host = f"http://127.0.0.1:{squid}", "gateway.test"
                    command = [program, "vacancies", "list", "-o", "json", "--timeout", "3", "--base-url", f"http://{host}:{port}", "--allow-insecure-http"]
                    result = subprocess.run(command, env=env, capture_output=True, timeout=30)
                    count += 1
                    is_whole = b"".join(result.stdout.split()) == BODY
                    whole[way] += is_whole
                    if (result.returncode == 0) != is_whole or any(b"secret" in head for head in other.requests):
                        failed.append(f"{name}, {way}: exit code {result.returncode}, {result.stdout!r}, {len(other.requests)} requests elsewhere")
        finally:
            garden.stop(running)
    print(f"client: {count - len(failed)} of {count} responses are read in full or refused; in full: {whole}")
    print("\n".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
