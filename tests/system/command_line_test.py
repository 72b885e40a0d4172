"""Pairing as a person does it: by the command line alone, with the mistakes that a person makes."""
import os
import re
import subprocess

from system import BIN, SystemTest, main, wait


class CommandLine(SystemTest):
    def kartei(self, device, *arguments, status=0):
        done = subprocess.run([str(BIN / "kartei"), *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "KARTEI_HOME": str(device.home)})
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def offer(self, device):
        shown = self.kartei(device, "pair")
        code, port = re.search(r"kartei join (\d{5}-\d{5}) .*HOST:(\d+)", shown).groups()
        return code, f"127.0.0.1:{port}"

    def test_pairing_by_hand(self):
        phone, laptop, tablet = self.device("phone"), self.device("laptop"), self.device("tablet")
        self.assertIn("none yet", self.kartei(phone, "primary"))
        code, _ = self.offer(phone)
        self.assertIn("Nobody answers", self.kartei(laptop, "join", code, "--address", "127.0.0.1:1", status=1))
        stale, _ = self.offer(phone)
        code, address = self.offer(phone)
        self.assertIn("code is wrong", self.kartei(laptop, "join", stale, "--address", address, status=1))
        code, address = self.offer(phone)
        self.assertIn("belongs to the box", self.kartei(laptop, "join", code, "--address", address))

        # A second device approves, by name; what is no newcomer is not approved.
        code, address = self.offer(phone)
        self.assertIn("must approve", self.kartei(tablet, "join", code, "--address", address))
        wait("the laptop hears of the newcomer", lambda: "no member" in self.kartei(laptop, "devices"))
        self.assertIn("waits for approval", self.kartei(laptop, "approve", "phone", status=1))
        self.kartei(laptop, "approve", "tablet")
        wait("the tablet belongs to the box", lambda: "connected" in self.kartei(tablet, "devices"))

        # Shared with one other: whoever shares it holds it.
        self.kartei(phone, "share", "plans", "--create", "--device", "laptop")
        self.kartei(phone, "remember", "Maya plans a garden.", "--drawer", "plans")
        wait("the card is on the laptop", lambda: "garden" in self.kartei(laptop, "cards"))
        self.assertNotIn("garden", self.kartei(tablet, "cards"))
        self.assertIn("There is no device", self.kartei(phone, "share", "plans", "--device", "fridge", status=1))
        self.assertNotIn("--create", self.kartei(phone, "share", "plans", "--device", "fridge", status=1))


if __name__ == "__main__":
    main()
