// Packing: items become lines of the ready-made text, one item a line, the turns of a day under its
// date, inside a strict token budget. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/excerpt.h"
#include "store/librarian.h"

namespace kartei::store {

// "1 October 2025", "October 2025", "2025".
std::string day_text(Date date);

// "- [fact, since 1 October 2025] Maya lives in Leipzig."; what others said stands in quotes, with
// whose words it is. `known_at`: as it stood then, so without the end that was told later.
std::string card_line(const Card& card, const std::optional<Time>& known_at);

// Whose turn it is, and of which day.
struct TurnOpening {
  std::string day, who;  // "12 October 2025", "Maya"
};
TurnOpening turn_opening(const Turn& turn, std::int16_t zone_min);

// "We met yesterday [11 October]": behind phrases that mean another day, month or year than they
// say, which one, as of the day when they were said.
std::string with_dates(std::string_view text, const ZonedTime& said_at);

// An item as it stands in the ready-made text.
struct Line {
  std::string text;
  std::string heading;  // it stands under; none: by itself, before all that have one
};

class Packer {
 public:
  // 0: no budget.
  Packer(std::size_t budget_tokens, std::size_t limit) : budget_(budget_tokens), limit_(limit) {}

  bool full() const { return items_.size() >= limit_; }
  // What a line may still cost.
  std::size_t left() const;
  void reserve(std::size_t tokens) { reserved_ = tokens; }  // for what comes last
  // False: does not fit; nothing has changed.
  bool add(RecallItem& item, const Line& line);  // the item is gone where it was added
  void begin_part();                             // what comes now stands behind all that is there
  RecallAnswer take();

 private:
  std::size_t budget_, limit_;
  std::size_t used_ = 0, reserved_ = 0;
  std::vector<RecallItem> items_;
  struct Group {
    std::string heading;
    std::vector<std::string> lines;
  };
  std::vector<Group> groups_;
  std::size_t first_group_ = 0;  // of the part that is being filled
};

}  // namespace kartei::store
