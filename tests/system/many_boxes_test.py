"""Sixteen boxes with vectors in one daemon: each answers from its own words alone, and memory stays small; one
more closes the one that was used least lately, which answers again when it is asked."""
import json
import re
import threading

from endpoint import configure, reread
from system import SLOW, Refused, SystemTest, main, turn, wait

BOXES = 16
TURNS = 100 if SLOW else 500
THINGS = ("bicycle", "violin", "kettle", "ladder")
QUESTIONS = ("¿Qué le pasa a la bicicleta?", "Was ist mit der Geige?", "What about the kettle?", "Wo steht die Leiter?")


def word_of(n):
    return f"quux{n}zanzibar"


class ManyBoxes(SystemTest):
    def rss_mb(self, device):
        return device.call("GET", "/v1/status")["rss_mb"]

    def fill(self, device, n):
        box = f"?box=box{n}"
        texts = [f"The {THINGS[n % 4]} is broken since May; the mark on it is {word_of(n)}.",
                 *[f"Number {k} of the shelf is a book about {k % 97} bridges." for k in range(TURNS - 1)]]
        for at in range(0, TURNS, 100):
            device.call("POST", f"/v1/turns{box}", {"conversation": "c", "turns": [
                turn(t, f"t{at + k}") for k, t in enumerate(texts[at:at + 100])]})

    def opens(self, device, n):
        try:
            return device.call("GET", f"/v1/status?box=box{n}")
        except Refused as refused:
            if refused.status == 503:
                return None
            raise

    def embedded(self, device, n):
        state = device.call("GET", f"/v1/status?box=box{n}")["meaning"]
        return state["waiting"] == 0 and state["model"]

    def ask(self, device, n, question=None):
        return device.call("POST", f"/v1/recall?box=box{n}", {
            "query": question or QUESTIONS[n % 4], "budget_tokens": 300, "explain": True})

    def assert_its_own(self, n, answer):
        whole = json.dumps(answer)
        others = {word for word in re.findall(r"quux\d+zanzibar", whole) if word != word_of(n)}
        self.assertEqual(others, set(), f"box {n} tells of others")
        self.assertIn(word_of(n), answer["text"], f"box {n}")

    def test_each_answers_from_its_own_words(self):
        device = self.device(more=["boxes = 17"])  # the default one, too
        alone = self.rss_mb(device)
        for n in range(BOXES):
            self.fill(device, n)
        for n in range(BOXES):
            wait("all is embedded", lambda n=n: self.embedded(device, n))
        faults = []

        def crowd(first):
            try:
                for k in range(BOXES * 4):
                    n = (first + 5 * k) % BOXES
                    self.assert_its_own(n, self.ask(device, n))
            except Exception as fault:  # told by the test's own thread
                faults.append(repr(fault))

        threads = [threading.Thread(target=crowd, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        for n in range(BOXES):  # the words of another box are nowhere
            self.assertNotIn(word_of(n), json.dumps(self.ask(device, (n + 1) % BOXES, f"What is {word_of(n)}?")["items"]))
        grown = self.rss_mb(device) - alone
        print(f"{alone:.1f} MB with one box, {grown:.1f} MB more with {BOXES} of {TURNS} turns")
        if not SLOW:
            self.assertLess(grown / BOXES, 4, "MB a box")
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_more_than_may_be_open(self):
        device = self.device(more=["boxes = 4"])
        for n in range(9):
            # None is closed while it is read or embedded: then the next one has to wait.
            wait("there is room", lambda n=n: self.opens(device, n))
            self.fill(device, n)
            wait("all is embedded", lambda n=n: self.embedded(device, n))
        for n in range(9):
            wait("there is room", lambda n=n: self.opens(device, n))
            # It is opened again; its vectors are read at leisure.
            wait("it is found by its meaning", lambda n=n: any(
                word_of(n) in i["text"] and i["legs"].get("meaning") for i in self.ask(device, n)["items"]))
            self.assert_its_own(n, self.ask(device, n))
        configure(device, ["boxes = 4", 'meaning = "off"'])
        reread(device)
        for n in range(9):
            wait("there is room", lambda n=n: self.opens(device, n))
            self.assert_its_own(n, self.ask(device, n, f"What has the mark {word_of(n)}?"))
        self.assertIsNone(device.process.poll())


if __name__ == "__main__":
    main()
