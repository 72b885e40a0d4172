// The word lists of lexicon.h. Each is sorted; a test holds them to it.
#pragma once

#include <span>

#include "daemon/manager/lexicon.h"

namespace kartei::daemon::data {

inline constexpr std::string_view kTrivialVerbs[] = {
    "admit",      "agree",   "apologise", "apologize", "appreciate", "ask",    "assume",
    "believe",    "bet",     "care",      "check",     "cry",        "decide", "doubt",
    "expect",     "explain", "feel",      "forget",    "google",     "guess",  "happen",
    "hear",       "hope",    "imagine",   "know",      "laugh",      "let",    "look",
    "mean",       "mind",    "nap",       "need",      "notice",     "order",  "oversleep",
    "overslept",  "pray",    "promise",   "realise",   "realize",    "reckon", "remember",
    "say",        "scroll",  "see",       "seem",      "show",       "shower", "sit",
    "sleep",      "smile",   "sound",     "suppose",   "suspect",    "swear",  "talk",
    "tell",       "text",    "thank",     "think",     "tire",       "trust",  "try",
    "understand", "wait",    "want",      "wish",      "wonder",     "worry",  "yawn",
};

inline constexpr std::string_view kHabitVerbs[] = {
    "abstain",    "admire",   "adore",     "attend",   "avoid",     "babysit",     "bake",
    "bike",       "blog",     "box",       "breed",    "brew",      "build",       "carry",
    "cherish",    "climb",    "coach",     "code",     "collect",   "commute",     "compost",
    "cook",       "crave",    "crochet",   "cycle",    "dance",     "date",        "despise",
    "detest",     "dislike",  "dive",      "do",       "drink",     "drive",       "eat",
    "edit",       "enjoy",    "fast",      "fence",    "fish",      "foster",      "freelance",
    "garden",     "grow",     "hate",      "hike",     "host",      "hunt",        "jog",
    "juggle",     "keep",     "knit",      "lead",     "like",      "live",        "loathe",
    "love",       "maintain", "manage",    "meditate", "mentor",    "moderate",    "moonlight",
    "navigate",   "organise", "organize",  "own",      "paint",     "participate", "perform",
    "play",       "practice", "practise",  "pray",     "prefer",    "prepare",     "program",
    "raise",      "read",     "rent",      "repair",   "restore",   "ride",        "row",
    "run",        "sail",     "sculpt",    "sew",      "share",     "sing",        "skate",
    "skateboard", "ski",      "smoke",     "snore",    "snowboard", "speak",       "sponsor",
    "stream",     "study",    "subscribe", "suffer",   "support",   "surf",        "swim",
    "teach",      "train",    "translate", "treasure", "tutor",     "use",         "vape",
    "volunteer",  "wear",     "weigh",     "weld",     "work",      "write",
};

inline constexpr std::string_view kEventVerbs[] = {
    "accept",  "adopt",    "arrange",  "become",   "begin",   "book",       "break",
    "buy",     "cancel",   "change",   "complete", "crash",   "die",        "divorce",
    "donate",  "earn",     "elope",    "emigrate", "enlist",  "enrol",      "enroll",
    "finish",  "fracture", "give",     "graduate", "hand",    "hire",       "immigrate",
    "inherit", "install",  "join",     "launch",   "leave",   "lose",       "marry",
    "move",    "open",     "pass",     "postpone", "propose", "publish",    "quit",
    "receive", "register", "relocate", "renovate", "replace", "reschedule", "resign",
    "retake",  "retire",   "sell",     "separate", "sign",    "split",      "sprain",
    "start",   "stop",     "swap",     "switch",   "tear",    "trade",      "undergo",
    "upgrade", "win",
};

inline constexpr std::string_view kPlainVerbs[] = {
    "achieve",   "apply",    "arrive",    "base",    "be",        "bear",      "bring",
    "call",      "camp",     "capture",   "catch",   "celebrate", "check",     "choose",
    "clean",     "collect",  "come",      "compete", "consider",  "cover",     "create",
    "cut",       "decorate", "deliver",   "develop", "discover",  "draw",      "drop",
    "encounter", "enter",    "establish", "expand",  "expire",    "explore",   "fail",
    "fall",      "fast",     "feed",      "fight",   "fill",      "find",      "fit",
    "fix",       "fly",      "follow",    "found",   "gather",    "get",       "go",
    "grow",      "hang",     "harvest",   "have",    "hear",      "help",      "hike",
    "hit",       "hold",     "host",      "hurt",    "improve",   "interview", "invest",
    "invite",    "jump",     "kayak",     "kick",    "kill",      "kiss",      "land",
    "last",      "lay",      "learn",     "lend",    "lie",       "lift",      "light",
    "listen",    "make",     "meet",      "miss",    "name",      "need",      "overcome",
    "pack",      "pause",    "pay",       "perform", "pick",      "plan",      "plant",
    "present",   "protest",  "pull",      "push",    "put",       "race",      "reach",
    "recover",   "redo",     "remind",    "remove",  "repair",    "return",    "ring",
    "roast",     "save",     "search",    "see",     "send",      "serve",     "set",
    "settle",    "shoot",    "sit",       "situate", "spend",     "stand",     "stay",
    "steal",     "step",     "stick",     "stream",  "struggle",  "study",     "submit",
    "survive",   "swim",     "take",      "throw",   "tour",      "transform", "travel",
    "turn",      "visit",    "vote",      "wake",    "walk",      "wash",      "watch",
    "wish",      "witness",  "work",
};

inline constexpr std::string_view kFillers[] = {
    "actually",  "ah",        "aha",
    "alright",   "also",      "although",
    "and",       "anyway",    "anyways",
    "aw",        "basically", "besides",
    "btw",       "but",       "cool",
    "damn",      "dear",      "finally",
    "fine",      "first",     "funnily",
    "further",   "fwiw",      "fyi",
    "gosh",      "great",     "guess",
    "guys",      "haha",      "hahaha",
    "hehe",      "hello",     "hey",
    "hi",        "hm",        "hmm",
    "honestly",  "huh",       "incidentally",
    "indeed",    "just",      "k",
    "kk",        "lastly",    "listen",
    "lol",       "look",      "lovely",
    "luckily",   "man",       "morning",
    "nah",       "news",      "ngl",
    "nice",      "no",        "nope",
    "obviously", "oh",        "ok",
    "okay",      "oof",       "ooh",
    "oops",      "perfect",   "please",
    "plus",      "right",     "sadly",
    "secondly",  "seriously", "so",
    "sorry",     "still",     "sure",
    "tbh",       "thanks",    "then",
    "though",    "thx",       "true",
    "turns",     "ugh",       "uh",
    "uhm",       "um",        "unfortunately",
    "update",    "well",      "whoa",
    "wow",       "wtf",       "ya",
    "yay",       "yea",       "yeah",
    "yep",       "yes",       "yo",
    "yup",
};

inline constexpr std::string_view kAdverbs[] = {
    "absolutely",    "accidentally", "actually",   "all",          "almost",     "already",
    "also",          "always",       "barely",     "basically",    "both",       "certainly",
    "clearly",       "completely",   "currently",  "definitely",   "easily",     "especially",
    "even",          "eventually",   "ever",       "finally",      "first",      "forever",
    "fully",         "generally",    "gladly",     "happily",      "hardly",     "honestly",
    "immediately",   "just",         "kinda",      "largely",      "lately",     "literally",
    "luckily",       "mainly",       "mostly",     "myself",       "nearly",     "never",
    "newly",         "normally",     "now",        "nowadays",     "obviously",  "occasionally",
    "officially",    "often",        "once",       "only",         "originally", "partly",
    "perhaps",       "permanently",  "personally", "practically",  "presently",  "pretty",
    "previously",    "primarily",    "probably",   "quickly",      "quite",      "rarely",
    "really",        "recently",     "regularly",  "sadly",        "secretly",   "seldom",
    "seriously",     "simply",       "slowly",     "sometimes",    "soon",       "sorta",
    "still",         "strictly",     "strongly",   "successfully", "suddenly",   "surely",
    "temporarily",   "then",         "too",        "totally",      "truly",      "typically",
    "unfortunately", "usually",      "utterly",    "very",
};

inline constexpr std::string_view kTrailing[] = {
    "actually", "again", "already", "also",      "anyway",   "atm",  "btw",    "either",
    "even",     "haha",  "hahaha",  "hehe",      "honestly", "imo",  "lmao",   "lol",
    "luckily",  "ngl",   "now",     "obviously", "omg",      "phew", "please", "really",
    "rn",       "rofl",  "sadly",   "tbh",       "thanks",   "tho",  "though", "thx",
    "too",      "ugh",   "well",    "wow",       "xd",       "yay",  "yeah",
};

inline constexpr std::string_view kStates[] = {
    "adopted",       "allergic",    "anaemic",    "anemic",        "asthmatic",
    "atheist",       "autistic",    "bilingual",  "bisexual",      "blind",
    "buddhist",      "catholic",    "celiac",     "christian",     "coeliac",
    "color",         "color-blind", "colorblind", "colour",        "colour-blind",
    "dairy-free",    "deaf",        "diabetic",   "disabled",      "divorced",
    "dyslexic",      "engaged",     "epileptic",  "fluent",        "freelance",
    "gay",           "gluten-free", "halal",      "hindu",         "hypertensive",
    "insomniac",     "intolerant",  "jewish",     "kosher",        "lactose-intolerant",
    "left-handed",   "lefthanded",  "lesbian",    "married",       "muslim",
    "nearsighted",   "non-binary",  "nonbinary",  "pescatarian",   "pescetarian",
    "pregnant",      "queer",       "retired",    "self-employed", "separated",
    "short-sighted", "single",      "sober",      "teetotal",      "trans",
    "unemployed",    "vaccinated",  "vegan",      "vegetarian",    "veggie",
    "widowed",
};

inline constexpr std::string_view kOwnables[] = {
    "accordion",      "allotment", "apartment", "balcony",    "bass",       "bicycle",
    "bike",           "boat",      "bungalow",  "cabin",      "camera",     "camper",
    "campervan",      "canoe",     "car",       "caravan",    "cargo-bike", "cello",
    "clarinet",       "cottage",   "drone",     "drums",      "e-bike",     "e-reader",
    "ebike",          "flat",      "flute",     "garage",     "garden",     "guitar",
    "harp",           "house",     "kayak",     "kindle",     "laptop",     "macbook",
    "minivan",        "moped",     "motorbike", "motorcycle", "nas",        "oboe",
    "organ",          "piano",     "pickup",    "printer",    "saxophone",  "scooter",
    "sewing-machine", "tandem",    "telescope", "tractor",    "trailer",    "trombone",
    "truck",          "trumpet",   "ukulele",   "van",        "viola",      "violin",
    "yacht",
};

inline constexpr std::string_view kEventNouns[] = {
    "appointment", "audition",      "barbecue",     "bbq",          "birthday",
    "blood-test",  "bootcamp",      "brunch",       "camp",         "cardiologist",
    "ceremony",    "check-up",      "checkup",      "christening",  "class",
    "concert",     "conference",    "consultation", "convention",   "course",
    "cruise",      "deadline",      "defence",      "delivery",     "demo",
    "dentist",     "dermatologist", "dinner",       "doctor",       "exam",
    "exams",       "excursion",     "ferry",        "festival",     "flight",
    "funeral",     "game",          "gig",          "gp",           "graduation",
    "gym",         "gynaecologist", "haircut",      "handover",     "hearing",
    "hike",        "holiday",       "hygienist",    "inspection",   "interview",
    "jab",         "lecture",       "lesson",       "lessons",      "lunch",
    "marathon",    "massage",       "match",        "meet-up",      "meeting",
    "meetup",      "move",          "mri",          "operation",    "optician",
    "orientation", "orthodontist",  "parents'",     "party",        "performance",
    "physio",      "physiotherapy", "pick-up",      "pickup",       "picnic",
    "playdate",    "practice",      "premiere",     "presentation", "race",
    "reading",     "recital",       "regatta",      "rehearsal",    "retreat",
    "reunion",     "scan",          "screening",    "seminar",      "session",
    "show",        "sleepover",     "sprint",       "surgery",      "tasting",
    "test",        "therapist",     "therapy",      "tour",         "tournament",
    "train",       "training",      "trip",         "vacation",     "vaccination",
    "vet",         "viewing",       "visit",        "webinar",      "wedding",
    "workshop",    "x-ray",
};

inline constexpr std::string_view kEmptyObjects[] = {
    "ball",      "blast",   "break",      "bug",      "call",      "chance",     "choice",
    "choose",    "class",   "clue",       "code",     "cold",      "compliment", "concern",
    "dilemma",   "doubt",   "doubts",     "dream",    "endpoint",  "energy",     "error",
    "feedback",  "feeling", "few",        "file",     "following", "fun",        "function",
    "go",        "guess",   "hangover",   "headache", "hope",      "hunch",      "idea",
    "ideas",     "issue",   "joke",       "laugh",    "look",      "lot",        "lots",
    "luck",      "mess",    "method",     "minute",   "moment",    "money",      "nap",
    "need",      "nothing", "option",     "options",  "output",    "pain",       "plan",
    "plans",     "point",   "problem",    "problems", "question",  "questions",  "reason",
    "request",   "rest",    "seat",       "sec",      "second",    "shower",     "snack",
    "something", "stuff",   "suggestion", "talk",     "thing",     "things",     "thought",
    "thoughts",  "time",    "tip",        "to",       "try",       "way",        "word",
    "work",      "worry",
};

inline constexpr std::string_view kAttributes[] = {
    "account",     "accountant", "address",      "allergy",     "ambition",  "anniversary",
    "bag",         "birthday",   "birthplace",   "blood",       "boss",      "bra",
    "brand",       "budget",     "bus",          "car",         "cat",       "child",
    "cholesterol", "class",      "code",         "colleague",   "colour",    "company",
    "customer",    "deadline",   "degree",       "dentist",     "diagnosis", "diet",
    "doctor",      "dog",        "dosage",       "dose",        "dream",     "e-mail",
    "email",       "employer",   "extension",    "eye",         "favourite", "flat",
    "flight",      "frame",      "gate",         "glasses",     "goal",      "gp",
    "hairdresser", "handle",     "hat",          "height",      "hobby",     "home",
    "hometown",    "iban",       "instrument",   "insurance",   "job",       "landlady",
    "landlord",    "language",   "languages",    "lawyer",      "lens",      "licence",
    "license",     "limit",      "locker",       "major",       "manager",   "max",
    "maximum",     "mechanic",   "medication",   "membership",  "middle",    "model",
    "mother",      "motto",      "name",         "nationality", "native",    "neighbor",
    "neighbour",   "nickname",   "number",       "office",      "passport",  "pet",
    "phone",       "physio",     "pin",          "plan",        "plate",     "plot",
    "policy",      "postcode",   "prescription", "pressure",    "pronouns",  "religion",
    "rent",        "room",       "salary",       "school",      "seat",      "shift",
    "shifts",      "shirt",      "shoe",         "shoes",       "size",      "sport",
    "star",        "street",     "surname",      "tablets",     "target",    "teacher",
    "team",        "therapist",  "thesis",       "timezone",    "tires",     "title",
    "train",       "trainer",    "type",         "tyres",       "uni",       "university",
    "username",    "vet",        "watch",        "website",     "weight",    "width",
    "wifi",        "zip",        "zodiac",
};

inline constexpr std::string_view kJobs[] = {
    "accountant",   "actor",         "actress",         "analyst",     "apprentice", "architect",
    "artist",       "astronomer",    "au-pair",         "baker",       "banker",     "barber",
    "barista",      "bartender",     "beekeeper",       "biologist",   "bookkeeper", "botanist",
    "builder",      "butcher",       "carer",           "carpenter",   "cashier",    "chef",
    "chemist",      "clerk",         "coach",           "composer",    "consultant", "cook",
    "counsellor",   "courier",       "dancer",          "dentist",     "designer",   "developer",
    "dietician",    "director",      "diver",           "doctor",      "economist",  "editor",
    "electrician",  "engineer",      "farmer",          "firefighter", "fisherman",  "florist",
    "founder",      "freelancer",    "gardener",        "geologist",   "guard",      "guide",
    "hairdresser",  "historian",     "illustrator",     "instructor",  "intern",     "joiner",
    "journalist",   "judge",         "lawyer",          "lecturer",    "librarian",  "machinist",
    "manager",      "mathematician", "mechanic",        "midwife",     "musician",   "nanny",
    "nurse",        "optician",      "paediatrician",   "painter",     "paramedic",  "pharmacist",
    "photographer", "physicist",     "physiotherapist", "pilot",       "plumber",    "poet",
    "policeman",    "porter",        "postdoc",         "postman",     "potter",     "professor",
    "programmer",   "psychologist",  "radiologist",     "reporter",    "researcher", "roofer",
    "sailor",       "salesman",      "scientist",       "sculptor",    "secretary",  "singer",
    "soldier",      "solicitor",     "statistician",    "student",     "surgeon",    "surveyor",
    "tailor",       "teacher",       "technician",      "tester",      "therapist",  "trainee",
    "trainer",      "translator",    "trucker",         "tutor",       "undertaker", "vet",
    "vicar",        "waiter",        "waitress",        "welder",      "writer",     "zookeeper",
};

inline constexpr std::string_view kTransientNouns[] = {
    "adult", "beginner", "bit",    "boy",   "complete", "day",   "disaster", "fool",  "genius",
    "girl",  "guy",      "hot",    "human", "idiot",    "joke",  "little",   "loser", "lot",
    "man",   "mess",     "minute", "moron", "noob",     "pain",  "person",   "pro",   "rush",
    "star",  "state",    "tad",    "total", "woman",    "wreck", "zombie",
};

inline constexpr std::string_view kPrepositions[] = {
    "about",      "above",  "across",   "after",      "against", "along",   "among",   "around",
    "as",         "at",     "before",   "behind",     "below",   "beneath", "beside",  "between",
    "beyond",     "by",     "despite",  "down",       "during",  "except",  "for",     "from",
    "in",         "inside", "into",     "like",       "near",    "next",    "of",      "off",
    "on",         "onto",   "opposite", "out",        "outside", "over",    "past",    "per",
    "round",      "since",  "through",  "throughout", "to",      "toward",  "towards", "under",
    "underneath", "until",  "up",       "upon",       "via",     "with",    "within",  "without",
};

inline constexpr std::string_view kDeterminers[] = {
    "a",    "an",    "another", "any",  "both",  "each",    "eight", "either", "every", "few",
    "five", "four",  "her",     "his",  "its",   "many",    "more",  "most",   "much",  "my",
    "nine", "no",    "other",   "our",  "seven", "several", "six",   "some",   "ten",   "that",
    "the",  "their", "these",   "this", "those", "three",   "two",   "whose",  "your",
};

inline constexpr std::string_view kPets[] = {
    "alpaca",     "beagle",    "bird",        "budgie",    "bunny",      "canary",   "cat",
    "cats",       "chicken",   "chickens",    "chihuahua", "chinchilla", "cockapoo", "cockatiel",
    "collie",     "corgi",     "dachshund",   "dalmatian", "dog",        "doggo",    "dogs",
    "donkey",     "ferret",    "frog",        "gecko",     "gerbil",     "goat",     "goats",
    "goldfish",   "greyhound", "guinea",      "hamster",   "hamsters",   "hedgehog", "hen",
    "hens",       "horse",     "hound",       "husky",     "iguana",     "kitten",   "kittens",
    "kitty",      "lab",       "labradoodle", "labrador",  "lizard",     "llama",    "mare",
    "mouse",      "parakeet",  "parrot",      "pig",       "pony",       "poodle",   "pug",
    "pup",        "puppy",     "rabbit",      "rabbits",   "rat",        "rats",     "retriever",
    "rottweiler", "sheep",     "shepherd",    "snail",     "snake",      "spaniel",  "stallion",
    "tabby",      "terrier",   "tomcat",      "tortoise",  "turtle",     "whippet",
};

inline constexpr std::string_view kAuxiliaries[] = {
    "am", "are", "can",   "could", "did",   "do",     "does", "had",  "has",  "have",
    "is", "may", "might", "must",  "shall", "should", "was",  "were", "will", "would",
};

inline constexpr std::string_view kNotPlaces[] = {
    "bed",     "case",  "charge", "debt",    "denial", "fact",  "fear",  "front", "general",
    "harmony", "hell",  "hope",   "limbo",   "love",   "luck",  "mind",  "mood",  "order",
    "pain",    "panic", "part",   "peace",   "place",  "shape", "shock", "sync",  "tears",
    "theory",  "time",  "touch",  "trouble", "vain",   "years",
};

inline constexpr std::string_view kAbleVerbs[] = {
    "bake",  "bend",    "climb", "cook",     "dance",  "digest", "do",   "drink", "drive",
    "eat",   "handle",  "have",  "hear",     "juggle", "kneel",  "knit", "lift",  "play",
    "read",  "ride",    "run",   "sail",     "see",    "sew",    "sing", "ski",   "smell",
    "speak", "stomach", "swim",  "tolerate", "touch",  "type",   "walk", "wear",  "write",
};

inline constexpr std::string_view kNotNames[] = {
    "a",       "actually",  "after",    "again",     "all",        "also",     "always",
    "am",      "an",        "and",      "any",       "anyone",     "anyway",   "april",
    "are",     "as",        "at",       "august",    "bad",        "been",     "big",
    "both",    "bought",    "btw",      "but",       "by",         "can",      "christmas",
    "could",   "december",  "did",      "do",        "does",       "don't",    "dutch",
    "easter",  "english",   "every",    "everyone",  "everything", "february", "few",
    "finally", "fine",      "for",      "french",    "friday",     "from",     "fun",
    "german",  "good",      "got",      "great",     "guess",      "had",      "has",
    "have",    "he",        "heads",    "hello",     "her",        "here",     "hey",
    "hi",      "his",       "honestly", "how",       "i",          "if",       "in",
    "is",      "it",        "italian",  "its",       "january",    "july",     "june",
    "just",    "last",      "let",      "like",      "lol",        "many",     "march",
    "may",     "maybe",     "me",       "monday",    "morning",    "most",     "moved",
    "my",      "never",     "new",      "next",      "no",         "nope",     "not",
    "note",    "nothing",   "november", "now",       "october",    "of",       "oh",
    "ok",      "okay",      "on",       "one",       "only",       "or",       "other",
    "our",     "out",       "please",   "quick",     "random",     "remember", "right",
    "sad",     "same",      "saturday", "september", "she",        "should",   "since",
    "so",      "sold",      "some",     "someone",   "something",  "sorry",    "spanish",
    "started", "still",     "such",     "sunday",    "sure",       "thank",    "thanks",
    "that",    "the",       "their",    "them",      "then",       "there",    "these",
    "they",    "this",      "those",    "though",    "thursday",   "thx",      "to",
    "today",   "tomorrow",  "tonight",  "too",       "tuesday",    "turns",    "two",
    "until",   "update",    "us",       "very",      "was",        "we",       "wednesday",
    "well",    "went",      "were",     "what",      "when",       "where",    "which",
    "while",   "who",       "why",      "will",      "with",       "would",    "yeah",
    "yes",     "yesterday", "yet",      "you",       "your",
};

// Words that a sentence may begin with: a capital there makes no name of them, elsewhere it does.
inline constexpr std::string_view kOpeners[] = {
    "about",        "above",         "absolutely", "across",    "against",    "agreed",
    "along",        "although",      "another",    "around",    "art",        "autumn",
    "awesome",      "ballet",        "beautiful",  "because",   "before",     "behind",
    "being",        "beside",        "besides",    "between",   "books",      "busy",
    "cars",         "cats",          "children",   "coffee",    "congrats",   "congratulations",
    "contemporary", "cool",          "crazy",      "dance",     "definitely", "despite",
    "dogs",         "doing",         "dude",       "each",      "easy",       "either",
    "especially",   "even",          "ever",       "everybody", "everywhere", "exactly",
    "excited",      "exercise",      "family",     "feels",     "flowers",    "food",
    "football",     "friends",       "games",      "glad",      "going",      "gonna",
    "gotta",        "guys",          "haha",       "happy",     "hard",       "health",
    "home",         "hope",          "hopefully",  "however",   "into",       "kids",
    "kinda",        "kudos",         "lately",     "life",      "looks",      "love",
    "lovely",       "luckily",       "man",        "money",     "movies",     "music",
    "nah",          "nature",        "neat",       "neither",   "nice",       "nobody",
    "nowhere",      "once",          "oops",       "over",      "people",     "perfect",
    "pets",         "phew",          "plants",     "pottery",   "practice",   "practices",
    "probably",     "proud",         "rain",       "recently",  "school",     "seems",
    "sleep",        "smells",        "snow",       "somebody",  "sometimes",  "somewhere",
    "sounds",       "sports",        "strong",     "stuff",     "summer",     "sunshine",
    "support",      "sweet",         "take",       "tastes",    "tea",        "thankfully",
    "theatre",      "themes",        "things",     "time",      "times",      "tired",
    "totally",      "tough",         "travel",     "true",      "ugh",        "unconditional",
    "under",        "unfortunately", "unless",     "wanna",     "way",        "weather",
    "whatever",     "whenever",      "wherever",   "whether",   "whoa",       "whoever",
    "wild",         "winter",        "within",     "without",   "wonderful",  "work",
    "world",        "wow",           "yay",        "yoga",      "yup",
};

}  // namespace kartei::daemon::data
