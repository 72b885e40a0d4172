// Longer word lists of single rules, and the topics of standing instructions. Lists are sorted; a
// test holds them to it.
#pragma once

#include <span>

#include "daemon/manager/lexicon.h"

namespace kartei::daemon::data {

// --- Orders -------------------------------------------------------------------------------------

inline constexpr std::string_view kEmojiWords[] = {"emoji", "emojis", "emoticons", "smiley",
                                                   "smileys"};
inline constexpr std::string_view kLanguageWords[] = {
    "chinese",  "deutsch",  "dutch",  "english",    "french",  "german", "italian",
    "japanese", "language", "polish", "portuguese", "spanish", "turkish"};
inline constexpr std::string_view kNameWords[] = {"address", "call", "nickname", "pronouns"};
inline constexpr std::string_view kLengthWords[] = {
    "brief",    "bullet",    "bulleted", "bullets", "concise",   "detailed",   "lengthy",
    "lines",    "list",      "lists",    "long",    "paragraph", "paragraphs", "points",
    "sentence", "sentences", "short",    "shorter", "tldr",      "version",    "words"};
inline constexpr std::string_view kUnitWords[] = {"24-hour", "24h",        "am/pm",    "celsius",
                                                  "euros",   "fahrenheit", "imperial", "kilometres",
                                                  "km",      "metric",     "miles",    "units"};
inline constexpr std::string_view kToneWords[] = {"casual", "formal", "friendly",  "informal",
                                                  "jokes",  "polite", "sarcastic", "tone"};
inline constexpr std::string_view kSourceWords[] = {"citations", "links", "references", "source",
                                                    "sources"};
inline constexpr std::string_view kCodeWords[] = {"code", "comments", "python", "spaces", "tabs"};

// What a rule may be about, and the words that show it; the first topic that fits counts.
struct RuleTopic {
  std::string_view name;
  std::span<const std::string_view> words;
};

inline constexpr RuleTopic kRuleTopics[] = {
    {"emoji", kEmojiWords},    {"language", kLanguageWords}, {"name", kNameWords},
    {"length", kLengthWords},  {"units", kUnitWords},        {"tone", kToneWords},
    {"sources", kSourceWords}, {"code", kCodeWords},
};

inline constexpr std::string_view kOrderOpeners[] = {
    "and", "but", "can", "could", "just", "remember", "so", "to", "will", "would", "you",
};

inline constexpr std::string_view kImperatives[] = {
    "add",       "address",   "answer",  "ask",     "assume",    "avoid", "be",        "book",
    "call",      "check",     "cite",    "convert", "do",        "end",   "explain",   "format",
    "give",      "greet",     "include", "keep",    "leave",     "limit", "list",      "look",
    "make",      "mention",   "offer",   "prefer",  "put",       "quote", "recommend", "refer",
    "remember",  "remind",    "reply",   "respond", "round",     "say",   "send",      "show",
    "sign",      "skip",      "speak",   "spell",   "start",     "stick", "stop",      "suggest",
    "summarise", "summarize", "talk",    "tell",    "translate", "use",   "write",
};

// --- Clauses ------------------------------------------------------------------------------------

inline constexpr std::string_view kTellingAdverbs[] = {
    "always",   "barely",       "frequently", "generally", "hardly",    "mainly",    "mostly",
    "normally", "occasionally", "officially", "often",     "only",      "partly",    "primarily",
    "rarely",   "really",       "regularly",  "seldom",    "sometimes", "typically", "usually",
};

inline constexpr std::string_view kNoSubjects[] = {
    "all",       "another", "anyone", "both",    "each",  "everyone", "everything",
    "here",      "how",     "nobody", "nothing", "one",   "some",     "somebody",
    "something", "such",    "there",  "these",   "those", "what",     "who",
};

inline constexpr std::string_view kOpeningVerbs[] = {
    "drink", "drive",  "eat",  "enjoy", "hate",  "live",  "love", "own",
    "play",  "prefer", "sing", "speak", "study", "teach", "work",
};

inline constexpr std::string_view kDegrees[] = {
    "best", "big",   "dear",   "eldest", "little", "lovely",  "new",
    "old",  "older", "oldest", "own",    "twin",   "younger", "youngest",
};

// --- Acts ---------------------------------------------------------------------------------------

inline constexpr std::string_view kVagueObjects[] = {
    "everything", "her",   "him",  "how",   "if", "it",   "nothing", "so",  "that", "them",
    "there",      "these", "this", "those", "us", "what", "when",    "why", "you",  "your",
};

inline constexpr std::string_view kLastingActivities[] = {
    "attend", "breed",    "build",    "coach",     "date",      "expect",   "foster",   "learn",
    "live",   "organise", "organize", "plan",      "play",      "practice", "practise", "prepare",
    "raise",  "renovate", "rent",     "research",  "restore",   "save",     "see",      "start",
    "study",  "teach",    "train",    "translate", "volunteer", "work",     "write",
};

inline constexpr std::string_view kDailyVerbs[] = {
    "ask", "call",   "cook", "do",    "eat",  "feel", "google", "look", "nap",  "need", "oversleep",
    "say", "shower", "sit",  "sleep", "tell", "text", "think",  "try",  "wake", "want", "watch",
};

inline constexpr std::string_view kStateVerbs[] = {
    "attend", "have", "live", "own", "play", "rent", "run", "study", "teach", "train", "work",
};

inline constexpr std::string_view kCommonAbilities[] = {
    "do",  "drink", "eat",   "handle", "have", "hear", "read",
    "see", "take",  "touch", "type",   "walk", "wear",
};

inline constexpr std::string_view kBareHabits[] = {
    "climb", "commute", "cycle", "dance", "drink", "drive", "garden", "knit", "paint",
    "run",   "sing",    "ski",   "smoke", "snore", "surf",  "swim",   "vape",
};

// --- States and things --------------------------------------------------------------------------

inline constexpr std::string_view kTraitNouns[] = {
    "bird",    "citizen", "donor",   "drinker",    "dual", "eater", "extrovert", "introvert",
    "learner", "lover",   "member",  "non-smoker", "only", "owl",   "parent",    "person",
    "reader",  "runner",  "sleeper", "smoker",     "twin", "vegan", "widow",
};

inline constexpr std::string_view kSchedulingVerbs[] = {
    "arrive", "begin", "depart", "end",  "expire", "finish", "go",
    "happen", "leave", "meet",   "open", "run",    "start",  "take",
};

inline constexpr std::string_view kThingVerbs[] = {
    "cost", "end", "hang", "have",  "lie",   "live", "measure",
    "need", "run", "sit",  "stand", "start", "take", "weigh",
};

// --- Changes ------------------------------------------------------------------------------------

inline constexpr std::string_view kChangeStems[] = {
    "already", "back", "cancel",    "cancell", "day", "forward", "go",
    "going",   "got",  "happen",    "it",      "mov", "moved",   "off",
    "postpon", "push", "reschedul", "still",   "tim", "whol",    "whole",
};

// --- Kinds of sentences -------------------------------------------------------------------------

inline constexpr std::string_view kNuisances[] = {
    "being",   "cleaning", "filling", "getting",  "having",  "how",
    "losing",  "missing",  "paying",  "queueing", "queuing", "scrubbing",
    "sitting", "standing", "waiting", "waking",   "when",
};

// What everybody says, of nobody and to nobody.
inline constexpr std::string_view kSayings[] = {
    "always be grateful",
    "always be happy",
    "always be kind",
    "always be there",
    "always be yourself",
    "always believe in yourself",
    "always follow your heart",
    "always look on the bright side",
    "always remember that",
    "always stay positive",
    "always stay strong",
    "always trust your gut",
    "never a dull moment",
    "never back down",
    "never change",
    "never doubt yourself",
    "never enough",
    "never forget that",
    "never give up",
    "never judge a book",
    "never look back",
    "never lose hope",
    "never say never",
    "never stop believing",
    "never stop dreaming",
    "never stop learning",
    "never too late",
    "never underestimate",
};

// Turns of phrase that mean the opposite.
inline constexpr std::string_view kSarcasms[] = {
    "because who does not",
    "best day ever",
    "best week ever",
    "clap clap",
    "exactly what i needed",
    "great another",
    "how lovely",
    "how wonderful",
    "just brilliant",
    "just fantastic",
    "just great",
    "just perfect",
    "just what i needed",
    "just wonderful",
    "living the dream",
    "love it when",
    "lucky me",
    "my favourite thing in the world",
    "oh brilliant",
    "oh fantastic",
    "oh great",
    "oh joy",
    "oh lovely",
    "oh perfect",
    "oh sure",
    "oh wonderful",
    "oh yeah because",
    "oh yes because",
    "said no one",
    "said nobody",
    "so much fun not",
    "thanks a lot",
    "what a joy",
    "what a treat",
    "what could go wrong",
    "who does not love",
    "yeah right",
};

// A turn that begins with one of these brings text to be worked on.
inline constexpr std::string_view kMaterials[] = {
    "a short story",    "act as",          "correct the grammar",
    "correct this",     "draft a letter",  "draft an email",
    "example sentence", "fix the grammar", "fix this sentence",
    "paraphrase",       "pretend that",    "pretend to be",
    "pretend you",      "proofread",       "rephrase",
    "rewrite",          "role play",       "role-play",
    "roleplay",         "song lyrics",     "summarise",
    "summarize",        "translate",       "write a bio",
    "write a dialogue", "write a letter",  "write a monologue",
    "write a poem",     "write a scene",   "write a story",
    "write an email",   "write me a poem", "write me a story",
};

// Phrases at the end of a statement that say nothing.
inline constexpr std::string_view kEmptyTails[] = {
    "as well",    "at the moment", "by the way",   "for now",       "i admit",   "i guess",
    "i hope",     "i suppose",     "i think",      "of course",     "right now", "so far",
    "these days", "to be exact",   "to be honest", "to be precise", "you know",  "you see",
};

}  // namespace kartei::daemon::data
