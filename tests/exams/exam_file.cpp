#include <zlib.h>

#include <boost/json.hpp>
#include <charconv>
#include <cstdio>

#include "tests/exams/exam.h"

namespace kartei::exams {

namespace {

namespace json = boost::json;

constexpr std::size_t kFileMax = std::size_t{2} << 30;

// zlib reads plain files as they are.
Result<std::string> read_all(const std::filesystem::path& file) {
  gzFile in = ::gzopen(file.c_str(), "rb");
  if (in == nullptr) return not_found("cannot read " + file.string());
  std::string text;
  char buffer[1 << 16];
  int got = 0;
  while ((got = ::gzread(in, buffer, sizeof buffer)) > 0 && text.size() < kFileMax)
    text.append(buffer, static_cast<std::size_t>(got));
  ::gzclose(in);
  if (got != 0) return corrupt(file.string() + " is damaged or larger than 2 GiB");
  return text;
}

// A member as text: strings as they are, numbers in digits, anything else empty.
std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr) return {};
  if (value->is_string()) return std::string(value->get_string());
  if (value->is_int64() || value->is_uint64() || value->is_double()) return json::serialize(*value);
  return {};
}

const json::array& list_of(const json::object& object, std::string_view name) {
  static const json::array kNone;
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? value->get_array() : kNone;
}

int month_number(std::string_view name) {
  static constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                                 "jul", "aug", "sep", "oct", "nov", "dec"};
  if (name.size() < 3) return 0;
  std::string low;
  for (char c : name.substr(0, 3)) low += static_cast<char>(c | 32);
  for (int i = 0; i < 12; ++i)
    if (kMonths[i] == low) return i + 1;
  return 0;
}

std::string rfc3339(int year, int month, int day, int hour, int minute) {
  char out[40];
  std::snprintf(out, sizeof out, "%04d-%02d-%02dT%02d:%02d:00Z", year, month, day, hour, minute);
  return out;
}

// "9:05 am on 2 June, 2021", "March-15-2024", "2023/05/20 (Sat) 02:21"; else empty.
std::string date_of(const std::string& text) {
  int a = 0, b = 0, c = 0, hour = 0, minute = 0;
  char word[16] = {}, half[8] = {};
  if (std::sscanf(text.c_str(), "%d:%d %2s on %d %15[A-Za-z], %d", &hour, &minute, half, &a, word,
                  &b) == 6) {
    hour = hour % 12 + (half[0] == 'p' || half[0] == 'P' ? 12 : 0);
    return month_number(word) == 0 ? "" : rfc3339(b, month_number(word), a, hour, minute);
  }
  if (std::sscanf(text.c_str(), "%15[A-Za-z]-%d-%d", word, &a, &b) == 3 && month_number(word) != 0)
    return rfc3339(b, month_number(word), a, 12, 0);
  if (std::sscanf(text.c_str(), "%d/%d/%d (%*[A-Za-z]) %d:%d", &a, &b, &c, &hour, &minute) == 5)
    return rfc3339(a, b, c, hour, minute);
  return {};
}

std::vector<std::string> texts_of(const json::object& object, std::string_view name) {
  std::vector<std::string> out;
  for (const auto& one : list_of(object, name))
    out.push_back(one.is_string() ? std::string(one.get_string()) : json::serialize(one));
  return out;
}

ExamConversation read_own(const json::object& in) {
  ExamConversation out{text_of(in, "id"), {}, {}, texts_of(in, "speakers"), {}};
  std::string time;
  for (const auto& s : list_of(in, "sessions")) {
    const auto& session = s.as_object();
    ExamSession to{text_of(session, "id"), {}};
    if (auto date = date_of(text_of(session, "date")); !date.empty()) time = date;
    for (const auto& t : list_of(session, "turns")) {
      const auto& turn = t.as_object();
      if (auto date = date_of(text_of(turn, "date")); !date.empty()) time = date;
      const std::string speaker = text_of(turn, "speaker");
      to.turns.push_back({text_of(turn, "id"), speaker,
                          speaker == "assistant" ? "assistant" : "user", text_of(turn, "text"),
                          text_of(turn, "image_caption"), time});
    }
    for (const auto& o : list_of(session, "observations"))
      out.observations.push_back(
          {text_of(o.as_object(), "text"), texts_of(o.as_object(), "evidence")});
    out.sessions.push_back(std::move(to));
  }
  for (const auto& q : list_of(in, "questions")) {
    const auto& question = q.as_object();
    ExamQuestion to{text_of(question, "question"),
                    text_of(question, "answer"),
                    text_of(question, "kind"),
                    time,
                    {}};
    to.evidence = texts_of(question, "evidence");
    out.questions.push_back(std::move(to));
  }
  return out;
}

// LongMemEval: one question a record, with the sessions in which its answer hides.
ExamConversation read_longmemeval(const json::object& in) {
  ExamConversation out{text_of(in, "question_id"), {}, {}};
  ExamQuestion question{text_of(in, "question"),
                        text_of(in, "answer"),
                        text_of(in, "question_type"),
                        date_of(text_of(in, "question_date")),
                        {}};
  if (out.id.ends_with("_abs")) question.kind = "abstention";
  const auto& dates = list_of(in, "haystack_dates");
  const auto& ids = list_of(in, "haystack_session_ids");
  const auto& sessions = list_of(in, "haystack_sessions");
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    ExamSession to;
    to.id =
        s < ids.size() && ids[s].is_string() ? std::string(ids[s].get_string()) : std::to_string(s);
    const std::string time =
        s < dates.size() && dates[s].is_string() ? date_of(std::string(dates[s].get_string())) : "";
    std::size_t n = 0;
    for (const auto& t : sessions[s].as_array()) {
      const auto& turn = t.as_object();
      const std::string id = std::to_string(s) + ":" + std::to_string(n++);
      to.turns.push_back(
          {id, text_of(turn, "role"), text_of(turn, "role"), text_of(turn, "content"), "", time});
      if (const json::value* has = turn.if_contains("has_answer");
          has != nullptr && has->is_bool() && has->get_bool())
        question.evidence.push_back(id);
    }
    out.sessions.push_back(std::move(to));
  }
  out.questions.push_back(std::move(question));
  return out;
}

}  // namespace

Result<std::vector<ExamConversation>> read_exam(const std::filesystem::path& file) {
  KARTEI_ASSIGN(const std::string text, read_all(file));
  boost::system::error_code failed;
  const json::value root = json::parse(text, failed);
  if (failed || !root.is_array())
    return corrupt(file.string() + " is not a JSON list of conversations");
  std::vector<ExamConversation> exam;
  for (const auto& item : root.get_array()) {
    if (!item.is_object()) return corrupt(file.string() + ": a conversation is not an object");
    const auto& object = item.get_object();
    exam.push_back(object.contains("haystack_sessions") ? read_longmemeval(object)
                                                        : read_own(object));
  }
  return exam;
}

}  // namespace kartei::exams
