// Helpers shared by the files that read and write Cap'n Proto messages. Not for others.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <cstring>

#include "sync/wire.capnp.h"
#include "sync/wire.h"

namespace kartei::sync::wire_detail {

inline constexpr std::uint16_t kWireVersion = 1;
inline constexpr std::size_t kListMax = 1 << 20;

inline capnp::Data::Reader blob(ByteView bytes) {
  return {bytes.data(), bytes.size()};
}
inline Bytes bytes_of(capnp::Data::Reader reader) {
  return {reader.begin(), reader.end()};
}

// Cap'n Proto reports malformed input by throwing; this turns it into a value at one place.
struct Malformed {
  const char* what;
};
inline void require(bool ok, const char* what) {
  if (!ok) throw Malformed{what};
}

template <std::size_t N>
std::array<std::uint8_t, N> fixed(capnp::Data::Reader reader) {
  require(reader.size() == N || reader.size() == 0, "a field has a wrong length");
  std::array<std::uint8_t, N> out{};
  if (reader.size() == N) std::memcpy(out.data(), reader.begin(), N);
  return out;
}
template <class Id>
Id wire_id(capnp::Data::Reader reader) {
  Id out;
  out.bytes = fixed<16>(reader);
  return out;
}
inline std::string text_of(capnp::Text::Reader reader, std::size_t max) {
  require(reader.size() <= max, "a text is too long");
  return {reader.cStr(), reader.size()};
}

inline FeedId feed_of(wire::Feed::Reader reader) {
  FeedId out;
  out.device = wire_id<DeviceId>(reader.getDevice());
  out.number = reader.getNumber();
  out.tag = reader.getTag();
  return out;
}
inline void put(wire::Feed::Builder out, const FeedId& feed) {
  out.setDevice(blob(feed.device.view()));
  out.setNumber(feed.number);
  out.setTag(feed.tag);
}
inline Term term_of(wire::Term::Reader reader) {
  return {reader.getCounter(), feed_of(reader.getFeed())};
}
inline void put(wire::Term::Builder out, const Term& term) {
  out.setCounter(term.counter);
  put(out.initFeed(), term.feed);
}
inline Position position_of(wire::Position::Reader reader) {
  Position out;
  out.term = term_of(reader.getTerm());
  out.index = reader.getIndex();
  out.height = reader.getHeight();
  out.hash = fixed<32>(reader.getHash());
  return out;
}
inline void put(wire::Position::Builder out, const Position& position) {
  put(out.initTerm(), position.term);
  out.setIndex(position.index);
  out.setHeight(position.height);
  out.setHash(blob(position.hash));
}
inline Counts counts_of(capnp::List<wire::FeedCount>::Reader list) {
  require(list.size() <= kListMax, "too many feeds");
  Counts out;
  for (auto item : list) out[feed_of(item.getFeed())] = item.getCount();
  return out;
}
template <class InitList>
void put_counts(InitList&& init, const Counts& counts) {
  auto list = init(static_cast<unsigned>(counts.size()));
  unsigned i = 0;
  for (const auto& [feed, count] : counts) {
    put(list[i].initFeed(), feed);
    list[i].setCount(count);
    ++i;
  }
}
template <class InitList, class Container>
void put_data_list(InitList&& init, const Container& items) {
  auto list = init(static_cast<unsigned>(items.size()));
  unsigned i = 0;
  for (const auto& item : items) list.set(i++, blob(item));
}

inline Bytes to_flat(capnp::MessageBuilder& message) {
  kj::Array<capnp::word> words = capnp::messageToFlatArray(message);
  auto bytes = words.asBytes();
  return {bytes.begin(), bytes.end()};
}

// Runs `read(root)`; any malformed input becomes an error.
template <class Root, class Read>
auto decode_flat(ByteView bytes, const char* name, Read read)
    -> Result<decltype(read(std::declval<typename Root::Reader>()))> {
  if (bytes.size() % sizeof(capnp::word) != 0 || bytes.empty())
    return corrupt(std::string(name) + ": not whole words");
  kj::Array<capnp::word> words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  capnp::ReaderOptions options;
  options.traversalLimitInWords = 4 * words.size() + 1024;
  options.nestingLimit = 16;
  try {
    capnp::FlatArrayMessageReader reader(words, options);
    return read(reader.getRoot<Root>());
  } catch (const kj::Exception&) {
    return corrupt(std::string(name) + ": malformed");
  } catch (const Malformed& malformed) {
    return corrupt(std::string(name) + ": " + malformed.what);
  }
}

}  // namespace kartei::sync::wire_detail
