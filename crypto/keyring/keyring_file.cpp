#include "crypto/keyring/keyring_file.h"

#include <algorithm>

#include "crypto/hash.h"
#include "crypto/numbers.h"

namespace kartei::keyring {

namespace {

constexpr std::string_view kMagic = "KARTEIKR";
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kSumSize = sizeof(Hash32);
constexpr std::uint32_t kPassesMin = 2, kPassesMax = 16;
constexpr std::uint32_t kMemoryMinKib = 64 << 10, kMemoryMaxKib = 256 << 10;

Hash32 checksum(ByteView bytes) {
  return crypto::hash("kartei keyring file", {bytes});
}

void append(Bytes& out, ByteView bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_u32(Bytes& out, std::uint32_t value) {
  out.resize(out.size() + 4);
  put_little_endian(&out[out.size() - 4], value, 4);
}

// Reads on behind what was taken; everything after a fault is a fault.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }
  ByteView take(std::size_t size) {
    ok_ = ok_ && size <= bytes_.size();
    if (!ok_) return {};
    const ByteView part = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return part;
  }
  std::uint8_t byte() {
    const ByteView one = take(1);
    return one.empty() ? std::uint8_t{0} : one[0];
  }
  std::uint32_t u32() {
    const ByteView four = take(4);
    return four.empty() ? 0 : static_cast<std::uint32_t>(little_endian_at(four.data(), 4));
  }
  template <std::size_t size>
  void fill(std::array<std::uint8_t, size>& out) {
    const ByteView part = take(size);
    std::copy(part.begin(), part.end(), out.begin());
  }

 private:
  ByteView bytes_;
  bool ok_ = true;
};

bool read_wrap(Cursor& from, Wrap& wrap) {
  const std::uint8_t backend = from.byte();
  if (backend < 1 || backend > 3) return false;
  wrap.backend = static_cast<Backend>(backend);
  from.fill(wrap.id);
  if (wrap.backend == Backend::kPassphrase) {
    wrap.stretch.passes = from.u32();
    wrap.stretch.memory_kib = from.u32();
    if (!stretch_allowed(wrap.stretch)) return false;
  }
  from.fill(wrap.sealed);
  return from.ok();
}

Error damaged(const char* why) {
  return corrupt(std::string("it is damaged (") + why + ")");
}

}  // namespace

const Wrap* KeyringContent::find(Backend backend) const {
  for (const Wrap& wrap : wraps)
    if (wrap.backend == backend) return &wrap;
  return nullptr;
}

void KeyringContent::put(Wrap wrap) {
  drop(wrap.backend);
  const auto behind = std::find_if(wraps.begin(), wraps.end(),
                                   [&](const Wrap& other) { return other.backend > wrap.backend; });
  wraps.insert(behind, wrap);
}

void KeyringContent::drop(Backend backend) {
  std::erase_if(wraps, [&](const Wrap& wrap) { return wrap.backend == backend; });
}

bool stretch_allowed(const Stretch& stretch) {
  return stretch.passes >= kPassesMin && stretch.passes <= kPassesMax &&
         stretch.memory_kib >= kMemoryMinKib && stretch.memory_kib <= kMemoryMaxKib;
}

Bytes encode_keyring(const KeyringContent& content) {
  Bytes out = to_bytes(as_bytes(kMagic));
  out.push_back(kVersion);
  append(out, content.key_id);
  out.push_back(static_cast<std::uint8_t>(content.wraps.size()));
  for (const Wrap& wrap : content.wraps) {
    out.push_back(static_cast<std::uint8_t>(wrap.backend));
    append(out, wrap.id);
    if (wrap.backend == Backend::kPassphrase) {
      append_u32(out, wrap.stretch.passes);
      append_u32(out, wrap.stretch.memory_kib);
    }
    append(out, wrap.sealed);
  }
  append(out, checksum(out));
  return out;
}

Result<KeyringContent> decode_keyring(ByteView bytes) {
  if (bytes.empty()) return corrupt("it is empty");
  const std::size_t head = kMagic.size() + 1;
  if (bytes.size() < head || as_text(bytes.first(kMagic.size())) != kMagic)
    return damaged("its first bytes are no keyring's");
  if (bytes[kMagic.size()] > kVersion)
    return Error{Cause::kVersion, "it was made by a newer Kartei: update this one", {}};
  if (bytes[kMagic.size()] != kVersion) return damaged("its version");
  if (bytes.size() < head + kSumSize) return damaged("it is too short");
  const ByteView body = bytes.first(bytes.size() - kSumSize);
  if (!equal_in_constant_time(checksum(body), bytes.last(kSumSize))) return damaged("its checksum");

  Cursor from(body.subspan(head));
  KeyringContent content;
  from.fill(content.key_id);
  const std::uint8_t count = from.byte();
  if (count == 0 || count > std::size(kBackends)) return damaged("the number of its wraps");
  for (std::uint8_t i = 0; i < count; ++i) {
    Wrap wrap;
    if (!read_wrap(from, wrap)) return damaged("a wrap");
    if (!content.wraps.empty() && content.wraps.back().backend >= wrap.backend)
      return damaged("the order of its wraps");
    content.wraps.push_back(wrap);
  }
  if (!from.ok() || !from.at_end()) return damaged("its length");
  return content;
}

}  // namespace kartei::keyring
