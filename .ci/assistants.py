"""Tries `gateway mcp` as other projects' programs use it: .ci/assistants.py PROGRAM [NODE CONFORMANCE]

Calls each tool with the Python client of the protocol, in both ways to negotiate a version; the client checks results against the
schemas. Then runs the scenarios of the conformance suite that a server with nothing but tools has. The suite speaks HTTP, so each of
its requests is passed on to the program as one line.
"""

import asyncio
import http.server
import json
import subprocess
import sys
import threading

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

COMMAND = [sys.argv[1], "--demo", "mcp"]


async def call_all(mode):
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
    async with Client(stdio_client(parameters), mode=mode) as client:
        tools = (await client.list_tools()).tools
        placements = await client.call_tool("list_placements", {"limit": 3})
        someone = placements.structured_content["placements"][0]["candidate_id"]
        for tool in tools:
            arguments = {"id": someone} if tool.name.startswith("show_") else {}
            result = await client.call_tool(tool.name, arguments)
            assert not result.is_error and result.structured_content, tool.name
            assert "@" not in json.dumps(result.structured_content), tool.name
        refused = await client.call_tool("board", {"limit": "x"})
        assert refused.is_error
        print(f"{mode}: {client.protocol_version}, {len(tools)} tools called")
        return len(tools)


class Bridge(http.server.BaseHTTPRequestHandler):
    program = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.program.stdin.write(" ".join(body.split("\n")) + "\n")
        self.program.stdin.flush()
        has_answer = "id" in json.loads(body)
        answer = self.program.stdout.readline() if has_answer else ""
        self.send_response(200 if has_answer else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    def do_GET(self):
        self.send_error(405)

    def log_message(self, *_):
        pass


def conformance(node, script):
    server = http.server.HTTPServer(("127.0.0.1", 0), Bridge)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/mcp"
    for scenario in ["server-initialize", "ping", "tools-list"]:
        subprocess.run([node, script, "server", "--url", url, "--scenario", scenario], check=True, timeout=120)
    server.shutdown()
    Bridge.program.stdin.close()
    assert Bridge.program.wait(timeout=30) == 0


counts = [asyncio.run(call_all(mode)) for mode in ["legacy", "auto", "2026-07-28"]]
assert counts == [6, 6, 6], counts
conformance(*sys.argv[2:])
