// Full chunks as bytes: version, dims, count (4 bytes each, little-endian); codes as they lie in
// memory; scales (2 bytes each); keys (8 bytes each); BLAKE2b of all that (32 bytes).
#include <algorithm>
#include <cstring>

#include "crypto/hash.h"
#include "store/meaning/codes.h"
#include "store/meaning/codes_impl.h"

namespace kartei::store {

namespace {

// Of rotation, codebook and layout together.
constexpr std::uint32_t kCodesVersion = 1;
constexpr std::size_t kChunkHead = 12;

Hash32 chunk_hash(ByteView content) {
  return crypto::hash("kartei codes chunk", {content});
}

void put_number(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

// The caller has checked that there are as many bytes.
std::uint64_t take_number(ByteView& in, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{in[i]} << (8 * i);
  in = in.subspan(bytes);
  return value;
}

}  // namespace

Result<Bytes> Codes::chunk(std::size_t number) const {
  const Chunk* chunk;
  {
    const std::lock_guard lock(mutex_);
    if (number >= size_ / kChunkVectors) return not_found("There is no such full chunk.");
    chunk = chunks_[number].get();
  }
  Bytes out;
  put_number(out, kCodesVersion, 4);
  put_number(out, dims(), 4);
  put_number(out, kChunkVectors, 4);
  for (const CodeRow& row : chunk->rows) out.insert(out.end(), row.byte.begin(), row.byte.end());
  const std::size_t scales_at = out.size();
  for (const std::uint16_t scale : chunk->scales) put_number(out, scale, 2);
  for (std::size_t i = 0; i < kChunkVectors; ++i) {
    const std::int64_t key = chunk->keys[i].load(std::memory_order_relaxed);
    put_number(out, static_cast<std::uint64_t>(key), 8);
    if (key != kNoKey) continue;
    out[scales_at + 2 * i] = out[scales_at + 2 * i + 1] = 0;
    const std::size_t block = i / kBlockVectors * quantiser_.code_bytes();
    for (std::size_t k = 0; k < quantiser_.code_bytes(); ++k) {
      out[kChunkHead + (block + k) * kBlockVectors + i % kBlockVectors] = 0;
    }
  }
  const Hash32 hash = chunk_hash(out);
  out.insert(out.end(), hash.begin(), hash.end());
  return out;
}

Status Codes::add_chunk(ByteView stored) {
  const Error damaged = corrupt("A chunk of the meaning index is damaged. Make it again.");
  if (stored.size() < kChunkHead + sizeof(Hash32)) return damaged;
  ByteView content = stored.first(stored.size() - sizeof(Hash32));
  const Hash32 hash = chunk_hash(content);
  if (!std::ranges::equal(stored.last(sizeof(Hash32)), hash)) return damaged;
  if (take_number(content, 4) > kCodesVersion) {
    return Error{Cause::kVersion, "A chunk of the meaning index is of a newer Kartei.", {}};
  }
  if (take_number(content, 4) != dims() || take_number(content, 4) != kChunkVectors) {
    return corrupt("A chunk of the meaning index is of another model. Make it again.");
  }
  const std::size_t code_bytes = kChunkVectors * quantiser_.code_bytes();
  if (content.size() != code_bytes + kChunkVectors * (2 + 8)) return damaged;
  const std::lock_guard lock(mutex_);
  if (size_ % kChunkVectors != 0) {
    return Error{Cause::kConflict, "A stored chunk only follows full ones.", {}};
  }
  auto chunk = new_chunk();
  std::memcpy(chunk->rows.data(), content.data(), code_bytes);
  content = content.subspan(code_bytes);
  for (auto& scale : chunk->scales) {
    scale = static_cast<std::uint16_t>(take_number(content, 2));
  }
  for (auto& key : chunk->keys) {
    const auto number = static_cast<std::int64_t>(take_number(content, 8));
    key.store(number, std::memory_order_relaxed);
    chunk->note_key(number);
  }
  chunks_.push_back(std::move(chunk));
  size_ += kChunkVectors;
  return {};
}

}  // namespace kartei::store
