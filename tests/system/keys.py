"""What the tests of the keyring share: the command line with a passphrase, a desktop of its own."""
import os
import shutil
import signal
import subprocess

from system import BIN, SystemTest, wait

# No service is started by this bus: a keyring that is gone stays gone.
BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>"""


class KeyTest(SystemTest):
    def run_kartei(self, device, *arguments, words=(), status=0, **more):
        """`words`: the passphrases that are asked for, in order, as lines of standard input."""
        done = subprocess.run([str(BIN / "kartei"), *arguments], capture_output=True, text=True, timeout=120,
                              input="".join(w + "\n" for w in words), env=device.environment, **more)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def wraps(self, device):
        return [w["backend"] for w in device.call("GET", "/v1/keyring")["wraps"]]

    def locked(self, device):
        return device.call("GET", "/v1/status")["locked"]


class Desktop:
    """A D-Bus session with GNOME's keyring on it, and nothing else."""
    NEEDS = ("dbus-daemon", "gnome-keyring-daemon")

    def __init__(self, root):
        self.home, self.runtime = root / "desktop", root / "runtime"
        for folder in (self.home, self.runtime):
            folder.mkdir(mode=0o700)
        self.socket = self.runtime / "bus"
        config = self.runtime / "bus.conf"
        config.write_text(BUS_CONFIG.format(socket=self.socket))
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.socket}"}
        self.log = open(root / "desktop.log", "ab")
        self.bus = subprocess.Popen(["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={config}"],
                                    stdout=self.log, stderr=self.log)
        self.keyring = None
        wait("the bus listens", self.socket.exists)

    @classmethod
    def missing(cls):
        return [name for name in cls.NEEDS if not shutil.which(name)]

    def start_keyring(self, password="the login's password"):
        """Unlocked, as after a login."""
        own = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_DATA_HOME")}
        self.keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets",
             f"--control-directory={self.runtime / 'control'}"],
            stdin=subprocess.PIPE, stdout=self.log, stderr=self.log,
            env={**own, **self.environment, "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime)})
        self.keyring.stdin.write(password.encode())
        self.keyring.stdin.close()
        wait("the keyring is on the bus", lambda: self.collections() is not None)

    def stop_keyring(self):
        if self.keyring and self.keyring.poll() is None:
            self.keyring.send_signal(signal.SIGKILL)
            self.keyring.wait()

    def call(self, path, method, *arguments):
        done = subprocess.run(["dbus-send", f"--bus=unix:path={self.socket}", "--print-reply",
                               "--dest=org.freedesktop.secrets", path, method, *arguments],
                              capture_output=True, text=True, timeout=30)
        return done.stdout if done.returncode == 0 else None

    def collections(self):
        return self.call("/org/freedesktop/secrets", "org.freedesktop.DBus.Properties.Get",
                         "string:org.freedesktop.Secret.Service", "string:Collections")

    def lock(self):
        self.call("/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
                  "array:objpath:/org/freedesktop/secrets/collection/login")

    def items(self):
        """The D-Bus paths of what is stored in the login's keyring."""
        answer = self.call("/org/freedesktop/secrets/collection/login", "org.freedesktop.DBus.Properties.Get",
                           "string:org.freedesktop.Secret.Collection", "string:Items") or ""
        return [part for part in answer.split('"') if part.startswith("/org")]

    def remove_items(self):
        for item in self.items():
            self.call(item, "org.freedesktop.Secret.Item.Delete")

    def end(self):
        self.stop_keyring()
        self.bus.kill()
        self.bus.wait()
        self.log.close()
