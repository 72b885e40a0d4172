// Word lists for what people tell each other, reader_told.cpp and reader_hopes.cpp. Lists are
// sorted; a test holds them to it.
#pragma once

#include "daemon/manager/lexicon.h"

namespace kartei::daemon::data {

// What somebody did: worth telling a friend, also without a date.
inline constexpr std::string_view kToldVerbs[] = {
    "accept",     "achieve",      "acquired",    "adopt",     "adore",     "apply",
    "attend",     "babysit",      "bake",        "beat",      "become",    "begin",
    "bonded",     "brainstormed", "break",       "bring",     "build",     "buy",
    "camp",       "celebrate",    "chatted",     "choose",    "climb",     "coach",
    "collect",    "compete",      "complete",    "contacted", "cook",      "crafted",
    "create",     "crocheted",    "dance",       "decide",    "decorate",  "deliver",
    "designed",   "develop",      "developed",   "discover",  "do",        "donate",
    "draw",       "dream",        "earn",        "enjoyed",   "enroll",    "enter",
    "escaped",    "establish",    "expand",      "explore",   "expressed", "faced",
    "filmed",     "filming",      "find",        "finish",    "fix",       "fly",
    "formed",     "foster",       "found",       "gather",    "get",       "give",
    "go",         "grow",         "have",        "help",      "hike",      "hire",
    "hold",       "host",         "hung",        "improve",   "inherit",   "install",
    "invest",     "invite",       "join",        "kayak",     "launch",    "lead",
    "learn",      "like",         "lose",        "make",      "meet",      "mentor",
    "move",       "networking",   "open",        "order",     "organise",  "organize",
    "overcome",   "paint",        "participate", "partnered", "perform",   "photographed",
    "pick",       "plant",        "play",        "post",      "present",   "print",
    "promote",    "promoted",     "publish",     "put",       "raise",     "reach",
    "read",       "receive",      "recorded",    "recover",   "redo",      "rescue",
    "researched", "restore",      "revised",     "ride",      "roast",     "run",
    "sail",       "save",         "sell",        "serve",     "set",       "sew",
    "share",      "sign",         "sing",        "ski",       "snorkeled", "speak",
    "spend",      "start",        "stay",        "struggle",  "study",     "stumbled",
    "submit",     "submitted",    "surf",        "survive",   "swim",      "tackling",
    "take",       "teach",        "teamed",      "testing",   "tour",      "train",
    "transform",  "travel",       "try",         "turn",      "upgrade",   "visit",
    "volunteer",  "volunteering", "walk",        "watch",     "win",       "witness",
    "work",       "wrapped",      "write",
};

// Words in "-ing" that say how something is.
inline constexpr std::string_view kIngQualities[] = {
    "according",    "amazing",       "annoying",       "appealing",     "boring",
    "breathtaking", "building",      "calming",        "ceiling",       "challenging",
    "charming",     "clothing",      "comforting",     "confusing",     "darling",
    "daunting",     "demanding",     "depressing",     "disappointing", "during",
    "embarrassing", "encouraging",   "engaging",       "enlightening",  "entertaining",
    "evening",      "everything",    "exciting",       "exhausting",    "exhilarating",
    "eye-opening",  "fascinating",   "feeling",        "fitting",       "frightening",
    "frustrating",  "fulfilling",    "growing",        "grueling",      "hanging",
    "healing",      "heartbreaking", "heartwarming",   "horrifying",    "humbling",
    "inspiring",    "interesting",   "intimidating",   "inviting",      "life-changing",
    "lifesaving",   "loving",        "mind-blowing",   "missing",       "morning",
    "motivating",   "moving",        "nerve-wracking", "nothing",       "outstanding",
    "overwhelming", "pleasing",      "promising",      "reassuring",    "refreshing",
    "relaxing",     "rewarding",     "satisfying",     "scaring",       "shocking",
    "sibling",      "smashing",      "something",      "soothing",      "stimulating",
    "stressing",    "string",        "stunning",       "surprising",    "terrifying",
    "thrilling",    "tiring",        "touching",       "trying",        "uplifting",
    "wedding",      "welcoming",     "willing",        "worrying",
};

// What somebody is for long, about or to something.
inline constexpr std::string_view kAttitudes[] = {
    "adamant",      "blessed",    "committed", "dedicated", "determined", "devoted",
    "enthusiastic", "fascinated", "focused",   "fond",      "grateful",   "hooked",
    "inspired",     "involved",   "keen",      "lucky",     "motivated",  "obsessed",
    "optimistic",   "passionate", "proud",     "serious",   "thankful",
};

// What somebody is for a while.
inline constexpr std::string_view kMoods[] = {
    "anxious", "eager", "excited", "nervous",  "psyched",
    "pumped",  "ready", "stoked",  "thrilled", "worried",
};

// What a thing does to somebody.
inline constexpr std::string_view kEffects[] = {
    "allow",      "allowed",   "allows",    "boost",   "boosts",    "bring",      "brings",
    "brought",    "calm",      "calmed",    "calms",   "challenge", "challenges", "cheered",
    "comfort",    "comforts",  "cured",     "drive",   "drives",    "encourage",  "encouraged",
    "encourages", "energises", "energizes", "fuel",    "fuels",     "gave",       "get",
    "gets",       "give",      "given",     "gives",   "ground",    "grounds",    "guide",
    "guides",     "help",      "helped",    "helps",   "inspire",   "inspired",   "inspires",
    "keep",       "keeps",     "kept",      "lead",    "led",       "lets",       "lift",
    "lifts",      "made",      "make",      "makes",   "motivate",  "motivated",  "motivates",
    "push",       "pushed",    "pushes",    "refresh", "refreshes", "relax",      "relaxes",
    "remind",     "reminded",  "reminds",   "soothe",  "soothes",   "taught",     "teach",
    "teaches",
};

// What people thank for.
inline constexpr std::string_view kCourtesies[] = {
    "advice",      "asking",   "backing",   "compliment",     "compliments", "encouragement",
    "feedback",    "hear",     "hearing",   "invitation",     "kindness",    "listening",
    "opinion",     "question", "questions", "recommendation", "reminding",   "suggestion",
    "suggestions", "thoughts", "tip",       "tips",           "you",         "your",
    "yours",
};

// Nouns that name nothing by themselves, of what was had, made, taken or got.
inline constexpr std::string_view kHollowNouns[] = {
    "ages",      "anyway",    "away",     "back",       "ball",    "best",     "better",
    "bit",       "blast",     "break",    "breath",     "busy",    "care",     "chance",
    "choice",    "crazy",     "day",      "days",       "deal",    "deep",     "difference",
    "early",     "effort",    "ends",     "feeling",    "few",     "forward",  "fun",
    "future",    "gist",      "go",       "goosebumps", "guts",    "hand",     "happy",
    "hard",      "heck",      "hope",     "idea",       "kick",    "last",     "late",
    "laugh",     "laughs",    "leap",     "little",     "look",    "lost",     "lot",
    "lots",      "luck",      "memories", "mess",       "mind",    "minute",   "moment",
    "money",     "motivated", "nap",      "note",       "notes",   "part",     "people",
    "photo",     "photos",    "pic",      "pics",       "picture", "pictures", "place",
    "plunge",    "point",     "progress", "proud",      "ready",   "rest",     "sad",
    "safe",      "same",      "sense",    "shot",       "shower",  "sick",     "snap",
    "something", "start",     "started",  "step",       "steps",   "stuck",    "stuff",
    "sure",      "that",      "thing",    "things",     "this",    "time",     "times",
    "together",  "ton",       "tons",     "true",       "turn",    "vibe",     "vibes",
    "way",       "well",      "while",    "wild",       "wish",    "wishes",   "word",
    "words",     "worse",     "years",
};

}  // namespace kartei::daemon::data
