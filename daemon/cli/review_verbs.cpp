// accept, reject, correct, undo: what the secretary wrote, looked through.
#include <ostream>

#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

// Several cards, one call each; the first that is refused ends it.
Status for_each_card(Context& context, const std::vector<std::string>& ids, const char* call,
                     const json::object& body,
                     const std::function<void(const json::object&, std::ostream&)>& print) {
  for (const std::string& id : ids) {
    const std::string target = "/v1/cards/" + percent_encode(id) + "/" + call;
    KARTEI_TRY(show(context, context.call("POST", target, json::serialize(body)), print));
  }
  return {};
}

std::size_t count(const json::object& answer, const char* name) {
  return answer.at(name).as_array().size();
}

void print_ids(const json::object& answer, const char* name, const char* before,
               std::ostream& out) {
  for (const json::value& id : answer.at(name).as_array())
    out << before << std::string_view(id.as_string()) << '\n';
}

void print_rejection(const json::object& answer, bool dry_run, std::ostream& out) {
  const bool none = count(answer, "rejected") == 0;
  if (none) out << "The secretary wrote nothing from it that stands.\n";
  print_ids(answer, "rejected", dry_run ? "would reject " : "rejected ", out);
  print_ids(answer, "reopened", dry_run ? "would open again " : "open again ", out);
  print_ids(answer, "kept", "kept ", out);
}

struct ReviewOptions {
  std::vector<std::string> ids, words;
  std::string id, why, turn, conversation;
  bool dry_run = false;
};

json::object with_reason(const ReviewOptions& given) {
  json::object body;
  if (!given.why.empty()) body["why"] = given.why;
  return body;
}

Status undo(Context& context, const ReviewOptions& given) {
  if (given.turn.empty() == given.conversation.empty())
    return context.usage("What is to be undone? Give --turn ID or --conversation NAME.");
  json::object body = with_reason(given);
  if (given.dry_run) body["dry_run"] = true;
  const std::string target = given.turn.empty()
                                 ? "/v1/conversations/" + percent_encode(given.conversation)
                                 : "/v1/turns/" + percent_encode(given.turn);
  return show(context, context.call("POST", target + "/undo", json::serialize(body)),
              [&](const json::object& answer, std::ostream& out) {
                print_rejection(answer, given.dry_run, out);
              });
}

Status correct(Context& context, const ReviewOptions& given) {
  const json::object body{{"text", joined(given.words)}, {"why", "corrected"}};
  const std::string target = "/v1/cards/" + percent_encode(given.id) + "/replace";
  return show(context, context.call("POST", target, json::serialize(body)),
              [](const json::object& card, std::ostream& out) {
                out << field(card, "id") << "  " << printable(field(card, "text")) << '\n';
              });
}

}  // namespace

void add_review_verbs(VerbSet& verbs) {
  const auto accepted = options<ReviewOptions>();
  CLI::App* command =
      verbs.add("accept", "Cards that the secretary wrote may stand", [accepted](Context& context) {
        return for_each_card(context, accepted->ids, "accept", {},
                             [](const json::object& card, std::ostream& out) {
                               out << "Accepted: " << printable(field(card, "text")) << '\n';
                             });
      });
  command->add_option("ids", accepted->ids, "Their ids")->required()->check(not_empty);

  const auto rejected = options<ReviewOptions>();
  command = verbs.add(
      "reject", "Cards that the secretary should not have written", [rejected](Context& context) {
        return for_each_card(context, rejected->ids, "reject", with_reason(*rejected),
                             [](const json::object& answer, std::ostream& out) {
                               print_rejection(answer, false, out);
                             });
      });
  command->add_option("ids", rejected->ids, "Their ids")->required()->check(not_empty);
  command->add_option("--why", rejected->why, "Why")->check(not_empty);

  const auto corrected = options<ReviewOptions>();
  command = verbs.add("correct", "Say a card in your own words",
                      [corrected](Context& context) { return correct(context, *corrected); });
  command->add_option("id", corrected->id, "The card's id")->required()->check(not_empty);
  command->add_option("words", corrected->words, "What is true")->required()->check(not_empty);

  const auto undone = options<ReviewOptions>();
  command = verbs.add("undo", "Reject all that the secretary wrote from a turn or a conversation",
                      [undone](Context& context) { return undo(context, *undone); });
  CLI::Option* turn = command->add_option("--turn", undone->turn, "The turn's id");
  turn->check(not_empty);
  command->add_option("--conversation", undone->conversation, "The conversation's name")
      ->check(not_empty)
      ->excludes(turn);
  command->add_option("--why", undone->why, "Why")->check(not_empty);
  command->add_flag("--dry-run", undone->dry_run, "Only say what would be rejected");
}

}  // namespace kartei::daemon::cli
