"""What the system tests share: a temporary place, devices that end with the test, seeds."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
from devices import Device, Refused, UnixConnection, free_ports, wait  # noqa: E402,F401

BIN = Path(os.environ.get("KARTEI_BIN_DIR", ROOT / "build/release/bin")).resolve()
SLOW = os.environ.get("KARTEI_SLOW") == "1"          # under the sanitizers
SEED = int(os.environ.get("KARTEI_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)


class SystemTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="kartei-test-"))
        self.devices = []
        self.random = random.Random(SEED)
        print(f"seed {SEED} (repeat with KARTEI_SEED={SEED})", file=sys.stderr)

    def tearDown(self):
        for device in self.devices:
            device.end()
        faults = [f"{device.name}:\n{device.log_text()[:6000]}" for device in self.devices
                  if "Sanitizer" in device.log_text()]
        if self.has_failed():
            for device in self.devices:
                print(f"--- log of {device.name}\n{device.log_text()[-1500:]}", file=sys.stderr)
        shutil.rmtree(self.root, ignore_errors=True)
        self.assertEqual(faults, [], "found by the sanitizers")

    def has_failed(self):
        result = self._outcome.result
        return any(test is self for test, _ in result.failures + result.errors)

    def device(self, name="laptop", start=True, **more):
        device = Device(name, self.root, BIN, **more)
        self.devices.append(device)
        if start:
            device.start()
        return device

    def made_box(self, name="laptop"):
        device = self.device(name)
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("I live in Bremen.", "t1")]})
        device.stop()
        return device

    def refusal(self, device):
        """What the daemon says, in its log or its first answer, when it will not work; in small letters."""
        device.spawn()

        def says():
            if device.process.poll() is not None:
                return device.log_text()
            try:
                device.call("GET", "/v1/cards")
            except Refused as e:
                return f"{e} {e.problem}"
            except OSError:
                return None
            return "it answered"

        said, _ = wait("a refusal", says)
        device.stop()
        return said.lower()

    def sharing_pair(self):
        """A phone and a laptop that share the drawer "home"."""
        ports = free_ports(2)
        phone = self.device("phone", port=ports[0], peers=[ports[1]])
        laptop = self.device("laptop", port=ports[1], peers=[ports[0]])
        pair(phone, laptop)
        phone.call("PATCH", "/v1/drawers/home", {"shared": True, "create": True})
        wait("the drawer is known", lambda: any(d["name"] == "home" for d in laptop.call("GET", "/v1/drawers")["items"]))
        return phone, laptop

    def box_file(self, device):
        files = list(device.home.rglob("box.kartei"))
        self.assertEqual(len(files), 1, f"one box file expected: {files}")
        return files[0]

    def sql(self, device, statement, file=None):
        """Rows of the encrypted box of a stopped device."""
        ran = subprocess.run([BIN / "kartei_box_sql", device.home, file or self.box_file(device), statement],
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def sql_of_running(self, device, statement):
        """The same of a copy of a running device's box; None where the copy was torn."""
        with tempfile.TemporaryDirectory() as place:
            for file in self.box_file(device).parent.glob("box.kartei*"):
                shutil.copy(file, place)
            try:
                return self.sql(device, statement, Path(place) / "box.kartei")
            except AssertionError:
                return None

    def assert_sound(self, device, file=None):
        """The box of a stopped device passes SQLite's own check."""
        self.assertEqual(self.sql(device, "PRAGMA integrity_check", file), [["ok"]])


def beneath(device, file):
    """What the file holds: of an encrypted box and its log, beneath the encryption. A program that
    failed has said nothing about what is in there: asked again, since a box may be written just then."""
    if file.name != "box.kartei":
        return file.read_bytes()

    def whole():
        ran = subprocess.run([BIN / "kartei_box_sql", device.home, file, "--plain"], capture_output=True)
        return (ran.stdout,) if ran.returncode == 0 and ran.stdout else None

    (content,), _ = wait(f"{file} can be read beneath the encryption", whole)
    return content


def turn(text, turn_id=None, **more):
    return {"speaker": "Maya", "role": "user", "text": text, **({"id": turn_id} if turn_id else {}), **more}


def has_turn(device, turn_id):
    try:
        return device.call("GET", f"/v1/turns/{turn_id}")
    except Refused as e:
        if e.status == 404:
            return None
        raise


def say(device, conversation, text, turn_id=None, drawer="home", **more):
    device.call("POST", "/v1/turns", {"conversation": conversation,
                                      "turns": [turn(text, turn_id, drawer=drawer, **more)]})
    device.call("POST", f"/v1/conversations/{conversation}/end")


def cards_with(device, word):
    return [c for c in device.cards() if word.lower() in c["text"].lower()]


def pair(member, newcomer, approver=None):
    """Joins `newcomer` to `member`'s box; `approver` is a second member where there is one."""
    offer = member.call("POST", "/v1/pairing", {"seconds": 60})
    newcomer.call("POST", "/v1/pairing", {"code": offer["code"], "address": f"127.0.0.1:{member.port}"})
    if approver is not None:
        asked, _ = wait("the newcomer asks for approval",
                        lambda: approver.call("GET", "/v1/pairing").get("waiting_approval"))
        approver.call("POST", "/v1/pairing/approve", {"device": asked[0]["device"]})
    wait("the newcomer belongs to the box",
         lambda: newcomer.call("GET", "/v1/pairing").get("state") == "done")


def settled(devices, drawers=("home",)):
    """The same cards everywhere and nothing left to do; the list, or None."""
    lists = []
    for device in devices:
        status = device.call("GET", "/v1/status")
        if status["pending_extraction"] or status["pending"]:
            return None
        lists.append(sorted((c["id"], c["state"], c["text"]) for c in device.cards()
                            if c["drawer"] in drawers))
    return lists[0] if lists[0] and all(x == lists[0] for x in lists) else None


def three_devices(test, shared=("home",)):
    """Phone, laptop and desktop, paired and connected, with shared drawers."""
    ports = free_ports(3)
    devices = [test.device(name, port=ports[i], peers=[p for p in ports if p != ports[i]])
               for i, name in enumerate(("phone", "laptop", "desktop"))]
    phone, laptop, desktop = devices
    phone.call("PUT", "/v1/box", {"owner": "Maya Lindqvist", "zone": "Europe/Amsterdam"})
    for device in (phone, laptop):
        device.call("PUT", "/v1/sync", {"mode": "direct"})
    pair(phone, laptop)
    pair(phone, desktop, approver=laptop)
    desktop.call("PUT", "/v1/sync", {"mode": "direct"})
    for drawer in shared:
        phone.call("PATCH", f"/v1/drawers/{drawer}", {"shared": True, "create": True})
    wait("every device knows the shared drawers", lambda: all(
        {d["name"] for d in device.call("GET", "/v1/drawers")["items"] if d["shared"]} >= set(shared)
        for device in devices))
    return devices


def main():
    unittest.main(verbosity=2)
