"""Finding by meaning: the table that ships, and an endpoint of the owner's (here an HTTP server of
the test's own), also when they are missing, broken, slow or exchanged."""
import json
import os
import signal
import subprocess

from endpoint import Endpoint, all_embedded, configure, endpoint_lines, meaning, reread
from system import BIN, SLOW, SystemTest, main, say, turn, wait

def kartei(device, *words):
    return subprocess.run([BIN / "kartei", *words], env={**os.environ, "KARTEI_HOME": str(device.home)},
                          capture_output=True, text=True)


def found(device, query):
    return [item["text"] for item in device.recall(query, limit=1)["items"]]


def hear(device, count=0):
    turns = ["Saw the cardiologist again.", "Bought bread.", "Painted the wall."]
    device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn(t) for t in turns]})
    for at in range(0, count, 100):
        device.call("POST", "/v1/turns", {"conversation": "many", "turns": [
            turn(f"Number {n} of very many.") for n in range(at, min(count, at + 100))]})


class BuiltIn(SystemTest):
    def test_another_language_is_found(self):
        device = self.device()
        for text in ("My sister Clara moved to Vienna in May.", "The bicycle has a flat tyre.",
                     "Bread is cheaper at the corner shop."):
            say(device, "c", text)
        wait("vectors are made", lambda: all_embedded(device, "kartei-multi256-v1"))
        answer = device.recall("¿Qué le pasa a la bicicleta?", limit=1, explain=True)
        self.assertIn("bicycle", answer["items"][0]["text"])
        self.assertIn("meaning", json.dumps(answer["items"][0]))

    def test_without_the_table_words_go_on_and_it_says_so(self):
        table = self.root / "table.kmodel"
        device = self.device(more=[f'model_file = "{table}"'])
        say(device, "c", "My sister Clara moved to Vienna in May.")
        self.assertIn("Clara", device.recall("Where is Clara?")["text"])
        warnings = device.call("GET", "/v1/status")["warnings"]
        self.assertTrue(any(str(table) in w for w in warnings), warnings)

        real = (device.bin.parent / "share/kartei/multi256.kmodel").read_bytes()
        middle = len(real) // 2
        for damaged in (b"", real[:1000], b"\0" * len(real), real[:100] + b"\xff" * 100 + real[200:],
                        real[:middle] + bytes([real[middle] ^ 1]) + real[middle + 1:]):
            table.unlink(missing_ok=True)
            table.write_bytes(damaged)
            reread(device)
            self.assertIn("Clara", device.recall("Where is Clara?")["text"])
            warnings = device.call("GET", "/v1/status")["warnings"]
            self.assertTrue(any(str(table) in w for w in warnings), (len(damaged), warnings))
        table.unlink()
        table.write_bytes(real)
        device.process.send_signal(signal.SIGHUP)
        wait("the table is found", lambda: all_embedded(device, "kartei-multi256-v1"))
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_a_table_that_is_no_file_or_changes_in_place(self):
        table = self.root / "table.kmodel"
        device = self.device(more=[f'model_file = "{table}"'])
        say(device, "c", "My sister Clara moved to Vienna in May.")
        os.mkfifo(table)
        reread(device)
        self.assertTrue(any(str(table) in w for w in device.call("GET", "/v1/status")["warnings"]))
        table.unlink()
        real = (device.bin.parent / "share/kartei/multi256.kmodel").read_bytes()
        table.write_bytes(real)
        reread(device)
        wait("vectors are made", lambda: all_embedded(device, "kartei-multi256-v1"))
        os.truncate(table, 4096)
        say(device, "c", "The bicycle has a flat tyre.")
        self.assertIn("Clara", device.recall("Where is Clara?")["text"])
        wait("it says so", lambda: any("changed" in w for w in device.call("GET", "/v1/status")["warnings"]))
        table.write_bytes(real)
        reread(device)
        wait("vectors are made again", lambda: all_embedded(device, "kartei-multi256-v1"))
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_it_starts_without_a_table_that_can_be_read(self):
        real = self.root / "real.kmodel"
        real.write_bytes((self.device("source", start=False).bin.parent / "share/kartei/multi256.kmodel").read_bytes())
        table = self.root / "table.kmodel"
        device = self.device(start=False, more=[f'model_file = "{table}"'])

        def locked():
            table.write_bytes(real.read_bytes())
            table.chmod(0)

        kinds = [table.mkdir, lambda: os.mkfifo(table), lambda: table.symlink_to(table),
                 lambda: table.symlink_to("/dev/zero"), lambda: table.symlink_to(self.root / "nothing")]
        if os.geteuid() != 0:  # root reads everything
            kinds.append(locked)
        for n, make in enumerate(kinds):
            make()
            device.start()
            say(device, f"c{n}", f"My sister Clara moved to town number {n} in May.")
            self.assertIn("Clara", device.recall("Where is Clara?")["text"])
            self.assertIn("Clara", device.recall("Claras sister")["text"])
            warnings = device.call("GET", "/v1/status")["warnings"]
            self.assertTrue(any(str(table) in w for w in warnings), warnings)
            self.assertIsNone(meaning(device)["model"])
            device.stop()
            self.assertEqual(device.process.returncode, 0)
            (table.rmdir if table.is_dir() and not table.is_symlink() else table.unlink)()
        table.symlink_to(real)
        device.start()
        wait("vectors are made", lambda: all_embedded(device, "kartei-multi256-v1"))
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_a_table_that_is_cut_at_any_moment_ends_nothing(self):
        real = (self.device("source", start=False).bin.parent / "share/kartei/multi256.kmodel").read_bytes()
        table = self.root / "table.kmodel"
        table.write_bytes(real)
        device = self.device(more=[f'model_file = "{table}"'])
        for n in range(5 if SLOW else 15):
            hear(device, 400)
            waiting = self.random.randrange(400)
            wait("some are made", lambda: meaning(device)["waiting"] <= waiting)
            os.truncate(table, self.random.choice((0, 1000, 4096, len(real) // 2)))
            self.assertIn("bread", found(device, "bread")[0])
            wait("it says so", lambda: any(str(table) in w for w in device.call("GET", "/v1/status")["warnings"])
                 or meaning(device)["waiting"] == 0)
            table.write_bytes(real)
            reread(device)
        wait("vectors are made again", lambda: all_embedded(device, "kartei-multi256-v1"))
        self.assertIsNone(device.process.poll())

    def test_off_is_off(self):
        device = self.device(more=['meaning = "off"'])
        say(device, "c", "My sister Clara moved to Vienna in May.")
        self.assertIn("Clara", device.recall("Where is Clara?")["text"])
        self.assertIsNone(meaning(device)["model"])
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_while_it_is_off_the_vectors_are_kept_or_dropped(self):
        endpoint = Endpoint()
        self.addCleanup(endpoint.close)
        device = self.device(more=endpoint_lines(endpoint.url, wait_ms=8_000))
        hear(device, 300)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertFalse(meaning(device)["off"])
        said = kartei(device, "drop-vectors")
        self.assertEqual(said.returncode, 1)
        self.assertIn("off", said.stderr)
        off = ['meaning = "off"']

        def rests():
            state = meaning(device)
            return state["off"] and state["model"] is None and state["memory_bytes"] == 0 and state

        configure(device, off)
        reread(device)
        state, _ = wait("no memory is used", rests)
        self.assertGreater(state["disk_bytes"], 300 * 10)
        self.assertIn("kartei drop-vectors", kartei(device, "status").stdout)
        card = device.call("POST", "/v1/cards", {"text": "The safe's word is zanzibarquux."})["id"]
        device.call("DELETE", f"/v1/cards/{card}")
        made = endpoint.texts
        configure(device, endpoint_lines(endpoint.url, wait_ms=8_000))
        reread(device)
        wait("they answer again", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("cardiologist", found(device, "physician")[0])
        self.assertLess(endpoint.texts - made, 50, "stored vectors are not made again")

        configure(device, off)
        reread(device)
        wait("no memory is used", rests)
        self.assertEqual(kartei(device, "drop-vectors").returncode, 0)
        device.stop(signal.SIGKILL)
        device.start()
        wait("they are gone from the disk", lambda: meaning(device)["disk_bytes"] == 0)
        self.assertNotIn("drop-vectors", kartei(device, "status").stdout)
        configure(device, endpoint_lines(endpoint.url, wait_ms=8_000))
        reread(device)
        wait("they are made again", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("cardiologist", found(device, "physician")[0])
        device.stop()
        self.assert_sound(device)

    def test_a_crash_in_between_leaves_nothing_out(self):
        device = self.device()
        hear(device, 1500)
        wait("some vectors are made", lambda: meaning(device)["waiting"] < 1400)
        device.stop(signal.SIGKILL)
        device.start()
        wait("all vectors are made", lambda: all_embedded(device))
        self.assertIn("cardiologist", found(device, "doctor")[0])
        device.stop()
        self.assert_sound(device)


class OwnEndpoint(SystemTest):
    def setUp(self):
        super().setUp()
        self.endpoint = Endpoint()
        self.addCleanup(self.endpoint.close)

    def with_endpoint(self, wait_ms=8_000, **more):
        return self.device(more=['meaning = "endpoint"', "[embeddings]", f'base_url = "{self.endpoint.url}"',
                                 'model = "words-of-mine"', f"wait_ms = {wait_ms}", *[f"{k} = {v}" for k, v in more.items()]])

    def test_it_embeds_what_is_said_and_what_is_asked(self):
        device = self.with_endpoint()
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("cardiologist", found(device, "physician")[0])
        made = self.endpoint.texts
        device.stop()
        device.start()
        self.assertIn("cardiologist", wait("vectors are loaded", lambda: found(device, "physician"))[0][0])
        wait("nothing is left to do", lambda: all_embedded(device, "words-of-mine"))
        self.assertLessEqual(self.endpoint.texts - made, 60, "stored vectors are not made again")

    def test_the_key_is_sent_and_never_written(self):
        device = self.device(start=False, more=[
            'meaning = "endpoint"', "[embeddings]", f'base_url = "{self.endpoint.url}"', 'model = "m"',
            'key_env = "KARTEI_TEST_KEY"'])
        device.wrapper = ["env", "KARTEI_TEST_KEY=open-sesame"]
        device.start()
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "m"))
        self.assertEqual(self.endpoint.keys, {"Bearer open-sesame"})
        self.endpoint.mood = "500"
        hear(device, 1)
        wait("it fails", lambda: device.call("GET", "/v1/status")["warnings"])
        self.assertNotIn("open-sesame", device.log_text() + json.dumps(device.call("GET", "/v1/status")))

    def test_another_machine_must_be_allowed(self):
        for url, said in (("https://embeddings.example/v1", "remote"), ("http://10.0.0.9/v1", "remote"),
                          ("ftp://127.0.0.1/v1", "http")):
            device = self.device("laptop", more=['meaning = "endpoint"', "[embeddings]", f'base_url = "{url}"',
                                                 'model = "m"'])
            warnings = device.call("GET", "/v1/status")["warnings"]
            self.assertTrue(any(said in w for w in warnings), warnings)
            device.stop()

    def test_broken_answers_leave_words_working_and_are_tried_again(self):
        device = self.with_endpoint(wait_ms=300)
        for mood in ("500", "429", "no json", "short", "too few"):
            self.endpoint.mood = mood
            hear(device)
            calls = self.endpoint.calls
            wait(f"it is tried ({mood})", lambda: self.endpoint.calls > calls)
            self.assertIn("bread", found(device, "bread")[0])
        wait("it says so", lambda: device.call("GET", "/v1/status")["warnings"])
        self.endpoint.mood = "other order"
        wait("vectors are made after all", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("cardiologist", found(device, "physician")[0])
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_a_text_that_it_refuses_holds_up_no_other(self):
        self.endpoint.mood = "picky"
        device = self.with_endpoint()
        device.call("POST", "/v1/turns", {"conversation": "c", "turns": [turn("The neighbour plays trumpet.")]})
        hear(device, 80)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("cardiologist", found(device, "physician")[0])
        self.assertEqual(device.call("GET", "/v1/status")["warnings"], [])

    def test_what_is_for_this_machine_goes_to_no_proxy(self):
        device = self.device(start=False, more=['meaning = "endpoint"', "[embeddings]",
                                                f'base_url = "{self.endpoint.url}"', 'model = "words-of-mine"'])
        proxy = Endpoint()
        self.addCleanup(proxy.close)
        device.wrapper = ["env", "-u", "no_proxy", "-u", "NO_PROXY",
                          *[f"{name}={proxy.url[:-3]}" for name in ("http_proxy", "ALL_PROXY")]]
        device.start()
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertEqual(proxy.calls, 0)

    def test_an_address_with_a_question_is_refused(self):
        device = self.device(more=['meaning = "endpoint"', "[embeddings]", f'base_url = "{self.endpoint.url}?a=b"',
                                   'model = "m"'])
        warnings = device.call("GET", "/v1/status")["warnings"]
        self.assertTrue(any("without ? and #" in w for w in warnings), warnings)

    def test_sizes_that_change_are_asked_for_ever_later_and_logged_once(self):
        self.endpoint.mood = "other sizes"
        device = self.with_endpoint()
        hear(device)
        wait("it is tried", lambda: self.endpoint.calls >= 6)
        self.assertLessEqual(device.log_text().count("no vectors can be made"), 1, device.log_text())
        self.assertNotIn("are made again", device.log_text())
        self.endpoint.mood = ""
        wait("vectors are made after all", lambda: all_embedded(device, "words-of-mine"))

    def test_an_answer_of_millions_of_numbers_is_not_read(self):
        self.endpoint.mood = "huge"
        device = self.with_endpoint()
        hear(device)
        wait("it says so", lambda: any("more than is expected" in w
                                       for w in device.call("GET", "/v1/status")["warnings"]))

    def test_a_hanging_endpoint_holds_up_no_answer_and_no_end(self):
        device = self.with_endpoint(wait_ms=200)
        hear(device)
        wait("vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.endpoint.hang()
        hear(device, 10)
        self.assertIn("bread", found(device, "bread")[0])
        device.stop()  # does not wait for the endpoint
        self.assertEqual(device.process.returncode, 0)

    def test_the_old_vectors_answer_while_new_ones_are_made(self):
        device = self.device()
        hear(device, 300)
        wait("vectors are made", lambda: all_embedded(device, "kartei-multi256-v1"))
        device.stop()
        self.endpoint.hang()
        config = device.home / "karteid.toml"
        config.write_text(config.read_text() + f'meaning = "endpoint"\n[embeddings]\nbase_url = "{self.endpoint.url}"\n'
                          'model = "words-of-mine"\nwait_ms = 50\n')
        device.start()
        wait("the endpoint is asked", lambda: self.endpoint.calls > 0)
        legs = json.dumps(device.recall("¿pan?", limit=1, explain=True)["items"][0])
        self.assertIn("bread", legs)
        self.assertIn('"meaning"', legs)
        self.endpoint.work()
        wait("the new vectors are made", lambda: all_embedded(device, "words-of-mine"))
        self.assertIn("cardiologist", found(device, "physician")[0])


if __name__ == "__main__":
    main()
