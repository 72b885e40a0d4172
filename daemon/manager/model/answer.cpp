#include "daemon/manager/model/answer.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace kartei::daemon {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kTokensSane = 1'000'000;  // an answer that says more says nothing

Error wrong(const std::string& what) {
  return bad_input("The model's answer is not what was asked for: " + what);
}

Result<json::value> parse_answer(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = 8;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error) return wrong("no JSON");
  return value;
}

// Text that is written as it is: no line breaks, no other control characters.
bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Fields of one object, each asked for once; the first fault is kept.
class AnswerFields {
 public:
  explicit AnswerFields(const json::value& value) : object_(value.if_object()) {
    if (object_ == nullptr) fail("something that is no object");
  }

  std::string text(std::string_view name, std::size_t bytes_most) {
    const json::value* value = take(name);
    if (value == nullptr) return {};
    const json::string* text = value->if_string();
    if (text == nullptr || text->size() > bytes_most || !is_plain(*text)) {
      fail("`" + std::string(name) + "` is no text, or too long");
      return {};
    }
    return std::string(*text);
  }
  const json::array* list(std::string_view name, std::size_t most) {
    const json::value* value = take(name);
    if (value == nullptr) return nullptr;
    const json::array* list = value->if_array();
    if (list == nullptr || list->size() > most) {
      fail("`" + std::string(name) + "` is no list, or too long");
      return nullptr;
    }
    return list;
  }
  store::Date date(std::string_view name) {
    const std::string said = text(name, 16);
    if (said.empty()) return {};
    const auto date = store::Date::parse(said);
    if (!date || date->minute >= 0) {
      fail("`" + std::string(name) + "` is no date");
      return {};
    }
    return *date;
  }
  void fail(const std::string& what) {
    if (!error_) error_ = wrong(what);
  }
  Status done() {
    if (!error_ && object_->size() != asked_) fail("a field that nobody asked for");
    return error_ ? Status(*error_) : Status();
  }

 private:
  const json::value* take(std::string_view name) {
    if (error_) return nullptr;
    ++asked_;
    const json::value* value = object_->if_contains({name.data(), name.size()});
    if (value == nullptr) fail("`" + std::string(name) + "` is missing");
    return value;
  }
  const json::object* object_;
  std::size_t asked_ = 0;
  std::optional<Error> error_;
};

void read_sources(AnswerFields& fields, const Sheet& sheet, Proposal& out) {
  const json::array* list = fields.list("sources", kProposalSources);
  if (list == nullptr) return;
  for (const json::value& value : *list) {
    const json::string* name = value.if_string();
    const auto place =
        std::find_if(sheet.sources.begin(), sheet.sources.end(),
                     [&](std::size_t turn) { return name != nullptr && *name == turn_name(turn); });
    if (place == sheet.sources.end())
      return fields.fail("`sources` names a turn that it may not rest on");
    if (std::find(out.sources.begin(), out.sources.end(), *place) == out.sources.end())
      out.sources.push_back(*place);
  }
  if (out.sources.empty()) fields.fail("`sources` is empty");
}

void read_replaced(AnswerFields& fields, const Sheet& sheet, Proposal& out) {
  const std::string name = fields.text("replaces", 16);
  if (name.empty()) return;
  for (std::size_t i = 0; i < sheet.cards.size(); ++i)
    if (name == card_name(i)) out.replaces = i;
  if (!out.replaces) fields.fail("`replaces` names a card that it was not shown");
}

void read_tags(AnswerFields& fields, Proposal& out) {
  const json::array* list = fields.list("tags", kProposalTags);
  if (list == nullptr) return;
  for (const json::value& value : *list) {
    const json::string* tag = value.if_string();
    if (tag == nullptr || tag->empty() || tag->size() > kProposalTagBytes || !is_plain(*tag))
      return fields.fail("`tags` holds something that is no tag");
    out.tags.emplace_back(*tag);
  }
}

Result<Proposal> read_proposal(const json::value& value, const Sheet& sheet) {
  AnswerFields fields(value);
  Proposal out;
  out.text = fields.text("text", kProposalTextBytes);
  const std::string colour = fields.text("colour", 16);
  // Standing orders to the assistant are the built-in secretary's alone.
  if (colour == "event")
    out.colour = store::Colour::kEvent;
  else if (colour != "fact")
    fields.fail("`colour` is neither fact nor event");
  read_sources(fields, sheet, out);
  out.from = fields.date("from");
  out.to = fields.date("to");
  read_replaced(fields, sheet, out);
  read_tags(fields, out);
  if (out.text.empty()) fields.fail("`text` is empty");
  if (out.from.known() && out.to.known() && out.to.begin() < out.from.begin())
    fields.fail("`to` is before `from`");
  KARTEI_TRY(fields.done());
  return out;
}

std::string_view without_space(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// ```json ... ```
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view kFence = "```";
  text = without_space(text);
  if (text.size() < 2 * kFence.size() || !text.starts_with(kFence) || !text.ends_with(kFence))
    return text;
  text = text.substr(kFence.size(), text.size() - 2 * kFence.size());
  if (text.starts_with("json")) text.remove_prefix(4);
  return without_space(text);
}

std::uint64_t tokens_of(const json::object& answer) {
  const json::value* usage = answer.if_contains("usage");
  const json::object* counts = usage == nullptr ? nullptr : usage->if_object();
  const json::value* total = counts == nullptr ? nullptr : counts->if_contains("total_tokens");
  if (total == nullptr || !total->is_int64()) return 0;
  const std::int64_t tokens = total->get_int64();
  return tokens > 0 && static_cast<std::uint64_t>(tokens) <= kTokensSane
             ? static_cast<std::uint64_t>(tokens)
             : 0;
}

}  // namespace

Result<ChatAnswer> read_chat_answer(std::string_view body) {
  KARTEI_ASSIGN(const json::value root, parse_answer(body));
  const json::object* object = root.if_object();
  const json::value* choices = object == nullptr ? nullptr : object->if_contains("choices");
  const json::array* list = choices == nullptr ? nullptr : choices->if_array();
  if (list == nullptr || list->size() != 1) return wrong("not one choice");
  const json::object* choice = (*list)[0].if_object();
  const json::value* message = choice == nullptr ? nullptr : choice->if_contains("message");
  const json::object* fields = message == nullptr ? nullptr : message->if_object();
  const json::value* content = fields == nullptr ? nullptr : fields->if_contains("content");
  if (content == nullptr || !content->is_string()) return wrong("no message");
  ChatAnswer out;
  out.tokens = tokens_of(*object);
  const json::value* reason = choice->if_contains("finish_reason");
  if (reason != nullptr && reason->is_string() && reason->get_string() != "stop")
    return wrong("it was cut off");
  out.content = std::string(content->get_string());
  return out;
}

Result<std::vector<Proposal>> read_proposals(std::string_view content, const Sheet& sheet) {
  KARTEI_ASSIGN(const json::value root, parse_answer(without_fence(content)));
  AnswerFields fields(root);
  const json::array* cards = fields.list("cards", kProposalsMost);
  KARTEI_TRY(fields.done());
  std::vector<Proposal> out;
  for (const json::value& card : *cards) {
    KARTEI_ASSIGN(Proposal proposal, read_proposal(card, sheet));
    out.push_back(std::move(proposal));
  }
  return out;
}

}  // namespace kartei::daemon
