"""The prompt for a passphrase under a shell with job control: stopped, continued, ended by signals."""
import os
import pty
import signal
import termios

from keys import KeyTest
from system import BIN, main, say, wait

WORDS = "nine green bottles"


def shows(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


class Job:
    """`kartei` as the job of a small shell at a terminal of its own."""

    def __init__(self, device, arguments):
        self.reports, told = os.pipe()
        heard, self.orders = os.pipe()
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            try:
                be_shell(told, heard, arguments, device.environment)
            finally:
                os._exit(99)
        os.close(told)
        os.close(heard)
        self.pid = int(self.report())
        self.shown = b""

    def report(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self.reports, 1)
            assert byte, f"the shell has ended: {line}"
            line += byte
        return line.decode().strip()

    def asks(self):
        wait("it asks in silence", lambda: not shows(self.terminal))

    def type(self, text):
        os.write(self.terminal, text.encode())

    def go_on(self):
        os.write(self.orders, b"fg\n")

    def end(self):
        """How the job ended, and what the terminal was like then."""
        said = self.report().split()
        os.set_blocking(self.terminal, False)
        try:
            self.shown += os.read(self.terminal, 65536)
        except OSError:
            pass
        os.waitpid(self.shell, 0)
        for fd in (self.terminal, self.reports, self.orders):
            os.close(fd)
        return int(said[0]), said[1]


def in_front(group):
    os.tcsetpgrp(0, group)


def be_shell(told, heard, arguments, environment):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        in_front(os.getpgrp())
        for number in (signal.SIGTTOU, signal.SIGTSTP, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.execve(str(BIN / "kartei"), ["kartei", *arguments], environment)
    os.write(told, f"{job}\n".encode())
    own = termios.tcgetattr(0)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        seen = "shows" if shows(0) else "silent"
        if not os.WIFSTOPPED(status):
            os.write(told, f"{os.waitstatus_to_exitcode(status)} {seen}\n".encode())
            os.read(heard, 1)       # the terminal stays until all is read
            os._exit(0)
        in_front(os.getpgrp())
        os.write(told, f"stopped {seen}\n".encode())
        termios.tcsetattr(0, termios.TCSANOW, own)      # as a shell does for its own prompt
        os.read(heard, 3)
        in_front(job)
        os.killpg(job, signal.SIGCONT)


class Terminal(KeyTest):
    def setUp(self):
        super().setUp()
        self.laptop = self.device(name="phone")     # the cheaper Argon2id
        say(self.laptop, "c", "I live in Bremen.", "t1")
        self.run_kartei(self.laptop, "passphrase", words=[WORDS])
        self.run_kartei(self.laptop, "lock")

    def job(self):
        job = Job(self.laptop, ["unlock"])
        job.asks()
        return job

    def ended(self, job):
        os.write(job.orders, b".")
        return job.end()

    def unlocks(self, job):
        job.type(WORDS + "\n")
        self.assertEqual(self.ended(job), (0, "shows"), job.shown)
        self.assertIn(b"Passphrase: ", job.shown)
        self.assertNotIn(WORDS.encode(), job.shown)
        self.assertFalse(self.locked(self.laptop))

    def test_stopped_by_its_key_it_shows_and_goes_on_in_silence(self):
        job = self.job()
        for _ in range(3):
            job.type("half a wo\x1a")
            self.assertEqual(job.report(), "stopped shows")
            job.go_on()
            job.asks()
        self.unlocks(job)

    def test_stopped_unheard_it_goes_on_in_silence(self):
        job = self.job()
        os.kill(job.pid, signal.SIGSTOP)
        self.assertEqual(job.report(), "stopped silent")
        wait("the shell's own prompt", lambda: shows(job.terminal))
        job.go_on()
        job.asks()
        self.unlocks(job)

    def test_ended_by_a_signal_it_shows(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            for stopped_before in (False, True):
                job = self.job()
                if stopped_before:
                    job.type("\x1a")
                    self.assertEqual(job.report(), "stopped shows")
                    job.go_on()
                    job.asks()
                os.kill(job.pid, number)
                self.assertEqual(self.ended(job), (-number, "shows"))
        self.assertTrue(self.locked(self.laptop))

    def test_what_was_ignored_stays_ignored(self):
        before = signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGQUIT, before)
        job = self.job()
        os.kill(job.pid, signal.SIGQUIT)
        self.unlocks(job)


if __name__ == "__main__":
    main()
