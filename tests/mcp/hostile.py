#!/usr/bin/env python3
"""A client that wants more than it may: hostile.py RANGEFINDER FOLDER OUTSIDE

FOLDER has `run.rftrace.zst`; OUTSIDE is a folder beside it with a copy. Every
line gets an answer or, of notifications, none; the server lives on; and nothing
outside of FOLDER is read.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

RANGEFINDER, FOLDER, OUTSIDE = sys.argv[1], *map(pathlib.Path, sys.argv[2:4])
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}},
}


class Server:
    def __init__(self, *options, hello=True):
        self.process = subprocess.Popen(
            [RANGEFINDER, "mcp", str(FOLDER), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if hello:
            assert self.ask(HELLO)["result"]["protocolVersion"] == "2025-06-18"

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def take(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, message):
        self.send(message)
        return self.take()

    def call(self, name, arguments, identity="call"):
        return self.ask(request("tools/call", {"name": name, "arguments": arguments}, identity))

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        assert self.process.wait(30) == 0, self.process.returncode
        return rest


def request(method, params=None, identity="x"):
    message = {"jsonrpc": "2.0", "id": identity, "method": method}
    return message if params is None else {**message, "params": params}


def code(answer):
    return answer["error"]["code"]


def text(answer):
    return answer["result"]["content"][0]["text"]


def bad_lines():
    server = Server()
    for line in (
        b"{",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":1,"method":"p\xc3ing"}',
        b"[" * 500_000,
        b'{"a":' * 100 + b"1" + b"}" * 100,
        b"\x00",
        b"nan",
    ):
        assert code(server.ask(line)) == -32700, line[:40]
    for line in (
        b"x" * (1 << 20) + b"y",
        b"7",
        b'"ping"',
        b"null",
        b"{}",
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":7}',
        b'{"jsonrpc":"2.0","id":1}',
        b"[]",
        b"[" + b",".join([b"1"] * 1000) + b"]",
    ):
        assert code(server.ask(line)) == -32600, line[:60]
    assert code(server.ask(request("resources/list"))) == -32601
    assert code(server.ask(request("x" * 100_000))) == -32601
    assert code(server.ask(request("ping", [1]))) == -32602
    assert code(server.ask(request("initialize", {"protocolVersion": 7}))) == -32602
    # Of notifications, answers and empty lines there is no word.
    for line in (
        b"",
        b"  ",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"no/such"}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
        b'[{"jsonrpc":"2.0","method":"notifications/initialized"}]',
    ):
        server.send(line)
    assert server.ask(request("ping")) == {"jsonrpc": "2.0", "id": "x", "result": {}}
    batch = server.ask([request("ping", identity=1), 7, request("tools/list", identity=2)])
    assert [one["id"] for one in batch] == [1, None, 2], batch
    assert server.end() == b""


def versions():
    for asked, given in (("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")):
        server = Server(hello=False)
        assert code(server.ask(request("tools/list"))) == -32600
        assert "result" in server.ask(request("ping"))
        hello = {**HELLO, "params": {"protocolVersion": asked}}
        assert server.ask(hello)["result"]["protocolVersion"] == given
        assert "result" in server.ask(request("tools/list"))
        server.end()


def wrong_arguments():
    server = Server()
    for name, arguments in (
        ("explain", {}),
        ("explain", {"run": 7}),
        ("explain", {"run": ["run.rftrace.zst"]}),
        ("explain", {"run": "run.rftrace.zst", "budget": -1}),
        ("explain", {"run": "run.rftrace.zst", "budget": "500"}),
        ("explain", {"run": "run.rftrace.zst", "budget": 1e300}),
        ("explain", {"run": "run.rftrace.zst", "config": "x"}),
        ("diff", {"base": "run.rftrace.zst"}),
        ("diff", {"base": [7], "new": "run.rftrace.zst"}),
        ("explain", [1]),
        ("explain", "run.rftrace.zst"),
        ("profile", {"command": ["touch", "obeyed"]}),
        ("no_such", {}),
        (7, {}),
        (None, {}),
    ):
        answer = server.call(name, arguments)
        assert code(answer) == -32602, (name, arguments, answer)
    # An option is no region.
    for region, metric in (("--config-dir=/etc", "wall"), ("target", "--config-dir=/etc")):
        answer = server.call("explain_number", {"run": "run.rftrace.zst", "region": region, "metric": metric})
        assert answer["result"]["isError"], answer
    answer = server.call("show_region", {"run": "run.rftrace.zst", "region": "--config-dir=/etc"})
    assert "no such region" in text(answer), answer
    assert server.end() == b""


def paths():
    secret = OUTSIDE / "run.rftrace.zst"
    here = pathlib.Path.cwd()
    (FOLDER / "file_link").symlink_to(secret)
    (FOLDER / "folder_link").symlink_to(OUTSIDE)
    (FOLDER / "root").symlink_to("/proc/self/root")
    (FOLDER / "cwd").symlink_to("/proc/self/cwd")
    (FOLDER / "a_run" / "trace").mkdir(parents=True)
    (FOLDER / "a_run" / "trace" / "1.rftrace.zst").symlink_to(secret)
    (FOLDER / "loop").symlink_to("loop")
    (OUTSIDE / "secret.yaml").write_text("password: hunter2\n")
    (FOLDER / "theirs" / "trace").mkdir(parents=True)
    (FOLDER / "theirs" / "config.yaml").write_text("defaults: [../../outside/secret@report, _self_]\n")
    (FOLDER / "inner_link.rftrace.zst").symlink_to("run.rftrace.zst")
    os.mkfifo(FOLDER / "waits.rftrace")
    server = Server()
    for path in (
        "",
        ".." + str(secret),
        "../outside/run.rftrace.zst",
        str(secret),
        "x/../../outside/run.rftrace.zst",
        "file_link",
        "folder_link/run.rftrace.zst",
        "a_run",
        "a_run/trace/1.rftrace.zst",
        "loop",
        "theirs",
        f"root{secret}",
        f"cwd/{secret.relative_to(here)}",
        f"/proc/self/root{secret}",
        f"/proc/self/cwd/{secret.relative_to(here)}",
        "/proc/self/fd/0",
        "/dev/stdin",
        "-",
        "--config-dir=/etc",
        "@list",
        "run.rftrace.zst\x00",
        "\ud800",
        "a" * 100_000,
        "hydra.run.dir=/tmp",
    ):
        answer = server.call("explain", {"run": path})
        refused = "error" in answer or answer["result"]["isError"]
        assert refused and "hunter2" not in json.dumps(answer), (path, answer)
    for path in ("run.rftrace.zst", "./run.rftrace.zst", str(FOLDER / "run.rftrace.zst"),
                 "inner_link.rftrace.zst", f"../{FOLDER.name}/run.rftrace.zst"):
        answer = server.call("explain", {"run": path})
        assert text(answer).startswith("# Why it is slow"), (path, answer)
    for name in ("fleet.ncu-repz", "fleet.ncu-rep.zst", "notes.txt"):
        (FOLDER / name).write_bytes(b"")
    listed = text(server.call("list_runs", {}))
    assert "fleet.ncu-repz" in listed and "fleet.ncu-rep.zst" in listed, listed
    assert "notes.txt" not in listed, listed
    assert "run.rftrace.zst" in listed and "outside" not in listed, listed
    assert server.end() == b""


def cancelling():
    server = Server("--allow-run")
    server.send(request("tools/call", {"name": "profile", "arguments": {"command": ["sleep", "600"]}}, 1))
    server.send(request("tools/call", {"name": "explain", "arguments": {"run": "run.rftrace.zst"}}, 2))
    # A ping is answered at once, a request that waits can be called off.
    assert server.ask(request("ping", identity=3))["id"] == 3
    for identity in (2, 1):
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identity}})
    assert server.call("list_runs", {}, 4)["id"] == 4
    assert server.end() == b""


def running():
    # Nobody else's process, such as one of another test, sleeps for this long.
    endless = ["sleep", f"6{os.getpid():08d}"]
    server = Server("--allow-run")
    arguments = {"command": ["sh", "-c", "cat; echo on the protocol; echo and errors >&2; sleep 2"]}
    server.send(
        request("tools/call", {"name": "profile", "arguments": arguments, "_meta": {"progressToken": "p"}}, 1)
    )
    told = server.take()
    assert told["method"] == "notifications/progress" and told["params"]["progressToken"] == "p", told
    answer = server.take()
    while "method" in answer:
        answer = server.take()
    assert answer["id"] == 1, answer
    assert "on the protocol" not in json.dumps(answer), answer
    outputs = list(FOLDER.glob("*/output.txt"))
    assert any("on the protocol" in path.read_text() for path in outputs), outputs
    before = time.monotonic()
    answer = server.call("profile", {"command": endless, "seconds": 1})
    assert answer["result"]["isError"] and "time limit" in text(answer), answer
    assert time.monotonic() - before < 60
    runs = sorted(FOLDER.iterdir())
    for arguments in (
        {"command": []},
        {"command": [""]},
        {"command": ["true"], "settings": [f"hydra.run.dir={OUTSIDE}/x"]},
        {"command": ["true"], "settings": ["--config-dir=/etc"]},
        {"command": ["true"], "folder": str(OUTSIDE)},
    ):
        answer = server.call("profile", arguments)
        assert answer["result"]["isError"], (arguments, answer)
    assert not (OUTSIDE / "x").exists()
    for seconds in (0, 3601):
        answer = server.call("profile", {"command": ["true"], "seconds": seconds})
        assert "seconds: expected 1 to 3600" in text(answer), answer
    assert sorted(FOLDER.iterdir()) == runs  # no empty folder of a refused run
    answer = server.call("profile", {"command": ["/no/such/program"]})
    assert answer["result"]["isError"], answer
    # The end of the input ends a program that runs.
    server.send(request("tools/call", {"name": "profile", "arguments": {"command": endless}}, 1))
    time.sleep(1)
    server.end()
    left = subprocess.run(["pgrep", "-fx", " ".join(endless)], capture_output=True, check=False)
    assert left.returncode != 0, left.stdout


for check in (bad_lines, versions, wrong_arguments, paths, cancelling, running):
    check()
    print(check.__name__)
