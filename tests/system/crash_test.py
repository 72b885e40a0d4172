"""kill -9 at random moments under load: every acknowledged turn is there afterwards, the box is sound."""
import http.client
import signal
import threading
import time

from system import SLOW, Refused, SystemTest, cards_with, has_turn, main, turn, wait

ROUNDS = 12 if SLOW else 50


class Crash(SystemTest):
    def test_acknowledged_turns_survive_kill_9(self):
        device = self.device(start=False)
        acknowledged = []
        for round_no in range(ROUNDS):
            device.start()
            before = len(acknowledged)
            talkers = [threading.Thread(target=talk, args=(device, round_no, n, acknowledged))
                       for n in range(2)]
            for talker in talkers:
                talker.start()
            wait("the first acknowledgement", lambda: len(acknowledged) > before)
            moment = time.monotonic() + self.random.uniform(0, 0.15)
            wait("the random moment", lambda: time.monotonic() >= moment)
            device.stop(signal.SIGKILL)
            for talker in talkers:
                talker.join()
            self.assert_sound(device)
        device.start()
        missing = [i for i in acknowledged if not has_turn(device, i)]
        self.assertEqual(missing, [], f"of {len(acknowledged)} acknowledged")
        self.assertGreater(len(acknowledged), ROUNDS * 3)
        print(f"{ROUNDS} kills, {len(acknowledged)} acknowledged turns, none missing")

    def test_extraction_goes_on_after_kill_9(self):
        device = self.device()
        device.call("PUT", "/v1/box", {"owner": "Maya Lindqvist", "zone": "Europe/Berlin"})
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [
            turn("I live in Bremen and I work as a bookbinder.", "t1", time="2026-01-11T19:02:00+01:00")]})
        device.call("POST", "/v1/conversations/c/end")
        device.stop(signal.SIGKILL)
        device.start()
        wait("the card, written after the crash", lambda: cards_with(device, "Bremen"))
        wait("nothing left to do", lambda: device.call("GET", "/v1/status")["pending_extraction"] == 0)
        cards = cards_with(device, "Bremen")
        self.assertEqual(len(cards), 1)
        self.assertEqual(cards[0]["sources"], ["t1"])


def talk(device, round_no, talker, acknowledged):
    """Speaks until the daemon is gone; an answer that did not arrive whole is no acknowledgement."""
    for n in range(5000):
        ids = [f"r{round_no}-{talker}-{n}-{k}" for k in range(1 + n % 3)]
        body = {"conversation": f"c{talker}",
                "turns": [turn(f"Turn {i} of a long talk about shelves and boxes.", i) for i in ids]}
        try:
            device.call("POST", "/v1/turns", body)
        except (OSError, Refused, ValueError, http.client.HTTPException):
            return
        acknowledged.extend(ids)


if __name__ == "__main__":
    main()
