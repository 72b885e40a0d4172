"""Secrets stay out: of every file and the log when they are refused, and of what another device hands out until its
owner allows them there, too."""
import os
import subprocess

from system import BIN, SystemTest, beneath, cards_with, main, wait

TOKEN = "gh" + "p_zQ7BuTSOmRi4A9spXcVY5ncnsDkxkJ3nWq81"
PASSWORD = "Kaffee-2291"
MASK = "[secret removed: password]"


def turn(text, **more):
    return {"speaker": "Maya", "role": "user", "text": text, **more}


class Secrets(SystemTest):
    def kartei(self, device, *arguments, status=0, stdin=""):
        done = subprocess.run([str(BIN / "kartei"), *arguments], capture_output=True, text=True, timeout=60, input=stdin,
                              env={**os.environ, "KARTEI_HOME": str(device.home)})
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def files_with(self, device, word):
        return [f.name for f in device.home.rglob("*") if f.is_file() and word.encode() in beneath(device, f)]

    def test_nothing_of_a_refused_one_is_left(self):
        device = self.device()
        answer = device.call("POST", "/v1/turns", {"conversation": "c", "turns": [
            turn("We moved to Utrecht.", id="a"), turn(f"use {TOKEN} for now", id="b"), turn("Sam likes tea.", id="c")]})
        self.assertEqual(answer["ids"], ["a", "c"])
        self.assertEqual(answer["refused"][0]["secrets"][0]["kind"], "service_key")
        self.assertNotIn(TOKEN, str(answer))
        said = self.kartei(device, "remember", f"The wifi password is {PASSWORD}.", status=1)
        self.assertIn("It holds a secret: password", said)
        self.assertNotIn(PASSWORD, said)
        device.recall(f"is it {TOKEN}?")
        self.assertNotIn(TOKEN, str(device.call("GET", "/v1/audit")))
        device.stop()
        self.assertTrue(self.files_with(device, "We moved to Utrecht."), "the search sees what is kept")
        self.assertEqual(self.files_with(device, TOKEN) + self.files_with(device, PASSWORD), [])

    def test_allowed_by_hand(self):
        device = self.device()
        talk = f"Maya: The wifi password is {PASSWORD}.\nMaya: Sam likes tea.\n"
        self.assertIn("1 of 2 turns were refused", self.kartei(device, "observe", "-", stdin=talk, status=1))
        self.assertIn("2 turns stored", self.kartei(device, "observe", "--allow-secrets", "-", stdin=talk))
        self.assertIn(PASSWORD, self.kartei(device, "recall", "wifi", "password"))
        device.stop()
        device.start()
        self.assertIn(PASSWORD, self.kartei(device, "recall", "wifi", "password"))

    def test_an_allowance_holds_on_its_device(self):
        phone, laptop = self.sharing_pair()
        card = phone.call("POST", "/v1/cards", {"text": f"The wifi password is {PASSWORD}.", "drawer": "home",
                                                "allow_secrets": True})["id"]
        wait("the card is there", lambda: cards_with(laptop, "wifi"))
        self.assertIn(PASSWORD, phone.recall("wifi password")["text"])
        shown = laptop.recall("wifi password")["text"]
        self.assertIn(MASK, shown)
        self.assertNotIn(PASSWORD, shown)
        self.assertNotIn(PASSWORD, str(laptop.call("GET", "/v1/cards")))
        self.assertIn(PASSWORD, self.kartei(laptop, "allow", card))
        self.assertIn(PASSWORD, laptop.recall("wifi password")["text"])
        self.assertIn(MASK, self.kartei(laptop, "allow", "--no-more", card))
        self.assertIn(MASK, laptop.recall("wifi password")["text"])


if __name__ == "__main__":
    main()
