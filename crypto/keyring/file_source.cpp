#include <sodium.h>

#include <algorithm>

#include "crypto/hash.h"
#include "crypto/keyring/key_source.h"

namespace kartei::keyring {

namespace {

// For whoever opens the file to see what it is. A layout never changes: a new one gets a new
// number.
constexpr std::string_view kLabel =
    "Kartei, key of the keyring, 1. This file does not protect from a stolen disk: whoever has it "
    "and the keyring beside it reads every box of this device.\n";
constexpr std::size_t kKeySumSize = 8;  // against damage; hex in the file like the rest
constexpr std::size_t kBodySize = sizeof(WrapId) + kKeySize + kKeySumSize;
constexpr std::size_t kFileSize = kLabel.size() + 2 * kBodySize + 1;

// wrap id | key | checksum, in guarded memory.
void set_sum(crypto::Secret& body) {
  const auto covered = body.view().first(kBodySize - kKeySumSize);
  const Hash32 sum = crypto::hash("kartei keyring key file", {covered});
  std::copy_n(sum.begin(), kKeySumSize, body.writable().begin() + (kBodySize - kKeySumSize));
}

crypto::Secret to_file(const crypto::Secret& body) {
  crypto::Secret text(kFileSize + 1);  // sodium_bin2hex ends with a zero
  auto* out = reinterpret_cast<char*>(text.writable().data());
  std::copy(kLabel.begin(), kLabel.end(), out);
  sodium_bin2hex(out + kLabel.size(), 2 * kBodySize + 1, body.view().data(), kBodySize);
  out[kFileSize - 1] = '\n';
  return crypto::Secret(text.view().first(kFileSize));
}

// Empty: not a file of ours, or damaged.
crypto::Secret from_file(const crypto::Secret& file) {
  if (file.size() != kFileSize || as_text(file.view().first(kLabel.size())) != kLabel) return {};
  crypto::Secret body(kBodySize);
  std::size_t size = 0;
  const auto* hex = reinterpret_cast<const char*>(file.view().data()) + kLabel.size();
  if (sodium_hex2bin(body.writable().data(), kBodySize, hex, 2 * kBodySize, nullptr, &size,
                     nullptr) != 0 ||
      size != kBodySize)
    return {};
  set_sum(body);
  return equal_in_constant_time(to_file(body).view(), file.view()) ? std::move(body)
                                                                   : crypto::Secret{};
}

constexpr const char* kWayOut =
    ". Put the file back from a backup, or open the keyring another way (`kartei keyring` lists "
    "them) and then run `kartei keyring remove file`.";

}  // namespace

Result<crypto::Secret> FileSource::key_of(const Wrap& wrap) {
  const std::string file = files_.place(kWrappingKeyFile);
  auto content = files_.read(kWrappingKeyFile, kFileSize);
  if (!content) {
    Error error = content.error();
    error.what = "The key file of the keyring cannot be read: " + error.what;
    // An error that names a command to run, as chmod, stands for itself.
    if (error.cause != Cause::kForbidden) error.what += kWayOut;
    return error;
  }
  const crypto::Secret body = from_file(*content);
  if (body.empty())
    return corrupt("The key file of the keyring, " + file + ", is damaged" + kWayOut);
  if (!std::equal(wrap.id.begin(), wrap.id.end(), body.view().begin()))
    return corrupt("The key file " + file + " belongs to another keyring" + kWayOut);
  return crypto::Secret(body.view().subspan(sizeof(WrapId), kKeySize));
}

std::optional<WrapId> FileSource::wrap_of(const crypto::Secret& file) {
  const crypto::Secret body = from_file(file);
  if (body.empty()) return std::nullopt;
  WrapId id;
  std::copy_n(body.view().begin(), id.size(), id.begin());
  return id;
}

Result<crypto::Secret> FileSource::make_key(Wrap& wrap, crypto::Random& random) {
  crypto::Secret key = crypto::Secret::random(kKeySize, random);
  crypto::Secret body(kBodySize);
  std::copy(wrap.id.begin(), wrap.id.end(), body.writable().begin());
  std::copy(key.view().begin(), key.view().end(), body.writable().begin() + sizeof(WrapId));
  set_sum(body);
  KARTEI_TRY(files_.write(kWrappingKeyFile, to_file(body).view()));
  return key;
}

// One that is whole and of another wrap is not what was meant.
Status FileSource::forget(const WrapId& id) {
  if (const auto content = files_.read(kWrappingKeyFile, kFileSize)) {
    const crypto::Secret body = from_file(*content);
    if (!body.empty() && !std::equal(id.begin(), id.end(), body.view().begin())) return {};
  }
  return files_.remove(kWrappingKeyFile);
}

}  // namespace kartei::keyring
