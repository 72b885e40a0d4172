"""What a thief finds: marker words are looked for in every file of a device, and what was copied elsewhere does
not open. What was tampered with is refused, or is an earlier moment of the box."""
import json
import os
import shutil
import signal
import subprocess
import threading

from system import BIN, SLOW, Refused, SystemTest, UnixConnection, has_turn, main, turn, wait

MARKERS = {"turn": "wolkenkuckucksheim", "speaker": "Quendolinda", "conversation": "kellertreppe77",
           "card": "zwetschgendatschi", "tag": "murmeltiertag", "drawer": "geheimfach-neun", "owner": "Ottokara",
           "erased": "ringelnatzweg", "question": "dampfschifffahrt"}
GONE = (OSError, Refused, ValueError)


class ClosedBox(SystemTest):
    def setUp(self):
        super().setUp()
        self.temp = self.root / "temp"
        self.temp.mkdir()
        os.environ["TMPDIR"] = os.environ["SQLITE_TMPDIR"] = str(self.temp)
        self.addCleanup(os.environ.pop, "TMPDIR")
        self.addCleanup(os.environ.pop, "SQLITE_TMPDIR")

    def assert_nothing_in_the_clear(self, device, when):
        looked = 0
        for file in [*device.home.rglob("*"), *self.temp.rglob("*")]:
            try:
                content = file.read_bytes().lower() if file.is_file() else b""
            except FileNotFoundError:
                continue
            looked += 1
            self.assertFalse(file.name.endswith("-shm"), file)
            for place, word in MARKERS.items():
                for form in (word.lower().encode(), word.lower().encode("utf-16-le"), word.lower().encode().hex().encode()):
                    self.assertNotIn(form, content, f"{place} in {file} {when}")
        self.assertGreater(looked, 3)

    def assert_nothing_mapped(self, device):
        """No part of the box is mapped, nothing but its two files is open, and no core would be written."""
        proc = f"/proc/{device.process.pid}"
        with open(f"{proc}/maps") as maps:
            self.assertNotIn("box.kartei", maps.read())
        names = [os.readlink(f"{proc}/fd/{n}") for n in os.listdir(f"{proc}/fd")]
        boxes = {os.path.basename(n) for n in names if str(device.home / "boxes") in n}
        self.assertLessEqual(boxes, {"box.kartei", "box.kartei-wal"})
        self.assertEqual([n for n in names if n.startswith(str(self.temp))], [])
        with open(f"{proc}/limits") as limits:
            core = [line.split() for line in limits if line.startswith("Max core file size")][0]
        self.assertEqual(core[4:6], ["0", "0"])

    def say_all(self, device):
        m = MARKERS
        device.call("PUT", "/v1/box", {"owner": m["owner"], "zone": "Europe/Berlin"})
        device.call("POST", "/v1/turns", {"conversation": m["conversation"], "turns": [
            turn(f"I moved to {m['turn']}.", "t1", drawer=m["drawer"], speaker=m["speaker"])]})
        device.call("POST", f"/v1/conversations/{m['conversation']}/end")
        device.call("POST", "/v1/cards", {"text": f"Maya bakes {m['card']}.", "tags": [m["tag"]], "drawer": m["drawer"]})
        card = device.call("POST", "/v1/cards", {"text": f"The way is called {m['erased']}."})["id"]
        device.call("DELETE", f"/v1/cards/{card}")
        answer = json.dumps(device.recall(f"{m['question']} {m['card']} {m['turn']}"))
        self.assertIn(m["card"], answer)

    def many(self, device, first, outcome):
        """One import of many rows: long transactions. Its status, where it was answered, goes to `outcome`."""
        drawer = "d" * 32
        lines = ['{"kind":"box","format":2}', json.dumps({"kind": "drawer", "id": drawer, "name": MARKERS["drawer"]})]
        for n in range(first, first + (1_000 if SLOW else 6_000)):
            lines.append(json.dumps({"kind": "turn", "id": f"{n + 1:032x}", "external_id": f"m{n}", "drawer": drawer,
                                     "conversation": MARKERS["conversation"], "speaker": MARKERS["speaker"],
                                     "role": "user", "text": f"{MARKERS['turn']} {n} " * 12,
                                     "time": "2026-03-11T10:00:00Z"}))
        conn = UnixConnection(device.socket)
        try:
            conn.request("POST", "/v1/import", body=("\n".join(lines) + "\n").encode())
            answer = conn.getresponse()
            answer.read()
            outcome.append(answer.status)
        except GONE:
            pass
        finally:
            conn.close()

    def test_nothing_stands_in_the_clear(self):
        device = self.device(more=['log = "trace"'])
        self.say_all(device)
        self.assert_nothing_in_the_clear(device, "while it runs")
        looks = 0
        outcome = []
        work = threading.Thread(target=self.many, args=(device, 0, outcome))
        work.start()
        while work.is_alive():
            self.assert_nothing_in_the_clear(device, "in the midst of an import")
            looks += 1
        self.assertEqual(outcome, [200])
        self.assertGreater(looks, 0)
        self.assert_nothing_mapped(device)
        log = self.box_file(device).with_name("box.kartei-wal")
        before = log.stat().st_mtime_ns       # a log that is written over stays as long as it is
        work = threading.Thread(target=self.many, args=(device, 10_000, outcome))
        work.start()
        wait("rows are being written", lambda: log.stat().st_mtime_ns != before)
        device.stop(signal.SIGKILL)
        work.join()
        self.assert_nothing_in_the_clear(device, "after kill -9")
        device.start()
        self.assertTrue(has_turn(device, "t1"))
        wait("all is embedded", lambda: device.call("GET", "/v1/status")["meaning"]["waiting"] == 0)
        subprocess.run([BIN / "kartei", "doctor"], env={**os.environ, "KARTEI_HOME": str(device.home)},
                       capture_output=True)
        self.assert_nothing_in_the_clear(device, "after a start and the doctor")
        with self.assertRaises(Refused):
            device.call("POST", "/v1/cards", {"text": MARKERS["card"], "drawer": 7})
        device.stop()
        self.assert_nothing_in_the_clear(device, "after the end")
        print(f"{looks} looks in the midst")

    # ---- the thief

    def test_copied_boxes_do_not_open_elsewhere(self):
        mine, thief = self.made_box(), self.made_box("desktop")
        shutil.rmtree(thief.home / "boxes")
        shutil.copytree(mine.home / "boxes", thief.home / "boxes")
        before = self.box_file(thief).read_bytes()
        self.assertIn("does not open", self.refusal(thief))
        self.assertEqual(self.box_file(thief).read_bytes(), before)
        mine.start()
        self.assertTrue(has_turn(mine, "t1"))

    def test_a_copy_without_its_keyring_does_not_open_and_is_not_begun_anew(self):
        mine = self.made_box()
        (mine.home / "keyring").rename(self.root / "keyring")
        said = self.refusal(mine)
        self.assertIn("keyring", said)
        self.assertNotIn("it answered", said)
        (self.root / "keyring").rename(mine.home / "keyring")
        mine.start()
        self.assertTrue(has_turn(mine, "t1"))

    def test_swapped_pages_are_refused_by_name(self):
        device = self.made_box()
        file = self.box_file(device)
        content = file.read_bytes()
        four, five = content[3 * 4096:4 * 4096], content[4 * 4096:5 * 4096]
        file.write_bytes(content[:3 * 4096] + five + four + content[5 * 4096:])
        said = self.refusal(device)
        self.assertIn("page ", said)
        self.assertIn("does not authenticate", said)
        file.write_bytes(content)
        device.start()
        self.assertTrue(has_turn(device, "t1"))

    def test_a_cut_log_is_an_earlier_moment_or_refused(self):
        device = self.device()
        for n in range(30):
            device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn(f"Shelf {n}.", f"t{n}")]})
        device.stop(signal.SIGKILL)
        log = self.box_file(device).with_name("box.kartei-wal")
        folder = device.home / "boxes"
        shutil.copytree(folder, self.root / "saved")
        size = log.stat().st_size
        self.assertGreater(size, 0)
        earlier = refused = 0
        for n in range(4 if SLOW else 12):
            shutil.rmtree(folder)
            shutil.copytree(self.root / "saved", folder)
            os.truncate(log, self.random.randrange(0, size))
            device.spawn()

            def outcome():
                if device.process.poll() is not None:
                    return "refused"
                try:
                    device.call("GET", "/v1/status")
                except Refused:
                    return "refused"
                except OSError:
                    return None
                return "opened"

            said, _ = wait("a start or a refusal", outcome)
            if said == "refused":
                refused += 1
            else:
                there = [bool(has_turn(device, f"t{k}")) for k in range(30)]
                self.assertEqual(there, sorted(there, reverse=True), "a gap")
                earlier += 1
            device.stop()
        print(f"{earlier} times an earlier moment, {refused} times refused")
        self.assertGreater(earlier, 0)


if __name__ == "__main__":
    main()
