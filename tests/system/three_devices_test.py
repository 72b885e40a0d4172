"""Three real daemons over real links: cards travel, local drawers stay, a killed primary costs
nothing, a revoked device learns nothing more, a long absent one catches up."""
import contextlib
import signal

from system import Refused, SystemTest, cards_with, has_turn, main, say, settled, three_devices, turn, wait


class ThreeDevices(SystemTest):
    def test_cards_reach_everybody_and_the_diary_nobody(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        say(phone, "a", "I live in Bremen.")
        say(phone, "b", "I play the ukulele.", drawer="diary")
        say(desktop, "c", "I'm allergic to peanuts.")
        wait("cards of both speakers everywhere", lambda: settled(devices) and all(
            cards_with(d, "Bremen") and cards_with(d, "peanut") for d in devices))
        wait("the diary's card on the phone", lambda: cards_with(phone, "ukulele"))
        for device in (laptop, desktop):
            self.assertEqual(cards_with(device, "ukulele"), [])
            self.assertNotIn("ukulele", device.recall("what do I play?")["text"].lower())
            self.assertNotIn("diary", [d["name"] for d in device.call("GET", "/v1/drawers")["items"]])

    def test_an_edit_on_a_secondary_holds_everywhere(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        say(phone, "a", "I live in Bremen.")
        wait("the card everywhere", lambda: settled(devices) and cards_with(desktop, "Bremen"))
        card = cards_with(desktop, "Bremen")[0]
        desktop.call("POST", f"/v1/cards/{card['id']}/close", {})
        self.assertEqual(desktop.call("GET", f"/v1/cards/{card['id']}")["state"], "closed")
        wait("closed everywhere", lambda: all(
            d.call("GET", f"/v1/cards/{card['id']}")["state"] == "closed" for d in devices))

    def test_an_erased_card_is_gone_everywhere(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        say(phone, "a", "I live in Bremen.", "t1")
        wait("the card everywhere", lambda: settled(devices) and cards_with(desktop, "Bremen"))
        card = cards_with(laptop, "Bremen")[0]
        laptop.call("DELETE", f"/v1/cards/{card['id']}")
        wait("gone everywhere", lambda: not any(cards_with(d, "Bremen") for d in devices))

    def test_a_primary_killed_under_load_costs_nothing(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        say(phone, "a", "I live in Bremen.")
        wait("the card everywhere", lambda: settled(devices))
        name = phone.call("GET", "/v1/primary")["primary"]["name"]
        primary = next(d for d in devices if d.name == name)
        others = [d for d in devices if d is not primary]
        acknowledged = []
        for n in range(60):
            others[0].call("POST", "/v1/turns", {"conversation": "late", "turns": [
                turn(f"Shelf {n} is ready.", f"late-{n}", drawer="home")]})
            acknowledged.append(f"late-{n}")
            if n == 20:
                primary.stop(signal.SIGKILL)
        others[0].call("POST", "/v1/conversations/late/end")
        wait("a take-over, and agreement", lambda: settled(others) and
             others[0].call("GET", "/v1/primary")["primary"]["name"] != name, 90)
        for device in others:
            self.assertEqual([i for i in acknowledged if not has_turn(device, i)], [])
        primary.start()
        wait("the old primary agrees", lambda: settled(devices), 90)
        self.assertEqual([i for i in acknowledged if not has_turn(primary, i)], [])

    def test_all_three_killed_at_once(self):
        devices = three_devices(self)
        for n, device in enumerate(devices):
            say(device, f"c{n}", f"I visited {('Oslo', 'Riga', 'Turin')[n]} in 201{n}.", f"t{n}")
        for device in devices:
            device.stop(signal.SIGKILL)
        for device in devices:
            device.start()
        wait("every turn everywhere", lambda: all(
            has_turn(d, f"t{n}") for d in devices for n in range(3)), 60)
        wait("agreement", lambda: settled(devices), 60)

    def test_a_revoked_device_learns_nothing_more(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        say(phone, "a", "I live in Bremen.")
        wait("the card everywhere", lambda: settled(devices))
        victim = next(d["id"] for d in phone.call("GET", "/v1/devices")["items"] if d["name"] == "desktop")
        laptop.call("DELETE", f"/v1/devices/{victim}")
        wait("the phone knows", lambda: victim not in [
            d["id"] for d in phone.call("GET", "/v1/devices")["items"] if d.get("member", True)])
        say(phone, "b", "I'm allergic to peanuts.")
        wait("the card on the laptop", lambda: cards_with(laptop, "peanut"))
        self.assertEqual(cards_with(desktop, "peanut"), [])
        with contextlib.suppress(Refused):  # it may know already that nobody would take its word
            say(desktop, "c", "I own a red kayak.")
        wait("the two agree", lambda: settled([phone, laptop]))
        self.assertEqual(cards_with(phone, "kayak"), [])

    def test_an_old_drawer_is_shared_with_all_that_it_holds(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        say(phone, "a", "I'm allergic to peanuts.", "t1", drawer="health")
        wait("the local card", lambda: cards_with(phone, "peanut"))
        self.assertEqual(cards_with(laptop, "peanut"), [])
        phone.call("PATCH", "/v1/drawers/health", {"shared": True, "create": True})
        wait("the card everywhere", lambda: settled(devices, ("health",)), 60)
        for device in devices:
            self.assertEqual(len(cards_with(device, "peanut")), 1)
            self.assertTrue(has_turn(device, "t1"))

    def test_a_long_absent_device_catches_up(self):
        devices = three_devices(self)
        phone, laptop, desktop = devices
        desktop.stop()
        for n in range(40):
            phone.call("POST", "/v1/turns", {"conversation": "away", "turns": [
                turn(f"The box number {n} holds {n} plates.", f"away-{n}", drawer="home")]})
        phone.call("POST", "/v1/conversations/away/end")
        wait("the two agree", lambda: phone.call("GET", "/v1/status")["pending"] == 0, 60)
        desktop.start()
        wait("every turn is there", lambda: all(has_turn(desktop, f"away-{n}") for n in range(40)), 60)


if __name__ == "__main__":
    main()
