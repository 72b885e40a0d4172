#include "daemon/api/forgetting_requests.h"

#include <charconv>

#include "daemon/api/json_fields.h"
#include "store/rows.h"

namespace kartei::daemon::api {
namespace json = boost::json;

Result<ForgettingPolicy> read_forgetting(std::string_view body, ForgettingPolicy policy) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  for (const PolicySwitch& one : kPolicySwitches)
    policy.*one.value = fields.flag(one.name).value_or(policy.*one.value);
  for (const PolicyNumber& one : kPolicyNumbers)
    policy.*one.value = fields.integer(one.name, one.min, one.max).value_or(policy.*one.value);
  KARTEI_TRY(fields.done());
  return policy;
}

Result<bool> read_forgetting_run(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  const bool dry = fields.flag("dry_run").value_or(false);
  KARTEI_TRY(fields.done());
  return dry;
}

Result<UndoInput> read_undo(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  UndoInput input;
  input.run = fields.text("run", 64).value_or("");
  input.card = fields.text("card", 64).value_or("");
  if (input.run.empty() == input.card.empty())
    fields.fail("run", "or `card` says what is taken back: one of the two.");
  KARTEI_TRY(fields.done());
  return input;
}

Result<DryCursor> read_dry_cursor(std::string_view text) {
  std::int64_t at_ms = 0;
  DryCursor cursor;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, at_ms);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '.') {
    const auto second = std::from_chars(first.ptr + 1, end, cursor.from);
    const bool in_range = at_ms >= store::kTimeMinMs && at_ms <= store::kTimeMaxMs;
    cursor.at = store::time_from_ms(in_range ? at_ms : 0);
    if (second.ec == std::errc() && second.ptr == end && in_range) return cursor;
  }
  return bad_input("That cursor is not one of ours; begin without one.", "cursor");
}

std::string dry_cursor(const DryCursor& cursor) {
  return std::to_string(store::to_ms(cursor.at)) + "." + std::to_string(cursor.from);
}

}  // namespace kartei::daemon::api
