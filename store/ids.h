// Names of things. Every id is made by the device that first spoke the thing and never changes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/bytes.h"

namespace kartei::store {

// 128 bits with a type. Text form: 32 lower-case hex digits.
template <class Tag>
struct Id {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Id&) const = default;
  bool is_zero() const { return *this == Id{}; }
  ByteView view() const { return bytes; }
  std::string text() const { return to_hex(bytes); }
  static std::optional<Id> from_text(std::string_view text) {
    auto raw = from_hex(text);
    return raw ? from_bytes(*raw) : std::nullopt;
  }
  static std::optional<Id> from_bytes(ByteView raw) {
    if (raw.size() != 16) return std::nullopt;
    Id id;
    for (std::size_t i = 0; i < 16; ++i) id.bytes[i] = raw[i];
    return id;
  }
};

using BoxId = Id<struct BoxTag>;
using DeviceId = Id<struct DeviceTag>;
using TurnId = Id<struct TurnTag>;
using CardId = Id<struct CardTag>;
using UnitId = Id<struct UnitTag>;
using EditId = Id<struct EditTag>;
using DrawerId = Id<struct DrawerTag>;
using RunId = Id<struct RunTag>;  // of forgetting

// One device's log since one start of its process.
struct FeedId {
  DeviceId device;
  std::uint32_t number = 0;  // one above every own number known when it began
  std::uint64_t tag = 0;     // random, so that a lost past cannot be spoken twice
  auto operator<=>(const FeedId&) const = default;
};

// The period of one primary. Ordered by (counter, device, incarnation); the highest wins.
struct Term {
  std::uint64_t counter = 0;
  FeedId feed;
  auto operator<=>(const Term&) const = default;
};

// An entry's place: its term, its index within the term, and its height above the ledger's root.
struct Position {
  Term term;
  std::uint64_t index = 0;
  std::uint64_t height = 0;
  Hash32 hash{};
  bool operator==(const Position&) const = default;
};

}  // namespace kartei::store
