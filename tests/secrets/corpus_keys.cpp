// Keys of services, private keys, signed tokens, addresses, cards and seed phrases in ordinary
// sentences. Prefixes stand here in pieces.
#include <sodium.h>

#include <functional>

#include "crypto/identity.h"
#include "crypto/secret.h"
#include "store/secrets/checks.h"
#include "tests/secrets/corpus_parts.h"

namespace kartei::secrets::corpus {
namespace {

using Made = std::string;
using Maker = std::function<Made(Generator&)>;

constexpr const char* kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

Made with_crc(const std::string& random) {
  return random + base62_crc32(random);
}

std::string url64_of(std::string_view text) {
  std::string out(sodium_base64_encoded_len(text.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING),
                  '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(text.data()),
                    text.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  out.resize(out.size() - 1);
  return out;
}

// clang-format off
const std::vector<Maker>& makers() {
  static const std::vector<Maker> kMakers = {
      [](Generator& g) { return "AK" + ("IA" + g.of(kBase32, 16)); },
      [](Generator& g) { return "AS" + ("IA" + g.of(kBase32, 16)); },
      [](Generator& g) { return "gh" + ("p_" + with_crc(g.word(30))); },
      [](Generator& g) { return "gh" + ("o_" + with_crc(g.word(30))); },
      [](Generator& g) { return "gh" + ("s_" + with_crc(g.word(30))); },
      [](Generator& g) { return "gh" + ("p_" + g.word(36)); },  // a checksum that is wrong
      [](Generator& g) { return "github_" + ("pat_" + g.word(22) + "_" + g.word(59)); },
      [](Generator& g) { return "gl" + ("pat-" + g.url64(20)); },
      [](Generator& g) { return "gl" + ("pat-" + g.url64(27) + ".01." + g.lower(9)); },
      [](Generator& g) { return "gl" + ("rt-" + g.url64(20)); },
      [](Generator& g) { return "gl" + ("dt-" + g.url64(20)); },
      [](Generator& g) { return "xo" + ("xb-" + g.digits(12) + "-" + g.digits(13) + "-" + g.word(24)); },
      [](Generator& g) { return "xo" + ("xp-" + g.digits(11) + "-" + g.digits(12) + "-" + g.digits(12) + "-" + g.hex(32)); },
      [](Generator& g) { return "xa" + ("pp-1-A" + g.upper(10) + "-" + g.digits(13) + "-" + g.hex(64)); },
      [](Generator& g) { return "https://[[hooks.slack.com/" + ("services/T" + g.upper(8) + "/B" + g.upper(10) + "/" + g.word(24) + "]]"); },
      [](Generator& g) { return "sk_" + ("live_" + g.word(24)); },
      [](Generator& g) { return "sk_" + ("test_" + g.word(99)); },
      [](Generator& g) { return "rk_" + ("live_" + g.word(24)); },
      [](Generator& g) { return "wh" + ("sec_" + g.word(32)); },
      [](Generator& g) { return "AI" + ("za" + ("Sy" + g.url64(33))); },
      [](Generator& g) { return "GOC" + ("SPX-" + g.url64(28)); },
      [](Generator& g) { return "ya" + ("29.a0" + g.url64(60)); },
      [](Generator& g) { return "sk-" + ("proj-" + g.url64(60) + "T3Bl" + "bkFJ" + g.url64(60)); },
      [](Generator& g) { return "sk-" + (g.word(20) + "T3Bl" + "bkFJ" + g.word(20)); },
      [](Generator& g) { return "sk-" + g.lower(32); },
      [](Generator& g) { return "sk-" + ("ant-" + ("api03-" + g.url64(93) + "AA")); },
      [](Generator& g) { return "sk-" + ("or-v1-" + g.hex(64)); },
      [](Generator& g) { return "gs" + ("k_" + g.word(52)); },
      [](Generator& g) { return "xa" + ("i-" + g.word(80)); },
      [](Generator& g) { return "pp" + ("lx-" + g.word(48)); },
      [](Generator& g) { return "r8" + ("_" + g.word(37)); },
      [](Generator& g) { return "hf" + ("_" + g.word(34)); },
      [](Generator& g) { return "SK" + g.hex(32); },
      [](Generator& g) { return "SG" + ("." + g.url64(22) + "." + g.url64(43)); },
      [](Generator& g) { return "xkey" + ("sib-" + g.hex(64) + "-" + g.word(16)); },
      [](Generator& g) { return "key" + ("-" + g.hex(32)); },
      [](Generator& g) { return "np" + ("m_" + with_crc(g.word(30))); },
      [](Generator& g) { return "pypi" + ("-AgEIcHlwaS5vcmc" + g.url64(120)); },
      [](Generator& g) { return "ruby" + ("gems_" + g.hex(48)); },
      [](Generator& g) { return "dckr" + ("_pat_" + g.url64(27)); },
      [](Generator& g) { return g.digits(10) + ":AA" + g.url64(33); },
      [](Generator& g) { return url64_of("4" + g.digits(17)) + "." + g.url64(6) + "." + g.url64(38); },  // Discord
      [](Generator& g) { return "https://[[discord.com/" + ("api/webhooks/" + g.digits(18) + "/" + g.url64(68) + "]]"); },
      [](Generator& g) { return g.word(3) + "8Q" + ("~" + g.word(34)); },
      [](Generator& g) { return "DefaultEndpointsProtocol=https;AccountName=olga;[[Account" + ("Key=" + g.base64(86) + "==]]"); },
      [](Generator& g) { return "dop" + ("_v1_" + g.hex(64)); },
      [](Generator& g) { return "hv" + ("s.CAES" + g.url64(90)); },
      [](Generator& g) { return "dapi" + g.hex(32); },
      [](Generator& g) { return "gl" + ("sa_" + g.word(32) + "_" + g.hex(8)); },
      [](Generator& g) { return "NRA" + ("K-" + g.upper(27)); },
      [](Generator& g) { return "sntr" + ("yu_" + g.hex(64)); },
      [](Generator& g) { return "lin" + ("_api_" + g.word(40)); },
      [](Generator& g) { return "nt" + ("n_" + g.digits(11) + g.word(35)); },
      [](Generator& g) { return "pat" + (g.word(14) + "." + g.hex(64)); },
      [](Generator& g) { return "fi" + ("gd_" + g.url64(40)); },
      [](Generator& g) { return "shp" + ("at_" + g.hex(32)); },
      [](Generator& g) { return "sq0" + ("csp-" + g.url64(43)); },
      [](Generator& g) { return "PMA" + ("K-" + g.hex(24) + "-" + g.hex(34)); },
      [](Generator& g) { return "ts" + ("key-auth-" + g.word(12) + "-" + g.word(32)); },
      [](Generator& g) { return "sbp" + ("_" + g.hex(40)); },
      [](Generator& g) { return "pul" + ("-" + g.hex(40)); },
      [](Generator& g) { return "dp" + (".pt." + g.word(43)); },
      [](Generator& g) { return "LTA" + ("I" + g.word(20)); },
      [](Generator& g) { return "otpauth://totp/Mail:olga?secret=[[" + g.of(kBase32, 32) + "]]&issuer=Mail"; },
  };
  return kMakers;
}
// clang-format on

// "@" becomes the secret, all of it unless a part is marked.
constexpr const char* kSentences[] = {
    "here you go: @",
    "I rotated it, the new one is @ as of today.",
    "@",
    "curl -H \"Authorization: Bearer @\" https://example.org/v1/me",
    "export SERVICE_KEY=@",
    "can you check why `@` gives me a 401?",
    "Das ist der neue: @, der alte geht nicht mehr.",
    "el nuevo es @ y el viejo ya no sirve",
    "新的是@，旧的不能用了",
    "{\"id\": 7, \"value\": \"@\", \"active\": true}",
    "config:\n  key: '@'\n  region: eu",
    "(@)",
    "Please don't lose this <@>",
    "new one is @.",
    "old|@|new",
    "я поменял, теперь @",
};

std::string put(std::string_view sentence, const std::string& secret) {
  const std::size_t at = sentence.find('@');
  const bool has_mark = secret.find("[[") != std::string::npos;
  return std::string(sentence.substr(0, at)) + (has_mark ? secret : "[[" + secret + "]]") +
         std::string(sentence.substr(at + 1));
}

void add_service_keys(Generator& g, std::vector<Secret>& out) {
  std::size_t next = 0;
  for (const Maker& make : makers())
    for (int copy = 0; copy < 3; ++copy)
      out.push_back(marked("service keys", in_a_sentence(next++, make(g))));
}

// A key's own lines, with the frame `label` where there is one.
std::string pem(Generator& g, const std::string& label, std::size_t lines, const char* line_break) {
  std::string out = "-----BE" + ("GIN " + label + "-----") + line_break;
  for (std::size_t i = 0; i < lines; ++i) out += g.base64(i + 1 < lines ? 64 : 30) + line_break;
  return out + "-----END " + label + "-----";
}

void add_private_keys(Generator& g, std::vector<Secret>& out) {
  const auto add = [&](const std::string& text) { out.push_back(marked("private keys", text)); };
  const std::string tail = " PRIVATE KEY";
  for (const char* label : {"RSA", "EC", "OPENSSH", "DSA", "ENCRYPTED"})
    add("this is what I have on the server:\n[[" + pem(g, label + tail, 12, "\n") +
        "]]\nis that fine?");
  add("{\"private\": \"[[" + pem(g, tail.substr(1), 10, "\\n") + "]]\"}");
  add("PGP:\n[[" + pem(g, "PGP" + tail + " BLOCK", 20, "\n") + "]]");
  add("[[" + pem(g, "RSA" + tail, 25, "\r\n") + "]]");
  add("only the beginning: [[-----BE" + std::string("GIN") + tail + "-----\n" + g.base64(64) +
      "\n" + g.base64(64) + "]]");
  add("Private-Lin" + ("es: 3\n[[" + g.base64(64)) + "\n" + g.base64(64) + "\n" + g.base64(32) +
      "]]\n");
  add("age key: [[AGE-SEC" + ("RET-KEY-1" + g.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)) + "]]");
  add("[Interface]\nPrivateKey = [[" + g.base64(42) + "8=]]\nAddress = 10.8.0.2/24");
  add("PresharedKey = [[" + g.base64(42) + "4=]]");
  add("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"[[" + g.url64(43) + "]]\",\"x\":\"" +
      g.url64(43) + "\"}");
  add("wallet root xp" +
      ("rv[[" + g.of("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 107)) +
      "]] from the old phone");
}

void add_tokens(Generator& g, std::vector<Secret>& out) {
  for (const char* header :
       {R"({"alg":"HS256","typ":"JWT"})", R"({"typ":"JWT","alg":"RS256","kid":"k1"})",
        R"({"alg":"ES256"})", R"({"alg":"EdDSA","typ":"at+jwt"})"})
    for (const char* sentence : {"the response was @ and then it expired", "token=@",
                                 "Authorization: Bearer @", "Kannst du @ entschlüsseln?"})
      out.push_back(
          marked("signed tokens",
                 put(sentence, url64_of(header) + "." +
                                   url64_of("{\"sub\":\"olga\",\"n\":\"" + g.word(8) + "\"}") +
                                   "." + g.url64(43))));
}

void add_addresses(std::vector<Secret>& out) {
  for (const char* text :
       {"postgres://shop:[[v1olet-Owl]]@db.example.org:5432/shop",
        "the repo is https://olga:[[Fjord_88]]@git.example.org/o/r.git",
        "DATABASE_URL=mysql://root:[[k4kadu]]@127.0.0.1/app",
        "redis://:[[salzburg5]]@cache.example.org:6379/0",
        "mongodb+srv://olga:[[Reindeer9]]@cluster0.example.net/?retryWrites=true",
        "ftp://upload:[[drizzle42]]@ftp.example.org/", "amqp://worker:[[Sanddorn3]]@mq.example.org",
        "smtp://news%40example.org:[[p1geon]]@mail.example.org:587",
        "https://admin:[[wolkenbruch]]@192.168.178.1/",
        "sip:no, use http://cam:[[9ikons]]@10.0.0.9/stream please",
        "rtsp://viewer:[[Tulip!4]]@cam.example.org/1",
        "see \"ldap://cn:[[mist.letoe7]]@ldap.example.org\""})
    out.push_back(marked("passwords in addresses", text));
}

std::string grouped(const std::string& digits, char separator) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool american = digits.size() == 15;
    const bool gap = american ? i == 4 || i == 10 : i > 0 && i % 4 == 0;
    if (gap) out.push_back(separator);
    out.push_back(digits[i]);
  }
  return out;
}

void add_cards(Generator& g, std::vector<Secret>& out) {
  const std::pair<const char*, std::size_t> issuers[] = {
      {"4", 16},    {"453201", 16}, {"51", 16}, {"55", 16},   {"2221", 16},
      {"2700", 16}, {"34", 15},     {"37", 15}, {"6011", 16}, {"65", 16},
      {"3530", 16}, {"622126", 16}, {"36", 14}};
  const char* sentences[] = {"pay with @, exp 04/29",      "my card: @", "Karte @ bitte merken",
                             "la tarjeta @ vence en mayo", "卡号@",      "card number is @."};
  std::size_t next = 0;
  for (const auto& [first, size] : issuers)
    for (const char separator : {' ', '-', '\0'}) {
      const std::string digits = g.card(first, size);
      if (size == 14 && separator != '\0') continue;
      out.push_back(
          marked("card numbers", put(sentences[next++ % std::size(sentences)],
                                     separator == '\0' ? digits : grouped(digits, separator))));
    }
}

// The first are test vectors that BIP 39's authors published.
void add_phrases(Generator& g, std::vector<Secret>& out) {
  for (const char* text :
       {"my seed is [[legal winner thank year wave sausage worth useful legal winner thank "
        "yellow]]",
        "[[letter advice cage absurd amount doctor acoustic avoid letter advice cage above]]",
        "wallet words:\n1. [[ozone\n2. drill\n3. grab\n4. fiber\n5. curtain\n6. grace\n7. "
        "pudding\n8. thank\n9. cruise\n10. elder\n11. eight\n12. picnic]]",
        "keep safe! [[gravity machine north sort system female filter attitude volume fold club "
        "stay feature office ecology stable narrow fog]] thanks",
        "[[hamster diagram private dutch cause delay private meat slide toddler razor book happy "
        "fancy gospel tennis maple dilemma loan word shrug inflict delay length]]",
        "Die Wörter sind: [[scheme spot photo card baby mountain device kick cradle pact join "
        "borrow]]."})
    out.push_back(marked("seed phrases", text));
  for (const char* sentence :
       {"the recovery key of my box is @", "@", "Wiederherstellung:\n@\nnicht verlieren!"}) {
    crypto::Secret seed(32);
    for (std::uint8_t& byte : seed.writable()) byte = static_cast<std::uint8_t>(g.below(256));
    out.push_back(marked("recovery keys", put(sentence, crypto::recovery_text(seed))));
  }
}

// High entropy that has no form of its own, beside words that tell.
void add_told_keys(Generator& g, std::vector<Secret>& out) {
  const std::pair<const char*, int> sentences[] = {
      {"API key: @", 0},
      {"my api key is @", 1},
      {"client_secret=@", 2},
      {"aws_secret_access_key = @", 3},
      {"the access token for the weather service is @.", 0},
      {"X-Api-Key: @", 2},
      {"\"apiKey\": \"@\"", 1},
      {"API-Schlüssel: @", 0},
      {"la clé API est @", 1},
      {"la clave de la API es @", 2},
      {"chave de API: @", 0},
      {"ключ API: @", 2},
      {"API密钥是@", 0},
      {"APIキー：@", 1},
      {"secret: @", 3},
      {"token: @", 0},
      {"webhook secret = @", 2},
      {"JWT_SECRET=@", 3},
      {"@ is my api key", 1},
      {"the secret key for the map tiles is @", 2},
      {"encryption key: @", 4},
      {"private key 0x@", 4},
      {"Bearer @", 0},
      {"auth token: @", 5}};
  for (const auto& [sentence, form] : sentences) {
    std::string key;
    switch (form) {
      case 0:
        key = g.word(32);
        break;
      case 1:
        key = g.lower(40);
        break;
      case 2:
        key = g.hex(32);
        break;
      case 3:
        key = g.base64(40);
        break;
      case 4:
        key = g.hex(64);
        break;
      default:
        key = g.uuid();
        break;
    }
    out.push_back(marked("keys beside telling words", put(sentence, key)));
  }
}

}  // namespace

std::string in_a_sentence(std::size_t number, const std::string& secret) {
  return put(kSentences[number % std::size(kSentences)], secret);
}

void add_keys(std::vector<Secret>& out) {
  Generator g(20260501);
  add_service_keys(g, out);
  add_private_keys(g, out);
  add_tokens(g, out);
  add_addresses(out);
  add_cards(g, out);
  add_phrases(g, out);
  add_told_keys(g, out);
}

}  // namespace kartei::secrets::corpus
