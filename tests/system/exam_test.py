"""The exam runner, on an exam of three sentences: what it measures is what happened."""
import gzip
import json
import subprocess
import unittest

from system import BIN, SystemTest, main

EXAM = [{"id": "Small-1", "sessions": [
    {"id": 1, "date": "1:56 pm on 8 May, 2023", "turns": [
        {"id": "D1:1", "speaker": "Ida", "text": "I bought a kayak at the harbour."},
        {"id": "D1:2", "speaker": "Nils", "text": "The bakery closes at noon."}]},
    {"id": 2, "date": "9:05 am on 2 June, 2023", "turns": [
        {"id": "D2:1", "speaker": "Ida", "text": "My brother repairs clocks in Lund."}]}],
    "questions": [
        {"question": "Where did Ida buy the kayak?", "answer": "at the harbour", "kind": "single-hop",
         "evidence": ["D1:1"]},
        {"question": "What does the brother of Ida repair?", "answer": "clocks", "kind": "single-hop",
         "evidence": ["D2:1"]},
        {"question": "Who sings in the choir?", "answer": "", "kind": "adversarial", "evidence": []}]}]


@unittest.skipUnless((BIN / "kartei-exam").exists(), "kartei-exam is not built under the sanitizers")
class Exam(SystemTest):
    def exam(self, *options):
        file = self.root / "small.json.gz"
        file.write_bytes(gzip.compress(json.dumps(EXAM).encode()))
        done = subprocess.run([str(BIN / "kartei-exam"), "--data", str(file), *options],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_daemon_and_the_baseline_find_what_is_there(self):
        for options in ((), ("--baseline",)):
            result = self.exam("--budget", "200", *options)
            self.assertEqual((result["conversations"], result["questions"]), (1, 2), options)
            for figure in ("recall_at_budget", "answer_cover_at_budget"):
                self.assertEqual(result[figure], 1, (options, figure, result))
            self.assertEqual(result["r_at_1"], 1, (options, result))
            self.assertEqual(set(result["by_kind"]), {"single-hop", "adversarial"})
            self.assertGreater(result["recall_us"]["p50"], 0)

    def test_a_budget_is_kept(self):
        self.assertLessEqual(self.exam("--budget", "20")["tokens_mean"], 20)

    def test_what_is_no_exam_is_refused(self):
        file = self.root / "no.json"
        file.write_text("{}")
        done = subprocess.run([str(BIN / "kartei-exam"), "--data", str(file)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no.json", done.stderr)

    def test_cards_are_compared_with_what_somebody_else_wrote(self):
        conversation = {**EXAM[0], "speakers": ["Ida", "Nils"]}
        conversation["sessions"] = [
            {**conversation["sessions"][0], "observations": [
                {"about": "Ida", "text": "Ida bought a kayak at the harbour.", "evidence": ["D1:1"]},
                {"about": "Nils", "text": "Zebras gallop.", "evidence": ["D1:1"]}]},
            {**conversation["sessions"][1], "observations": [
                {"about": "Ida", "text": "Ida's brother repairs clocks in Lund.", "evidence": ["D1:2"]}]}]
        file = self.root / "observed.json"
        file.write_text(json.dumps([conversation]))
        done = subprocess.run([str(BIN / "kartei-observed"), "--data", str(file)], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["turns"], result["observations"]), (3, 3))
        self.assertGreaterEqual(result["cards"], 2)
        # The first alone: nothing of the second is in its card, and the third names another turn.
        self.assertEqual(result["coverage"], 0.3333)
        self.assertEqual(result["met"], 0.3333)
        self.assertEqual((result["begin_with_pronoun"], result["hold_relative_date"]), (0, 0))
        file.write_text(json.dumps(EXAM))
        done = subprocess.run([str(BIN / "kartei-observed"), "--data", str(file)], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no observations", done.stderr)


if __name__ == "__main__":
    main()
