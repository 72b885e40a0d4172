"""A large box in the clear, as an older Kartei made it: while it is encrypted, whoever asks is told how far it is."""
import signal
import sqlite3
import subprocess
import threading

from system import BIN, SLOW, Refused, SystemTest, has_turn, main, turn, wait

ROWS = 300_000 if SLOW else 500_000      # more than the 8 MiB from which progress is shown, for long enough


class OldBox(SystemTest):
    def old_box(self, device, name="default"):
        """The box of a stopped device, in the clear, with many rows."""
        file = device.home / "boxes" / name / "box.kartei"
        plain = self.root / "plain"
        self.sql(device, f"VACUUM INTO 'file:{plain}?vfs=unix'", file)
        (file.parent / "box.kartei-wal").unlink(missing_ok=True)
        plain.rename(file)
        db = sqlite3.connect(file)
        db.execute("PRAGMA journal_mode = WAL")
        with db:
            db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                       "INSERT INTO audit(at, app, query, tokens, items) SELECT 0, 'try', 'Where?', i, '[]' FROM n",
                       (ROWS,))
        db.close()
        self.assertTrue(file.read_bytes().startswith(b"SQLite format 3"))

    def encrypting(self, device):
        """How far it says it is; None: it does not say so, or not yet."""
        self.assertIsNone(device.process.poll(), device.log_text())
        try:
            return device.call("GET", "/v1/status").get("encrypting")
        except OSError:
            return None

    def run_kartei(self, device, *arguments):
        done = subprocess.run([BIN / "kartei", *arguments], env=device.environment, capture_output=True, text=True,
                              timeout=120)
        return done.returncode, done.stdout + done.stderr

    def assert_encrypted(self, device, name="default"):
        folder = device.home / "boxes" / name
        self.assertFalse((folder / "box.kartei").read_bytes().startswith(b"SQLite"))
        self.assertLessEqual({f.name for f in folder.iterdir()}, {"box.kartei", "box.kartei-wal", "identity", "sync"})
        self.assertTrue(has_turn(device, f"t1?box={name}"))

    def test_at_the_start(self):
        device = self.made_box()
        self.old_box(device)
        device.spawn()
        first, _ = wait("it says how far it is", lambda: self.encrypting(device))
        self.assertEqual(first["box"], "default")
        with self.assertRaises(Refused) as refused:
            device.call("GET", "/v1/cards")
        self.assertEqual(refused.exception.status, 503)
        self.assertRegex(str(refused.exception), r"default is being encrypted: \d+ %")
        status, said = self.run_kartei(device, "status")
        self.assertEqual(status, 0)
        self.assertRegex(said, r"default is being encrypted: \d+ %")
        status, said = self.run_kartei(device, "cards")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"default is being encrypted: \d+ %")
        seen = [first["percent"]]

        def is_done():
            now = self.encrypting(device)
            if now:
                seen.append(now["percent"])
            return not now
        wait("it is done", is_done)
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len(set(seen)), 2)
        self.assertLessEqual(seen[-1], 100)
        self.assert_encrypted(device)
        print(f"seen: {sorted(set(seen))}")

    def test_stopped_in_the_midst_it_goes_on_at_the_next_start(self):
        device = self.made_box()
        self.old_box(device)
        for number in (signal.SIGTERM, signal.SIGINT):
            device.spawn()
            wait("it says how far it is", lambda: self.encrypting(device))
            device.stop(number)
        device.start()
        self.assert_encrypted(device)

    def test_another_box_at_its_first_use(self):
        device = self.made_box()
        device.start()
        device.call("POST", "/v1/turns?box=attic", {"conversation": "c", "turns": [turn("I live in Lund.", "t1")]})
        device.stop()
        self.old_box(device, "attic")
        device.start()
        answers = []
        asking = threading.Thread(target=lambda: answers.append(device.call("GET", "/v1/turns/t1?box=attic")))
        asking.start()
        # A call that comes a moment before waits with the one that opens the box.
        wait("it has begun", lambda: "box attic: encrypting, 10 %" in device.log_text())
        now = self.encrypting(device)
        self.assertEqual(now["box"], "attic")
        # The other box still answers what needs no writer.
        self.assertIn("items", device.recall("Where do I live?"))
        self.assertIsNotNone(self.encrypting(device))
        asking.join()
        self.assertEqual(answers[0]["text"], "I live in Lund.")
        self.assert_encrypted(device, "attic")


if __name__ == "__main__":
    main()
