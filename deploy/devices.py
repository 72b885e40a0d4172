"""Devices for demonstrations and tests: real daemons with homes of their own, and clients of their
sockets. Standard library only."""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import time
from urllib.parse import quote

PATIENCE_S = 120
KINDS = ("phone", "laptop", "desktop")
DESKTOP = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")


class Refused(Exception):
    """The daemon said no, or did not do in time what was waited for."""

    def __init__(self, what, status=None, problem=None):
        super().__init__(what)
        self.status, self.problem = status, problem or {}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Device:
    """One daemon with a home of its own, and a client of its socket."""

    def __init__(self, name, root, bin_dir, port=0, peers=(), wrapper=(), more=(),
                 environment=None):
        self.name, self.home, self.bin, self.port = name, root / name, bin_dir, port
        self.process, self.log, self.wrapper = None, None, list(wrapper)
        # Without the way to the desktop's keyring: a try leaves nothing in it.
        self.environment = {**{k: v for k, v in os.environ.items() if k not in DESKTOP},
                            "KARTEI_HOME": str(self.home), **(environment or {})}
        self.home.mkdir(mode=0o700, exist_ok=True)
        config = [f'name = "{name}"', f'kind = "{name if name in KINDS else "laptop"}"',
                  f'listen = "127.0.0.1:{port}"',
                  "peers = [" + ", ".join(f'"127.0.0.1:{p}"' for p in peers) + "]",
                  "discovery = false", *more]
        (self.home / "karteid.toml").write_text("\n".join(config) + "\n")

    @property
    def socket(self):
        return self.home / "kartei.sock"

    def spawn(self):
        if self.log:
            self.log.close()
        self.log = open(self.home / "log.txt", "ab")
        self.process = subprocess.Popen(
            [*self.wrapper, str(self.bin / "karteid"), "--config", str(self.home / "karteid.toml")],
            env=self.environment, stdout=self.log, stderr=self.log,
            start_new_session=True)

    def start(self):
        self.spawn()
        wait(f"{self.name} answers", self.answers)

    def log_text(self):
        file = self.home / "log.txt"
        return file.read_text(errors="replace") if file.exists() else ""

    def answers(self):
        if self.process.poll() is not None:
            raise Refused(f"{self.name} ended with status {self.process.returncode}; its log:\n"
                          + self.log_text()[-2000:])
        try:
            return not self.call("GET", "/v1/status").get("encrypting")
        except OSError:
            return False

    def call(self, method, path, body=None):
        conn = UnixConnection(self.socket)
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Kartei-App": "try"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            conn.request(method, path, body=data, headers=headers)
            answer = conn.getresponse()
            raw = answer.read()
        finally:
            conn.close()
        value = json.loads(raw) if raw.strip() else {}
        if answer.status >= 400:
            raise Refused(f"{self.name}: {method} {path}: {answer.status} {value.get('detail', value)}",
                          answer.status, value)
        return value

    def cards(self, state="all"):
        out, cursor = [], None
        while True:
            page = self.call("GET", f"/v1/cards?state={state}&limit=200"
                             + (f"&cursor={quote(cursor)}" if cursor else ""))
            out += page["items"]
            cursor = page.get("cursor")
            if not cursor:
                return out

    def recall(self, query, **more):
        return self.call("POST", "/v1/recall",
                         {"query": query, "budget_tokens": 300, **more})

    def stop(self, sig=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, sig)  # a wrapper's child as well
            self.process.wait(timeout=PATIENCE_S)

    def end(self):
        """Stops it, in whatever state it is, and lets go of its log."""
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        if self.log:
            self.log.close()


def wait(what, condition, seconds=PATIENCE_S):
    """Polls until the condition gives something true; answers (value, milliseconds)."""
    began = time.monotonic()
    while True:
        value = condition()
        if value:
            return value, (time.monotonic() - began) * 1000
        if time.monotonic() - began > seconds:
            raise Refused(f"waited {seconds} s in vain: {what}")
        time.sleep(0.002)


def free_ports(n):
    """Ports that nothing else will take meanwhile: below those that the system gives to connections
    of its own choice, where one that was free a moment ago may be taken by anybody."""
    lowest, socks = 10_000, []
    highest = min(32_000, int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0]) - 1)
    choice = random.SystemRandom()
    while len(socks) < n:
        sock = socket.socket()
        try:
            sock.bind(("127.0.0.1", choice.randint(lowest, highest)))
            socks.append(sock)
        except OSError:
            sock.close()
    ports = [s.getsockname()[1] for s in socks]
    for s in socks:
        s.close()
    return ports
