"""Pairing as a person does it: by the command line alone, with the mistakes that a person makes."""
import os
import re
import subprocess

from system import BIN, SystemTest, main, say, wait


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

    def test_what_the_secretary_wrote_is_looked_through(self):
        device = self.device()
        for number, text in enumerate(("I live in Bremen.", "I moved to Utrecht.", "I am allergic to peanuts.",
                                       "My sister Ida plays the cello.")):
            say(device, "talk", text, f"t{number}")
            device.call("POST", "/v1/conversations/talk/end")
            wait("the turn is read", lambda: device.call("GET", "/v1/status")["pending_extraction"] == 0)

        def card(words):
            return next(c for c in device.call("GET", "/v1/cards?state=all")["items"] if words in c["text"])["id"]

        shown = self.kartei(device, "cards", "--new")
        for words in ("Bremen", "Utrecht", "peanuts", "kartei accept ID"):
            self.assertIn(words, shown)
        self.assertIn("Accepted: Maya is allergic to peanuts.", self.kartei(device, "accept", card("peanuts")))
        self.assertNotIn("peanuts", self.kartei(device, "cards", "--new"))
        self.assertIn("I moved to Utrecht.", self.kartei(device, "show", card("Utrecht")))
        rejected = self.kartei(device, "reject", card("Utrecht"), "--why", "she only thought about it")
        self.assertIn(f"open again {card('Bremen')}", rejected)
        self.assertIn("already", self.kartei(device, "reject", card("Utrecht"), status=1))
        self.kartei(device, "correct", card("Bremen"), "Maya", "lives", "near", "Bremen.")
        self.assertIn("near Bremen", self.kartei(device, "cards"))
        self.assertNotIn("Bremen", self.kartei(device, "cards", "--new", "--state", "open"))
        self.assertIn("near Bremen", self.kartei(device, "history", card("lives in Bremen")))
        self.assertIn("Give --turn", self.kartei(device, "undo", status=2))
        self.assertIn("would reject", self.kartei(device, "undo", "--conversation", "talk", "--dry-run"))
        undone = self.kartei(device, "undo", "--conversation", "talk")
        self.assertIn(f"kept {card('peanuts')}", undone)
        left = self.kartei(device, "cards")
        self.assertNotIn("Ida", left)
        self.assertIn("peanuts", left)


if __name__ == "__main__":
    main()
