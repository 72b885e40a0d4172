// Standing instructions: how the assistant is to answer from now on. They become rules; a newer one
// on the same matter takes the older one's place, and "forget the ... rule" takes one back.
#include <algorithm>

#include "daemon/manager/lexicon_rules.h"
#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;

constexpr std::string_view kRuleTags = "rule assistant instruction";

// What a rule is about; the first that fits. Rules of one topic replace each other.
std::string_view topic_of(const Words& words, const Range& range) {
  // "in Swedish": a name that ends the order is a language.
  for (std::size_t i = range.begin + 1; i < range.end; ++i) {
    const bool last =
        i + 1 == range.end || words[i + 1].kind == WordKind::kPunct || words[i + 1].low == "please";
    if (words[i - 1].low == "in" && words[i].capital && last) return "language";
  }
  for (const data::RuleTopic& topic : data::kRuleTopics) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (std::binary_search(topic.words.begin(), topic.words.end(), words[i].low)) {
        return topic.name;
      }
    }
  }
  return "other";
}

// Each `from` becomes `to`, from the left; what was put may be part of the next.
void put_for_each(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
}

// How far an order has been read, and what its words have told.
struct OrderMark {
  std::size_t at = 0;
  bool standing = false;  // holds from now on, not for this answer only
  bool negative = false;
};

// How many words say "from now on" at word k.
std::size_t from_now_on(const Words& words, std::size_t k, std::size_t end) {
  const std::string_view low = words[k].low, second = low_at(words, k + 1, end),
                         third = low_at(words, k + 2, end);
  if (low == "from" && one_of(second, {"now", "here", "today"}) && third == "on") return 3;
  const bool future = (low == "in" && second == "future") ||
                      (low == "going" && second == "forward") ||
                      (low == "in" && second == "the" && third == "future");
  if (!future) return 0;
  return third == "future" ? 3 : 2;
}

// "my eyes are bad, so from now on ...": the order may begin in the middle.
OrderMark order_mark(const Words& words, const Range& sentence) {
  OrderMark out;
  out.at = sentence.begin;
  for (std::size_t k = sentence.begin; k < sentence.end; ++k) {
    const std::size_t count = from_now_on(words, k, sentence.end);
    if (count == 0) continue;
    out.standing = true;
    if (k + count < sentence.end) out.at = k + count;
    return out;
  }
  return out;
}

// "no more ...", "no bullets"
bool bans_a_thing(const Words& words, std::size_t i, std::size_t end) {
  return low_at(words, i, end) == "no" &&
         one_of(low_at(words, i + 1, end), {"more", "emojis", "emoji", "bullet", "bullets"});
}

// "please", "can you": an order in the shape of a question is one.
std::size_t after_order_opener(const Words& words, std::size_t i, std::size_t end) {
  while (i < end && !bans_a_thing(words, i, end) &&
         (in(Set::kFiller, words[i].low) || words[i].kind == WordKind::kPunct ||
          in(Set::kOrderOpener, words[i].low))) {
    ++i;
  }
  return i;
}

// "don't ever ..."; "don't use emojis" stands by its nature, "don't worry" does not.
void read_do_not(const Words& words, std::size_t end, OrderMark& order) {
  order.negative = true;
  order.at += 2;
  if (one_of(low_at(words, order.at, end), {"ever", "you"})) {
    order.standing = true;
    ++order.at;
  }
  if (one_of(low_at(words, order.at, end),
             {"use", "call", "suggest", "recommend", "include", "mention"})) {
    order.standing = true;
  }
}

// "keep your answers short": of all of them, not of this one.
bool shapes_answers(const Words& words, std::size_t i, std::size_t end) {
  if (!one_of(low_at(words, i, end), {"keep", "make", "write", "format"})) return false;
  std::size_t noun = i + 1;
  while (one_of(low_at(words, noun, end), {"all", "your", "the"})) ++noun;
  return one_of(low_at(words, noun, end), {"answers", "replies", "responses", "messages",
                                           "summaries", "explanations", "emails", "suggestions"});
}

// What an order begins with: "always", "never", "don't", "stop adding", "call me Jo".
void read_order_lead(const Words& words, std::size_t end, OrderMark& order) {
  const std::string_view low = low_at(words, order.at, end),
                         next = low_at(words, order.at + 1, end);
  if (low == "always" || low == "never") {
    order.standing = true;
    order.negative = low == "never";
    ++order.at;
    return;
  }
  if (low == "do" && next == "not") return read_do_not(words, end, order);
  if ((low == "stop" || low == "quit") && next.ends_with("ing")) {
    order.standing = order.negative = true;
    ++order.at;
    return;
  }
  if (shapes_answers(words, order.at, end)) order.standing = true;
  if (low == "call" && next == "me") {
    order.standing = order.at + 2 < end && words[order.at + 2].capital;
  }
}

// "with lists, always number the lines": the mark may come a little later.
void read_later_mark(const Words& words, std::size_t end, OrderMark& order) {
  constexpr std::size_t kReach = 4;
  for (std::size_t k = order.at; k < end && k < order.at + kReach; ++k) {
    if (!one_of(words[k].low, {"always", "never"})) continue;
    if (!in(Set::kImperative, low_at(words, k + 1, end))) continue;
    order.standing = true;
    order.negative = words[k].low == "never";
    order.at = k + 1;
    return;
  }
}

// "from now on please don't ...": marks behind the mark.
void read_second_mark(const Words& words, std::size_t end, OrderMark& order) {
  order.at = after_order_opener(words, order.at, end);
  const std::string_view low = low_at(words, order.at, end);
  if (one_of(low, {"always", "never"})) {
    order.negative = low == "never";
    ++order.at;
  }
  if (low_at(words, order.at, end) == "do" && low_at(words, order.at + 1, end) == "not") {
    order.negative = true;
    order.at += 2;
  }
}

// "when you ...", "if I ask ...": an order for a kind of occasion.
bool names_occasion(const Words& words, std::size_t i, std::size_t end) {
  if (!one_of(low_at(words, i, end), {"when", "whenever", "if"})) return false;
  const std::string_view who = low_at(words, i + 1, end);
  return who == "you" ||
         (who == "i" && one_of(low_at(words, i + 2, end),
                               {"ask", "say", "send", "write", "mention", "want", "need"}));
}

// An order without its reason: "answer in short lines" + "I have slow internet".
struct OrderParts {
  Range body;
  std::optional<Clause> reason;
};

OrderParts order_parts(const Words& words, const Range& order, const Lexicon& lexicon) {
  OrderParts out{order, std::nullopt};
  for (std::size_t k = order.begin + 1; k + 1 < order.end; ++k) {
    if (words[k].text == "," && begins_clause(words, k + 1, order.end, lexicon)) {
      out.body.end = k;
      out.reason.emplace();
      out.reason->begin = k + 1;
      out.reason->end = order.end;
      out.reason->link = ",";
      return out;
    }
    if (words[k].low == "because" || (words[k].low == "from" && words[k + 1].low == "now")) {
      out.body.end = k;
      return out;
    }
  }
  return out;
}

// A rule taken back: the words that name it, up to a comma.
struct Withdrawal {
  Range what;
  bool allows = false;  // "you may ... again": nothing takes its place
};

// The word behind "forget the", "never mind the", "no need for", "you don't have to"; 0: none.
std::size_t after_taking_back(const Words& words, const Range& sentence, std::size_t k) {
  const std::size_t end = sentence.end;
  const std::string_view low = words[k].low, next = low_at(words, k + 1, end),
                         third = low_at(words, k + 2, end);
  const bool forgets = one_of(low, {"forget", "ignore", "drop", "scrap"}) &&
                       one_of(next, {"the", "my", "about", "that", "what"});
  if (forgets) return k + 1;
  if (low == "never" && next == "mind" && third == "the") return k + 2;
  if (low == "no" && next == "need" && k + 2 < end) return k + 2;
  const bool spared = low == "do" && next == "not" && one_of(third, {"have", "need"}) &&
                      low_at(words, k + 3, end) == "to" && k > sentence.begin &&
                      words[k - 1].low == "you";
  return spared ? k + 4 : 0;
}

Withdrawal withdrawal_of(const Words& words, const Range& sentence) {
  Withdrawal out;
  for (std::size_t k = sentence.begin; k + 1 < sentence.end; ++k) {
    std::size_t at = after_taking_back(words, sentence, k);
    out.allows = words[k].low == "you" && one_of(words[k + 1].low, {"can", "may"}) &&
                 words[sentence.end - 1].low == "again";
    if (out.allows) at = k + 2;
    if (at == 0) continue;
    out.what = {at, at};
    while (out.what.end < sentence.end && words[out.what.end].text != ",") ++out.what.end;
    return out;
  }
  return out;
}

// The words that say which rule is meant.
std::vector<std::string> rule_words(const Words& words, const Range& what) {
  std::string about;
  for (std::size_t k = what.begin; k < what.end; ++k) about += words[k].text + " ";
  auto out = content_words(about);
  std::erase_if(out, [](const std::string& w) {
    return one_of(w, {"rul", "about", "instruction", "said", "thing", "anymor", "can", "us"});
  });
  return out;
}

// "..., from now on in short lines": something stands in the place of what was taken back.
bool replaces_rule(const Words& words, std::size_t from) {
  for (std::size_t k = from; k + 1 < words.size(); ++k) {
    if (words[k].low == "from" && words[k + 1].low == "now") return true;
    if (one_of(words[k].low, {"instead", "always", "never"})) return true;
  }
  return false;
}

}  // namespace

bool Reader::read_order(const Sentence& sentence) {
  const Words& words = page_.words;
  const std::size_t end = sentence.end;
  OrderMark order = order_mark(words, sentence);
  order.at = after_order_opener(words, order.at, end);
  if (bans_a_thing(words, order.at, end)) return read_ban(sentence, order.at);
  if (names_occasion(words, order.at, end)) return read_occasion(sentence, order.at);
  if (order.standing && low_at(words, order.at, end) == "i" &&
      one_of(low_at(words, order.at + 1, end), {"want", "need", "prefer", "like"})) {
    return read_wish({order.at, end}, sentence);
  }
  read_order_lead(words, end, order);
  if (!order.standing) read_later_mark(words, end, order);
  if (!order.standing) return false;
  read_second_mark(words, end, order);
  const std::string_view verb = low_at(words, order.at, end);
  const bool gerund = verb.ends_with("ing") && order.negative;
  if (order.at >= end || (!in(Set::kImperative, verb) && !gerund)) return false;
  const OrderParts parts = order_parts(words, {order.at, end}, lexicon_);
  write_order(parts.body, order.negative, gerund);
  if (parts.reason) read_clause(*parts.reason, sentence);
  return true;
}

// A rule is told of the assistant and holds from the day on which it was said.
Draft Reader::rule(std::string text, std::string_view topic, const std::string& object,
                   std::string_view tags) const {
  Frame frame = frame_of("rule", {});
  frame.domain = "rules";
  frame.tags = tags;
  frame.importance = 0.9;
  Draft out = draft(std::move(text), "assistant", "rule:" + std::string(topic), lower(object),
                    Colour::kRule, frame);
  out.card.valid_from = page_.when->today();
  return out;
}

// "no more emojis": a thing that answers should not hold.
bool Reader::read_ban(const Sentence& sentence, std::size_t at) {
  const Words& words = page_.words;
  const std::size_t noun = at + (low_at(words, at + 1, sentence.end) == "more" ? 2 : 1);
  if (noun >= sentence.end ||
      !one_of(topic_of(words, {noun, sentence.end}), {"emoji", "length", "tone", "sources"})) {
    return false;
  }
  const Turned what = reworded(trimmed(words, {noun, sentence.end}), false);
  Draft card = rule("The assistant should not use " + what.text, topic_of(words, sentence),
                    what.text, kRuleTags);
  card.single = true;
  write(std::move(card));
  return true;
}

// "when you plan routes" is "When the assistant plans routes"; "if I ask ..." keeps its words.
std::optional<std::string> Reader::occasion_of(std::size_t at, std::size_t end) const {
  const Words& words = page_.words;
  if (low_at(words, at + 1, end) != "you") {
    return capitalised(words[at].low) + " " + reworded({at + 1, end}, false).text;
  }
  if (!lexicon_.verb(words[at + 2].low)) return std::nullopt;
  const std::string head = reworded({at + 2, end}, false).text;
  const std::size_t space = head.find(' ');
  return "When the assistant " + third_person(head.substr(0, space)) +
         (space == std::string::npos ? "" : head.substr(space));
}

// "when you plan routes: no ferries"
bool Reader::read_occasion(const Sentence& sentence, std::size_t at) {
  const Words& words = page_.words;
  std::size_t cut = at + 2;
  while (cut < sentence.end && words[cut].text != ":" && words[cut].text != ",") ++cut;
  if (cut + 1 >= sentence.end) return false;
  const auto occasion = occasion_of(at, cut);
  if (!occasion) return false;
  std::size_t body = cut + 1;
  while (body < sentence.end && one_of(words[body].low, {"please", "always", "then"})) ++body;
  const std::string_view verb = low_at(words, body, sentence.end);
  const bool orders = in(Set::kImperative, verb) || verb == "never" || verb == "do";
  const bool to_assistant = words[at + 1].low == "you";
  if (!to_assistant && !orders) return false;
  const Turned rest = reworded(trimmed(words, {body, sentence.end}), false);
  // In a rule "you" is the assistant; without a verb the preference is named.
  std::string text = *occasion + ", ";
  if (orders) {
    text += (to_assistant ? "it should " : "the assistant should ") + rest.text;
  } else {
    text += owner_name_ + " prefers: " + rest.text;
  }
  put_for_each(text, " you ", " it ");
  write(rule(std::move(text), "when", rest.text, "rule preference instruction"));
  return true;
}

// "from now on I want short answers"
bool Reader::read_wish(const Range& wish, const Sentence& sentence) {
  const Words& words = page_.words;
  const Parse parse = parser_.parse(words, wish, nullptr);
  const Turned rest = reworded(trimmed(words, parse.rest), true);
  std::string text = owner_name_ + " " + parse.verb_text + " " + rest.text;
  put_for_each(text, " you ", " the assistant ");
  const std::string_view topic = topic_of(words, sentence);
  Draft card = rule(std::move(text), topic, rest.text, kRuleTags);
  card.single = topic != "other";
  write(std::move(card));
  return true;
}

// "always use metric units"; `gerund`: "stop adding jokes". Takes the place of rules taken back.
void Reader::write_order(const Range& body, bool negative, bool gerund) {
  const Words& words = page_.words;
  std::string said = reworded(trimmed(words, body), false).text;
  const auto verb = lexicon_.verb(words[body.begin].low);
  if (gerund && verb) {
    const std::size_t space = said.find(' ');
    said = std::string(verb->lemma) + (space == std::string::npos ? "" : said.substr(space));
  }
  if (verb && !said.empty()) said = lower(said.substr(0, 1)) + said.substr(1);
  put_for_each(said, " your ", " its ");
  put_for_each(said, " yours ", " its ");
  put_for_each(said, " you ", " it ");
  const std::string_view topic = topic_of(words, body);
  Draft card = rule(std::string("The assistant should ") + (negative ? "never " : "") + said, topic,
                    said, kRuleTags);
  card.single = topic != "other";
  const auto index = write(std::move(card));
  for (const Found& old : withdrawn_) notebook_.close(old, page_.when->today(), index, "withdrawn");
  withdrawn_.clear();
}

// "forget the table rule", "you may joke again", "never mind the footnotes".
bool Reader::read_withdrawal(const Sentence& sentence) {
  const Words& words = page_.words;
  const Withdrawal back = withdrawal_of(words, sentence);
  if (back.what.empty()) return false;
  const auto what = rule_words(words, back.what);
  const auto rules = notebook_.open("assistant", [&](const store::Card& card) {
    return card.colour == Colour::kRule && !what.empty() &&
           overlap(what, content_words(card.text)) >= 0.5;
  });
  if (rules.empty()) return false;
  // What stands in its place may follow in this turn; until then it has just ended.
  withdrawn_ = rules;
  if (back.allows || !replaces_rule(words, back.what.end)) {
    for (const Found& old : rules)
      notebook_.close(old, page_.when->today(), std::nullopt, "withdrawn");
    withdrawn_.clear();
  }
  Sentence rest = sentence;
  rest.begin = back.what.end;
  if (!rest.empty()) read_order(rest);
  return true;
}

}  // namespace kartei::daemon
