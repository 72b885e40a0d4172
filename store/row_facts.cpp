#include "store/row_facts.h"

#include <algorithm>
#include <bit>

#include "store/row_bytes.h"

namespace kartei::store {

namespace {

// Rows looked at on either side for a neighbour in the conversation: turns of several conversations
// may come in at the same time.
constexpr int kStepsMax = 64;
constexpr std::size_t kConversationBytes = 8;

// Seven bits a byte, the last one without the eighth.
void put_short(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}
void put_short_signed(Bytes& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  put_short(out, bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

// Reads what those wrote; zeros behind the end.
class FactReader {
 public:
  explicit FactReader(ByteView bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const std::uint8_t byte = rest_.front();
      rest_ = rest_.subspan(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  template <class Number>
  Number small() {
    return static_cast<Number>(number());
  }
  ByteView take(std::size_t size) {
    const ByteView taken = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  ByteView rest() const { return rest_; }

 private:
  ByteView rest_;
};

bool is_before(const FactRows::Placed& placed, std::int64_t number) {
  return placed.number < number;
}

std::int64_t conversation_of(ByteView turn) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kConversationBytes && i < turn.size(); ++i)
    value |= std::uint64_t{turn[i]} << 8 * i;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::shared_ptr<const FactRows::Chunk> FactRows::chunk_of(
    const std::array<ByteView, kChunkRows>& rows) {
  auto chunk = std::make_shared<Chunk>();
  std::size_t all = 0;
  for (const ByteView row : rows) all += row.size();
  const bool wide = all > UINT16_MAX;
  if (wide) chunk->wide_ends.reserve(rows.size());
  std::size_t end = 0;
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    end += rows[slot].size();
    if (wide)
      chunk->wide_ends.push_back(static_cast<std::uint32_t>(end));
    else
      chunk->ends[slot] = static_cast<std::uint16_t>(end);
  }
  chunk->bytes.reserve(all);
  for (const ByteView row : rows) chunk->bytes.insert(chunk->bytes.end(), row.begin(), row.end());
  return chunk;
}

ByteView FactRows::row(std::int64_t rid) const {
  if (rid < 0 || rid > highest_) return {};
  const std::int64_t number = rid / kChunkRows;
  const auto slot = static_cast<std::size_t>(rid % kChunkRows);
  // Most boxes have no gap: the chunk is at its own place.
  const Chunks& chunks = *chunks_;
  if (const auto place = static_cast<std::size_t>(number);
      place < chunks.size() && chunks[place].number == number)
    return chunks[place].chunk->row(slot);
  const auto there = std::lower_bound(chunks.begin(), chunks.end(), number, is_before);
  if (there == chunks.end() || there->number != number) return {};
  return there->chunk->row(slot);
}

FactRows FactRows::with(const std::vector<Change>& changes) const {
  FactRows next = *this;
  Chunks chunks = *chunks_;
  for (auto change = changes.begin(); change != changes.end();) {
    const std::int64_t number = change->rid / kChunkRows;
    const auto there = std::lower_bound(chunks.begin(), chunks.end(), number, is_before);
    const bool known = there != chunks.end() && there->number == number;
    std::array<ByteView, kChunkRows> rows;
    for (std::size_t slot = 0; known && slot < rows.size(); ++slot)
      rows[slot] = there->chunk->row(slot);
    for (; change != changes.end() && change->rid / kChunkRows == number; ++change) {
      rows[static_cast<std::size_t>(change->rid % kChunkRows)] = change->bytes;
      next.highest_ = std::max(next.highest_, change->rid);
    }
    auto chunk = chunk_of(rows);
    if (known) {
      there->chunk = std::move(chunk);
    } else {
      chunks.insert(there, {number, std::move(chunk)});
    }
  }
  next.chunks_ = std::make_shared<const Chunks>(std::move(chunks));
  return next;
}

std::size_t FactRows::bytes() const {
  std::size_t all = chunks_->size() * sizeof(Placed);
  for (const Placed& placed : *chunks_)
    all += sizeof(Chunk) + placed.chunk->bytes.capacity() +
           placed.chunk->wide_ends.capacity() * sizeof(std::uint32_t);
  return all;
}

// conversation(8) | role | length | said at | bag
Bytes fact_bytes(const TurnFacts& facts, const BagView& bag) {
  Bytes out;
  put_number(out, static_cast<std::uint64_t>(facts.conversation), kConversationBytes);
  put_short(out, static_cast<std::uint64_t>(facts.role));
  put_short(out, facts.length);
  put_short_signed(out, facts.said_at_ms);
  ShortBag::append(bag, out);
  return out;
}

TurnFacts turn_facts(ByteView row) {
  TurnFacts facts;
  facts.conversation = conversation_of(row);
  FactReader reader(row.subspan(std::min(kConversationBytes, row.size())));
  facts.role = reader.small<Role>();
  facts.length = reader.small<std::uint32_t>();
  facts.said_at_ms = reader.signed_number();
  facts.bag = ShortBag(reader.rest());
  return facts;
}

// state | colour | trust | importance(4) | length | flags | use | drawer's place | dates and times
// | sources, each 16 | bag
Bytes fact_bytes(const CardFacts& facts, std::size_t drawer, const BagView& bag) {
  Bytes out = {facts.state, static_cast<std::uint8_t>(facts.colour),
               static_cast<std::uint8_t>(facts.trust)};
  put_number(out, std::bit_cast<std::uint32_t>(facts.importance), 4);
  put_short(out, facts.length);
  put_short(out, facts.flags);
  put_short(out, facts.times_used);
  put_short(out, drawer);
  for (const std::int64_t time : {facts.valid_from, facts.valid_to, facts.recorded_at_ms,
                                  facts.closed_at_ms, facts.last_used_ms})
    put_short_signed(out, time);
  put_short(out, facts.sources.size());
  out.insert(out.end(), facts.sources.begin(), facts.sources.end());
  ShortBag::append(bag, out);
  return out;
}

CardFacts card_facts(ByteView row, const FactDrawers& drawers) {
  CardFacts facts;
  constexpr std::size_t kFixedBytes = 7;
  if (row.size() < kFixedBytes) return facts;
  facts.state = row[0];
  facts.colour = static_cast<Colour>(row[1]);
  facts.trust = static_cast<Trust>(row[2]);
  facts.importance =
      std::bit_cast<float>(std::uint32_t{row[3]} | std::uint32_t{row[4]} << 8 |
                           std::uint32_t{row[5]} << 16 | std::uint32_t{row[6]} << 24);
  FactReader reader(row.subspan(kFixedBytes));
  facts.length = reader.small<std::uint32_t>();
  facts.flags = reader.small<std::uint32_t>();
  facts.times_used = reader.small<std::uint32_t>();
  const std::size_t drawer = reader.number();
  if (drawer < drawers.size()) facts.drawer = drawers[drawer];
  for (std::int64_t* time : {&facts.valid_from, &facts.valid_to, &facts.recorded_at_ms,
                             &facts.closed_at_ms, &facts.last_used_ms})
    *time = reader.signed_number();
  const std::size_t sources = reader.number();
  facts.sources = reader.take(sources);
  facts.bag = ShortBag(reader.rest());
  return facts;
}

std::uint8_t card_state(ByteView row) {
  return row.empty() ? std::uint8_t{0} : row[0];
}

// Towards older (-1) or newer (1) rows. -1: none so near.
std::int64_t RowFacts::next_in_conversation(std::int64_t rid, std::int64_t conversation,
                                            int step) const {
  for (int steps = 0; steps < kStepsMax; ++steps) {
    rid += step;
    if (rid <= 0 || rid > turns.highest()) return 0;
    const ByteView row = turns.row(rid);
    if (!row.empty() && conversation_of(row) == conversation) return rid;
  }
  return -1;
}

std::optional<RowFacts::Beside> RowFacts::beside(std::int64_t rid) const {
  const ByteView row = turns.row(rid);
  if (row.empty()) return std::nullopt;
  const std::int64_t conversation = conversation_of(row);
  if (unordered->count(conversation) != 0) return std::nullopt;
  const Beside found{next_in_conversation(rid, conversation, -1),
                     next_in_conversation(rid, conversation, 1)};
  if (found.before < 0 || found.after < 0) return std::nullopt;
  return found;
}

}  // namespace kartei::store
