#include "store/meaning/codes.h"

#include <algorithm>
#include <stdexcept>

#include "store/meaning/codes_impl.h"

namespace kartei::store {

Codes::Codes(std::size_t dims) : quantiser_(dims) {}
Codes::~Codes() = default;

std::size_t Codes::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::size_t Codes::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return sizeof *this + chunks_.capacity() * sizeof(chunks_[0]) +
         chunks_.size() *
             (sizeof(Chunk) + kChunkBlocks * quantiser_.code_bytes() * sizeof(CodeRow));
}

std::unique_ptr<Codes::Chunk> Codes::new_chunk() {
  const std::size_t code_bytes = quantiser_.code_bytes();
  auto* rows = static_cast<CodeRow*>(memory_.take(kChunkBlocks * code_bytes * sizeof(CodeRow)));
  return std::make_unique<Chunk>(rows, code_bytes);
}

Codes::Chunk& Codes::room() {
  if (size_ == chunks_.size() * kChunkVectors) chunks_.push_back(new_chunk());
  return *chunks_.back();
}

void Codes::append(std::int64_t key, std::span<const float> vector) {
  if (key == kNoKey) throw std::logic_error("that is no row's key");
  Bytes code(quantiser_.code_bytes());
  const std::uint16_t scale = quantiser_.encode(vector, code);
  const std::lock_guard lock(mutex_);
  Chunk& chunk = room();
  const std::size_t at = size_ % kChunkVectors;
  CodeRow* block = chunk.rows.data() + at / kBlockVectors * code.size();
  for (std::size_t k = 0; k < code.size(); ++k) block[k].byte[at % kBlockVectors] = code[k];
  chunk.scales[at] = scale;
  chunk.keys[at].store(key, std::memory_order_relaxed);
  chunk.note_key(key);
  ++size_;
}

Codes::View Codes::view() const {
  View view;
  const std::lock_guard lock(mutex_);
  view.chunks.reserve(chunks_.size());
  for (const auto& chunk : chunks_)
    view.chunks.push_back({chunk.get(), chunk->least_key, chunk->most_key, chunk->ascending});
  view.full_blocks = size_ / kBlockVectors;
  if (size_ % kBlockVectors == 0) return view;
  const Chunk& last = *chunks_.back();
  const std::size_t block = view.full_blocks % kChunkBlocks;
  const auto* rows = last.rows.data() + block * quantiser_.code_bytes();
  view.tail.assign(rows, rows + quantiser_.code_bytes());
  for (std::size_t i = 0; i < kBlockVectors; ++i) {
    view.tail_scales[i] = last.scales[block * kBlockVectors + i];
    view.tail_keys[i] = last.keys[block * kBlockVectors + i].load(std::memory_order_relaxed);
  }
  return view;
}

std::vector<std::size_t> Codes::forget(std::vector<std::int64_t> keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<Chunk*> chunks;
  std::size_t size;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& chunk : chunks_) chunks.push_back(chunk.get());
    size = size_;
  }
  // Keys are atomic, and those behind `size` are not looked at: no lock from here on.
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < size; ++i) {
    std::atomic<std::int64_t>& key = chunks[i / kChunkVectors]->keys[i % kChunkVectors];
    const std::int64_t old = key.load(std::memory_order_relaxed);
    if (old == kNoKey || !std::binary_search(keys.begin(), keys.end(), old)) continue;
    key.store(kNoKey, std::memory_order_relaxed);
    const std::size_t number = i / kChunkVectors;
    const bool full = number < size / kChunkVectors;
    if (full && (changed.empty() || changed.back() != number)) changed.push_back(number);
  }
  return changed;
}

std::vector<std::int64_t> Codes::missing(std::vector<std::int64_t> keys) const {
  std::sort(keys.begin(), keys.end());
  std::vector<bool> there(keys.size(), false);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < size_; ++i) {
    const std::int64_t key =
        chunks_[i / kChunkVectors]->keys[i % kChunkVectors].load(std::memory_order_relaxed);
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    if (place != keys.end() && *place == key)
      there[static_cast<std::size_t>(place - keys.begin())] = true;
  }
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!there[i]) out.push_back(keys[i]);
  return out;
}

}  // namespace kartei::store
