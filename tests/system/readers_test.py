"""Many clients ask at once, beside appends, erasures, tidying and another model: nobody fails, and no
answer holds what was erased before it was asked for, the same thing twice, or more than its budget."""
import http.client
import json
import threading
import time

from endpoint import Endpoint, all_embedded, configure, endpoint_lines, reread
from system import SLOW, SystemTest, UnixConnection, main, turn, wait

READERS = 6
ERASURES = 15 if SLOW else 60
TIDIED_S = 5  # words are joined two seconds after they came, and what was erased is scrubbed after one
THINGS = ("lantern", "kettle", "ladder", "violin", "compass", "blanket", "trunk", "mirror")


class Client:
    """Keeps its connection."""

    def __init__(self, device):
        self.conn = UnixConnection(device.socket)

    def call(self, method, path, body=None):
        self.conn.request(method, path, body=None if body is None else json.dumps(body).encode(),
                          headers={"Content-Type": "application/json", "X-Kartei-App": "readers"})
        answer = self.conn.getresponse()
        raw = answer.read()
        if answer.status >= 400:
            raise AssertionError(f"{method} {path}: {answer.status} {raw[:500]!r}")
        return json.loads(raw) if raw.strip() else {}

    def close(self):
        self.conn.close()


class Crowd:
    """Threads that go on until `over`; what one of them raises ends them all."""

    def __init__(self, device):
        self.device, self.over, self.faults, self.threads = device, threading.Event(), [], []
        self.answers, self.held = 0, 0

    def start(self, work, *more):
        def run():
            client = Client(self.device)
            try:
                while not self.over.is_set():
                    work(client, *more)
            except (AssertionError, OSError, ValueError, KeyError, http.client.HTTPException) as fault:
                self.faults.append(repr(fault))
                self.over.set()
            finally:
                client.close()
        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


class Readers(SystemTest):
    def setUp(self):
        super().setUp()
        self.erased, self.there = [], []  # words; appended to only
        self.number = 0

    def start(self, device):
        crowd = Crowd(device)
        self.addCleanup(crowd.end)
        for n in range(READERS):
            crowd.start(self.ask, crowd, n)
        crowd.start(self.append)
        return crowd

    def append(self, client):
        self.number += 1
        n = self.number
        client.call("POST", "/v1/turns", {"conversation": f"c{n % 5}", "turns": [
            turn(f"Number {n}-{k}: the {THINGS[(n + k) % 8]} stands beside the {THINGS[n % 8]}.", f"t{n}-{k}")
            for k in range(4)]})

    def ask(self, client, crowd, reader):
        gone, there = list(self.erased), list(self.there)
        number = crowd.answers + reader
        word = (gone or there or ["lantern"])[-1 - number % 5 if len(gone or there) > 5 else -1]
        question = (f"What is the {word} about?", f"Where does the {THINGS[number % 8]} stand?",
                    "What is the word of the safe?")[number % 3]
        budget = (500, 120, 40, 0)[number % 4]
        answer = client.call("POST", "/v1/recall", {"query": question, "budget_tokens": budget, "limit": 30,
                                                    "explain": number % 2 == 0})
        crowd.answers += 1
        if budget and answer["tokens"] > budget:
            raise AssertionError(f"{answer['tokens']} tokens of {budget}")
        items = [(item["kind"], item["id"]) for item in answer["items"]]
        if len(items) != len(set(items)):
            raise AssertionError(f"twice in one answer: {items}")
        whole = json.dumps([answer["text"], answer["items"]])
        for one in gone:
            if one in whole:
                raise AssertionError(f"{one} was erased before it was asked: {question}")
        crowd.held += any(one in whole for one in there)

    def remember(self, device, word):
        card = device.call("POST", "/v1/cards", {"text": f"The safe's word is {word}."})["id"]
        self.there.append(word)
        return card

    def erase(self, device, card, word):
        device.call("DELETE", f"/v1/cards/{card}")
        self.erased.append(word)

    def erase_some(self, device, crowd, most):
        for n in range(most):
            if crowd.over.is_set():
                return
            word = f"quux{n}zanzibar"
            card = self.remember(device, word)
            if n % 3 == 0:  # with its vector
                wait("it is embedded", lambda: crowd.over.is_set() or all_embedded(device))
            if n % 3 == 1:  # while it is asked for
                held = crowd.held
                wait("it is handed out", lambda h=held: crowd.over.is_set() or crowd.held > h)
            self.erase(device, card, word)
        seen = crowd.answers
        wait("all have asked since", lambda: crowd.over.is_set() or crowd.answers > seen + 4 * READERS)

    def test_beside_appends_and_erasures(self):
        device = self.device()
        crowd = self.start(device)
        began = time.monotonic()
        self.erase_some(device, crowd, ERASURES)
        wait("it has tidied beside", lambda: crowd.over.is_set() or time.monotonic() > began + TIDIED_S)
        crowd.end()
        self.assertEqual(crowd.faults, [])
        self.assertEqual(len(self.erased), ERASURES)
        self.assertGreater(crowd.held, 0, "nothing was ever handed out that was to be erased")
        print(f"{crowd.answers} answers beside {self.number * 4} turns and {ERASURES} erasures")
        wait("all is embedded", lambda: all_embedded(device))
        device.stop()
        self.assertEqual(device.process.returncode, 0)
        self.assertNotIn(" error ", device.log_text())
        self.assert_sound(device)

    def test_beside_changes_of_the_model(self):
        endpoint = Endpoint()
        self.addCleanup(endpoint.close)
        device = self.device()
        crowd = self.start(device)
        choices = (endpoint_lines(endpoint.url), ['meaning = "off"'], [], endpoint_lines(endpoint.url, "another"),
                   endpoint_lines(endpoint.url, "words-of-mine", wait_ms=50), [])
        for n, lines in enumerate(choices * (1 if SLOW else 3)):
            configure(device, lines)
            reread(device)
            for word in (f"zanzi{n}x{k}quux" for k in range(3)):
                self.erase(device, self.remember(device, word), word)
            seen = crowd.answers
            wait("they go on asking", lambda s=seen: crowd.over.is_set() or crowd.answers > s + 2 * READERS)
        crowd.end()
        self.assertEqual(crowd.faults, [])
        wait("all is embedded", lambda: all_embedded(device, "kartei-multi256-v1"))
        device.stop()
        self.assertEqual(device.process.returncode, 0)
        self.assertNotIn(" error ", device.log_text())
        self.assert_sound(device)


if __name__ == "__main__":
    main()
