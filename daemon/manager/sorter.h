// Into which drawer a turn belongs that names none. A pure state machine: turns go in, drawers come
// out; it does no I/O and reads no clock. What it learned and counted is bounded and can be taken
// out as text and put back.
//
// A turn's kind is the part of life, or the pastime, that its words speak of plainly. A kind goes,
// in this order: where its owner moved a card of it by hand; into a local drawer that is named by a
// word for it; into the drawer that the sorter made of it. Else it stays in the default drawer, and
// is counted; once its owner's statements in several exchanges on several days or in several
// conversations speak of it, a drawer is made, called as its owner calls it. Into a shared drawer
// goes what its owner taught so, and nothing else. What has no kind follows its conversation.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"
#include "store/values.h"

namespace kartei::daemon {

// Three times is no accident, twice is one story: an exchange tells something, its answer asks on.
inline constexpr std::size_t kExchangesToMake = 3;
inline constexpr std::size_t kSpreadToMake = 2;  // conversations, or days
// Turns of a user without a kind of their own that still follow their conversation.
inline constexpr std::size_t kFollowing = 4;

// The kind that a text speaks of plainly; empty: none.
std::string kind_of_text(std::string_view text);
// The kind that a drawer's name names; empty: none.
std::string kind_of_name(std::string_view name);

struct SortedTurn {
  std::string_view conversation, text;
  bool by_user = false;  // the owner's own words
  std::int64_t day = 0;  // on which it was said
};

struct Sorting {
  store::DrawerId drawer;  // zero: the default one
  std::string make;        // of this name, a drawer for `kind`; then tell made()
  std::string kind;        // of the turn; empty: it has none
  std::string why;
};

class Sorter {
 public:
  enum class Origin : std::uint8_t { kNone, kMade, kTaught };
  struct Kind {
    std::size_t exchanges = 0;
    std::vector<std::uint32_t> conversations;  // hashes of names, kSpreadToMake at most
    std::vector<std::int64_t> days;            // kSpreadToMake at most
    std::map<std::string, std::size_t> words;  // as their owner writes them
    store::DrawerId drawer;                    // zero: none
    Origin origin = Origin::kNone;
    bool operator==(const Kind&) const = default;
  };

  // Drawers of this device; a drawer that is not among them is gone.
  void set_drawers(std::span<const store::Drawer> drawers);
  Sorting sort(const SortedTurn& turn);
  void made(const std::string& kind, store::DrawerId drawer);
  // A card was moved by hand. Gives the kind, or the name or thing, that goes there from now on;
  // empty: nothing can be learned from it.
  std::string teach(const store::Card& card, store::DrawerId drawer);
  // False: nothing is known of that kind.
  bool forget(const std::string& kind);

  const std::map<std::string, Kind>& kinds() const { return kinds_; }
  bool made_it(store::DrawerId drawer) const;
  bool changed() { return std::exchange(changed_, false); }
  std::string text() const;
  Status load(std::string_view text);

 private:
  struct Talk {
    std::uint32_t conversation = 0;
    std::string kind;
    std::size_t without = 0;  // turns of the user since, that have none
  };
  std::string kind_here(std::string_view text, const Talk& talk) const;
  Talk& talk_of(std::string_view conversation);
  void count(const SortedTurn& turn, const std::string& kind);
  Sorting place(const std::string& kind);
  const store::Drawer* drawer(store::DrawerId id) const;
  Kind& known(const std::string& kind);

  std::map<std::string, Kind> kinds_;
  std::deque<Talk> talks_;  // the newest last
  std::vector<store::Drawer> drawers_;
  bool changed_ = false;
};

}  // namespace kartei::daemon
