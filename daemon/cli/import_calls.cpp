#include "daemon/cli/import_calls.h"

#include <algorithm>

namespace kartei::daemon::cli {
namespace {

// The value of a field as our export writes it; in a text the quotes would be escaped.
std::string_view value_of(std::string_view line, std::string_view field) {
  const std::size_t at = line.find(field);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + field.size());
  return line.substr(0, line.find('"'));
}

}  // namespace

std::optional<ImportCalls::Call> ImportCalls::next() {
  Call call;
  std::string lines;
  std::map<std::string_view, std::vector<std::string_view>> replaced_here;
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    if (!lines.empty() && head_.size() + lines.size() + line.size() > most_) break;
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.starts_with("{\"kind\":\"box\"") || line.starts_with("{\"kind\":\"drawer\"")) {
      head_.append(line).push_back('\n');
      continue;
    }
    const bool card = line.starts_with("{\"kind\":\"card\"");
    if (card) {
      if (const auto found = replaced_.find(value_of(line, "\"id\":\""));
          found != replaced_.end()) {
        for (const std::string_view older : found->second) lines.append(older).push_back('\n');
        call.repeated += found->second.size();
        replaced_.erase(found);
      }
      const std::string_view by = value_of(line, "\"replaced_by\":\"");
      if (!by.empty()) replaced_here[by].push_back(line);
    }
    lines.append(line).push_back('\n');
  }
  for (auto& [by, older] : replaced_here) {
    auto& known = replaced_[by];
    known.insert(known.end(), older.begin(), older.end());
  }
  if (lines.empty() && (any_ || head_.empty())) return std::nullopt;
  any_ = true;
  call.body = head_ + lines;
  return call;
}

}  // namespace kartei::daemon::cli
