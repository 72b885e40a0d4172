"""kill -9 within the first start, two first starts at once, kill -9 while joining: a home is whole, or as new."""
import signal
import subprocess
import threading
import time

from system import BIN, SLOW, Refused, SystemTest, free_ports, main, wait

ROUNDS = 6 if SLOW else 40


class FirstStart(SystemTest):
    def test_killed_within_the_first_start(self):
        for n in range(ROUNDS):
            device = self.device(f"laptop{n}", start=False)
            for _ in range(self.random.randrange(1, 4)):
                device.spawn()
                moment = time.monotonic() + self.random.uniform(0.001, 0.4 if SLOW else 0.04)
                wait("the random moment", lambda m=moment: time.monotonic() >= m)
                device.stop(signal.SIGKILL)
            device.start()
            self.assertEqual(device.log_text().count(" error "), 0, device.log_text())
            self.assertEqual([f.name for f in (device.home / "boxes").iterdir()], ["default"])
            device.end()

    def test_two_first_starts_at_once(self):
        for n in range(ROUNDS // 4):
            device = self.device(f"laptop{n}", start=False)
            device.spawn()
            first = device.process
            device.spawn()
            second = device.process
            wait("one of them answers", lambda: device.socket.exists() and answers(device))
            ended, _ = wait("the other one ends", lambda: [p for p in (first, second) if p.poll() is not None])
            self.assertEqual([p.returncode for p in ended], [1])
            self.assertIn("already", device.log_text())
            device.process = first if ended[0] is second else second
            device.end()

    def test_killed_while_joining(self):
        """Afterwards the newcomer has joined, and finds its sponsor; or it has not, and can try again."""
        ports = free_ports(2)
        member = self.device("desktop", port=ports[0])
        member.call("POST", "/v1/cards", {"text": "The garden gate is green.", "drawer": "home"})
        member.call("PATCH", "/v1/drawers/home", {"shared": True, "create": True})
        joined_at_once = 0
        for n in range(ROUNDS // 2):
            newcomer = self.device(f"phone{n}", port=ports[1])
            offer = member.call("POST", "/v1/pairing", {"seconds": 60})
            asking = threading.Thread(target=join, args=(newcomer, offer["code"], member.port))
            asking.start()
            moment = time.monotonic() + self.random.uniform(0, 1.0 if SLOW else 0.1)
            wait("the random moment", lambda m=moment: time.monotonic() >= m)
            newcomer.stop(signal.SIGKILL)
            asking.join()
            newcomer.start()
            if self.is_member(newcomer, member):
                joined_at_once += 1
            else:
                wait("the member's offer ends", lambda: member.call("GET", "/v1/pairing")["state"] != "joining")
                offer = member.call("POST", "/v1/pairing", {"seconds": 60})
                join(newcomer, offer["code"], member.port)
                # A member already for the other side, which had not heard of it: the roll says so.
                wait("it joins at the second try", lambda d=newcomer: self.is_member(d, member) or
                     self.again(d, member))
            wait("the card is there", lambda d=newcomer: any("gate" in c["text"] for c in d.cards()))
            for device in member.call("GET", "/v1/devices")["items"]:
                if not device["self"] and device["member"]:
                    member.call("DELETE", f"/v1/devices/{device['id']}")
            newcomer.end()
        print(f"{ROUNDS // 2} kills, {joined_at_once} joined before")

    def is_member(self, newcomer, member):
        return newcomer.call("GET", "/v1/status")["box_id"] == member.call("GET", "/v1/status")["box_id"]

    def again(self, newcomer, member):
        if newcomer.call("GET", "/v1/pairing")["state"] not in ("failed", "idle"):
            return False
        offer = member.call("POST", "/v1/pairing", {"seconds": 60})
        join(newcomer, offer["code"], member.port)
        return False


def answers(device):
    try:
        return bool(device.call("GET", "/v1/status"))
    except (OSError, Refused):
        return False


def join(newcomer, code, port):
    try:
        newcomer.call("POST", "/v1/pairing", {"code": code, "address": f"127.0.0.1:{port}"})
    except (OSError, Refused):
        pass  # killed, or the offer is over


if __name__ == "__main__":
    main()
