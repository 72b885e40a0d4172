// Packing: items become lines of the ready-made text, one item a line, inside a strict token
// budget. Pure.
#pragma once

#include <string>

#include "store/excerpt.h"
#include "store/librarian.h"

namespace kartei::store {

// "1 Oct 2025", "Oct 2025", "2025".
std::string short_date(const Date& date);

// "- [fact, since 1 Oct 2025] Maya lives in Leipzig."; what others said stands in quotes, with
// whose words it is. `known_at`: as it stood then, so without the end that was told later.
std::string card_line(const Card& card, const std::optional<Time>& known_at);
// "- 12 Oct 2025, Maya: " without the quotation.
std::string turn_opening(const Turn& turn, std::int16_t zone_min);

class Packer {
 public:
  // 0: no budget.
  Packer(std::size_t budget_tokens, std::size_t limit) : budget_(budget_tokens), limit_(limit) {}

  bool full() const { return items_.size() >= limit_; }
  // What a line may still cost.
  std::size_t left() const;
  void reserve(std::size_t tokens) { reserved_ = tokens; }  // for what comes last
  // False: does not fit; nothing has changed.
  bool add(RecallItem& item);  // the item is gone where it was added
  RecallAnswer take();

 private:
  std::size_t budget_, limit_;
  std::size_t used_ = 0, reserved_ = 0;
  std::vector<RecallItem> items_;
};

}  // namespace kartei::store
