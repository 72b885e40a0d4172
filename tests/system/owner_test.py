"""Whose box it is, and in which zone: said on one device, used by the secretary on whichever one leads."""
from system import SystemTest, cards_with, free_ports, main, pair, say, three_devices, wait


def owner_of(device):
    box = device.call("GET", "/v1/box")
    return box["owner"], box["zone"]


class Owner(SystemTest):
    def test_the_secretary_of_every_device_knows_the_owner(self):
        phone, laptop, desktop = three_devices(self)       # the name is set on the phone, before pairing
        told = ("Maya Lindqvist", "Europe/Amsterdam")
        wait("a newcomer knows whose box it is", lambda: all(owner_of(d) == told for d in (laptop, desktop)))
        budget = laptop.call("GET", "/v1/box")["token_budget"]

        laptop.call("PUT", "/v1/box", {"owner": "Nora Berg", "zone": "Asia/Tokyo", "token_budget": budget + 1})
        for device in (phone, desktop):
            wait("the new name is everywhere", lambda d=device: owner_of(d) == ("Nora Berg", "Asia/Tokyo"))
            self.assertEqual(device.call("GET", "/v1/box")["token_budget"], budget)

        # The desktop leads; it was never told itself.
        phone.call("PUT", "/v1/primary", {"device": "desktop"})
        wait("the desktop leads", lambda: desktop.call("GET", "/v1/status")["role"] == "primary")
        say(phone, "c", "I live in Porto.", "t1", speaker="user")
        wait("the card names the owner", lambda: [c for c in cards_with(phone, "Porto") if "Nora" in c["text"]])

        desktop.stop()
        desktop.start()
        self.assertEqual(owner_of(desktop), ("Nora Berg", "Asia/Tokyo"))

    def test_a_newcomers_word_holds_where_the_box_has_none(self):
        ports = free_ports(2)
        phone = self.device("phone", port=ports[0], peers=[ports[1]])
        laptop = self.device("laptop", port=ports[1], peers=[ports[0]])
        laptop.call("PUT", "/v1/box", {"owner": "Maya Lindqvist"})
        pair(phone, laptop)
        wait("the phone knows", lambda: owner_of(phone)[0] == "Maya Lindqvist")


if __name__ == "__main__":
    main()
