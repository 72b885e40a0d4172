"""A port that the system chose: pairing says it at once, and it is the same ever after."""
from system import SystemTest, main, wait


def connected(device):
    return [d["name"] for d in device.call("GET", "/v1/sync")["devices"] if d["connected"]]


class Port(SystemTest):
    def test_a_chosen_port_stays(self):
        phone, laptop = self.device("phone"), self.device("laptop")
        offer = phone.call("POST", "/v1/pairing", {"seconds": 60})
        self.assertIsInstance(offer["port"], int)
        laptop.call("POST", "/v1/pairing", {"code": offer["code"], "address": f"127.0.0.1:{offer['port']}"})
        wait("they are linked", lambda: connected(laptop) == ["phone"])
        self.assertEqual(phone.call("GET", "/v1/sync")["port"], offer["port"])
        for device in (phone, laptop):
            device.stop()
        for device in (laptop, phone):
            device.start()
        wait("the phone listens", lambda: phone.call("GET", "/v1/sync")["port"])
        self.assertEqual(phone.call("GET", "/v1/sync")["port"], offer["port"])
        wait("they are linked again", lambda: connected(laptop) == ["phone"])

    def test_a_port_that_is_taken_is_said(self):
        phone = self.device("phone")
        port = phone.call("POST", "/v1/pairing", {"seconds": 60})["port"]
        other = self.device("laptop", port=port)
        with self.assertRaises(Exception) as refused:
            other.call("POST", "/v1/pairing", {"seconds": 60})
        self.assertEqual(refused.exception.status, 503)
        self.assertIn(str(port), str(refused.exception.problem["detail"]))


if __name__ == "__main__":
    main()
