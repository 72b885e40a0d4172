"""Pairing without an address: two devices find each other by what they say on the local network.

The network is a private one of this test's own, so that no word of it gets out."""
import os
import subprocess
import sys

from system import SystemTest, free_ports, has_turn, main, turn, wait

INSIDE = "KARTEI_TEST_NETWORK"


def private_network():
    """Why there can be none, or None where there can."""
    try:
        tried = subprocess.run(["unshare", "-rn", "sh", "-c", network("true")], capture_output=True, text=True,
                               timeout=30)
    except FileNotFoundError:
        return "unshare is not installed"
    return None if tried.returncode == 0 else f"no private network can be made here: {tried.stderr.strip()}"


def network(then):
    return ("ip link set lo up && ip link add lan0 type veth peer name lan1 && ip link set lan1 up && ip addr add 10.77.0.1/24 dev lan0 && "
            f"ip link set lan0 up multicast on && {then}")


class Discovery(SystemTest):
    def test_pairing_without_an_address(self):
        if os.environ.get(INSIDE) != "1":
            if why := private_network():
                self.skipTest(why)
            command = network(f'exec "{sys.executable}" -B "{os.path.abspath(__file__)}"')
            inner = subprocess.run(["unshare", "-rn", "sh", "-c", command], env={**os.environ, INSIDE: "1"},
                                   capture_output=True, text=True, timeout=300)
            self.assertEqual(inner.returncode, 0, inner.stdout + inner.stderr)
            return
        ports = free_ports(2)
        phone, laptop = (self.listening(name, port) for name, port in zip(("phone", "laptop"), ports))
        offer = phone.call("POST", "/v1/pairing", {"seconds": 120})
        laptop.call("POST", "/v1/pairing", {"code": offer["code"]})
        wait("the newcomer found the member and belongs to the box",
             lambda: laptop.call("GET", "/v1/pairing")["state"] == "done", 60)
        phone.call("PATCH", "/v1/drawers/home", {"shared": True, "create": True})
        phone.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("Found you.", "t1", drawer="home")]})
        wait("what is said arrives", lambda: has_turn(laptop, "t1"), 60)
        # Another port, and nobody is told: the beacons say where.
        phone.stop()
        self.rewrite(phone, free_ports(1)[0])
        phone.start()
        phone.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("Moved.", "t2", drawer="home")]})
        wait("found again", lambda: has_turn(laptop, "t2"), 90)

    def listening(self, name, port):
        device = self.device(name, start=False, port=port)
        self.rewrite(device, port)
        device.start()
        return device

    @staticmethod
    def rewrite(device, port):
        device.port = port
        (device.home / "karteid.toml").write_text(
            f'name = "{device.name}"\nkind = "{device.name}"\nlisten = "0.0.0.0:{port}"\ndiscovery = true\n')


if __name__ == "__main__":
    main()
