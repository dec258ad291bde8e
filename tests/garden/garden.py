#!/usr/bin/env python3
"""Sends odd request heads through proxies to our server, and compares where each of them ends a request.

    tests/garden/garden.py SERVER [PROXY…]      SERVER is the program gateway-server; HEADS=N sends fewer heads

Between each proxy and the server is a relay. It passes requests on unchanged, and adds a number to each response, so that
it is known which client got the response to which bytes. After each head that reached the server, a second client sends a
valid request through the same proxy. A disagreement is exploitable if the server sends two responses to what a proxy sends
as one request, or if a client gets the response to a request of another.

Prints a table, and for each proxy what the refusals and other outcomes have in common. Everything is in
target/garden.json. Fails if a disagreement is exploitable.
"""

import asyncio
import collections
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile

import heads
import proxies

OUTCOMES = ["refused by the proxy", "refused by the server", "one request", "several requests", "no answer", "response lost", "exploitable"]
# The name of a head, in its path and in a field.
CASE = re.compile(rb"head-[a-z0-9]+-\d{4}")
# A body that these frames do not announce is the next request.
UNANNOUNCED = {"no field, body", "length 0, body", "length_", "coding_", "chunked, body after"}


class Connection:
    """A connection of a proxy to the server."""

    def __init__(self, relay, number):
        self.relay, self.number, self.count = relay, number, 0
        # What the proxy has sent since the last response.
        self.sent = b""
        self.is_open = True

    async def requests(self, reader, writer):
        while data := await reader.read(65536):
            self.sent += data
            self.relay.cases.update(CASE.findall(self.sent))
            writer.write(data)
            await writer.drain()

    async def responses(self, reader, writer):
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError as rest:
                writer.write(rest.partial)
                return
            status = int(head.split()[1])
            if status >= 200:
                self.count += 1
                name = f"{self.number}.{self.count}"
                closes = status == 101 or re.search(rb"(?i)\r\nconnection: close\r", head) is not None
                self.relay.answers.append((name, status, self.sent, closes))
                head = head.replace(b"\r\n", f"\r\nX-Seen: {name};\r\n".encode(), 1)
            is_head = self.sent.lstrip().startswith(b"HEAD ")
            self.sent = b""
            length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
            if length and not is_head and status != 304:
                head += await reader.readexactly(int(length[1]))
            elif b"chunked" in head and not is_head:
                head += await reader.readuntil(b"\r\n0\r\n\r\n")
            writer.write(head)
            await writer.drain()


class Relay:
    """A relay in front of the server."""

    def __init__(self, to):
        self.to, self.cases, self.answers, self.connections = to, set(), [], []

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def accept(self, reader, writer):
        connection = Connection(self, len(self.connections))
        self.connections.append(connection)
        inner, outer = None, None
        try:
            inner, outer = await asyncio.open_connection("127.0.0.1", self.to)
            tasks = [asyncio.ensure_future(one) for one in (connection.requests(reader, outer), connection.responses(inner, writer))]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            connection.is_open = False
            for one in (writer, outer):
                if one:
                    one.close()

    def waits(self):
        """Returns whether the server has yet to respond to something."""
        return any(one.is_open and one.sent for one in self.connections[-8:])


async def talk(port, tls, data, relay, expected):
    """Sends bytes as one client, and returns what it receives, and whether the connection was closed."""
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port, ssl=tls), 3)
    received, closed, loop = b"", False, asyncio.get_running_loop()
    try:
        writer.write(data)
        end = loop.time() + 1.0
        while not closed and loop.time() < end:
            has_all = len(re.findall(rb"HTTP/1\.[01] [2-5]", received)) >= expected
            try:
                part = await asyncio.wait_for(reader.read(65536), 0.02 if has_all and not relay.waits() else 0.25)
            except asyncio.TimeoutError:
                if not relay.waits() or loop.time() > end - 0.5:
                    break
                continue
            closed, received = not part, received + part
    except (ConnectionError, ssl.SSLError):
        closed = True
    finally:
        writer.transport.abort()
    return received, closed


def seen(received):
    """Returns the numbers of the responses that a client received."""
    return re.findall(rb"(?i)x-seen: ([\d.]+);", received)


async def judge(name, port, tls, relay, choice, number, token):
    """Sends a head through a proxy, and returns its outcome with the reason."""
    case = f"head-{name}-{number:04}"
    first = len(relay.answers)
    is_followed = choice["next"] != "alone"
    received, closed = await talk(port, tls, heads.written(choice, case, token), relay, 1 + is_followed)
    # An answer to the head before may be late.
    answers = [one for one in relay.answers[first:] if case.encode() in one[2] or not CASE.search(one[2])]
    status = re.search(rb"HTTP/1\.[01] (\d+)", received)
    status = int(status[1]) if status else None
    if case.encode() not in relay.cases and not answers:
        return (OUTCOMES[0], status) if received or closed else (OUTCOMES[4], "the proxy waits")
    delivered = [one.decode() for one in seen(received)]
    lost = [one for one, *_ in answers if one not in delivered]
    if name not in proxies.TUNNELS:
        sent = {one: sent for one, _, sent, _ in relay.answers}
        if any(set(CASE.findall(sent.get(one, b""))) - {case.encode()} for one in delivered):
            return OUTCOMES[6], "the response to another request"
        for _, _, sent, _ in answers:
            # Idle bytes after a refusal are the rest of its body; a response to nothing is one too many.
            if not sent:
                return OUTCOMES[6], "a second response"
        why = await probe(name, port, relay, f"probe-{name}-{number}", token)
        if why:
            return OUTCOMES[6], why
        if any(not closes for one, _, _, closes in answers if one in lost):
            # A response without a head is one of HTTP/0.9.
            if not received or received.startswith(b"HTTP/"):
                return OUTCOMES[5], "on a connection that stays open"
    elif any(status < 400 and (case + "-hidden").encode() in sent.lstrip().split(b"\n", 1)[0] for _, status, sent, _ in answers):
        if choice["frame"] not in UNANNOUNCED:
            return OUTCOMES[6], "the server answers what is in a body"
    if lost and received.startswith(b"HTTP/"):
        return OUTCOMES[5], "on a connection that the server closes"
    if not answers:
        return OUTCOMES[4], "the proxy closes" if closed else "the server waits"
    accepted = [one for one in answers if one[1] < 400]
    if not accepted:
        return OUTCOMES[1], answers[0][1]
    return OUTCOMES[2 if len(answers) == 1 else 3], len(answers)


async def ready(name, port, tls, relay, token):
    """Waits until a proxy passes requests on; returns what is wrong if it does not."""
    for _ in range(20):
        why = await probe(name, port, relay, "first", token, tls)
        if not why:
            return None
        await asyncio.sleep(0.2)
    return why


async def probe(name, port, relay, case, token, tls=None):
    """Sends a valid request as another client; returns what is wrong with its response."""
    line = f"GET {heads.PATH}{case} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
    for _ in range(3):
        received, _ = await talk(port, tls, line.encode(), relay, 1)
        sent = {one: sent for one, _, sent, _ in relay.answers}
        for one in seen(received):
            if case.encode() not in sent.get(one.decode(), b""):
                return f"another client gets the response {one.decode()}"
        if received.startswith(b"HTTP/1.1 200"):
            return None
        # A connection that the server has just closed is a failure of the proxy, once.
        await asyncio.sleep(0.1)
    return f"another client gets {received[:40]}"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, folder, running):
    log = open(f"{folder}/output", "wb")
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    running.append(process)
    return process


async def answers(port, tls, process):
    """Waits until a program accepts connections."""
    for _ in range(150):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
            writer.close()
            return True
        except OSError:
            if process.poll() is not None:
                return False
            await asyncio.sleep(0.1)
    return False


async def garden(make, server, token, chosen, running, root):
    """Sends all heads through one proxy."""
    name = make.__name__ if make else "direct"
    folder = os.path.join(root, name)
    os.mkdir(folder, 0o755)
    relay = Relay(server)
    to = port = await relay.start()
    tls = None
    if make:
        port = free_port()
        if name in proxies.TUNNELS:
            tls = ssl._create_unverified_context()
        try:
            process = start(make(folder, port, to), folder, running)
        except OSError as error:
            print(f"SKIPPED: {error}; run: apt-get install {' '.join(proxies.PACKAGES)}")
            return name, []
        if not await answers(port, tls, process) or await ready(name, port, tls, relay, token):
            with open(f"{folder}/output", errors="replace") as log:
                print(f"SKIPPED: cannot start {name}: {log.read()[-600:]}")
            return name, []
    results = []
    for number, choice in enumerate(chosen):
        try:
            result = await asyncio.wait_for(judge(name, port, tls, relay, choice, number, token), 20)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            result = OUTCOMES[4], f"{type(error).__name__} of the client"
        results.append(result)
    relay.server.close()
    return name, results


def serve(program, folder, running):
    """Starts the server, and returns its port and a token."""
    env = os.environ | {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
    process = subprocess.Popen([program, "serve", "--demo", "--listen", "127.0.0.1:0", "--rate", "0", "--connections-per-address", "10000"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True, text=True)
    running.append(process)
    lines = [process.stdout.readline(), process.stdout.readline()]
    return int(re.search(r":(\d+)", lines[0])[1]), lines[1].split("=", 1)[1].strip().strip("'\"")


def report(results, chosen):
    print("| proxy | " + " | ".join(OUTCOMES) + " |")
    print("|---|" + "--:|" * len(OUTCOMES))
    for name, outcomes in results:
        counts = collections.Counter(outcome for outcome, _ in outcomes)
        print(f"| {name} | " + " | ".join(str(counts[one]) for one in OUTCOMES) + " |")
    for name, outcomes in results:
        groups = collections.defaultdict(collections.Counter)
        for choice, (outcome, why) in zip(chosen, outcomes):
            if outcome in OUTCOMES[4:]:
                groups[outcome, str(why)].update(heads.names(choice))
        for (outcome, why), odd in sorted(groups.items()):
            print(f"{name}: {outcome}, {why}: " + ", ".join(f"{one} ({count})" for one, count in odd.most_common(8)))


def stop(running):
    for process in running:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(2)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


async def main(program, names):
    chosen = heads.choices(int(os.environ.get("HEADS", 2000)))
    root, running = tempfile.mkdtemp(prefix="garden-"), []
    os.chmod(root, 0o755)
    try:
        server, token = serve(program, root, running)
        makers = [one for one in proxies.ALL if not names or one.__name__ in names]
        makers = [None] * (not names or "direct" in names) + makers
        results = await asyncio.gather(*(garden(one, server, token, chosen, running, root) for one in makers))
    finally:
        stop(running)
        shutil.rmtree(root, ignore_errors=True)
    report(results, chosen)
    os.makedirs("target", exist_ok=True)
    with open("target/garden.json", "w") as file:
        json.dump([{"head": heads.names(choice), "follows": choice["next"] != "alone",
            "outcomes": {name: outcomes[n] for name, outcomes in results if outcomes}} for n, choice in enumerate(chosen)], file, indent=0)
    return any(outcome == OUTCOMES[6] for _, outcomes in results for outcome, _ in outcomes)


# Debian has them here.
os.environ["PATH"] += ":/usr/sbin"

if __name__ == "__main__":
    sys.exit(asyncio.run(main(os.path.abspath(sys.argv[1]), sys.argv[2:])))
