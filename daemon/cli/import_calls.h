// An export cut into calls that can each be read by itself. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kartei::daemon::cli {

class ImportCalls {
 public:
  // Borrows the text.
  ImportCalls(std::string_view text, std::size_t bytes_a_call) : rest_(text), most_(bytes_a_call) {}

  struct Call {
    std::string body;
    std::size_t repeated = 0;  // lines that an earlier call had too
  };
  // Empty: that was all.
  std::optional<Call> next();
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  const std::size_t most_;
  std::string head_;  // the lines of box and drawers so far: each call begins with them
  // Cards of earlier calls by what replaced them: they go again with that one, so that the two are
  // put in each other's place.
  std::map<std::string_view, std::vector<std::string_view>> replaced_;
  bool any_ = false;
};

}  // namespace kartei::daemon::cli
