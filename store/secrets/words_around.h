// What stands around a telling word: the words that tie a secret to it, lead to it, end it, or make
// the telling word speak of something else. All as PlainText leaves them, in lower case, and
// without signs at their ends: they are compared with whole words that were trimmed.
#pragma once

#include <string_view>

namespace kartei::secrets::around {

// Between the word and the secret: "is".
inline constexpr std::string_view kCopulas[] = {
    "is",   "was",    "are",    "be",    "equals", "reads", "to",     "becomes", "called",
    "ist",  "lautet", "heist",  "war",   "sind",   "auf",   "es",     "era",     "sera",
    "son",  "est",    "etait",  "c'est", "e",      "ar",    "var",    "jest",    "luidt",
    "a",    "it's",   "that's", "это",   "ειναι",  "هي",    "هو",     "है",       "olarak",
    "como", "comme",  "als",    "as",    "come",   "sta",   "isn't",  "remains", "bleibt",
    "s",    "en",     "pa",     "на",    "byt",    "till",  "bedzie", "bylo",    "il"};
// Of these, those that often mean something else.
inline constexpr std::string_view kLoose[] = {"to", "auf",  "a", "en",  "pa",
                                              "на", "till", "e", "come"};
// Between "is" and the secret.
inline constexpr std::string_view kFillers[] = {
    "now",        "still",  "just",     "simply",   "currently", "the",     "this",   "set",
    "to",         "jetzt",  "noch",     "immer",    "einfach",   "nun",     "also",   "ahora",
    "maintenant", "adesso", "agora",    "nu",       "теперь",    "bearer",  "basic",  "token",
    "key",        "again",  "wieder",   "actually", "probably",  "aktuell", "today",  "following",
    "das",        "auf",    "toujours", "ancora",   "todavia",   "ainda",   "always", "sempre",
    "siempre",    "called", "then",     "number"};
// They make the word speak of something else: "password manager", "token count".
inline constexpr std::string_view kOtherwise[] = {"manager",
                                                  "managers",
                                                  "policy",
                                                  "policies",
                                                  "reset",
                                                  "resets",
                                                  "hint",
                                                  "hints",
                                                  "hash",
                                                  "hashes",
                                                  "hashing",
                                                  "field",
                                                  "fields",
                                                  "form",
                                                  "prompt",
                                                  "generator",
                                                  "strength",
                                                  "length",
                                                  "rules",
                                                  "rule",
                                                  "page",
                                                  "link",
                                                  "expiry",
                                                  "requirements",
                                                  "count",
                                                  "counts",
                                                  "limit",
                                                  "limits",
                                                  "budget",
                                                  "fingerprint",
                                                  "id",
                                                  "ids",
                                                  "usage",
                                                  "protected",
                                                  "protection",
                                                  "safe",
                                                  "vault",
                                                  "app",
                                                  "file",
                                                  "sharing",
                                                  "recovery",
                                                  "leak",
                                                  "leaks",
                                                  "breach",
                                                  "cracking",
                                                  "spraying",
                                                  "authentication",
                                                  "less",
                                                  "free",
                                                  "santa",
                                                  "agent",
                                                  "service",
                                                  "garden",
                                                  "ingredient",
                                                  "sauce",
                                                  "recipe",
                                                  "ring",
                                                  "economy",

                                                  "per",
                                                  "window",
                                                  "error",
                                                  "errors",
                                                  "board",
                                                  "header",
                                                  "headers",
                                                  "layout",
                                                  "diagram",
                                                  "cushion",
                                                  "collection",
                                                  "badge",
                                                  "tweet",
                                                  "post",
                                                  "posts",
                                                  "verschlusselung",

                                                  "richtlinie",
                                                  "rotation",
                                                  "lange",
                                                  "zeichen",
                                                  "gestionnaire",
                                                  "gestor",
                                                  "politica",
                                                  "politique",
                                                  "version",

                                                  "ausgabe",
                                                  "size",
                                                  "type",
                                                  "types",
                                                  "format",
                                                  "model",
                                                  "models",
                                                  "name",
                                                  "column",
                                                  "table",
                                                  "variable",
                                                  "env",
                                                  "parameter",
                                                  "argument",
                                                  "attempts",
                                                  "attempt"};
inline constexpr std::string_view kCode[] = {"code"};
// "my password": whoever says so tells one.
inline constexpr std::string_view kOwners[] = {
    "my",      "our",     "mein",  "meine", "unser", "unsere", "meinem", "mi",
    "nuestra", "nuestro", "mon",   "ma",    "notre", "mia",    "mio",    "nostra",
    "minha",   "meu",     "nossa", "mijn",  "ons",   "onze",   "mitt",   "vart",
    "min",     "moje",    "moj",   "nasze", "мой",   "моя",    "наш",    "benim"};
inline constexpr std::string_view kThingsWithPins[] = {"card",   "bank",    "sim",       "debit",
                                                       "credit", "phone",   "voicemail", "karte",
                                                       "carte",  "tarjeta", "bancomat",  "pas"};
// Before the word, with the secret before them: "Kaffee-2291 is my password".
inline constexpr std::string_view kBackCopulas[] = {
    "is", "was", "ist", "war", "es",   "era",   "est",  "e",   "ar", "jest",
    "to", "это", "as",  "als", "como", "comme", "come", "как", "som"};
inline constexpr std::string_view kBackOwners[] = {
    "my",    "our",  "the",    "mein",    "unser", "das",   "mi",    "la",   "nuestra", "el",
    "mon",   "le",   "notre",  "mia",     "minha", "a",     "nossa", "mijn", "het",     "ons",
    "mitt",  "moje", "мой",    "наш",     "new",   "neues", "wifi",  "wlan", "router",  "old",
    "admin", "root", "master", "current", "i",     "il",    "card"};
// Behind a secret that is a word or a number, the statement may go on with these.
inline constexpr std::string_view kGoesOn[] = {
    "and",   "but",    "for",  "or",     "so",  "und", "aber",  "fur",     "y",  "pero", "para",
    "et",    "mais",   "pour", "ma",     "per", "mas", "maar",  "voor",    "и",  "а",    "но",
    "now",   "please", "btw",  "thanks", "och", "men", "since", "because", "by", "oder", "damit",
    "bitte", "danke",  "not",  "nicht",  "i",   "in",  "on",    "at"};

// In a script without spaces: "is", and what makes the word speak of something else.
inline constexpr std::string_view kScriptTies[] = {"是", "为", "為", "は", "が", "는",
                                                   "은", "가", "이", "を", "를", "을",
                                                   "设", "設", "成", "叫", "改"};
inline constexpr std::string_view kScriptOtherwise[] = {"学",   "學",   "错",   "錯",  "长", "長",
                                                        "重置", "管理", "忘",   "强",  "位", "문자",
                                                        "자리", "文字", "이상", "以上"};
// Before a label: "user olga pass ...".
inline constexpr std::string_view kLogins[] = {
    "user", "login", "username", "name",        "wifi",        "wlan", "admin",
    "with", "mit",   "email",    "utilisateur", "identifiant", "mon",  "le"};

}  // namespace kartei::secrets::around
