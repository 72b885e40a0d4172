"""The keyring by hand: a passphrase set, changed, forgotten and mistyped; killed, and a full disk, while rewrapping."""
import os
import pty
import re
import select
import signal
import subprocess
import termios
import threading
import time

from keys import KeyTest
from system import BIN, SLOW, Refused, has_turn, main, say, turn, wait

OLD, NEW = "nine green bottles", "ten blue pebbles"
ROUNDS = 4 if SLOW else 12
PHONE = {"name": "phone"}       # the cheaper Argon2id


class Passphrase(KeyTest):
    def with_passphrase(self, words=OLD, **more):
        device = self.device(**PHONE, **more)
        say(device, "c", "I live in Bremen.", "t1")
        self.run_kartei(device, "passphrase", words=[words])
        return device

    def opens_with(self, device, words):
        try:
            device.call("POST", "/v1/unlock", {"passphrase": words})
            return True
        except Refused as e:
            self.assertEqual(e.status, 403, str(e))
            return False

    def test_without_a_desktop_the_key_lies_in_a_file_that_says_so(self):
        device = self.device()
        self.assertEqual(self.wraps(device), ["file"])
        self.assertEqual(os.stat(device.home / "keyring").st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(device.home / "keyring.key").st_mode & 0o777, 0o600)
        for told in (device.log_text(), (device.home / "keyring.key").read_text(),
                     self.run_kartei(device, "status")):
            self.assertIn("does not protect from a stolen disk", told)
        self.assertIn("NOT protected", self.run_kartei(device, "keyring"))
        self.run_kartei(device, "lock")
        self.assertIn("Unlocked, by the key file", self.run_kartei(device, "unlock"))

    def test_set_lock_unlock_change(self):
        device = self.with_passphrase()
        # The file would open the boxes without it.
        self.assertEqual(self.wraps(device), ["passphrase"])
        self.assertFalse((device.home / "keyring.key").exists())
        self.assertIn("by the key file, which is gone since", self.run_kartei(device, "keyring"))
        self.assertTrue(has_turn(device, "t1"))

        self.assertTrue(open_boxes(device))
        self.assertIn("Locked", self.run_kartei(device, "lock"))
        self.assertEqual(open_boxes(device), [])
        self.assertIn("locked", self.run_kartei(device, "status"))
        self.assertIn("kartei unlock", self.run_kartei(device, "cards", status=1))
        self.assertIn("kartei unlock", self.run_kartei(device, "doctor", status=1))
        self.assertIn("not this device's", self.run_kartei(device, "unlock", words=[NEW], status=1))
        self.assertTrue(self.locked(device))
        self.run_kartei(device, "unlock", words=[OLD])
        self.assertTrue(has_turn(device, "t1"))

        device.stop()
        device.start()
        self.assertTrue(self.locked(device))
        self.run_kartei(device, "unlock", words=[OLD])
        self.assertTrue(has_turn(device, "t1"))

        # Where it is the only way in, nobody makes another one without it.
        self.assertIn("not this device's", self.run_kartei(device, "passphrase", words=[NEW, NEW], status=1))
        self.assertIn("takes it", self.run_kartei(device, "keyring", "add", "file", status=1))
        self.assertEqual(self.wraps(device), ["passphrase"])
        self.run_kartei(device, "passphrase", words=[OLD, NEW])
        device.stop()
        device.start()
        self.assertFalse(self.opens_with(device, OLD))
        self.assertTrue(self.opens_with(device, NEW))

        self.run_kartei(device, "keyring", "add", "file", words=[NEW])
        self.run_kartei(device, "keyring", "remove", "passphrase")
        device.stop()
        device.start()
        self.assertFalse(self.locked(device))
        self.assertTrue(has_turn(device, "t1"))

    def test_a_lost_key_file_is_not_replaced(self):
        device = self.device()
        say(device, "c", "I live in Bremen.", "t1")
        device.stop()
        key = device.home / "keyring.key"
        key.rename(self.root / "aside")
        device.start()
        self.assertTrue(self.locked(device))
        said = self.run_kartei(device, "unlock", status=1)
        self.assertIn("backup", said)
        self.assertFalse(key.exists())
        (self.root / "aside").rename(key)
        self.run_kartei(device, "unlock")
        self.assertTrue(has_turn(device, "t1"))

    def test_every_call_says_that_it_is_locked(self):
        device = self.with_passphrase()
        document = device.call("GET", "/v1/openapi.json")
        device.call("POST", "/v1/lock")
        answered = []
        for path, methods in document["paths"].items():
            for method in methods:
                target = re.sub(r"{\w+}", "x", path)
                try:
                    device.call(method.upper(), target)
                    answered.append(f"{method} {path}")
                except Refused as e:
                    if "keyring" in path or "unlock" in path:
                        continue
                    self.assertEqual((e.status, e.problem["type"]), (423, "urn:kartei:problem:locked"),
                                     f"{method} {path}: {e}")
                    self.assertIn("kartei unlock", e.problem["detail"])
        self.assertEqual(sorted(answered), ["get /v1/keyring", "get /v1/openapi.json", "get /v1/status",
                                            "post /v1/lock"])
        self.assertEqual(sorted(f.name for f in (device.home / "boxes").iterdir()), ["default"])

    def test_locking_ends_what_is_under_way(self):
        device = self.with_passphrase()
        stop, refused, acknowledged = threading.Event(), [], []

        def write(n):
            while not stop.is_set():
                name = f"w{n}-{len(acknowledged)}"
                try:
                    device.call("POST", "/v1/turns", {"conversation": f"c{n}", "turns": [turn("Hello.", name)]})
                    acknowledged.append(name)
                except Refused as e:
                    refused.append(e.status)
                    return

        writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for writer in writers:
            writer.start()
        wait("the writers write", lambda: len(acknowledged) > 40)
        device.call("POST", "/v1/lock")
        for writer in writers:
            writer.join()
        self.assertEqual(set(refused) - {423, 503}, set())
        device.call("POST", "/v1/unlock", {"passphrase": OLD})
        self.assertEqual([i for i in acknowledged if not has_turn(device, i)], [])

    def test_nothing_of_a_passphrase_stays(self):
        device = self.device(**PHONE)
        # Of several lengths: what is copied through registers lies about in parts.
        marks = [f"marker-{n}-" + self.random.randbytes(7 + 2 * n).hex() for n in range(7)]
        first, second, wrong, other, *unheard = marks
        self.run_kartei(device, "passphrase", words=[first])
        self.run_kartei(device, "passphrase", words=[first, second])
        self.run_kartei(device, "lock")
        self.run_kartei(device, "unlock", words=[wrong], status=1)
        self.run_kartei(device, "unlock", words=[second])
        with self.assertRaises(Refused):
            device.call("POST", "/v1/unlock", {"passphrase": [other]})
        # Calls that never come to whoever would read them.
        for mark, (method, target) in zip(unheard, (("POST", "/v1/keyring/passphrase"), ("POST", "/v1/unlock?now=1"),
                                                    ("PUT", "/v1/keyring/passphrase/now"))):
            with self.assertRaises(Refused) as refused:
                device.call(method, target, {"passphrase": mark})
            self.assertIn(refused.exception.status, (400, 404, 405))
        for file in device.home.rglob("*"):
            if file.is_file():
                content = file.read_bytes()
                self.assertEqual([m for m in marks if m.encode() in content], [], file)
        with open(f"/proc/{device.process.pid}/limits") as limits:
            self.assertRegex(limits.read(), r"Max core file size\s+0\s+0")
        if os.geteuid() != 0 or SLOW:
            self.skipTest("only root can look into the daemon's memory, and a sanitizer's is too large")
        self.assertTrue(memory_with(device.process.pid, [bytes(device.home)]), "what must be found is")
        parts = [m[i:i + 12].encode() for m in marks for i in range(9, len(m) - 11, 4)]
        # A call's answer may come before the call itself is let go of.
        wait("nothing of them lies in the daemon's memory", lambda: not memory_with(device.process.pid, parts), 10)

    def test_what_no_terminal_types_is_named(self):
        device = self.with_passphrase()
        for arguments, typed, said in (
                (["passphrase"], OLD.encode() + b"\nnine \xff bottles\n", "UTF-8"),
                (["passphrase"], OLD.encode() + b"\n", "second line"),
                (["passphrase"], b"", "No passphrase was given"),
                (["unlock"], b"nine \xff bottles\n", "UTF-8")):
            if arguments == ["unlock"]:
                device.call("POST", "/v1/lock")
            done = subprocess.run([str(BIN / "kartei"), *arguments], capture_output=True, input=typed, timeout=120,
                                  env=device.environment)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr.decode())
        self.assertTrue(self.opens_with(device, OLD))

    def test_at_a_terminal_nothing_is_shown(self):
        device = self.with_passphrase()
        self.run_kartei(device, "lock")
        shown, status = at_terminal(device, ["unlock"], [NEW, OLD])
        self.assertEqual(status, 0, shown)
        self.assertIn("Passphrase: ", shown)
        self.assertIn("not this device's", shown)
        for words in (OLD, NEW):
            self.assertNotIn(words, shown)
        # The two must be the same.
        shown, status = at_terminal(device, ["passphrase"], [OLD, NEW, NEW + "x"])
        self.assertEqual(status, 1, shown)
        self.assertIn("differ", shown)
        # Broken off, the terminal is as before.
        shown, status = at_terminal(device, ["passphrase"], ["\x03"])
        self.assertNotEqual(status, 0)

    def test_from_a_descriptor(self):
        device = self.with_passphrase()
        self.run_kartei(device, "lock")
        reader, writer = os.pipe()
        os.write(writer, (OLD + "\n").encode())
        os.close(writer)
        self.addCleanup(os.close, reader)
        self.run_kartei(device, "unlock", "--passphrase-fd", str(reader), pass_fds=[reader])
        self.assertFalse(self.locked(device))

    def test_killed_while_rewrapping(self):
        device = self.with_passphrase()
        now, then = OLD, NEW
        changed = 0
        for _ in range(ROUNDS):
            asking = threading.Thread(target=quietly, args=(lambda a=now, b=then: device.call(
                "PUT", "/v1/keyring/passphrase", {"current": a, "passphrase": b}),))
            asking.start()
            moment = time.monotonic() + self.random.uniform(0, 4.0 if SLOW else 0.6)
            wait("the random moment", lambda m=moment: time.monotonic() >= m)
            device.stop(signal.SIGKILL)
            asking.join()
            device.start()
            opens = [w for w in (now, then) if self.opens_with(device, w)] if self.locked(device) else []
            self.assertIn(now if opens == [now] else then, opens)
            if opens[0] == then:
                changed, now, then = changed + 1, then, now
            self.assertTrue(has_turn(device, "t1"))
            self.assertFalse((device.home / "keyring.new").exists())
        print(f"{ROUNDS} kills, {changed} had changed it")

    def test_a_full_disk_while_rewrapping(self):
        home = self.root / "phone"
        home.mkdir()
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", home], capture_output=True).returncode:
            self.skipTest("needs root for a small file system of its own")
        self.addCleanup(subprocess.run, ["umount", "-l", str(home)], capture_output=True)
        device = self.with_passphrase()
        before = (home / "keyring").read_bytes()
        fill(home / "filler")
        said = self.run_kartei(device, "passphrase", words=[OLD, NEW], status=1)
        self.assertIn("stays as it was", said)
        self.assertEqual((home / "keyring").read_bytes(), before)
        with self.assertRaises(Refused) as refused:
            device.call("PUT", "/v1/keyring/file", {"current": OLD})
        self.assertEqual(refused.exception.status, 507)
        device.stop(signal.SIGKILL)
        (home / "filler").unlink()
        device.start()
        self.assertTrue(self.opens_with(device, OLD))
        self.assertTrue(has_turn(device, "t1"))
        self.run_kartei(device, "passphrase", words=[OLD, NEW])
        self.assertEqual(self.wraps(device), ["passphrase"])

    def test_a_read_only_disk_while_rewrapping(self):
        device = self.with_passphrase()
        before = (device.home / "keyring").read_bytes()
        # Over the home, so that what is open stays so: as a disk that the system set read-only.
        if os.geteuid() != 0 or subprocess.run(["mount", "--bind", device.home, device.home],
                                               capture_output=True).returncode:
            self.skipTest("needs root for a file system that is read-only")
        self.addCleanup(subprocess.run, ["umount", "-l", str(device.home)], capture_output=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", device.home], check=True)
        said = self.run_kartei(device, "passphrase", words=[OLD, NEW], status=1)
        self.assertIn("stays as it was", said)
        self.assertIn("Read-only file system", said)
        for method, target in (("PUT", "/v1/keyring/file"), ("DELETE", "/v1/keyring/passphrase")):
            with self.assertRaises(Refused) as refused:
                device.call(method, target, {"current": OLD})
            self.assertGreaterEqual(refused.exception.status, 409)
        self.assertEqual((device.home / "keyring").read_bytes(), before)
        self.assertTrue(has_turn(device, "t1"))
        subprocess.run(["umount", "-l", device.home], check=True)
        self.run_kartei(device, "passphrase", words=[OLD, NEW])
        device.call("POST", "/v1/lock")
        self.assertFalse(self.opens_with(device, OLD))
        self.assertTrue(self.opens_with(device, NEW))

    def test_no_symbol_is_resolved_beside_a_passphrase(self):
        """What resolves symbols at their first use saves the registers on the stack, and what is in them."""
        device = self.device(**PHONE, environment={"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(self.root / "symbols")})
        resolved = self.root / f"symbols.{device.process.pid}"
        if SLOW or not resolved.exists() or "binding file" not in resolved.read_text(errors="replace"):
            self.skipTest("needs a loader that tells what it binds, and no sanitizer")
        device.call("GET", "/v1/keyring")
        before = resolved.read_text(errors="replace")
        device.call("PUT", "/v1/keyring/passphrase", {"passphrase": OLD})
        device.call("POST", "/v1/lock")
        self.assertFalse(self.opens_with(device, NEW))
        self.assertTrue(self.opens_with(device, OLD))
        self.assertEqual(resolved.read_text(errors="replace")[len(before):], "")

    def test_a_lost_or_damaged_keyring_is_not_replaced(self):
        device = self.with_passphrase()
        device.stop()
        keyring = device.home / "keyring"
        good = keyring.read_bytes()
        keyring.unlink()
        keyring.symlink_to(self.root / "a stick that is not plugged in")
        device.spawn()
        self.assertEqual(device.process.wait(timeout=60), 1)
        self.assertIn("is a link to what is not there", device.log_text())
        self.assertTrue(keyring.is_symlink())
        keyring.unlink()
        keyring.touch(mode=0o600)
        for bad in (b"", good[:-1], good[:40] + bytes([good[40] ^ 1]) + good[41:]):
            keyring.write_bytes(bad)
            device.spawn()
            self.assertEqual(device.process.wait(timeout=60), 1)
            self.assertIn("backup", device.log_text())
            self.assertEqual(keyring.read_bytes(), bad)
        keyring.unlink()
        device.spawn()
        self.assertEqual(device.process.wait(timeout=60), 1)
        self.assertIn("is missing, and only its key opens what is there (boxes: default)", device.log_text())
        self.assertEqual(list(device.home.glob("keyring*")), [])
        keyring.write_bytes(good)
        keyring.chmod(0o600)
        device.start()
        self.assertTrue(self.opens_with(device, OLD))
        self.assertTrue(has_turn(device, "t1"))


def quietly(call):
    try:
        call()
    except (OSError, Refused):
        pass  # killed


def fill(file):
    with open(file, "wb", buffering=0) as f:
        for size in (65536, 1):
            try:
                while True:
                    f.write(bytes(size))
            except OSError:
                pass


def open_boxes(device):
    folder = f"/proc/{device.process.pid}/fd"
    if os.geteuid() != 0:
        return ["not told"] if not device.call("GET", "/v1/status")["locked"] else []
    files = [os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder) if os.path.lexists(f"{folder}/{fd}")]
    return [f for f in files if "box.kartei" in f]


def memory_with(pid, words):
    """Which of the words lie in the process's memory, with the place."""
    found = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("rw") or "[v" in line:
                continue
            begin, end = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except (OSError, ValueError):
                continue  # a guard page
            found += [(word, line.strip()) for word in words if word in content]
    return found


def at_terminal(device, arguments, lines):
    """Types each line at a prompt; what the terminal showed, and the exit status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(str(BIN / "kartei"), ["kartei", *arguments], device.environment)
    shown, typed, end = b"", 0, time.monotonic() + 120
    before = termios.tcgetattr(terminal)[3]
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:
                break
        elif typed < len(lines) and shown.count(b": ") > typed and not termios.tcgetattr(terminal)[3] & termios.ECHO:
            os.write(terminal, (lines[typed] + ("" if lines[typed] == "\x03" else "\n")).encode())
            typed += 1
    assert before & termios.ECHO
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return shown.decode(errors="replace"), status


if __name__ == "__main__":
    main()
