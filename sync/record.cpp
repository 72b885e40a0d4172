#include "sync/record.h"

#include "crypto/hash.h"
#include "crypto/sealed.h"
#include "sync/codec.h"

namespace kartei::sync {

namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::uint8_t kPresent = 0, kPurged = 1;

Bytes associated_data(const Header& header, const DrawerId& drawer, Epoch epoch) {
  ByteWriter out;
  out.bytes(header.encode());
  out.bytes(drawer.view());
  out.integer(epoch);
  return out.take();
}

Hash32 body_hash(ByteView sealed) {
  return crypto::hash("kartei record part v1", {sealed});
}

Hash32 record_hash(const Hash32& digest, const crypto::Signature& signature) {
  return crypto::hash("kartei record v1", {digest, signature});
}

Bytes signed_message(const Hash32& digest) {
  ByteWriter out;
  out.bytes(as_bytes("kartei record signature v1"));
  out.bytes(digest);
  return out.take();
}

Error malformed(const char* what) {
  return corrupt(std::string("record: ") + what);
}

}  // namespace

Bytes Header::encode() const {
  ByteWriter out;
  out.integer(kFormat);
  out.integer(static_cast<std::uint8_t>(kind));
  out.bytes(box.view());
  out.feed(feed);
  out.integer(seq);
  out.bytes(prev);
  if (seq == 0) {
    out.feed(before);
    out.integer(before_end);
  }
  if (kind == RecordKind::kEntry) {
    out.integer(counter);
    out.integer(index);
    out.integer(height);
  }
  return out.take();
}

Hash32 Record::digest() const {
  ByteWriter out;
  for (const Part& part : parts) {
    out.bytes(part.drawer.view());
    out.integer(part.epoch);
    out.integer(part.size);
    out.bytes(part.hash);
  }
  return crypto::hash("kartei record digest v1", {header.encode(), out.take()});
}

void Record::seal_part(DrawerId drawer, Epoch epoch, const crypto::Secret& key, ByteView body,
                       crypto::Random& random) {
  add_part(drawer, epoch, crypto::seal(key, associated_data(header, drawer, epoch), body, random));
}

void Record::add_part(DrawerId drawer, Epoch epoch, Bytes body) {
  Part part;
  part.drawer = drawer;
  part.epoch = epoch;
  part.size = static_cast<std::uint32_t>(body.size());
  part.hash = body_hash(body);
  part.sealed = std::move(body);
  parts.push_back(std::move(part));
}

void Record::sign(const crypto::Identity& identity) {
  Hash32 d = digest();
  signature = identity.sign(signed_message(d));
  hash = record_hash(d, signature);
}

bool Record::verify(const crypto::SignKey& author) const {
  return crypto::verify(author, signed_message(digest()), signature);
}

Result<Bytes> Record::open_part(std::size_t index, const crypto::Secret& key) const {
  const Part& part = parts.at(index);
  if (!part.sealed) return not_found("this part of the record was purged");
  return crypto::open(key, associated_data(header, part.drawer, part.epoch), *part.sealed);
}

Bytes Record::encode() const {
  ByteWriter out;
  out.bytes(header.encode());
  out.integer(static_cast<std::uint8_t>(parts.size()));
  for (const Part& part : parts) {
    out.bytes(part.drawer.view());
    out.integer(part.epoch);
    out.integer(part.size);
    out.bytes(part.hash);
    out.integer(part.sealed ? kPresent : kPurged);
    if (part.sealed) out.bytes(*part.sealed);
  }
  out.bytes(signature);
  return out.take();
}

Result<Record> Record::decode(ByteView bytes) {
  if (bytes.size() > kRecordMax) return malformed("too long");
  ByteReader in(bytes);
  if (in.integer<std::uint8_t>() != kFormat)
    return Error{Cause::kVersion, "record: made by a newer Kartei; update this device", {}};
  Record out;
  Header& header = out.header;
  auto kind = in.integer<std::uint8_t>();
  if (kind < 1 || kind > 3) return malformed("unknown kind");
  header.kind = static_cast<RecordKind>(kind);
  header.box.bytes = in.array<16>();
  header.feed = in.feed();
  header.seq = in.integer<std::uint64_t>();
  header.prev = in.array<32>();
  if (header.seq == 0) {
    header.before = in.feed();
    header.before_end = in.integer<std::uint64_t>();
  }
  if (header.kind == RecordKind::kEntry) {
    header.counter = in.integer<std::uint64_t>();
    header.index = in.integer<std::uint64_t>();
    header.height = in.integer<std::uint64_t>();
  }
  auto count = in.integer<std::uint8_t>();
  if (!in.ok() || count > kPartsMax) return malformed("short, or too many parts");
  for (std::uint8_t i = 0; i < count; ++i) {
    Part part;
    part.drawer.bytes = in.array<16>();
    part.epoch = in.integer<Epoch>();
    part.size = in.integer<std::uint32_t>();
    part.hash = in.array<32>();
    auto state = in.integer<std::uint8_t>();
    if (state > kPurged) return malformed("unknown state of a part");
    if (state == kPresent) {
      ByteView body = in.bytes(part.size);
      if (!in.ok()) return malformed("short part");
      if (body_hash(body) != part.hash) return malformed("a part does not have its hash");
      part.sealed = to_bytes(body);
    }
    out.parts.push_back(std::move(part));
  }
  out.signature = in.array<64>();
  if (!in.ok() || !in.at_end()) return malformed("short, or with bytes left over");
  out.hash = record_hash(out.digest(), out.signature);
  return out;
}

}  // namespace kartei::sync
