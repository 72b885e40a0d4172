"""kill -9 in the midst of long work: taking over a box, an import, emptying, sharing a drawer, embedding
anew. Afterwards the box is sound, nothing acknowledged is missing, and things are found by their meaning."""
import http.client
import json
import os
import signal
import subprocess
import threading
import time

from endpoint import Endpoint, all_embedded, configure, endpoint_lines, meaning
from system import BIN, SLOW, Refused, SystemTest, UnixConnection, free_ports, has_turn, main, turn, wait

ROWS = 1_500 if SLOW else 6_000
KILLS = 4 if SLOW else 12
DRAWER = "d" * 32
HEAD = '{"kind":"box","format":1}\n{"kind":"drawer","id":"' + DRAWER + '","name":"home"}\n'
GONE = (OSError, Refused, ValueError, http.client.HTTPException)
QUESTION, FACT = "¿Qué le pasa a la bicicleta?", "The bicycle has a flat tyre."


def lines(begin, end):
    """Lines of an export: turns, and a card for every fourth."""
    for n in range(begin, end):
        text = FACT if n == 7 else f"Number {n} of the shelf is a book about the town of {n % 97} bridges."
        yield json.dumps({"kind": "turn", "id": f"{n + 1:032x}", "external_id": f"t{n}", "conversation": f"c{n % 20}",
                          "drawer": DRAWER, "speaker": "Maya", "role": "user", "text": text,
                          "time": f"2026-0{1 + n % 9}-11T10:00:00Z"})
        if n % 4 == 0:
            yield json.dumps({"kind": "card", "id": f"{n + 1:032x}", "drawer": DRAWER,
                              "text": f"Maya owns book number {n}."})


def post_lines(device, some, query=""):
    conn = UnixConnection(device.socket)
    try:
        conn.request("POST", "/v1/import" + query, body=(HEAD + "\n".join(some) + "\n").encode())
        answer = conn.getresponse()
        raw = answer.read()
    finally:
        conn.close()
    if answer.status != 200:
        raise Refused(f"import: {answer.status} {raw[:500]!r}", answer.status)


def fill(device, rows, query=""):
    for begin in range(0, rows, 1_000):
        post_lines(device, lines(begin, min(rows, begin + 1_000)), query)


class KilledAtWork(SystemTest):
    def kill_after(self, device, most_s, work=None):
        """Kills it at a random moment, while `work` goes on in a thread of its own."""
        thread = threading.Thread(target=work) if work else None
        if thread:
            thread.start()
        moment = time.monotonic() + self.random.uniform(0, most_s * (8 if SLOW else 1))
        wait("the random moment", lambda: time.monotonic() >= moment)
        device.stop(signal.SIGKILL)
        if thread:
            thread.join()

    def count_of(self, device, table):
        return self.sql(device, f"SELECT count(*) FROM {table}")[0][0]

    def assert_all_sound(self, device):
        """Of a stopped device: SQLite's own check of each box; then it is started, and the doctor asked."""
        for file in device.home.rglob("box.kartei"):
            self.assert_sound(device, file)

    def ask_doctor(self, device):
        ran = subprocess.run([BIN / "kartei", "doctor"], env={**os.environ, "KARTEI_HOME": str(device.home)},
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def assert_found_by_meaning(self, device, model="kartei-multi256-v1"):
        wait("all is embedded", lambda: all_embedded(device, model))
        item = device.recall(QUESTION, limit=1, explain=True)["items"][0]
        self.assertIn(FACT, item["text"])
        self.assertTrue(item["legs"].get("meaning"), item)

    def turns_on_disk(self, device):
        return self.count_of(device, "turns")

    def turns(self, device, query=""):
        return device.call("GET", "/v1/status" + query)["counts"]["turns"]

    def test_in_an_import(self):
        device = self.device()
        done = 0

        def go_on():
            nonlocal done
            try:
                while done < ROWS:
                    end = min(ROWS, done + 300)
                    post_lines(device, lines(done, end))
                    done = end
            except GONE:
                pass

        kills = 0
        while kills < KILLS and done < ROWS:
            self.kill_after(device, 0.1, go_on)
            kills += 1
            self.assert_all_sound(device)
            device.start()
            self.assertGreaterEqual(self.turns(device), done, "acknowledged and missing")
        go_on()
        print(f"{kills} kills")
        for n in range(0, ROWS, 97):
            self.assertTrue(has_turn(device, f"t{n}"), n)
        self.assertEqual(self.turns(device), ROWS)
        self.assertEqual(len(device.cards("open")), (ROWS + 3) // 4)
        self.assert_found_by_meaning(device)
        self.ask_doctor(device)
        device.stop()
        self.assert_all_sound(device)

    def join(self, newcomer, member):
        """Once; whether it has begun well. What was begun before may still go on, and then end this one."""
        try:
            offer = member.call("POST", "/v1/pairing", {"seconds": 60})
            newcomer.call("POST", "/v1/pairing", {"code": offer["code"], "address": f"127.0.0.1:{member.port}"})
        except GONE:
            return False
        return True

    def is_member(self, newcomer, member):
        return newcomer.call("GET", "/v1/status")["box_id"] == member.call("GET", "/v1/status")["box_id"]

    def joins(self, newcomer, member):
        if newcomer.call("GET", "/v1/pairing")["state"] in ("failed", "idle") and not self.is_member(newcomer, member):
            self.join(newcomer, member)
        return self.is_member(newcomer, member)

    def test_a_newcomer_that_takes_the_box_over(self):
        ports = free_ports(2)
        phone = self.device("phone", port=ports[0])
        fill(phone, ROWS)
        phone.call("PATCH", "/v1/drawers/home", {"shared": True})
        early = 0
        for n in range(KILLS // 2):
            laptop = self.device(f"laptop{n}", port=ports[1], peers=[ports[0]])
            wait("it joins", lambda d=laptop: self.join(d, phone))
            for _ in range(3):
                self.kill_after(laptop, 0.05 if SLOW else 0.4)
                self.assert_all_sound(laptop)
                early += self.turns_on_disk(laptop) < ROWS
                laptop.start()
            wait("it is a member", lambda d=laptop: self.joins(d, phone))
            wait("all is there", lambda d=laptop: self.turns(d) == ROWS)
            wait("all cards, too", lambda d=laptop: len(d.cards("open")) == (ROWS + 3) // 4)
            for k in range(0, ROWS, 97):
                self.assertTrue(has_turn(laptop, f"t{k}"), k)
            self.assert_found_by_meaning(laptop)
            self.ask_doctor(laptop)
            laptop.stop()
            self.assert_all_sound(laptop)
            for device in phone.call("GET", "/v1/devices")["items"]:
                if not device["self"] and device["member"]:
                    phone.call("DELETE", f"/v1/devices/{device['id']}")
        print(f"{KILLS // 2 * 3} kills, {early} of them before all was there")
        self.assertGreater(early, 0, "killed too late each time")

    def test_while_a_box_is_emptied(self):
        device = self.device()
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn(FACT, "kept")]})
        whole = emptied = 0
        for n in range(KILLS):
            if self.turns(device, "?box=other") == 0:
                fill(device, 1_000, "?box=other")
            answers = []

            def empty():
                try:
                    answers.append(device.call("DELETE", "/v1/box?box=other", {"name": "other"}))
                except GONE:
                    pass

            self.kill_after(device, 0.008, empty)
            self.assert_all_sound(device)
            device.start()
            left = self.turns(device, "?box=other")
            self.assertIn(left, (0,) if answers else (0, 1_000), "half a box")
            whole, emptied = whole + (left > 0), emptied + (left == 0)
            self.assertTrue(has_turn(device, "kept"))
            self.ask_doctor(device)
            self.assertEqual({f.name for f in (device.home / "boxes").iterdir()}, {"default", "other"})
        self.assert_found_by_meaning(device)
        print(f"{KILLS} kills: {whole} times the box was whole, {emptied} times empty")

    def test_while_a_drawer_is_shared(self):
        """All that it holds is said anew then, under the ids that it had."""
        device = self.device()
        fill(device, ROWS)
        wait("all is embedded", lambda: all_embedded(device))
        for n in range(KILLS):
            answers = []

            def share():
                try:
                    answers.append(device.call("PATCH", "/v1/drawers/home", {"shared": True}))
                except GONE:
                    pass

            self.kill_after(device, 0.4, share)
            self.assert_all_sound(device)
            device.start()
            home = [d for d in device.call("GET", "/v1/drawers")["items"] if d["name"] == "home"]
            self.assertEqual(len(home), 1)
            if answers:
                self.assertTrue(home[0]["shared"])
            self.assertEqual(self.turns(device), ROWS)
            self.assertEqual(len(device.cards("open")), (ROWS + 3) // 4)
            if home[0]["shared"]:
                print(f"shared after {n + 1} kills")
                break
        device.call("PATCH", "/v1/drawers/home", {"shared": True})
        for n in range(0, ROWS, 97):
            self.assertTrue(has_turn(device, f"t{n}"), n)
        self.assert_found_by_meaning(device)
        self.ask_doctor(device)
        device.stop()
        self.assert_all_sound(device)

    def test_while_all_is_embedded_anew(self):
        endpoint = Endpoint()
        self.addCleanup(endpoint.close)
        device = self.device()
        fill(device, ROWS)
        erased = []
        for n in range(KILLS):
            word = f"quux{n}zanzibar"
            card = device.call("POST", "/v1/cards", {"text": f"The safe's word is {word}."})["id"]
            wait("some vectors are made", lambda: meaning(device)["waiting"] < ROWS or n % 2)
            device.call("DELETE", f"/v1/cards/{card}")
            erased.append(word)
            configure(device, (endpoint_lines(endpoint.url), [], endpoint_lines(endpoint.url, "another"))[n % 3])
            device.process.send_signal(signal.SIGHUP)
            self.kill_after(device, 0.3)
            self.assert_all_sound(device)
            device.start()
            answer = json.dumps(device.recall("What is the word of the safe?", limit=50, explain=True))
            self.assertEqual([w for w in erased if w in answer], [])
        configure(device, [])
        device.stop()
        device.start()
        self.assertEqual(self.turns(device), ROWS)
        self.assert_found_by_meaning(device)
        # They go in the background, after what answers is there.
        wait("the other models' vectors are gone", lambda: self.sql_of_running(
            device, "SELECT (SELECT count(*) FROM vector_sets), (SELECT count(*) FROM vector_dead)") == [[1, 0]])
        self.ask_doctor(device)
        device.stop()
        self.assert_all_sound(device)
        self.assertEqual(self.count_of(device, "turn_vectors"), ROWS)
        self.assertEqual(self.count_of(device, "vector_dead"), 0)


if __name__ == "__main__":
    main()
