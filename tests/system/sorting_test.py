"""Turns that name no drawer are sorted where they were heard: what goes into a local drawer does not leave,
a card moved by hand teaches, and kill -9 takes nothing of it back."""
import signal

from system import SystemTest, free_ports, has_turn, main, pair, turn, wait

MARKER = "Quillfeather"
ON = ["[sorting]", 'mode = "on"']


def tell(device, conversation, text, turn_id):
    device.call("POST", "/v1/turns", {"conversation": conversation, "turns": [turn(text, turn_id)]})
    return device.call("GET", f"/v1/turns/{turn_id}")["drawer"]


class Sorting(SystemTest):
    def climb(self, device):
        """Enough of it for a drawer."""
        for n in range(3):
            tell(device, f"climbs {n}", "I went climbing with Ines.", f"climb-{n}")

    def test_what_is_sorted_into_a_local_drawer_does_not_leave(self):
        ports = free_ports(2)
        phone = self.device("phone", port=ports[0], peers=[ports[1]], more=ON)
        laptop = self.device("laptop", port=ports[1], peers=[ports[0]], more=ON)
        pair(phone, laptop)
        phone.call("PATCH", "/v1/drawers/general", {"shared": True, "create": True})
        self.climb(phone)
        self.assertEqual(tell(phone, "more", f"Climbing with {MARKER} was fun.", "hidden"), "climbing")
        drawer = next(d for d in phone.call("GET", "/v1/drawers")["items"] if d["name"] == "climbing")
        self.assertEqual((drawer["shared"], drawer["made_by"]), (False, "sorting"))
        self.assertEqual(tell(phone, "other", "The parcel has come.", "last"), "general")
        self.assertEqual(tell(phone, "other", "This is for everybody.", "last-of-all"), "general")
        wait("what was said last has come", lambda: has_turn(laptop, "last-of-all"))
        self.assertEqual([i for i in recalled(laptop, MARKER) if MARKER in i["text"]], [])
        self.assertNotIn("climbing", [d["name"] for d in laptop.call("GET", "/v1/drawers")["items"]])
        laptop.stop()
        self.assertNotIn(MARKER, "".join(map(str, self.sql(laptop, "SELECT text FROM turns"))))

    def test_what_was_learned_survives(self):
        device = self.device(more=ON)
        self.climb(device)
        device.stop(signal.SIGKILL)
        device.start()
        self.assertEqual(tell(device, "again", "Climbing in Freyr was cold.", "after"), "climbing")
        card = device.call("POST", "/v1/cards", {"text": "Maya goes climbing on Thursdays.", "drawer": "general"})
        device.call("PATCH", f"/v1/cards/{card['id']}", {"drawer": "with Ines"})
        device.stop(signal.SIGKILL)
        device.start()
        self.assertEqual(tell(device, "taught", "I climbed the blue one.", "taught"), "with Ines")
        kinds = {k["kind"]: k for k in device.call("GET", "/v1/sorting")["kinds"]}
        self.assertEqual((kinds["climbing"]["drawer"], kinds["climbing"]["by"]), ("with Ines", "owner"))
        device.call("DELETE", "/v1/sorting/climbing")
        self.assertEqual(tell(device, "forgotten", "I climbed the red one.", "forgotten"), "climbing")  # by its name
        named = turn("I climbed the green one.", "named", drawer="diary")
        device.call("POST", "/v1/turns", {"conversation": "named", "turns": [named]})
        self.assertEqual(device.call("GET", "/v1/turns/named")["drawer"], "diary")

    def test_it_is_off_unless_its_owner_turns_it_on(self):
        device = self.device()
        self.climb(device)
        self.assertEqual(tell(device, "again", "Climbing in Freyr was cold.", "after"), "general")
        self.assertEqual(device.call("GET", "/v1/sorting"), {"on": False, "kinds": []})


def recalled(device, query):
    return device.call("POST", "/v1/recall", {"query": query, "budget_tokens": 0, "limit": 50})["items"]


if __name__ == "__main__":
    main()
