#include "crypto/identity.h"

#include <sodium.h>

#include <algorithm>
#include <stdexcept>

#include "crypto/hash.h"
#include "crypto/private_file.h"
#include "crypto/sealed_secret.h"

namespace kartei::crypto {

namespace {

constexpr std::string_view kBindingDomain = "kartei device v1";
constexpr std::size_t kSeedSize = crypto_sign_SEEDBYTES;
constexpr std::size_t kBoxSecretSize = crypto_scalarmult_SCALARBYTES;

// The identity file: magic(8) | version(1) | sign seed(32) | box secret(32) | checksum(32).
constexpr std::string_view kMagic = "KARTEIID";
constexpr std::uint8_t kFileVersion = 1;
constexpr std::size_t kSeedAt = kMagic.size() + 1;
constexpr std::size_t kBoxSecretAt = kSeedAt + kSeedSize;
constexpr std::size_t kChecksumAt = kBoxSecretAt + kBoxSecretSize;
constexpr std::size_t kFileSize = kChecksumAt + sizeof(Hash32);

// The sealed one: magic(8) | version(1) | nonce(24) | the above encrypted | tag(16).
constexpr std::string_view kSealedMagic = "KARTEISI";
constexpr std::uint8_t kSealedVersion = 1;
constexpr std::string_view kSealedDomain = "kartei sealed identity v1";
constexpr std::size_t kSealedAt = kSealedMagic.size() + 1;
constexpr std::size_t kSealedSize = kSealedAt + kFileSize + kSealedSecretMore;

std::array<std::uint8_t, kBindingDomain.size() + 32> binding_message(const BoxKey& box_key) {
  std::array<std::uint8_t, kBindingDomain.size() + 32> message;
  const auto at = std::copy(kBindingDomain.begin(), kBindingDomain.end(), message.begin());
  std::copy(box_key.begin(), box_key.end(), at);
  return message;
}

// A point of low order would give the same shared secret with everybody.
bool usable_for_exchange(const BoxKey& key) {
  static constexpr std::array<std::uint8_t, 32> kAnyScalar{1};
  BoxKey shared;
  return crypto_scalarmult(shared.data(), kAnyScalar.data(), key.data()) == 0;
}

Signature sign_with(const Secret& sign_secret, ByteView message) {
  Signature signature;
  crypto_sign_detached(signature.data(), nullptr, message.data(), message.size(),
                       sign_secret.view().data());
  return signature;
}

Secret expand_seed(ByteView seed, SignKey& sign_key) {
  if (seed.size() != kSeedSize) throw std::logic_error("a signing seed must be 32 bytes");
  Secret sign_secret(crypto_sign_SECRETKEYBYTES);
  crypto_sign_seed_keypair(sign_key.data(), sign_secret.writable().data(), seed.data());
  return sign_secret;
}

Hash32 file_checksum(ByteView content) {
  return hash("kartei identity file", {content.first(kChecksumAt)});
}

Status check_file(ByteView content, const std::string& name) {
  if (content.size() < kSeedAt || as_text(content.first(kMagic.size())) != kMagic) {
    return corrupt(name + " is not an identity file of Kartei");
  }
  if (content[kMagic.size()] > kFileVersion) {
    return Error{Cause::kVersion, name + " was made by a newer Kartei", {}};
  }
  if (content[kMagic.size()] != kFileVersion || content.size() != kFileSize) {
    return corrupt(name + " is damaged: it has the wrong length or version");
  }
  if (!equal_in_constant_time(file_checksum(content), content.subspan(kChecksumAt))) {
    return corrupt(name + " is damaged: its checksum does not match");
  }
  return {};
}

Status check_sealed_file(ByteView content, const std::string& name) {
  const auto begins_with = [&](std::string_view magic) {
    return content.size() > magic.size() && as_text(content.first(magic.size())) == magic;
  };
  if (begins_with(kMagic)) return Error{Cause::kConflict, name + " is not sealed", {}};
  if (!begins_with(kSealedMagic)) return corrupt(name + " is not an identity file of Kartei");
  if (content[kSealedMagic.size()] > kSealedVersion)
    return Error{Cause::kVersion, name + " was made by a newer Kartei", {}};
  if (content[kSealedMagic.size()] != kSealedVersion || content.size() != kSealedSize)
    return corrupt(name + " is damaged: it has the wrong length or version");
  return {};
}

}  // namespace

bool verify(const SignKey& key, ByteView message, const Signature& signature) {
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(),
                                     key.data()) == 0;
}

bool PublicIdentity::verify() const {
  return crypto::verify(sign_key, binding_message(box_key), binding) &&
         usable_for_exchange(box_key);
}

std::array<std::uint8_t, 16> PublicIdentity::id() const {
  const Hash32 full = hash("kartei device id", {sign_key});
  std::array<std::uint8_t, 16> id;
  std::copy_n(full.begin(), id.size(), id.begin());
  return id;
}

Bytes PublicIdentity::encode() const {
  Bytes bytes;
  bytes.reserve(kEncodedSize);
  bytes.insert(bytes.end(), sign_key.begin(), sign_key.end());
  bytes.insert(bytes.end(), box_key.begin(), box_key.end());
  bytes.insert(bytes.end(), binding.begin(), binding.end());
  return bytes;
}

Result<PublicIdentity> PublicIdentity::decode(ByteView bytes) {
  if (bytes.size() != kEncodedSize) return corrupt("a device's public identity has a wrong length");
  PublicIdentity identity;
  std::copy_n(bytes.begin(), 32, identity.sign_key.begin());
  std::copy_n(bytes.begin() + 32, 32, identity.box_key.begin());
  std::copy_n(bytes.begin() + 64, 64, identity.binding.begin());
  if (!identity.verify()) return corrupt("a device's two keys are not bound together");
  return identity;
}

Identity Identity::from_secrets(ByteView sign_seed, ByteView box_secret) {
  Identity identity;
  identity.sign_secret_ = expand_seed(sign_seed, identity.pub_.sign_key);
  identity.box_secret_ = Secret(box_secret);
  crypto_scalarmult_base(identity.pub_.box_key.data(), box_secret.data());
  identity.pub_.binding = sign_with(identity.sign_secret_, binding_message(identity.pub_.box_key));
  return identity;
}

Identity Identity::generate(Random& random) {
  const Secret seed = Secret::random(kSeedSize, random);
  const Secret box_secret = Secret::random(kBoxSecretSize, random);
  return from_secrets(seed.view(), box_secret.view());
}

Result<Identity> Identity::load(const std::filesystem::path& file) {
  KARTEI_ASSIGN(const Secret content, read_private_file(file, 4096));
  KARTEI_TRY(check_file(content.view(), file.string()));
  return from_secrets(content.view().subspan(kSeedAt, kSeedSize),
                      content.view().subspan(kBoxSecretAt, kBoxSecretSize));
}

Result<Identity> Identity::load_sealed(const std::filesystem::path& file, const Secret& key32,
                                       std::string_view context) {
  KARTEI_ASSIGN(const Secret sealed, read_private_file(file, 4096));
  KARTEI_TRY(check_sealed_file(sealed.view(), file.string()));
  const Hash32 where = hash(kSealedDomain, {as_bytes(context)});
  const Secret content = open_secret(key32, where, sealed.view().subspan(kSealedAt));
  if (content.empty())
    return Error{Cause::kForbidden,
                 "The key does not open " + file.string() +
                     ", or the file was altered or belongs to another box (" +
                     std::string(context) + " is expected)",
                 {}};
  KARTEI_TRY(check_file(content.view(), file.string()));
  return from_secrets(content.view().subspan(kSeedAt, kSeedSize),
                      content.view().subspan(kBoxSecretAt, kBoxSecretSize));
}

Status Identity::save_sealed(const std::filesystem::path& file, const Secret& key32,
                             std::string_view context, Random& random) const {
  const Secret content = file_content();
  const Hash32 where = hash(kSealedDomain, {as_bytes(context)});
  Bytes sealed(kSealedSize);
  std::copy(kSealedMagic.begin(), kSealedMagic.end(), sealed.begin());
  sealed[kSealedMagic.size()] = kSealedVersion;
  seal_secret(key32, where, content, random, std::span(sealed).subspan(kSealedAt));
  return write_private_file(file, sealed);
}

Status Identity::save(const std::filesystem::path& file) const {
  return write_private_file(file, file_content().view());
}

Secret Identity::file_content() const {
  Secret content(kFileSize);
  const auto out = content.writable();
  std::copy(kMagic.begin(), kMagic.end(), out.begin());
  out[kMagic.size()] = kFileVersion;
  crypto_sign_ed25519_sk_to_seed(out.data() + kSeedAt, sign_secret_.view().data());
  std::copy_n(box_secret_.view().begin(), kBoxSecretSize, out.begin() + kBoxSecretAt);
  const Hash32 checksum = file_checksum(content.view());
  std::copy(checksum.begin(), checksum.end(), out.begin() + kChecksumAt);
  return content;
}

Signature Identity::sign(ByteView message) const {
  return sign_with(sign_secret_, message);
}

Identity Identity::copy() const {
  Identity other;
  other.pub_ = pub_;
  other.sign_secret_ = sign_secret_.copy();
  other.box_secret_ = box_secret_.copy();
  return other;
}

SignKey recovery_public(const Secret& seed) {
  SignKey key;
  expand_seed(seed.view(), key);
  return key;
}

Signature recovery_sign(const Secret& seed, ByteView message) {
  SignKey key;
  return sign_with(expand_seed(seed.view(), key), message);
}

}  // namespace kartei::crypto
