#!/usr/bin/env python3
"""Shows Kartei's main job on this machine: three devices, one box.

Starts three daemons (phone, laptop, desktop) with homes of their own, pairs them by code, shares
drawers, plays a conversation of several months on the phone, asks questions everywhere, cuts one
device off, and kills the primary with -9 in the middle of new turns. Every claim that it prints is
checked; the exit status is 0 only if all held. Standard library only.
"""
import argparse
import json
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from devices import Device, Refused, free_ports, wait

HERE = Path(__file__).resolve().parent
NAMES = ("phone", "laptop", "desktop")
SHARED = ("home", "plans")
NOW = "2026-10-01T12:00:00+02:00"


class Story:
    """What was claimed, whether it held, and how long it took."""

    def __init__(self):
        self.rows, self.failed, self.colour = [], 0, sys.stdout.isatty()

    def chapter(self, text):
        print(f"\n\033[1m{text}\033[0m" if self.colour else f"\n{text}", flush=True)

    def claim(self, text, holds, took_ms=None, evidence=""):
        self.rows.append((text, bool(holds), took_ms))
        self.failed += not holds
        mark = "ok " if holds else "NOT"
        took = "" if took_ms is None else f"  ({took_ms:.1f} ms)"
        print(f"  {mark} {text}{took}", flush=True)
        if evidence and not holds:
            print(f"      {evidence}", flush=True)

    def table(self):
        self.chapter("What happened")
        for text, holds, took in self.rows:
            print(f"  {'ok ' if holds else 'NOT'} {'' if took is None else f'{took:10.1f} ms':>13}  {text}")
        print(f"\n{len(self.rows)} claims, {self.failed} of them not true.")


def texts(cards, state="open"):
    return sorted(c["text"] for c in cards if c["state"] == state and c["drawer"] in SHARED)


def same_cards(devices):
    lists = [sorted((c["id"], c["state"], c["text"], c["valid_from"], c["valid_to"])
                    for c in d.cards() if c["drawer"] in SHARED) for d in devices]
    return lists[0] if lists[0] and all(x == lists[0] for x in lists) else None


def settled(devices):
    for d in devices:
        status = d.call("GET", "/v1/status")
        if status["pending_extraction"] != 0 or status["pending"] != 0:
            return False
    return same_cards(devices)


def pair(story, member, newcomer, approver=None):
    began = time.monotonic()
    offer = member.call("POST", "/v1/pairing", {"seconds": 60})
    newcomer.call("POST", "/v1/pairing", {"code": offer["code"], "address": f"127.0.0.1:{member.port}"})
    if approver is not None:
        def waiting():
            return approver.call("GET", "/v1/pairing").get("waiting_approval")
        asked, _ = wait("the newcomer asks for a second device's approval", waiting)
        approver.call("POST", "/v1/pairing/approve", {"device": asked[0]["device"]})
    count = len(member.call("GET", "/v1/devices")["items"])
    wait(f"{newcomer.name} belongs to the box",
         lambda: len(newcomer.call("GET", "/v1/devices")["items"]) >= count and
         newcomer.call("GET", "/v1/pairing").get("state") in ("done", "idle"))
    also = f", approved on the {approver.name}" if approver else ""
    story.claim(f"the {newcomer.name} joins by the code {offer['code']}{also}", True,
                (time.monotonic() - began) * 1000)


def play(device, story):
    conversations = json.loads((HERE / "sample" / "conversations.json").read_text())
    turns, worst = 0, 0.0
    for conversation in conversations:
        began = time.monotonic()
        ids = device.call("POST", "/v1/turns", conversation)["ids"]
        worst = max(worst, (time.monotonic() - began) * 1000)
        turns += len(ids)
        device.call("POST", f"/v1/conversations/{quote(conversation['conversation'])}/end")
    story.claim(f"{turns} turns in {len(conversations)} conversations are on the phone's disk; "
                "the slowest call", True, worst)
    return turns


def ask(story, device, query, want, never=(), where="", **more):
    began = time.monotonic()
    answer = device.recall(query, now=NOW, **more)
    took = (time.monotonic() - began) * 1000
    text = answer["text"].lower()
    holds = all(any(w in text for w in alts) for alts in want) and not any(n in text for n in never)
    holds = holds and answer["tokens"] <= 300
    story.claim(f'"{query}" on the {device.name}{where}: {answer["tokens"]} tokens', holds, took,
                f"answered: {answer['text']!r}")
    return answer


QUESTIONS = (
    ("Where does Maya live?", (("utrecht",),), ("lives in bremen",)),
    ("Where did Maya live before?", (("bremen",),), ()),
    ("What shall I cook tonight?", (("peanut",), ("vegetarian",)), ()),
    ("What do I give Sam, and when?", (("astronomy",), ("9 october", "october 9", "10-09")), ()),
)


def kill_the_primary(story, devices):
    phone = devices[0]
    primary = next(d for d in devices if d.name == holder(phone))
    others = [d for d in devices if d is not primary]
    speaker = others[0]
    acknowledged, stop = [], threading.Event()

    def talk():
        n = 0
        while not stop.is_set() and n < 2000:
            n += 1
            turn = {"id": f"late-{n}", "speaker": "Maya", "role": "user", "drawer": "home",
                    "text": f"Note number {n}: the shelf for box {n} is ready."}
            speaker.call("POST", "/v1/turns", {"conversation": "late", "turns": [turn]})
            acknowledged.append(f"late-{n}")

    talker = threading.Thread(target=talk)
    talker.start()
    wait("some turns are acknowledged", lambda: len(acknowledged) >= 20)
    primary.stop(signal.SIGKILL)
    killed_at, before = time.monotonic(), len(acknowledged)
    story.claim(f"the primary ({primary.name}) is killed with -9 after {before} new turns",
                primary.process.poll() is not None)
    wait("the speaker goes on", lambda: len(acknowledged) >= before + 20)
    new, _ = wait("another device takes over",
                  lambda: holder(speaker) not in (None, primary.name) and holder(speaker), 60)
    story.claim(f"the {new} has taken over; from the kill",
                new in [d.name for d in others], (time.monotonic() - killed_at) * 1000)
    stop.set()
    talker.join()
    speaker.call("POST", "/v1/conversations/late/end")
    wait("the two that are left agree", lambda: settled(others))
    for device in others:
        missing = [i for i in acknowledged if not has_turn(device, i)]
        story.claim(f"all {len(acknowledged)} acknowledged turns are on the {device.name}",
                    not missing, evidence=f"missing: {missing[:5]}")
    began = time.monotonic()
    primary.start()
    wait("the killed one comes back and agrees", lambda: settled(devices), 60)
    missing = [i for i in acknowledged if not has_turn(primary, i)]
    story.claim(f"the {primary.name}, started again, has caught up on all of them; from its start",
                not missing, (time.monotonic() - began) * 1000)


def has_turn(device, turn_id):
    try:
        return bool(device.call("GET", f"/v1/turns/{turn_id}"))
    except Refused:
        return False


def holder(device):
    answer = device.call("GET", "/v1/primary")
    return (answer.get("primary") or {}).get("name")


def show(story, devices):
    phone, laptop, desktop = devices

    story.chapter("Three devices, one box")
    phone.call("PUT", "/v1/box", {"owner": "Maya Lindqvist", "zone": "Europe/Amsterdam"})
    pair(story, phone, laptop)
    pair(story, phone, desktop, approver=laptop)
    for device in devices:
        device.call("PUT", "/v1/sync", {"mode": "direct"})
    for drawer in SHARED:
        phone.call("PATCH", f"/v1/drawers/{drawer}", {"shared": True, "create": True})
    story.claim(f"the phone shares the drawers {' and '.join(SHARED)}; the diary stays on it",
                [d["name"] for d in phone.call("GET", "/v1/drawers")["items"] if d["shared"]]
                and all(any(d["name"] == s and d["shared"] for d in
                            phone.call("GET", "/v1/drawers")["items"]) for s in SHARED))

    story.chapter("A conversation of nine months, played on the phone")
    play(phone, story)
    cards, took = wait("cards on all three devices", lambda: settled(devices))
    still_open = sum(1 for _, state, *_ in cards if state == "open")
    story.claim(f"{len(cards)} cards, {still_open} of them open, the same on all three devices; after the last call",
                True, took)
    answer = phone.call("GET", "/v1/primary")
    story.claim(f"the {answer['primary']['name']} was elected, the first that had something to do",
                answer["primary"]["name"] in NAMES and answer["reason"] == "first")
    print("        (a clearly better one takes over after ten minutes)")
    for candidate in answer["candidates"]:
        print(f"        {candidate['name']:<8} {candidate['score']:5.1f}  {candidate.get('why', '')}")
    print("      cards on the laptop:")
    for card in laptop.cards("open"):
        dates = f"{card['valid_from'] or ''} .. {card['valid_to'] or ''}"
        print(f"        {card['colour']:<5} {dates:<27} {card['text']}")
    elsewhere = [c for d in (laptop, desktop) for c in d.cards() if "ukulele" in c["text"].lower()]
    story.claim("the diary's card is on the phone and nowhere else", not elsewhere and
                any("ukulele" in c["text"].lower() for c in phone.cards()))

    story.chapter("Questions")
    for device in devices:
        for query, want, never in QUESTIONS:
            ask(story, device, query, want, never)
    ask(story, desktop, "Where does Maya live?", (("bremen",),), ("utrecht",), " as of April",
        as_of="2026-04-01T12:00:00+02:00", include=["cards"])

    story.chapter("Cut off")
    desktop.call("PUT", "/v1/sync", {"mode": "off"})
    wait("the desktop is alone", lambda: not any(
        d.get("connected") and not d.get("self") for d in desktop.call("GET", "/v1/devices")["items"]))
    ask(story, desktop, *QUESTIONS[0], where=" (offline)")
    phone.call("POST", "/v1/turns", {"conversation": "choir", "turns": [
        {"speaker": "Maya", "role": "user", "drawer": "home", "time": "2026-09-30T09:00:00+02:00",
         "text": "I sing in a choir called Klangfarben."}]})
    phone.call("POST", "/v1/conversations/choir/end")
    wait("the card on the laptop", lambda: any("Klangfarben" in t for t in texts(laptop.cards())))
    story.claim("the desktop knows nothing of what was said meanwhile",
                not any("Klangfarben" in t for t in texts(desktop.cards())))
    desktop.call("PUT", "/v1/sync", {"mode": "direct"})
    _, took = wait("the desktop catches up",
                   lambda: any("Klangfarben" in t for t in texts(desktop.cards())))
    story.claim("connected again, it catches up", True, took)

    story.chapter("The primary is killed")
    kill_the_primary(story, devices)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", type=Path, help="where karteid is")
    parser.add_argument("--keep", action="store_true", help="leave the three devices up to play with")
    args = parser.parse_args()
    if not (args.bin / "karteid").exists():
        parser.error(f"no karteid in {args.bin}: run deploy/try.sh, which builds it")
    root = Path(tempfile.mkdtemp(prefix="kartei-try-"))
    ports = free_ports(3)
    devices = [Device(name, root, args.bin.resolve(), ports[i], [p for p in ports if p != ports[i]])
               for i, name in enumerate(NAMES)]
    story, began = Story(), time.monotonic()
    try:
        for device in devices:
            device.start()
        show(story, devices)
        story.table()
        print(f"{time.monotonic() - began:.1f} s in all.")
        ok = story.failed == 0
    except Refused as e:
        story.table()
        print(f"\nStopped: {e}", file=sys.stderr)
        ok = False
    if args.keep and ok:
        print("\nThe devices stay up. Talk to one of them, for instance:")
        for device in devices:
            print(f"  KARTEI_HOME={device.home} {args.bin}/kartei recall 'Where does Maya live?'")
        print(f"Stop them: kill {' '.join(str(d.process.pid) for d in devices)}; rm -r {root}")
        return 0
    for device in devices:
        device.end()
    if ok:
        shutil.rmtree(root)
    else:
        print(f"Homes and logs are kept in {root}", file=sys.stderr)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
