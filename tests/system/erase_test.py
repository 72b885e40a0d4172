"""What was erased is in no file of any device: not in the box, its log, its index, nor in the daemon's log."""
import signal

from system import SystemTest, beneath, cards_with, free_ports, main, pair, wait


def files_with(device, word):
    return [f.name for f in device.home.rglob("*") if f.is_file() and word.encode() in beneath(device, f)]


class Erase(SystemTest):
    def remember(self, device, word, drawer="home"):
        """A card with the word, asked for, changed, used: so it is everywhere a card can be."""
        card = device.call("POST", "/v1/cards", {"text": f"The safe's word is {word}.", "drawer": drawer})["id"]
        device.call("PATCH", f"/v1/cards/{card}", {"annotation": f"{word}, spelt so", "importance": 0.9})
        self.assertIn(word, device.recall("What is the safe's word?")["text"])
        self.assertTrue(files_with(device, word))
        return card

    def test_the_words_go_from_every_file(self):
        device = self.device()
        card = self.remember(device, "zanzibarquux")
        device.call("POST", "/v1/cards", {"text": "The garden gate is green.", "drawer": "home"})
        device.call("DELETE", f"/v1/cards/{card}")
        wait("the word is gone", lambda: not files_with(device, "zanzibarquux"))
        self.assertIn("green", device.recall("garden gate")["text"])

    def test_also_after_a_crash_and_a_stop(self):
        device = self.device()
        for sig, word in ((signal.SIGKILL, "quuxzanzibar"), (signal.SIGTERM, "zibarzanquux")):
            card = self.remember(device, word)
            device.call("DELETE", f"/v1/cards/{card}")
            device.stop(sig)
            if sig == signal.SIGKILL:
                self.assertTrue(files_with(device, word), "gone at once: the crash shows nothing")
                device.start()
            wait("the word is gone", lambda w=word: not files_with(device, w))

    def test_the_file_gets_short_again(self):
        device = self.device()
        cards = [device.call("POST", "/v1/cards", {"text": f"Note {n} " + "of a long day. " * 500})["id"]
                 for n in range(400)]
        kept = self.remember(device, "zanzibarquux")
        before = self.box_file(device).stat().st_size
        for card in cards:
            device.call("DELETE", f"/v1/cards/{card}")
        wait("the file is short", lambda: self.box_file(device).stat().st_size < before / 2, 60)
        self.assertEqual(device.call("GET", f"/v1/cards/{kept}")["state"], "open")
        self.assertIn("zanzibarquux", device.recall("zanzibarquux")["text"])

    def test_on_the_other_devices_too(self):
        phone, laptop = self.sharing_pair()
        card = self.remember(phone, "zanzibarquux")
        wait("the card is there", lambda: cards_with(laptop, "zanzibarquux"))
        self.assertTrue(files_with(laptop, "zanzibarquux"))
        # Erased while the laptop is away: it holds the words until it hears of it, and then no longer.
        laptop.stop()
        erasure = phone.call("DELETE", f"/v1/cards/{card}")["erasure"]

        def done():
            progress = phone.call("GET", f"/v1/erasures/{erasure}")
            return progress["state"], {d["name"]: d["done"] for d in progress["devices"]}

        wait("it waits for the laptop", lambda: done() == ("spreading", {"phone": True, "laptop": False}))
        laptop.start()
        wait("the laptop has taken it in", lambda: done() == ("done", {"phone": True, "laptop": True}))
        for device in (phone, laptop):
            wait(f"the word is gone from the {device.name}", lambda d=device: not files_with(d, "zanzibarquux"))

    def test_on_a_peer_that_runs(self):
        ports = free_ports(2)
        phone = self.device("phone", port=ports[0], peers=[ports[1]])
        laptop = self.device("laptop", port=ports[1], peers=[ports[0]])
        pair(phone, laptop)
        for drawer in ("home", "work"):
            phone.call("PATCH", f"/v1/drawers/{drawer}", {"shared": True, "create": True})
        wait("the drawers are known", lambda: {"home", "work"} <= {d["name"] for d in laptop.call("GET", "/v1/drawers")["items"]})
        for n, (speaker, listener) in enumerate(((phone, laptop), (laptop, phone), (phone, laptop))):
            word = f"zanzibar{'xyz'[n]}quux"
            card = self.remember(speaker, word)
            wait("the card is there", lambda d=listener, w=word: cards_with(d, w))
            self.assertIn(word, listener.recall("What is the safe's word?")["text"])
            eraser = (speaker, listener, speaker)[n]
            if n == 2:  # moved first: its original goes, too
                card = eraser.call("PATCH", f"/v1/cards/{card}", {"drawer": "work"})["id"]
                wait("it is moved there, too", lambda d=listener, c=card: any(x["id"] == c for x in d.cards("open")))
            eraser.call("DELETE", f"/v1/cards/{card}")
            for device in (phone, laptop):
                wait(f"the word is gone from the {device.name}", lambda d=device, w=word: not files_with(d, w), seconds=20)


if __name__ == "__main__":
    main()
