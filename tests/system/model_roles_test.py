"""A model that takes its time: other boxes go on meanwhile; the role moves to another device meanwhile, and of two
units over the same turns one counts, whichever that is."""
from chat_endpoint import ChatEndpoint, card, model_lines
from system import SystemTest, cards_with, free_ports, has_turn, main, pair, say, settled, turn, wait

SAID = "I live in Bremen. The old boat behind our shed got a new mast."
MAST = card("The old boat behind Maya's shed got a new mast.", colour="event")
OARS = card("The old boat of Maya's uncle got new oars.", colour="event")


def by_model(device, word=""):
    return [c for c in device.cards() if word in c["text"] and any("model tiny" in note for note in c["annotations"])]


class ManyBoxes(SystemTest):
    def setUp(self):
        super().setUp()
        self.endpoint = ChatEndpoint([MAST])
        self.addCleanup(self.endpoint.close)
        self.laptop = self.device(more=model_lines(self.endpoint.url, timeout_s=600))

    def say(self, box, text):
        self.laptop.call("POST", f"/v1/turns?box={box}", {"conversation": "c", "turns": [turn(text, drawer="home")]})
        self.laptop.call("POST", f"/v1/conversations/c/end?box={box}")

    def unread(self, box):
        return self.laptop.call("GET", f"/v1/status?box={box}")["pending_extraction"]

    def test_a_box_whose_endpoint_hangs_holds_up_no_other(self):
        self.endpoint.hangs_on = "kayak"
        self.say("one", "I paddle a kayak called Pim.")
        wait("it is asked", lambda: self.endpoint.asked)
        self.say("two", SAID)
        wait("the other box is read", lambda: self.unread("two") == 0, seconds=30)
        cards = self.laptop.call("GET", "/v1/cards?box=two")["items"]
        self.assertIn(MAST["text"], [c["text"] for c in cards])
        self.assertTrue(self.unread("one"))

    def test_no_more_than_a_few_are_asked_at_once(self):
        self.endpoint.mood = "hang"
        boxes = [f"box{n}" for n in range(7)]
        for box in boxes:
            self.say(box, SAID)
        wait("four are asked", lambda: len(self.endpoint.asked) == 4)
        for box in boxes:  # each is served, and none beyond is asked
            self.assertTrue(self.unread(box))
        self.assertEqual(len(self.endpoint.asked), 4)
        self.endpoint.work()
        wait("all are read", lambda: not any(self.unread(box) for box in boxes))
        self.assertEqual(len(self.endpoint.asked), 7)


class TwoDevices(SystemTest):
    """The phone is the primary and has a model, the laptop has none."""

    def setUp(self):
        super().setUp()
        self.endpoint = ChatEndpoint([MAST])
        self.addCleanup(self.endpoint.close)
        ports = free_ports(2)
        self.phone = self.device("phone", port=ports[0], peers=[ports[1]],
                                 more=model_lines(self.endpoint.url, timeout_s=600))
        self.laptop = self.device("laptop", port=ports[1], peers=[ports[0]])
        self.both = [self.phone, self.laptop]
        self.phone.call("PUT", "/v1/box", {"owner": "Maya Lindqvist", "zone": "Europe/Amsterdam"})
        for device in self.both:
            device.call("PUT", "/v1/sync", {"mode": "direct"})
        pair(self.phone, self.laptop)
        self.phone.call("PATCH", "/v1/drawers/home", {"shared": True, "create": True})
        wait("the drawer is known", lambda: any(
            d["name"] == "home" for d in self.laptop.call("GET", "/v1/drawers")["items"]))

    def pin(self, device):
        self.phone.call("PUT", "/v1/primary", {"device": device.name})
        wait(f"the {device.name} is the primary", lambda: all(
            (d.call("GET", "/v1/primary")["primary"] or {}).get("name") == device.name for d in self.both))

    def wait_for_the_model(self):
        """The phone's reading of t1 waits for the endpoint, and the laptop has the turn."""
        self.pin(self.phone)
        self.endpoint.hangs_on = "mast"
        say(self.phone, "a", SAID, "t1")
        wait("the model is asked", lambda: self.endpoint.asked)
        wait("the laptop has the turn", lambda: has_turn(self.laptop, "t1"))

    def agree(self):
        wait("both show the same", lambda: settled(self.both))

    def test_the_role_moves_while_the_endpoint_is_asked(self):
        self.wait_for_the_model()
        self.pin(self.laptop)
        wait("the laptop reads", lambda: cards_with(self.laptop, "Bremen"))
        self.agree()
        # Nobody waits for that answer any more: what is the phone's own is read.
        say(self.phone, "b", "I play the ukulele.", "t2", drawer="diary")
        wait("the diary is read", lambda: cards_with(self.phone, "ukulele"), seconds=30)
        self.endpoint.work()
        say(self.phone, "c", "I am allergic to hazelnuts.", "t3")
        wait("the next one is read", lambda: cards_with(self.phone, "hazelnut"))
        self.agree()
        for device in self.both:
            self.assertEqual(len(cards_with(device, "Bremen")), 1)
            self.assertEqual(by_model(device, "mast"), [], "the other unit counts")
            self.assertTrue(has_turn(device, "t1"))
        self.end()

    def test_two_primaries_and_the_models_unit_loses(self):
        self.wait_for_the_model()
        self.phone.call("PUT", "/v1/sync", {"mode": "off"})
        wait("the laptop takes over and reads", lambda: cards_with(self.laptop, "Bremen"))
        self.endpoint.work()
        wait("the phone files the model's unit", lambda: by_model(self.phone, "mast"))
        # What nobody else has read is not lost with the branch.
        self.endpoint.hangs_on, self.endpoint.cards = None, [OARS]
        say(self.phone, "b", "The old boat of my uncle got new oars.", "t2")
        wait("and another one", lambda: by_model(self.phone, "oars"))
        self.phone.call("PUT", "/v1/sync", {"mode": "direct"})
        wait("the laptop has the second turn", lambda: has_turn(self.laptop, "t2"))
        wait("the laptop has its card", lambda: by_model(self.laptop, "oars"))
        self.agree()
        for device in self.both:
            self.assertEqual(len(cards_with(device, "Bremen")), 1)
            self.assertEqual(len(cards_with(device, "oars")), 1)
            self.assertEqual(by_model(device, "mast"), [], "its turn was read by the laptop")
        self.end()

    def end(self):
        for device in self.both:
            device.stop()
            self.assert_sound(device)


if __name__ == "__main__":
    main()
