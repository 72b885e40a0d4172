"""kill -9 while a card is moved to and fro between two drawers: it is there once, never twice, never gone."""
import http.client
import signal
import threading
import time

from system import SLOW, Refused, SystemTest, main, wait

ROUNDS = 5 if SLOW else 25


class Move(SystemTest):
    def test_a_moved_card_is_there_once(self):
        device = self.device()
        card = device.call("POST", "/v1/cards", {"text": "Sam likes tea.", "drawer": "home"})
        device.call("PATCH", "/v1/drawers/kitchen", {"shared": True, "create": True})  # one local drawer, one shared
        moves = []
        for _ in range(ROUNDS):
            open_now = device.cards("open")
            self.assertEqual(len(open_now), 1, open_now)
            done = len(moves)
            mover = threading.Thread(target=move, args=(device, open_now[0], moves))
            mover.start()
            wait("the first move", lambda: len(moves) > done)
            moment = time.monotonic() + self.random.uniform(0, 0.05)
            wait("the random moment", lambda: time.monotonic() >= moment)
            device.stop(signal.SIGKILL)
            mover.join()
            device.start()
        self.assertEqual([c["text"] for c in device.cards("open")], [card["text"]])
        print(f"{ROUNDS} kills within {len(moves)} moves")


def move(device, card, moves):
    for _ in range(5000):
        to = "kitchen" if card["drawer"] == "home" else "home"
        try:
            card = device.call("PATCH", f"/v1/cards/{card['id']}", {"drawer": to})
        except (OSError, Refused, ValueError, http.client.HTTPException):
            return
        moves.append(card["id"])


if __name__ == "__main__":
    main()
