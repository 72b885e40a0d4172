"""The only way between two devices is a proxy that cuts connections at random points: it only delays."""
import socket
import threading

from system import SystemTest, free_ports, has_turn, main, pair, turn, wait

LINES = 150


class Flaky(SystemTest):
    def test_a_flaky_network_only_delays(self):
        ports = free_ports(3)
        phone = self.device("phone", port=ports[0])
        laptop = self.device("laptop", port=ports[1], peers=[ports[2]])
        proxy = Proxy(ports[2], ports[0], self.random)
        self.addCleanup(proxy.close)
        phone.call("PUT", "/v1/box", {"owner": "Maya Lindqvist", "zone": "Europe/Amsterdam"})
        phone.call("PUT", "/v1/sync", {"mode": "direct"})
        pair(phone, laptop)
        laptop.call("PUT", "/v1/sync", {"mode": "direct"})
        phone.call("PATCH", "/v1/drawers/home", {"shared": True, "create": True})
        wait("the drawer is known", lambda: "home" in [
            d["name"] for d in laptop.call("GET", "/v1/drawers")["items"]])
        proxy.cut()
        for n in range(LINES):
            for device in (phone, laptop):
                device.call("POST", "/v1/turns", {"conversation": device.name, "turns": [
                    turn(f"Line {n} said on the {device.name}.", f"{device.name}-{n}", drawer="home")]})
        ids = [f"{name}-{n}" for name in ("phone", "laptop") for n in range(LINES)]
        wait("the proxy has cut often, or all is across", lambda: proxy.cuts >= 5 or all(
            has_turn(d, i) for d in (phone, laptop) for i in ids), 60)
        self.assertGreater(proxy.cuts, 0, "the proxy cut nothing: the test shows nothing")
        proxy.cutting = False
        wait("every turn on both", lambda: all(has_turn(d, i) for d in (phone, laptop) for i in ids), 90)


class Proxy:
    """TCP from one port to another; while `cutting`, each connection ends after a random number of bytes."""

    def __init__(self, listen, target, random):
        self.target, self.random, self.cutting, self.cuts = target, random, False, 0
        self.open = []
        self.server = socket.create_server(("127.0.0.1", listen))
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        """From now on; what is connected ends at once."""
        self.cutting = True
        for s in self.open:
            hang_up(s)

    def accept(self):
        while True:
            try:
                inner, _ = self.server.accept()
                outer = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                if self.server.fileno() < 0:
                    return
                continue
            self.open += [inner, outer]
            budget = [self.random.randrange(2_000, 30_000)]
            for a, b in ((inner, outer), (outer, inner)):
                threading.Thread(target=self.pump, args=(a, b, budget), daemon=True).start()

    def pump(self, a, b, budget):
        try:
            while data := a.recv(4096):
                if self.cutting:
                    budget[0] -= len(data)
                    if budget[0] < 0:
                        self.cuts += 1
                        break
                b.sendall(data)
        except OSError:
            pass
        hang_up(a)
        hang_up(b)

    def close(self):
        self.server.close()


def hang_up(s):
    try:
        s.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


if __name__ == "__main__":
    main()
