// Numbers, hashes, names and blobs that look like secrets and are none, in ordinary sentences.
#include <functional>

#include "tests/secrets/corpus_parts.h"

namespace kartei::secrets::corpus {
namespace {

using Maker = std::function<std::string(Generator&)>;
struct LookAlike {
  const char* group;
  Maker make;
  std::vector<const char*> sentences;  // "@" becomes it
};

constexpr const char* kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

std::string dotted(Generator& g) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += (i > 0 ? "." : "") + std::to_string(g.below(256));
  return out;
}

// clang-format off
const std::vector<LookAlike>& look_alikes() {
  static const std::vector<LookAlike> kAll = {
      {"commit hashes", [](Generator& g) { return g.hex(40); },
       {"the bug came in with commit @", "git bisect says @ is the first bad one", "@", "Bitte schau dir @ an", "HEAD is now at @ fix the tests", "* @ store: a faster index", "revert @, it breaks the build", "merge base: @", "在提交 @ 里修复了", "https://git.example.org/o/r/commit/@"}},
      {"commit hashes", [](Generator& g) { return g.hex(7 + g.below(5)); },
       {"see @", "@ fixes it", "cherry-picked from @", "deployed @ to staging at 14:02", "rebase onto @ please"}},
      {"file hashes", [](Generator& g) { return g.hex(64); },
       {"sha256: @", "SHA-256 of the image is @", "@  kartei_0.1.0_amd64.deb", "image digest sha256:@", "docker pull example.org/app@@", "the checksum should be @, mine differs", "blake2b-256 @"}},
      {"file hashes", [](Generator& g) { return g.hex(32); },
       {"md5 @", "ETag: \"@\"", "@ *backup.tar.gz", "the cache key is md5(@)", "the file with MD5 @ is a duplicate"}},
      {"file hashes", [](Generator& g) { return "sha512-" + g.base64(86) + "=="; },
       {"\"integrity\": \"@\",", "integrity @", "the lock file now says @"}},
      {"UUIDs", [](Generator& g) { return g.uuid(); },
       {"request id @", "the trace id was @", "user @ reports the same", "PARTUUID=@", "UUID=@ /home ext4 defaults 0 2", "conversation @ is gone", "@", "die ID ist @", "session @ ended", "GET /v1/orders/@", "token id: @", "请求编号 @"}},
      {"order numbers", [](Generator& g) { return g.digits(16); },
       {"order number @", "my order @ has not arrived", "Bestellnummer: @", "invoice no. @", "ticket @ was closed", "numéro de commande @"}},
      {"order numbers", [](Generator& g) { return g.digits(3) + "-" + g.digits(7) + "-" + g.digits(7); },
       {"order @ is on its way", "Bestellung @ storniert", "pedido @", "your order @ was shipped", "refund for @"}},
      {"order numbers", [](Generator& g) { return g.digits(12 + g.below(9)); },
       {"tracking @", "parcel @ is at the depot", "Sendungsnummer @", "customer no. @", "@ is the meter's number"}},
      {"phone numbers", [](Generator& g) { return "+49 1" + g.digits(2) + " " + g.digits(7); },
       {"call me: @", "my number is @", "Handy: @", "Tel. @", "her new phone is @", "password? ask Tom at @"}},
      {"phone numbers", [](Generator& g) { return "(" + g.digits(3) + ") 555-" + g.digits(4); },
       {"my number is @", "call @ after 6pm", "fax @"}},
      {"phone numbers", [](Generator& g) { return "1" + g.digits(10); }, {"我的手机号是@", "电话 @", "微信和手机都是@"}},
      {"ISBNs and bar codes", [](Generator& g) { return "978-" + g.digits(1) + "-" + g.digits(2) + "-" + g.digits(6) + "-" + g.digits(1); },
       {"ISBN @", "the book is @", "ISBN: @, second edition"}},
      {"ISBNs and bar codes", [](Generator& g) { return g.card("4", 13); }, {"EAN @", "bar code @", "the code on the box is @"}},
      {"IMEIs and serials", [](Generator& g) { return g.card("35", 15); }, {"IMEI @", "my phone's IMEI is @", "IMEI: @"}},
      {"IMEIs and serials", [](Generator& g) { return g.upper(12); },
       {"serial number @", "S/N: @", "the laptop is @", "Seriennummer @", "model @ is sold out"}},
      {"IMEIs and serials", [](Generator& g) { return g.upper(5) + "-" + g.upper(5) + "-" + g.upper(5) + "-" + g.upper(5) + "-" + g.upper(5); },
       {"the product code is @", "license @", "product key sticker: @"}},
      {"network addresses", dotted, {"ping @ works", "@ is the router", "inet @/24", "ssh olga@@", "server: @:8443", "the pin says @"}},
      {"network addresses", [](Generator& g) { std::string out; for (int i = 0; i < 6; ++i) out += (i > 0 ? ":" : "") + g.hex(2); return out; },
       {"MAC @", "ether @", "the printer's address is @", "device @ joined"}},
      {"network addresses", [](Generator& g) { std::string out = "2001:db8"; for (int i = 0; i < 6; ++i) out += ":" + g.hex(4); return out; },
       {"inet6 @/64", "my IPv6 is @", "AAAA @"}},
      {"accounts", [](Generator& g) { return "DE" + g.digits(2) + " " + g.digits(4) + " " + g.digits(4) + " " + g.digits(4) + " " + g.digits(4) + " " + g.digits(2); },
       {"IBAN @", "please pay to @", "meine IBAN ist @", "Konto: @", "account @ at the Sparkasse"}},
      {"accounts", [](Generator& g) { return "FR" + g.digits(22) + g.upper(1) + g.digits(2); }, {"IBAN: @", "mon IBAN est @", "virement vers @"}},
      {"accounts", [](Generator& g) { return "arn:aws:iam::" + g.digits(12) + ":role/deploy"; }, {"the role is @", "assume @"}},
      {"accounts", [](Generator& g) { return "AC" + g.hex(32); }, {"account SID @", "the Twilio account is @"}},
      {"accounts", [](Generator& g) { return "pk_" + ("live_" + g.word(24)); }, {"publishable key: @", "Stripe(\"@\")"}},
      {"accounts", [](Generator& g) { return g.digits(12) + "-" + g.lower(32) + ".apps.googleusercontent.com"; }, {"client_id: @", "the OAuth client is @"}},
      {"accounts", [](Generator& g) { return "U0" + g.upper(9); }, {"mention <@>", "Slack user @", "channel C0 and @"}},
      {"public keys", [](Generator& g) { return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + g.base64(43) + " olga@laptop"; },
       {"add this to authorized_keys: @", "@", "my public key is @", "mein Schlüssel: @"}},
      {"public keys", [](Generator& g) { return "SHA256:" + g.base64(43); },
       {"ED25519 key fingerprint is @", "The fingerprint is @.", "host key @ changed"}},
      {"public keys", [](Generator& g) { return "-----BEGIN CERTIFICATE-----\n" + g.base64(64) + "\n" + g.base64(64) + "\n-----END CERTIFICATE-----"; },
       {"the certificate:\n@", "@", "chain:\n@\nok?"}},
      {"public keys", [](Generator& g) { return "-----BEGIN PUBLIC KEY-----\n" + g.base64(64) + "\n-----END PUBLIC KEY-----"; }, {"@", "verify with\n@"}},
      {"public keys", [](Generator& g) { return "age1" + g.lower(58); }, {"encrypt to @", "my age recipient: @"}},
      {"public keys", [](Generator& g) { return "PublicKey = " + g.base64(43) + "="; }, {"[Peer]\n@\nAllowedIPs = 10.8.0.0/24"}},
      {"addresses of money", [](Generator& g) { return "1" + g.of(kBase58, 33); }, {"send it to @", "BTC: @", "donations: @"}},
      {"addresses of money", [](Generator& g) { return "bc1q" + g.lower(38); }, {"my address is @", "paid to @"}},
      {"addresses of money", [](Generator& g) { return "0x" + g.hex(40); }, {"ETH address @", "the token is at @", "token: @", "contract @ on mainnet"}},
      {"addresses of money", [](Generator& g) { return "0x" + g.hex(64); }, {"tx @", "transaction @ is confirmed"}},
      {"blobs", [](Generator& g) { return "data:image/png;base64,iVBORw0KGgo" + g.base64(400) + "="; },
       {"<img src=\"@\">", "here is the picture: @", "![logo](@)", "background: url(@)"}},
      {"blobs", [](Generator& g) { return g.base64(160) + "=="; }, {"the attachment begins with @", "@", "base64: @", "body: @"}},
      {"blobs", [](Generator& g) { return g.hex(200); }, {"hexdump: @", "00000000 @", "payload @"}},
      {"blobs", [](Generator& g) { return "W/\"" + g.hex(10) + "-" + g.base64(27) + "\""; }, {"etag: @", "If-None-Match: @"}},
      {"versions", [](Generator& g) { return std::to_string(g.below(20)) + "." + std::to_string(g.below(40)) + "." + std::to_string(g.below(90)); },
       {"version @ is out", "we run @", "pin it to @", "password manager @", "upgrade to v@", "the token library @ has a bug"}},
      {"versions", [](Generator& g) { return "20" + g.digits(2) + "0" + g.digits(1) + "1" + g.digits(1) + "-" + g.digits(6) + "-g" + g.hex(7); }, {"build @", "nightly @ crashes"}},
      {"codes of things", [](Generator& g) { return g.of("ABCDEFGHJKLMNPQRSTUVWXYZ", 3) + "-" + g.digits(5); },
       {"issue @", "part no. @", "Artikel @", "course @ starts in May", "the plane is @", "room key card @"}},
      {"codes of things", [](Generator& g) { return g.word(11); }, {"https://youtu.be/@", "https://www.youtube.com/watch?v=@", "video @"}},
      {"codes of things", [](Generator& g) { return g.word(22); }, {"https://open.spotify.com/track/@", "spotify:track:@", "playlist @"}},
      {"codes of things", [](Generator& g) { return g.url64(44); }, {"https://docs.google.com/document/d/@/edit", "the sheet is /d/@/", "file id @"}},
      {"codes of things", [](Generator& g) { return "0." + g.digits(16); }, {"loss @", "probability @", "p = @", "[@, 0.5]", "accuracy: @"}},
      {"codes of things", [](Generator& g) { return "17" + g.digits(14); }, {"timestamp @ us", "at @ the sensor failed", "ts=@"}},
      {"codes of things", [](Generator& g) { return "1" + g.digits(18); }, {"https://example.org/olga/status/@", "message id @", "guild @"}},
      {"codes of things", [](Generator& g) { return "#" + g.hex(6); }, {"the colour is @", "color: @;", "use @ for links"}},
      {"codes of things", [](Generator& g) { return g.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 6); }, {"booking reference @", "PNR @", "Buchungscode @"}},
      {"codes of things", [](Generator& g) { return "msg_01" + g.word(22); }, {"response id @", "\"id\": \"@\""}},
      {"codes of things", [](Generator& g) { return "chatcmpl-" + g.word(29); }, {"\"id\": \"@\",", "completion @ was cut"}},
      {"codes of things", [](Generator& g) { return std::to_string(g.below(90)) + "." + g.digits(6) + ", " + std::to_string(g.below(180)) + "." + g.digits(6); }, {"we are at @", "GPS: @", "meet me at @"}},
      {"placeholders", [](Generator& g) { return std::string(g.coin() ? "x" : "X", 1) + std::string(19 + g.below(20), g.coin() ? 'x' : 'X'); },
       {"api_key: @", "sk-@", "token=@", "ghp_@", "password: @", "Bearer @"}},
      {"placeholders", [](Generator& g) { static const char* kNames[] = {"YOUR_API_KEY", "<api-key>", "${API_KEY}", "{{ api_key }}", "$API_KEY", "[REDACTED]", "insert-your-token-here", "********", "REPLACE_ME_WITH_KEY", "my-secret-token-here", "%API_KEY%", "<redacted>"}; return std::string(kNames[g.below(std::size(kNames))]); },
       {"api_key = @", "export API_KEY=@", "\"token\": \"@\"", "password: @", "client_secret=@", "Authorization: Bearer @", "secret: '@'", "the password is @"}},
  };
  return kAll;
}
// clang-format on

}  // namespace

void add_look_alikes(std::vector<Harmless>& out) {
  Generator g(20260502);
  for (const LookAlike& kind : look_alikes()) {
    for (const char* sentence : kind.sentences) {
      for (int copy = 0; copy < 6; ++copy) {
        std::string text = sentence;
        text.replace(text.find('@'), 1, kind.make(g));
        out.push_back({kind.group, std::move(text)});
      }
    }
  }
}

}  // namespace kartei::secrets::corpus
