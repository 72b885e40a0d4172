"""Full disk, read-only home, corrupt, foreign and newer boxes, a stale socket, a second daemon, a wrong
clock: each has a message that says what to do, and nothing is lost."""
import os
import shutil
import signal
import socket
import sqlite3
import subprocess

from system import BIN, SLOW, Refused, SystemTest, has_turn, main, turn

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class BadLuck(SystemTest):
    def test_corrupt_box(self):
        device = self.made_box()
        file = self.box_file(device)
        size = file.stat().st_size
        with file.open("r+b") as f:
            f.seek(4096)
            f.write(self.random.randbytes(size - 4096))
        said = self.refusal(device)
        self.assertIn("damaged", said)
        self.assertIn("doctor", said)

    def test_foreign_file(self):
        device = self.made_box()
        file = self.box_file(device)
        for f in file.parent.glob(file.name + "*"):
            f.unlink()
        db = sqlite3.connect(file)
        db.execute("CREATE TABLE recipes(x)")
        db.commit()
        db.close()
        self.assertIn("another program", self.refusal(device))

    def test_newer_schema(self):
        device = self.made_box()
        self.sql(device, "PRAGMA user_version = 999")
        self.assertIn("newer", self.refusal(device))

    def test_read_only_home(self):
        device = self.made_box()
        if os.geteuid() == 0:
            device.wrapper = NOBODY
            for f in [self.root, device.home, *device.home.rglob("*")]:
                os.chown(f, 65534, 65534)
            if subprocess.run([*NOBODY, "test", "-x", BIN / "karteid"]).returncode:
                self.skipTest("another user cannot reach the programs here")
        for f in [*device.home.rglob("*"), device.home]:
            os.chmod(f, 0o500 if f.is_dir() else 0o400)
        said = self.refusal(device)
        self.assertTrue("read-only" in said or "not allowed" in said or "permission" in said, said)

    def test_stale_socket(self):
        device = self.made_box()
        left = socket.socket(socket.AF_UNIX)
        left.bind(str(device.socket))
        left.close()
        device.start()
        self.assertTrue(has_turn(device, "t1"))

    def test_second_daemon(self):
        device = self.device()
        second = subprocess.run([BIN / "karteid", "--config", device.home / "karteid.toml"],
                                env={**os.environ, "KARTEI_HOME": str(device.home)},
                                capture_output=True, text=True, timeout=30)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn("already", second.stderr.lower())
        self.assertTrue(device.call("GET", "/v1/status"))

    def test_killed_daemon_leaves_a_home_that_starts(self):
        device = self.device()
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("Hello.", "t1")]})
        device.stop(signal.SIGKILL)
        self.assertTrue(device.socket.exists())
        device.start()
        self.assertTrue(has_turn(device, "t1"))

    def test_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("needs root for a small file system of its own")
        home = self.root / "laptop"
        home.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", home],
                          capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(home)], capture_output=True)
        device = self.device()
        acknowledged, refusal = [], None
        for n in range(5000):
            try:
                device.call("POST", "/v1/turns", {"conversation": "c", "turns": [
                    turn(f"Turn {n} " + "about shelves and boxes " * 80, f"t{n}")]})
                acknowledged.append(f"t{n}")
            except Refused as e:
                refusal = e
                break
        self.assertIsNotNone(refusal, "the disk never filled")
        self.assertEqual(refusal.status, 507)
        self.assertIn("free some space", str(refusal))
        self.assertEqual([i for i in acknowledged if not has_turn(device, i)], [])
        device.stop(signal.SIGKILL)
        subprocess.run(["mount", "-o", "remount,size=64m", home], check=True)
        device.start()
        self.assertEqual([i for i in acknowledged if not has_turn(device, i)], [])
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("After.", "after")]})
        self.assertTrue(has_turn(device, "after"))

    def test_wrong_clock(self):
        if not shutil.which("faketime"):
            self.skipTest("faketime is not installed")
        if SLOW:
            self.skipTest("faketime and the sanitizers do not go together")
        device = self.device(wrapper=["faketime", "-f", "@2003-01-01 00:00:00"])
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("I live in Bremen.", "t1")]})
        self.assertIn("clock", device.log_text().lower())
        self.assertTrue(has_turn(device, "t1"))


if __name__ == "__main__":
    main()
