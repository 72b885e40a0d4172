#include "daemon/api/key_requests.h"

#include <sodium.h>

#include <boost/json/parser.hpp>
#include <boost/json/static_resource.hpp>
#include <new>

#include "crypto/keyring/passphrase.h"
#include "daemon/api/json_fields.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::size_t kKeyBodyMax = 16 << 10;  // two passphrases, each letter as \uXXXX
constexpr std::size_t kArenaBytes = 64 << 10;
constexpr std::size_t kStackBytes = 64 << 10;  // more than the JSON parser's frames take

// Whatever happens, nothing of it stays: not in the body, nor in the frames of what has read it.
class WipedBody {
 public:
  explicit WipedBody(std::string& body) : body_(body) {}
  ~WipedBody() {
    sodium_memzero(body_.data(), body_.size());
    body_.clear();
    sodium_stackzero(kStackBytes);
  }
  WipedBody(const WipedBody&) = delete;
  WipedBody& operator=(const WipedBody&) = delete;
  std::string_view text() const { return body_; }

 private:
  std::string& body_;
};

Error not_json() {
  return bad_input("The body is not valid JSON.");
}

// `read` takes the fields that the call knows.
template <class Read>
Result<KeyInput> read_in_arena(std::string& text, Read read) {
  const WipedBody body(text);
  if (body.text().size() > kKeyBodyMax)
    return bad_input("The body is longer than " + std::to_string(kKeyBodyMax) + " bytes.");
  crypto::Secret values(kArenaBytes), parsing(kArenaBytes);
  json::static_resource value_room(values.writable().data(), values.size());
  json::static_resource parser_room(parsing.writable().data(), parsing.size());
  try {
    json::parse_options options;
    options.max_depth = 8;
    json::parser parser(&parser_room, options);
    parser.reset(&value_room);
    boost::system::error_code error;
    const std::string_view words = body.text().empty() ? "{}" : body.text();
    parser.write(words.data(), words.size(), error);
    if (error) return not_json();
    const json::value value = parser.release();
    Fields fields(value);
    KeyInput input;
    read(fields, input);
    KARTEI_TRY(fields.done());
    return input;
  } catch (const std::bad_alloc&) {
    return bad_input("The body holds more than this call knows.");
  }
}

}  // namespace

Result<KeyInput> read_unlock(std::string& body) {
  return read_in_arena(body, [](Fields& fields, KeyInput& input) {
    input.passphrase = fields.secret("passphrase", keyring::kPassphraseBytesMax);
  });
}

Result<KeyInput> read_new_passphrase(std::string& body) {
  return read_in_arena(body, [](Fields& fields, KeyInput& input) {
    input.passphrase = fields.secret("passphrase", keyring::kPassphraseBytesMax);
    input.current = fields.secret("current", keyring::kPassphraseBytesMax);
    input.keep_file = fields.flag("keep_file").value_or(false);
    if (input.passphrase.empty()) fields.fail("passphrase", "is missing or empty.");
  });
}

Result<crypto::Secret> read_kept_key_value(std::string& body) {
  KARTEI_ASSIGN(KeyInput input, read_in_arena(body, [](Fields& fields, KeyInput& into) {
                  into.passphrase = fields.secret("value", keyring::kPassphraseBytesMax);
                  if (into.passphrase.empty()) fields.fail("value", "is missing or empty.");
                }));
  return std::move(input.passphrase);
}

Result<KeyInput> read_key_change(std::string& body) {
  return read_in_arena(body, [](Fields& fields, KeyInput& input) {
    input.current = fields.secret("current", keyring::kPassphraseBytesMax);
  });
}

}  // namespace kartei::daemon::api
