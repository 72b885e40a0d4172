"""An export of a large box costs the daemon no memory to speak of, and is one moment of the box."""
import json
import re
import socket
import subprocess
import sys
import time

from system import BIN, SLOW, SystemTest, main, wait

CARDS = 4_000 if SLOW else 40_000
TEXT = "Maya keeps the books of the year {n} on the shelf behind the door, " + "with all that belongs to them, " * 12


def kib(device, field):
    with open(f"/proc/{device.process.pid}/status") as status:
        return int(re.search(rf"{field}:\s+(\d+) kB", status.read()).group(1))


class Export(SystemTest):
    def test_memory_stays_bounded(self):
        device = self.device()
        head = '{"kind":"box","format":1}\n{"kind":"drawer","id":"' + "d" * 32 + '","name":"home"}\n'
        for start in range(0, CARDS, 4_000):
            lines = "".join(json.dumps({"kind": "card", "id": f"{n + 1:032x}", "drawer": "d" * 32,
                                        "text": TEXT.format(n=n)}) + "\n" for n in range(start, start + 4_000))
            for part in (lines[:len(lines) // 2].rpartition("\n")[0], lines[len(lines) // 2:].partition("\n")[2]):
                call(device, "POST", "/v1/import", head + part)
        held = device.call("GET", "/v1/status")["counts"]["cards_open"]
        self.assertGreater(held, CARDS * 0.99)
        with export(device) as sock:
            list(lines_of(sock))                             # whatever is made once is made
        # The lowest of three: what else the daemon does meanwhile is counted too.
        rises = [self.rise(device, held + n) for n in range(3)]
        if not SLOW:
            self.assertLess(min(rises), 8 << 10)

    def rise(self, device, held):
        """By how many KiB the peak of memory rises in an export to a slow client, while a card is added."""
        before = kib(device, "VmRSS")
        try:
            with open(f"/proc/{device.process.pid}/clear_refs", "w") as file:
                file.write("5")                              # the peak begins here
        except OSError:
            self.skipTest("the peak of memory cannot be reset here")
        count, size = 0, 0
        with export(device) as sock:
            first = sock.recv(100)                           # and then the client is slow ...
            self.assertIn(b"200", first)
            late = device.call("POST", "/v1/cards", {"text": "Said meanwhile.", "drawer": "home"})["id"]
            for line in lines_of(sock, first):
                count += b'"kind":"card"' in line
                size += len(line)
                self.assertNotIn(late.encode(), line)        # ... and gets the moment in which it asked
        rise = kib(device, "VmHWM") - before
        print(f"{count} cards, {size >> 10} KiB; the peak rose by {rise} KiB", file=sys.stderr)
        self.assertEqual(count, held)
        self.assertGreater(size >> 10, 0 if SLOW else 20 << 10)
        return rise

    def test_a_client_that_goes_away_disturbs_nobody(self):
        device = self.device()
        for n in range(50):
            device.call("POST", "/v1/cards", {"text": f"Card {n}. " + "x" * 8000})
        for _ in range(10):
            sock = export(device)
            sock.recv(10)
            sock.close()
        with export(device) as sock:
            self.assertEqual(sum(b'"kind":"card"' in line for line in lines_of(sock)), 50)

    def test_a_lock_does_not_wait_for_who_does_not_read(self):
        device = self.device()
        for cards in (60, 400):          # all of it read and waiting to be sent; most of it not read yet
            for n in range(cards):
                device.call("POST", "/v1/cards", {"text": f"Card {n} of {cards}. " + "x" * 8000})
            with export(device) as sock:
                first = sock.recv(100)
                self.assertIn(b"200", first)
                command = subprocess.Popen([BIN / "kartei", "export", "-"], env=device.environment,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertIn(b'"kind":"box"', command.stdout.readline())
                wait("the export has come as far as it can", stands_still(device))
                began = time.monotonic()
                device.call("POST", "/v1/lock")
                took_s = time.monotonic() - began
                print(f"the lock took {took_s * 1000:.0f} ms", file=sys.stderr)
                self.assertLess(took_s, 10 if SLOW else 3)
                with self.assertRaisesRegex(AssertionError, "broke off"):
                    list(lines_of(sock, first))
            _, said = command.communicate(timeout=60)
            self.assertEqual(command.returncode, 1)
            self.assertIn(b"broke off", said)
            device.call("POST", "/v1/unlock", {})


def stands_still(device):
    """True once the daemon has done nothing for a while."""
    last, since = None, 0.0

    def still():
        nonlocal last, since
        with open(f"/proc/{device.process.pid}/stat") as stat:
            used = stat.read().rpartition(") ")[2].split()[11:13]
        if used != last:
            last, since = used, time.monotonic()
        return time.monotonic() - since > 0.2
    return still


def call(device, method, path, body):
    from devices import UnixConnection
    conn = UnixConnection(device.socket)
    conn.request(method, path, body=body)
    answer = conn.getresponse()
    text = answer.read()
    conn.close()
    assert answer.status == 200, text


def export(device):
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(300)
    sock.connect(str(device.socket))
    sock.sendall(b"GET /v1/export HTTP/1.1\r\nHost: kartei\r\nConnection: close\r\n\r\n")
    return sock


def lines_of(sock, begun=b""):
    """The lines of a chunked answer, which must have an end."""
    source = begun

    def more():
        nonlocal source
        part = sock.recv(1 << 16)
        assert part, "the answer broke off"
        source += part

    while b"\r\n\r\n" not in source:
        more()
    source = source.partition(b"\r\n\r\n")[2]
    rest = b""
    while True:
        while b"\r\n" not in source:
            more()
        head, _, source = source.partition(b"\r\n")
        size = int(head, 16)
        while len(source) < size + 2:
            more()
        rest += source[:size]
        source = source[size + 2:]
        *whole, rest = rest.split(b"\n")
        yield from whole
        if size == 0:
            assert not rest
            return


if __name__ == "__main__":
    main()
