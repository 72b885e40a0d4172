"""Forgetting with real devices: the primary forgets in shared drawers, all show the same, any takes it back."""
import json
import subprocess

from system import BIN, SystemTest, free_ports, main, pair, wait


def old_events(count):
    """Lines of an export with events of long ago: what is new does not fade."""
    drawer = "0a" * 16
    yield {"kind": "box", "format": 2}
    yield {"kind": "drawer", "id": drawer, "name": "home"}
    for n in range(count):
        yield {"kind": "card", "id": f"{n + 1:032x}", "text": f"Maya went rowing on lake {n}.", "colour": "event",
               "drawer": drawer, "recorded_at": "2024-05-04T18:00:00Z", "valid_from": "2024-05-04", "state": "open",
               "user_made": True, "flags": ["never_forget"] if n == 0 else []}


def states(device):
    cards = device.call("GET", "/v1/cards?state=all&limit=500")["items"]
    return sorted((c["text"], c["state"]) for c in cards)


class Forgetting(SystemTest):
    def kartei(self, device, *words):
        ran = subprocess.run([BIN / "kartei", *words], env={"KARTEI_HOME": str(device.home), "PATH": "/usr/bin:/bin"},
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_the_primary_forgets_and_all_show_the_same(self):
        ports = free_ports(2)
        phone = self.device("phone", port=ports[0], peers=[ports[1]])
        laptop = self.device("laptop", port=ports[1], peers=[ports[0]])
        pair(phone, laptop)
        phone.call("PATCH", "/v1/drawers/home", {"shared": True, "create": True})
        lines = "\n".join(json.dumps(line) for line in old_events(5)) + "\n"
        file = self.root / "old.jsonl"
        file.write_text(lines)
        self.kartei(phone, "import", str(file))
        wait("the laptop has the cards", lambda: len(states(laptop)) == 5)
        phone.call("PUT", "/v1/primary", {"device": "phone"})
        wait("the phone leads", lambda: phone.call("GET", "/v1/status")["role"] == "primary")

        laptop.call("PUT", "/v1/forgetting", {"fade_after_days": 60})
        wait("the policy is on both", lambda: phone.call("GET", "/v1/forgetting")["fade_after_days"] == 60)
        self.assertFalse(laptop.call("GET", "/v1/forgetting")["shared_here"])
        self.assertEqual(laptop.call("POST", "/v1/forgetting/run", {})["counts"]["fade"], 0)

        self.assertIn("Would be: 4 faded", self.kartei(phone, "forgetting", "run", "--dry-run"))
        self.assertEqual({state for _, state in states(phone)}, {"open"})
        self.assertIn("Done: 4 faded", self.kartei(phone, "forgetting", "run"))
        wait("both show the same", lambda: states(phone) == states(laptop))
        self.assertEqual([state for _, state in states(laptop)], ["open"] + 4 * ["faded"])

        run = laptop.call("GET", "/v1/forgetting/runs")["items"][0]["run"]
        self.assertEqual(self.kartei(laptop, "forgetting", "undo", run), "Taken back: 4\n")
        for device in (phone, laptop):
            wait("all are open again", lambda d=device: {state for _, state in states(d)} == {"open"})
        self.assertIn("Done: 0 faded", self.kartei(phone, "forgetting", "run"))

        phone.stop()
        phone.start()
        self.assertEqual({state for _, state in states(phone)}, {"open"})
        self.assertEqual(phone.call("GET", "/v1/forgetting")["fade_after_days"], 60)


if __name__ == "__main__":
    main()
