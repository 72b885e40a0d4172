"""Endpoints that hang, lie about who they are, or are exchanged one after the other: questions wait for
none of them for long, and the old vectors answer as long as they are needed."""
import json
import shutil
import subprocess
import unittest

from endpoint import Endpoint, all_embedded, configure, endpoint_lines, meaning, reread
from system import SystemTest, main, turn, wait

PATIENT_MS = 8_000  # where an answer must come, on a busy machine too
TURNS = ["Saw the cardiologist again.", "Bought bread.", "Painted the wall."]


def hear(device, count=0):
    texts = TURNS + [f"Number {n} of very many." for n in range(count)]
    for at in range(0, len(texts), 100):
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn(t) for t in texts[at:at + 100]]})


def by_meaning(device, query):
    """The best item, where its meaning counted; else nothing."""
    items = device.recall(query, limit=1, explain=True)["items"]
    return items[0]["text"] if items and items[0]["legs"].get("meaning") else ""


class Endpoints(SystemTest):
    def endpoint(self, **more):
        endpoint = Endpoint(**more)
        self.addCleanup(endpoint.close)
        return endpoint

    def asks(self, endpoint, device, query):
        """Whether a question reaches the endpoint."""
        before = endpoint.asked.count(query)
        device.recall(query)
        return endpoint.asked.count(query) > before

    def test_secrets_do_not_leave_this_way_even_if_allowed(self):
        endpoint = self.endpoint()
        device = self.device(more=endpoint_lines(endpoint.url))
        hear(device)
        device.call("POST", "/v1/cards", {"text": "The wifi password is Kaffee-2291.", "allow_secrets": True})
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("Kaffee-2291", device.recall("is my password Kaffee-2291 or not?")["text"])
        self.assertTrue(any("[secret removed: password]" in text for text in endpoint.asked))
        self.assertFalse(any("Kaffee-2291" in text for text in endpoint.asked))

    def test_a_hanging_one_is_waited_for_a_few_times_only(self):
        endpoint = self.endpoint()
        device = self.device(more=endpoint_lines(endpoint.url, wait_ms=100))
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertEqual(meaning(device)["endpoint"], {"paused": False, "failures": 0, "problem": None})
        endpoint.hang()
        for n in range(3):
            self.assertIn("bread", device.recall(f"bread {n}")["text"])
        self.assertTrue(meaning(device)["endpoint"]["paused"])
        self.assertTrue(any("do not wait" in w for w in device.call("GET", "/v1/status")["warnings"]))
        for n in range(50):
            self.assertIn("bread", device.recall(f"bread again {n}")["text"])
        self.assertEqual([t for t in endpoint.asked if "again" in t and "bread" in t], [])
        # Nobody has asked for a while: the first question that comes has it tried, and waits for nothing.
        wait("it is tried beside the questions", lambda: device.recall("bread") and "Kartei" in endpoint.asked[3:])
        self.assertTrue(meaning(device)["endpoint"]["paused"])
        endpoint.work()
        wait("it is asked again", lambda: "cardiologist" in by_meaning(device, "physician"))
        self.assertEqual(meaning(device)["endpoint"], {"paused": False, "failures": 0, "problem": None})
        wait("all is well", lambda: device.call("GET", "/v1/status")["warnings"] == [])

    def test_questions_that_wait_for_a_hanging_one_hold_up_no_end(self):
        endpoint = self.endpoint()
        device = self.device(more=endpoint_lines(endpoint.url, wait_ms=10_000))
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        endpoint.hang()
        asked = subprocess.Popen(["curl", "-s", "--unix-socket", str(device.socket), "http://kartei/v1/recall", "-d",
                                  '{"query": "Was the bread bought?"}'], stdout=subprocess.PIPE)
        wait("the question waits", lambda: "Was the bread bought?" in endpoint.asked)
        device.stop()
        self.assertEqual(device.process.returncode, 0)
        answer, _ = asked.communicate()
        self.assertIn(b"bread", answer, "answered by its words")

    def test_the_vectors_of_the_first_answer_until_those_of_the_third_are_whole(self):
        first, second, third = self.endpoint(), self.endpoint(), self.endpoint()
        device = self.device(more=endpoint_lines(first.url, "first", wait_ms=PATIENT_MS))
        hear(device, 300)
        wait("vectors are made", lambda: all_embedded(device, "first"))
        for n, (endpoint, model) in enumerate(((second, "second"), (third, "third"))):
            endpoint.hang(calls_before=2)  # its size, and some of the vectors
            configure(device, endpoint_lines(endpoint.url, model, wait_ms=PATIENT_MS))
            reread(device)
            # Though the one before still hangs.
            wait("some of its vectors are made", lambda e=endpoint: e.calls > 2, seconds=30)
            state = meaning(device)
            self.assertEqual((state["model"], state["next_model"]), ("first", model))
            self.assertIn("cardiologist", by_meaning(device, "physician"), model)
            # What is said meanwhile is found by its words.
            device.call("POST", "/v1/turns", {"conversation": "d", "turns": [turn(f"Sold trumpet {n}.")]})
            self.assertIn(f"trumpet {n}", device.recall(f"trumpet {n}", limit=1)["text"])
        configure(device, ['meaning = "off"'])
        reread(device)
        self.assertEqual(by_meaning(device, "physician"), "")
        configure(device, endpoint_lines(third.url, "third", wait_ms=PATIENT_MS))
        reread(device)
        self.assertIn("cardiologist", by_meaning(device, "physician"))
        self.assertTrue(self.asks(first, device, "physician"))
        third.work()
        wait("the third's are whole", lambda: all_embedded(device, "third"))
        self.assertIn("cardiologist", by_meaning(device, "physician"))
        self.assertFalse(self.asks(first, device, "physician"))
        second.work()
        device.stop()
        self.assert_sound(device)

    def test_one_that_serves_the_same_model_elsewhere_is_asked_instead(self):
        old, new = self.endpoint(), self.endpoint()
        device = self.device(more=endpoint_lines(old.url, wait_ms=PATIENT_MS))
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        configure(device, endpoint_lines(new.url, wait_ms=PATIENT_MS))
        reread(device)
        self.assertIn("cardiologist", by_meaning(device, "physician"))
        self.assertIn("physician", new.asked)
        self.assertNotIn("physician", old.asked)

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl to make a certificate")
    def test_one_that_does_not_prove_who_it_is_hears_nothing(self):
        key, certificate = self.root / "key.pem", self.root / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-keyout", str(key),
                        "-out", str(certificate), "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, capture_output=True)
        endpoint = self.endpoint(certificate=(certificate, key))
        plain = self.endpoint()
        device = self.device(more=endpoint_lines(endpoint.url))
        hear(device)
        wait("it says why", lambda: any("does not prove" in w and "certificate" in w and "127.0.0.1" in w
                                        for w in device.call("GET", "/v1/status")["warnings"]))
        self.assertIn("bread", device.recall("bread")["text"])
        self.assertEqual(endpoint.calls, 0)
        # And one that speaks no TLS at all.
        configure(device, endpoint_lines(plain.url.replace("http:", "https:")))
        reread(device)
        wait("it says why", lambda: any("cannot be reached" in w for w in device.call("GET", "/v1/status")["warnings"]))
        self.assertEqual(plain.calls, 0)
        self.assertNotIn("bread", json.dumps(device.call("GET", "/v1/status")) + device.log_text())


if __name__ == "__main__":
    main()
