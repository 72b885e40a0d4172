"""An embedding endpoint of the test's own, and what the tests ask a device about its vectors."""
import json
import signal
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from system import wait

SAME = {"physician": "doctor", "cardiologist": "doctor", "wagon": "car", "automobile": "car"}
WORDS = ["doctor", "car", "bread", "saw", "again", "bought", "painted", "wall", "maya"]


class Endpoint:
    """Embeds by a list of words; does what `mood` says instead, where it says something."""

    def __init__(self, certificate=None):
        self.mood, self.calls, self.texts, self.keys = "", 0, 0, set()
        self.asked = []            # all texts
        self.calls_before = 0      # that are answered though the mood is to hang
        self.gate = threading.Event()
        self.gate.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.calls += 1
                outer.keys.add(self.headers.get("Authorization"))
                status, answer = outer.answer(self.path, body)
                data = answer.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except ConnectionError:
                    pass  # it did not wait

            def handle(self):
                try:
                    super().handle()
                except ConnectionError:
                    pass  # it was killed, or did not wait

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, path, body):
        self.asked += body["input"]
        if self.mood == "hang" and self.calls > self.calls_before:
            self.gate.wait()
        if self.mood == "500":
            return 500, "{}"
        if self.mood == "429":
            return 429, "{}"
        if self.mood == "no json":
            return 200, "<html>"
        if self.mood == "picky" and (len(body["input"]) > 32 or any("trumpet" in t for t in body["input"])):
            return 400, "{}"
        data = []
        for index, text in enumerate(body["input"]):
            self.texts += 1
            words = [SAME.get(w, w) for w in text.lower().replace(".", " ").replace("?", " ").replace(":", " ").split()]
            vector = [float(words.count(w)) for w in WORDS] + [0.01]
            if self.mood == "other sizes" and len(body["input"]) == 1:
                vector += [0.0] * (1 + self.calls % 7)
            if self.mood == "huge":
                vector = [0] * 4_000_000
            if self.mood == "short" and index == 0:
                vector = vector[:3]
            data.append({"index": index, "embedding": vector, "object": "embedding"})
        if self.mood == "too few":
            data = data[:-1]
        if self.mood == "other order":
            data.reverse()
        assert path == "/v1/embeddings"
        return 200, json.dumps({"data": data, "model": body["model"]})

    def hang(self, calls_before=0):
        self.gate.clear()
        self.calls_before = self.calls + calls_before
        self.mood = "hang"

    def work(self):
        self.mood = ""
        self.gate.set()

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


def meaning(device):
    return device.call("GET", "/v1/status")["meaning"]


def all_embedded(device, model=None):
    state = meaning(device)
    return state["waiting"] == 0 and (model is None or state["model"] == model) and state["next_model"] is None


def reread(device):
    read = device.log_text().count("the configuration was read again")
    device.process.send_signal(signal.SIGHUP)
    wait("it is read", lambda: device.log_text().count("the configuration was read again") > read)


def configure(device, lines):
    """What follows the first lines, of name and network, is replaced by these."""
    file = device.home / "karteid.toml"
    first = [line for line in file.read_text().splitlines()
             if line.split(" ")[0] in ("name", "kind", "listen", "peers", "discovery")]
    file.write_text("\n".join([*first, *lines]) + "\n")


def endpoint_lines(url, model="words-of-mine", **more):
    return ['meaning = "endpoint"', "[embeddings]", f'base_url = "{url}"', f'model = "{model}"',
            *[f"{key} = {value}" for key, value in more.items()]]
