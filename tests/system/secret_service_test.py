"""The desktop's Secret Service as the boxes' key: a real one, on a bus of its own."""
import time
import unittest

from keys import Desktop, KeyTest
from system import Refused, has_turn, main, say, wait

PASSPHRASE = "nine green bottles"


@unittest.skipIf(Desktop.missing(), f"not installed: {', '.join(Desktop.missing())} "
                 "(apt-get install dbus gnome-keyring libsecret-1-0)")
class SecretService(KeyTest):
    def setUp(self):
        super().setUp()
        self.desktop = Desktop(self.root)
        self.addCleanup(self.desktop.end)

    def at_desktop(self, name="laptop", start=True):
        return self.device(name, start=start, environment=self.desktop.environment)

    def begin(self):
        self.desktop.start_keyring()
        device = self.at_desktop()
        say(device, "c", "I live in Bremen.", "t1")
        return device

    def test_the_first_start_takes_it(self):
        device = self.begin()
        self.assertEqual(self.wraps(device), ["secret-service"])
        self.assertFalse((device.home / "keyring.key").exists())
        self.assertIn("Secret Service", self.run_kartei(device, "status"))
        self.assertEqual(len(self.desktop.items()), 1)
        device.stop()
        device.start()
        self.assertFalse(self.locked(device))
        self.assertTrue(has_turn(device, "t1"))

    def test_every_home_has_a_key_of_its_own(self):
        first, second = self.begin(), self.at_desktop("desktop")
        self.assertEqual(len(self.desktop.items()), 2)
        for device in (first, second):
            device.stop()
            device.start()
            self.assertFalse(self.locked(device))

    def test_one_that_is_gone_is_waited_for_and_never_replaced(self):
        device = self.begin()
        keyring = (device.home / "keyring").read_bytes()
        device.stop()
        self.desktop.stop_keyring()
        device.start()
        self.assertTrue(self.locked(device))
        with self.assertRaises(Refused) as refused:
            device.call("GET", "/v1/turns/t1")
        self.assertEqual(refused.exception.status, 423)
        self.assertIn("Secret Service", str(refused.exception))
        self.assertIn("kartei unlock", str(refused.exception))
        self.assertIn("Secret Service", self.run_kartei(device, "unlock", status=1))
        self.assertEqual((device.home / "keyring").read_bytes(), keyring)
        self.assertFalse((device.home / "keyring.key").exists())
        # It comes up, as when its owner logs in: the boxes open by themselves.
        self.desktop.start_keyring()
        wait("the boxes are open", lambda: not self.locked(device))
        self.assertTrue(has_turn(device, "t1"))

    def test_a_locked_one_is_not_asked_for_ever(self):
        device = self.begin()
        device.stop()
        self.desktop.lock()
        device.start()
        self.assertTrue(self.locked(device))
        # Where no window can open, the question ends.
        said = self.run_kartei(device, "unlock", status=1)
        self.assertIn("locked", said)
        self.desktop.stop_keyring()
        self.desktop.start_keyring()
        self.assertIn("Unlocked", self.run_kartei(device, "unlock"))
        self.assertTrue(has_turn(device, "t1"))

    def test_a_passphrase_is_the_second_way_in(self):
        device = self.begin()
        self.run_kartei(device, "passphrase", words=[PASSPHRASE])
        self.assertEqual(self.wraps(device), ["secret-service", "passphrase"])
        device.stop()
        device.start()
        self.assertFalse(self.locked(device))
        self.assertEqual(device.call("GET", "/v1/keyring")["opened_by"], "secret-service")
        device.stop()
        # The desktop's keyring was reset, or this is another desktop.
        self.desktop.remove_items()
        device.start()
        self.assertTrue(self.locked(device))
        self.assertIn("another session", device.call("GET", "/v1/status")["why"])
        said = self.run_kartei(device, "unlock", words=[PASSPHRASE])
        self.assertIn("Unlocked, by the passphrase", said)
        self.assertTrue(has_turn(device, "t1"))
        # And made anew, it opens by itself again.
        self.run_kartei(device, "keyring", "remove", "secret-service")
        self.assertEqual(self.wraps(device), ["passphrase"])
        self.run_kartei(device, "keyring", "add", "secret-service", words=[PASSPHRASE])
        device.stop()
        device.start()
        self.assertFalse(self.locked(device))

    def test_from_a_file_to_the_service_and_back(self):
        device = self.at_desktop()      # no keyring runs yet
        self.assertEqual(self.wraps(device), ["file"])
        self.assertIn("does not protect from a stolen disk", device.log_text())
        self.assertIn("Secret Service", self.run_kartei(device, "keyring", "add", "secret-service", status=1))
        self.assertEqual(self.wraps(device), ["file"])
        self.desktop.start_keyring()
        self.assertIn("secret-service", self.run_kartei(device, "keyring", "add", "secret-service"))
        self.run_kartei(device, "keyring", "remove", "file")
        self.assertFalse((device.home / "keyring.key").exists())
        self.assertIn("last", self.run_kartei(device, "keyring", "remove", "secret-service", status=1))
        device.stop()
        device.start()
        self.assertFalse(self.locked(device))
        self.run_kartei(device, "keyring", "add", "file")
        self.run_kartei(device, "keyring", "remove", "secret-service")
        self.assertEqual(self.desktop.items(), [])
        self.desktop.stop_keyring()
        device.stop()
        device.start()
        self.assertFalse(self.locked(device))

    def test_one_that_hangs_does_not_keep_the_daemon_from_its_start(self):
        device = self.begin()
        device.stop()
        self.desktop.keyring.send_signal(19)  # SIGSTOP: it has its name, and does not answer
        self.addCleanup(self.desktop.keyring.send_signal, 18)
        before = time.monotonic()
        device.start()
        print(f"started after {time.monotonic() - before:.1f} s")
        self.assertTrue(self.locked(device))
        self.desktop.keyring.send_signal(18)
        wait("the boxes are open", lambda: not self.locked(device))


if __name__ == "__main__":
    main()
