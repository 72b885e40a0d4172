"""SIGHUP rereads the configuration: what may change at once does, a faulty file changes nothing."""
import signal

from system import SystemTest, cards_with, main, turn, wait


class Reread(SystemTest):
    def write(self, device, **changes):
        file = device.home / "karteid.toml"
        kept = [line for line in file.read_text().splitlines() if line.split(" =")[0] not in changes]
        file.write_text("\n".join(kept + [f"{key} = {value}" for key, value in changes.items()]) + "\n")

    def hang_up(self, device, said):
        before = device.log_text().count(said)
        device.process.send_signal(signal.SIGHUP)
        wait(f"the log says: {said}", lambda: device.log_text().count(said) > before)

    def test_what_changed_takes_effect(self):
        device = self.device(more=["silence_s = 86400"])
        device.call("PUT", "/v1/box", {"owner": "Maya Lindqvist"})
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("I live in Bremen.", "t1")]})
        self.assertEqual(device.call("GET", "/v1/status")["pending_extraction"], 1)

        self.write(device, silence_s='"soon"')
        self.hang_up(device, "the configuration stays as it was")
        self.assertIn("silence_s", device.log_text())
        self.write(device, silense_s="1")
        self.hang_up(device, "the configuration stays as it was")
        self.assertEqual(device.call("GET", "/v1/status")["pending_extraction"], 1)
        self.assertEqual(cards_with(device, "Bremen"), [])

        (device.home / "karteid.toml").write_text("\n".join(
            line for line in (device.home / "karteid.toml").read_text().splitlines() if "silense_s" not in line) + "\n")
        self.write(device, silence_s="1", log='"debug"')
        self.hang_up(device, "the configuration was read again")
        wait("the secretary reads after the new silence", lambda: cards_with(device, "Bremen"))


if __name__ == "__main__":
    main()
