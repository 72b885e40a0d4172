#include "store/secrets/told_value.h"

#include <algorithm>
#include <array>
#include <string>

#include "store/secrets/shape.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kPasswordLeast = 4, kPasswordMost = 128;
constexpr std::size_t kMixedLeast = 6, kBesideLeast = 8;
constexpr std::size_t kLettersLeast = 5;
constexpr std::size_t kDigitsMost = 16;  // of a password of digits alone
constexpr std::size_t kPinLeast = 4, kPinMost = 8;
constexpr std::size_t kPostalDigits = 6;  // Indian PIN codes
constexpr std::size_t kKeyLeast = 16, kWeakKeyLeast = 20, kKeyMost = 1024, kHexLeast = 24;

// Where a password stands, these say how it is, or that there is none. Folded; sorted.
constexpr std::string_view kPlainWords[] = {
#include "store/secrets/plain_words.inc"
};

// Names of methods and products, which have letters and digits without being secret.
constexpr std::string_view kNames[] = {
    "sha",      "md5",       "aes",          "utf",       "base64",   "rsa",       "ed25519",
    "argon2",   "pbkdf2",    "bcrypt",       "scrypt",    "windows",  "iphone",    "ios",
    "android",  "wpa",       "http",         "oauth",     "2fa",      "1password", "ipv",
    "mp3",      "mp4",       "covid",        "web2",      "web3",     "s3",        "ec2",
    "log4j",    "office365", "microsoft365", "windows11", "vitamin",  "galaxy",    "ps5",
    "x86",      "k8s",       "x509",         "fido2",     "u2f",      "totp",      "crc32",
    "chacha20", "blake2",    "sqlite3",      "python3",   "postgres", "mysql8",    "ubuntu",
    "debian"};

// Of files and hosts.
constexpr std::string_view kFileEnds[] = {
    "pdf",  "txt", "md",   "csv", "json",   "yaml", "yml",  "toml", "xml",  "html", "htm",
    "js",   "ts",  "py",   "cpp", "h",      "c",    "rs",   "go",   "java", "rb",   "php",
    "sh",   "jpg", "jpeg", "png", "gif",    "svg",  "zip",  "gz",   "tar",  "exe",  "docx",
    "xlsx", "odt", "log",  "db",  "sqlite", "kdbx", "conf", "ini",  "env",  "pem",  "key",
    "com",  "org", "net",  "io",  "de",     "gov",  "edu"};

// Behind a number, they make it a measure: "12-character", "90days", "3x".
constexpr std::string_view kUnits[] = {
    "char", "dig",   "letter",  "sym",    "bit",  "byte",  "day",    "week",   "month",
    "year", "h",     "min",     "sec",    "s",    "x",     "th",     "st",     "nd",
    "rd",   "k",     "px",      "gb",     "mb",   "kb",    "ms",     "m",      "pm",
    "am",   "times", "zeichen", "stell",  "tag",  "jahr",  "mal",    "car",    "jour",
    "an",   "dia",   "mes",     "ano",    "hora", "giorn", "ann",    "cif",    "word",
    "wort", "try",   "step",    "factor", "item", "user",  "people", "person", "pack"};

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

bool only_of(std::string_view text, std::string_view set) {
  return text.find_first_not_of(set) == std::string_view::npos;
}

bool is_measure(std::string_view small) {
  std::size_t digits = 0;
  while (digits < small.size() && is_digit(small[digits])) ++digits;
  if (digits == 0 || digits > 4) return false;
  std::string_view rest = small.substr(digits);
  while (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  if (rest.empty()) return true;
  if (!std::all_of(rest.begin(), rest.end(), [](char c) { return is_letter(c) || c == '-'; }))
    return false;
  return std::any_of(std::begin(kUnits), std::end(kUnits), [&](std::string_view unit) {
    return unit.size() <= 2 ? rest == unit : rest.starts_with(unit);
  });
}

// Ways to write something else: addresses, paths, times, versions, calls, variables.
bool is_other(std::string_view text) {
  const std::string small = folded(text);
  if (small.find("://") != std::string::npos || small.starts_with("www.")) return true;
  if (text.starts_with("/") || text.starts_with("./") || text.starts_with("~/")) return true;
  if (text.size() > 2 && text[1] == ':' && text[2] == '\\') return true;
  if (text.starts_with('@') && text.find_first_of("!#$%^&*") == std::string_view::npos) return true;
  // someone@example.org
  if (const std::size_t at = text.find('@'); at != std::string_view::npos && at > 0) {
    const std::string_view host = text.substr(at + 1);
    const std::size_t dot = host.rfind('.');
    const bool plain = std::all_of(host.begin(), host.end(),
                                   [](char c) { return is_word(c) || c == '.' || c == '-'; });
    if (plain && dot != std::string_view::npos && dot > 0 && host.size() - dot >= 3 &&
        std::all_of(host.begin() + static_cast<std::ptrdiff_t>(dot) + 1, host.end(), is_letter))
      return true;
  }
  // Calls and variables: os.environ["X"], getenv(X), process.env.X, self.password, config.db_pass.
  if (text.find("()") != std::string_view::npos || text.find('(') != std::string_view::npos)
    return true;
  for (const std::string_view code :
       {"process.", "os.", "env.", "self.", "this.", "config.", "settings.", "req.", "request.",
        "secrets.", "vault.", "var.", "data.", "user.", "form."})
    if (small.starts_with(code)) return true;
  // report.pdf, example.org
  if (const std::size_t dot = small.rfind('.'); dot != std::string::npos && dot > 0)
    for (const std::string_view end : kFileEnds)
      if (std::string_view(small).substr(dot + 1) == end) return true;
  // 2.4.1, v2.4.1-rc1
  const std::size_t v = small.starts_with('v') ? 1 : 0;
  if (small.size() > v && is_digit(small[v]) &&
      only_of(std::string_view(small).substr(v), "0123456789.-+rcbetalph") &&
      small.find('.') != std::string::npos)
    return true;
  if (only_of(text, "0123456789.,:/-+ ()%") && !only_of(text, "0123456789")) return true;
  // "key1=value"
  if (is_measure(small)) return true;
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
    return small.starts_with(name) && small.size() <= name.size() + 4;
  });
}

// The hash of a password as systems keep it, or the way to another place where one is kept.
bool is_kept_elsewhere(std::string_view text) {
  for (const std::string_view hash :
       {"pbkdf2", "$2a$", "$2b$", "$2y$", "$argon2", "$5$", "$6$", "{ssha", "sha256:", "sha1:"})
    if (text.starts_with(hash)) return true;
  // data["x"], session[, environ['X
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || bracket == 0) return false;
  const std::string_view before = text.substr(0, bracket), behind = text.substr(bracket + 1);
  const bool name = std::all_of(before.begin(), before.end(),
                                [](char c) { return is_letter(c) || c == '_' || c == '.'; });
  return name && (behind.empty() || behind.front() == '\'' || behind.front() == '"' ||
                  is_digit(behind.front()));
}

// "mypassword", "password123", "testpass": what examples have.
bool names_itself(std::string_view text) {
  if (contains_word(text, "password") || contains_word(text, "passwort") ||
      contains_word(text, "passwd"))
    return true;
  const bool letters = shape_of(text).only_letters();
  return letters && (contains_word(text, "pass") || contains_word(text, "secret") ||
                     contains_word(text, "contrasena") || contains_word(text, "wachtwoord"));
}

// Left empty, or to be filled in.
bool is_stand_in(std::string_view text) {
  const std::string small = folded(text);
  if (text.find_first_of("<>{}[]") != std::string_view::npos &&
      (text.front() == '<' || text.front() == '{' || text.front() == '[' || text.front() == '$'))
    return true;
  if (text.starts_with('$') || text.starts_with("%(") || text.starts_with("%s")) {
    const std::string_view rest = text.substr(1);
    if (std::all_of(rest.begin(), rest.end(), [](char c) {
          return is_letter(c) || c == '_' || c == '{' || c == '}' || c == '(' || c == ')';
        }))
      return true;
  }
  if (small.starts_with("your") || small.starts_with("my_") || small.starts_with("my-") ||
      small.starts_with("mein_"))
    return true;
  if (says_stand_in(text)) return true;
  for (const std::string_view blank : {"xxxx", "****", "...."})
    if (small.find(blank) != std::string::npos) return true;
  if (small.size() >= 3 &&
      std::all_of(small.begin(), small.end(), [&](char c) { return c == small[0]; }) &&
      !is_digit(small[0]))
    return true;
  return only_of(text, "*.-_xX#?•");
}

// Several words, one of which may be a plain one: "correct horse battery staple", but not
// "up to date" or a sentence about passwords.
bool is_row_of_words(std::string_view text, std::string_view joints) {
  std::size_t words = 0, plain = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(joints), text.size());
    if (end < 3) return false;
    ++words;
    plain += is_plain_word(text.substr(0, end)) ? 1 : 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words >= 3 && plain <= (words > 3 ? 1 : 0);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : (class_of(text[i]) & (kHexLower | kHexUpper)) == 0) return false;
  }
  return true;
}

bool is_password(const Told& told, bool label) {
  std::string_view value = told.value;
  const bool tied = told.tie != Tie::kBeside || told.quoted;
  if (value.size() < kPasswordLeast || value.size() > kPasswordMost) return false;
  Shape shape = shape_of(value);
  if (shape.letters() + shape.digits == 0) return false;
  // "caducó en 2023"
  const bool year = value.size() == 4 && (value.starts_with("19") || value.starts_with("20"));
  if (shape.only_digits() && told.loose && year) return false;
  if (shape.only_digits()) return tied && told.ends && !label && value.size() <= kDigitsMost;
  if (is_stand_in(value) || is_other(value) || is_kept_elsewhere(value)) return false;
  if (names_itself(value) && !(told.owned && told.tie == Tie::kWord)) return false;
  if (told.quoted && value.find(' ') != std::string_view::npos) {
    const Shape phrase = shape_of(value);
    return phrase.signs + phrase.digits > 0 && is_row_of_words(value, " ");
  }
  // Marks at its end are those of the sentence, where there are but letters before them.
  while (!value.empty() && shape.digits == 0 && (value.back() == '!' || value.back() == '?')) {
    value.remove_suffix(1);
    shape = shape_of(value);
  }
  if (value.size() < kPasswordLeast) return false;
  if (shape.only_letters()) {
    if (label || !tied || value.size() < kLettersLeast || is_plain_word(folded(value)))
      return false;
    if (told.quoted) return true;
    return told.ends && !told.next_line && shape.foreign == 0 &&
           (told.tie == Tie::kMark || told.owned);
  }
  if (shape.digits == 0) {
    const std::size_t joints =
        static_cast<std::size_t>(std::count_if(value.begin(), value.end(), [](char c) {
          return c == '-' || c == '\'' || c == '/' || c == '.' || c == '_' || c == ',';
        }));
    if (joints == shape.signs) return tied && value.size() >= 12 && is_row_of_words(value, "-_./");
    const bool leads = value.front() == '#' || value.front() == '@' || value.front() == '-' ||
                       value.front() == '(' || value.front() == '!';
    if (leads && shape.signs == 1) return false;
    return tied && value.size() >= kMixedLeast;
  }
  if (shape.letters() == 0)
    return tied && shape.signs > 0 && value.size() >= kMixedLeast &&
           !only_of(value, "0123456789.,:/-+ ");
  if (tied || told.owned)
    return value.size() >= (told.tie == Tie::kBeside ? kMixedLeast : kMixedLeast - 1);
  const bool varied = shape.signs > 0 || (shape.upper > 0 && shape.lower > 0) || shape.changes >= 3;
  return value.size() >= kBesideLeast && varied;
}

bool is_pin(const Told& told) {
  const Shape shape = shape_of(told.value);
  if (!shape.only_digits() || shape.size < kPinLeast || shape.size > kPinMost) return false;
  if (!told.ends) return false;
  if (shape.size == kPostalDigits && told.postal) return false;
  if (shape.size == kPostalDigits)
    return told.tie == Tie::kWord || (told.tie == Tie::kMark && told.owned);
  return told.tie != Tie::kBeside || told.shouted || told.owned;
}

bool is_card_code(const Told& told) {
  const Shape shape = shape_of(told.value);
  return shape.only_digits() && (shape.size == 3 || shape.size == 4) && told.ends;
}

// Those that documentation gives for example everywhere.
constexpr std::string_view kExamples[] = {"JBSWY3DPEHPK3PXP"};

bool is_key(const Told& told, bool weak) {
  const std::string_view value = told.value;
  for (const std::string_view example : kExamples)
    if (value == example) return false;
  if (value.size() < (weak ? kWeakKeyLeast : kKeyLeast) || value.size() > kKeyMost) return false;
  constexpr unsigned kSet = kWord | kUrlSign | kBase64Sign | kPad | kDot | kTilde;
  if (!std::all_of(value.begin(), value.end(), [](char c) { return (class_of(c) & kSet) != 0; }))
    return false;
  if (value.starts_with('/') || value.starts_with('.')) return false;
  const bool tied = told.tie != Tie::kBeside;
  if (is_uuid(value)) return !weak && is_random(value);
  std::string_view hex = value;
  const bool zero_x = hex.starts_with("0x");
  if (zero_x) hex.remove_prefix(2);
  const Shape shape = shape_of(hex);
  if (shape.hex == shape.size) {
    if (zero_x && shape.size == 40) return false;  // an address of Ethereum
    const bool beside = !weak && shape.size >= 64;
    return (tied || beside) && shape.size >= kHexLeast && shape.digits > 0 && is_random(hex);
  }
  return (tied || value.size() >= kWeakKeyLeast) && is_jumbled(value);
}

}  // namespace

bool is_plain_word(std::string_view word) {
  const std::string small = folded(word);
  return std::binary_search(std::begin(kPlainWords), std::end(kPlainWords),
                            std::string_view(small));
}

bool is_told_secret(const Told& told, Tells tells) {
  switch (tells) {
    case Tells::kPassword:
      return is_password(told, false);
    case Tells::kLabel:
      return is_password(told, true);
    case Tells::kPin:
      return is_pin(told);
    case Tells::kCardCode:
      return is_card_code(told);
    case Tells::kKey:
      return is_key(told, false);
    case Tells::kWeakKey:
      break;
  }
  return is_key(told, true);
}

}  // namespace kartei::secrets
