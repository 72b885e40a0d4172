"""A chat endpoint of the test's own, which plays answers that were recorded or broken."""
import json
import re
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def card(text, sources=("T1",), colour="fact", start="", end="", replaces="", tags=("life",)):
    return {"text": text, "colour": colour, "sources": list(sources), "from": start, "to": end,
            "replaces": replaces, "tags": list(tags)}


class ChatEndpoint:
    """Answers with `cards`; does what `mood` says instead, where it says something."""

    def __init__(self, cards=(), address="127.0.0.1", certificate=None):
        self.cards, self.mood, self.tokens = list(cards), "", 100
        self.asked, self.keys, self.connections = [], set(), 0  # bodies; Authorization; of TCP
        self.refuses_schema = False
        self.hangs_on = None  # a word: only calls with it hang
        self.gate = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body)
                outer.keys.add(self.headers.get("Authorization"))
                assert self.path == "/v1/chat/completions", self.path
                outer.play(self, body)

            def setup(self):
                outer.connections += 1
                super().setup()

            def handle(self):
                try:
                    super().handle()
                except (ConnectionError, OSError):
                    pass  # it did not wait

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http{'s' if certificate else ''}://{address}:{self.server.server_port}/v1"

    def send(self, handler, status, data, content_type="application/json", **headers):
        data = data.encode() if isinstance(data, str) else data
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    def completion(self, content, reason="stop"):
        return json.dumps({"id": "1", "object": "chat.completion", "model": "tiny",
                           "choices": [{"index": 0, "finish_reason": reason,
                                        "message": {"role": "assistant", "content": content}}],
                           "usage": {"prompt_tokens": self.tokens - 1, "completion_tokens": 1,
                                     "total_tokens": self.tokens}})

    def play(self, handler, body):
        mood = self.mood
        content = json.dumps({"cards": self.cards})
        if self.refuses_schema and "response_format" in body:
            return self.send(handler, 400, '{"error": "unknown field response_format"}')
        if mood == "hang" or (self.hangs_on and self.hangs_on in json.dumps(body["messages"])):
            self.gate.wait()
            self.send(handler, 200, self.completion(json.dumps({"cards": self.cards})))
        elif mood == "drip":
            handler.send_response(200)
            handler.send_header("Content-Type", "application/json")
            handler.end_headers()
            while not self.gate.wait(0.2):
                handler.wfile.write(b" ")
        elif mood == "cut off":
            data = self.completion(content)
            handler.send_response(200)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data[:len(data) // 2].encode())
            handler.close_connection = True
        elif mood == "cut text":
            self.send(handler, 200, self.completion(content[:20], "length"))
        elif mood == "no json":
            self.send(handler, 200, self.completion("Sure! Here are your cards."))
        elif mood == "wrong ids":
            self.send(handler, 200, self.completion(json.dumps({"cards": [
                card("Maya paints boats.", sources=["T99"])]})))
        elif mood == "wrong fields":
            self.send(handler, 200, self.completion(json.dumps({"cards": [], "delete": ["C1"]})))
        elif mood == "huge":
            self.send(handler, 200, self.completion("x" * 2_000_000))
        elif mood == "html":
            self.send(handler, 200, self.completion(content), "text/html")
        elif mood == "elsewhere":
            self.send(handler, 302, "", Location=self.elsewhere)
        elif mood == "429":
            self.send(handler, 429, "{}", Retry_After="3600")
        elif re.fullmatch(r"\d+", mood):
            self.send(handler, int(mood), "{}")
        elif mood == "fenced":
            self.send(handler, 200, self.completion(f"```json\n{content}\n```"))
        else:
            self.send(handler, 200, self.completion(content))

    def said(self):
        """All that ever reached it."""
        return json.dumps(self.asked, ensure_ascii=False)

    def work(self):
        self.mood = ""
        self.gate.set()

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


def secretary(device):
    return device.call("GET", "/v1/secretary")


def model_lines(url, **more):
    return ["[secretary]", f'base_url = "{url}"', 'model = "tiny"',
            *[f"{key} = {json.dumps(value)}" for key, value in more.items()]]
