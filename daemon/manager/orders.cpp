// Standing instructions: how the assistant is to answer from now on. They become rules; a newer one
// on the same matter takes the older one's place, and "forget the ... rule" takes one back.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;

struct Topic {
  std::string_view name;
  std::initializer_list<std::string_view> words;
};

// What a rule is about; the first that fits. Rules of one topic replace each other.
std::string_view topic_of(const Words& words, const Range& range) {
  static const Topic kTopics[] = {
      {"emoji", {"emoji", "emojis", "emoticons", "smileys", "smiley"}},
      {"language",
       {"english", "german", "french", "spanish", "italian", "deutsch", "dutch", "language",
        "portuguese", "chinese", "japanese", "polish", "turkish"}},
      {"name", {"call", "address", "nickname", "pronouns"}},
      {"length",
       {"sentence", "sentences", "short",    "shorter",   "brief",      "concise", "long",
        "bullet",   "bullets",   "bulleted", "paragraph", "paragraphs", "lines",   "words",
        "version",  "detailed",  "lengthy",  "points",    "list",       "lists",   "tldr"}},
      {"units",
       {"metric", "imperial", "celsius", "fahrenheit", "km", "kilometres", "miles", "units",
        "euros", "24-hour", "24h", "am/pm"}},
      {"tone",
       {"formal", "informal", "polite", "casual", "tone", "sarcastic", "friendly", "jokes"}},
      {"sources", {"sources", "links", "source", "citations", "references"}},
      {"code", {"code", "python", "tabs", "spaces", "comments"}},
  };
  // "in Swedish": a name that ends the order is a language.
  for (std::size_t i = range.begin + 1; i < range.end; ++i) {
    const bool last =
        i + 1 == range.end || words[i + 1].kind == WordKind::kPunct || words[i + 1].low == "please";
    if (words[i - 1].low == "in" && words[i].capital && last) return "language";
  }
  for (const Topic& topic : kTopics) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (std::find(topic.words.begin(), topic.words.end(), words[i].low) != topic.words.end())
        return topic.name;
    }
  }
  return "other";
}

bool imperative(std::string_view low) {
  return one_of(low, {"answer",  "reply",     "respond",   "write",   "use",   "call",    "keep",
                      "give",    "speak",     "talk",      "address", "avoid", "include", "add",
                      "put",     "start",     "end",       "stop",    "be",    "explain", "ask",
                      "suggest", "list",      "format",    "show",    "send",  "remind",  "tell",
                      "make",    "recommend", "translate", "skip",    "limit", "stick",   "assume",
                      "check",   "cite",      "remember",  "mention", "spell", "convert", "sign",
                      "quote",   "summarise", "summarize", "leave",   "book",  "look",    "do",
                      "say",     "prefer",    "offer",     "refer",   "greet", "round"});
}

}  // namespace

bool Reader::read_order(const Sentence& sentence) {
  const Words& words = page_.words;
  std::size_t i = sentence.begin;
  bool standing = false, negative = false;
  std::string when_clause;
  auto at = [&](std::size_t k) {
    return k < sentence.end ? std::string_view(words[k].low) : std::string_view{};
  };
  // "my eyes are bad, so from now on ...": the order may begin in the middle.
  for (std::size_t k = sentence.begin; k < sentence.end; ++k) {
    const bool now_on = at(k) == "from" &&
                        (at(k + 1) == "now" || at(k + 1) == "here" || at(k + 1) == "today") &&
                        at(k + 2) == "on";
    const bool future = (at(k) == "in" && at(k + 1) == "future") ||
                        (at(k) == "going" && at(k + 1) == "forward") ||
                        (at(k) == "in" && at(k + 1) == "the" && at(k + 2) == "future");
    if (now_on || future) {
      standing = true;
      const std::size_t next = k + (at(k) == "from" || at(k + 2) == "future" ? 3 : 2);
      if (next < sentence.end)
        i = next;
      else
        i = sentence.begin;
      break;
    }
  }
  auto skip = [&] {
    while (
        i < sentence.end &&
        !(at(i) == "no" && one_of(at(i + 1), {"more", "emojis", "emoji", "bullet", "bullets"})) &&
        (in(Set::kFiller, at(i)) || words[i].kind == WordKind::kPunct ||
         one_of(at(i), {"and", "but", "just", "remember", "to", "can", "could", "you", "will",
                        "would", "so"}))) {
      // "can you always answer ...": an order in the shape of a question.
      ++i;
    }
  };
  const std::size_t begin = i;
  skip();
  const bool polite_question =
      i > begin && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(begin),
                               words.begin() + static_cast<std::ptrdiff_t>(i),
                               [](const Word& w) { return w.low == "you"; });
  if (at(i) == "always") {
    standing = true;
    ++i;
  } else if (at(i) == "never") {
    standing = negative = true;
    ++i;
  } else if (at(i) == "do" && at(i + 1) == "not") {
    negative = true;
    i += 2;
    if (one_of(at(i), {"ever", "you"})) {
      standing = true;
      ++i;
    }
    // "don't use emojis" stands by its nature, "don't worry" does not.
    if (one_of(at(i), {"use", "call", "suggest", "recommend", "send", "include", "add", "answer",
                       "write", "ask", "mention", "start", "give"})) {
      standing =
          standing || one_of(at(i), {"use", "call", "suggest", "recommend", "include", "mention"});
    }
  } else if ((at(i) == "no" && at(i + 1) == "more") ||
             (at(i) == "no" && one_of(at(i + 1), {"emojis", "emoji", "bullet", "bullets"}))) {
    const std::size_t noun = at(i + 1) == "more" ? i + 2 : i + 1;
    if (noun >= sentence.end ||
        !one_of(topic_of(words, {noun, sentence.end}), {"emoji", "length", "tone", "sources"}))
      return false;
    const Turned text = turned(words, trimmed(words, {noun, sentence.end}), page_.turn->text,
                               *page_.when, people_, false);
    Frame frame = frame_of("rule", {});
    frame.domain = "rules";
    frame.tags = "rule assistant instruction";
    frame.importance = 0.9;
    Draft card = draft("The assistant should not use " + text.text, "assistant",
                       "rule:" + std::string(topic_of(words, sentence)), lower(text.text),
                       Colour::kRule, frame);
    card.card.valid_from = page_.when->today();
    card.single = true;
    write(std::move(card));
    return true;
  } else if ((at(i) == "stop" || at(i) == "quit") && at(i + 1).ends_with("ing")) {
    standing = negative = true;
    ++i;
  } else if (at(i) == "call" && at(i + 1) == "me") {
    standing = i + 2 < sentence.end && words[i + 2].capital;
  } else if (one_of(at(i), {"when", "whenever", "if"}) &&
             (at(i + 1) == "you" ||
              (at(i + 1) == "i" &&
               one_of(at(i + 2), {"ask", "say", "send", "write", "mention", "want", "need"})))) {
    // "when you plan routes: no ferries"
    std::size_t cut = i + 2;
    while (cut < sentence.end && words[cut].text != ":" && words[cut].text != ",") ++cut;
    if (cut + 1 >= sentence.end) return false;
    const bool to_assistant = at(i + 1) == "you";
    std::string head;
    for (std::size_t k = i + 2; k < cut; ++k) head += (head.empty() ? "" : " ") + words[k].text;
    if (to_assistant) {
      Words piece(words.begin() + static_cast<std::ptrdiff_t>(i + 2),
                  words.begin() + static_cast<std::ptrdiff_t>(cut));
      head = turned(piece, {0, piece.size()}, page_.turn->text, *page_.when, people_, false).text;
      const auto verb = lexicon_.verb(at(i + 2));
      if (!verb) return false;
      const std::size_t space = head.find(' ');
      head = "When the assistant " + third_person(head.substr(0, space)) +
             (space == std::string::npos ? "" : head.substr(space));
    } else {
      const Turned condition =
          turned(words, {i + 1, cut}, page_.turn->text, *page_.when, people_, false);
      head = capitalised(at(i)) + " " + condition.text;
    }
    std::size_t body = cut + 1;
    while (body < sentence.end && one_of(at(body), {"please", "always", "then"})) ++body;
    const bool orders = imperative(at(body)) || at(body) == "never" || at(body) == "do";
    if (!to_assistant && !orders) return false;
    const Turned rest = turned(words, trimmed(words, {body, sentence.end}), page_.turn->text,
                               *page_.when, people_, false);
    // In a rule "you" is the assistant; without a verb the preference is named.
    std::string text = head + ", ";
    if (orders) {
      text += (to_assistant ? "it should " : "the assistant should ") + rest.text;
    } else {
      text += owner_name_ + " prefers: " + rest.text;
    }
    for (std::size_t found = text.find(" you "); found != std::string::npos;
         found = text.find(" you ", found))
      text.replace(found, 5, " it ");
    Frame frame = frame_of("rule", {});
    frame.domain = "rules";
    frame.tags = "rule preference instruction";
    frame.importance = 0.9;
    Draft card = draft(text, "assistant", "rule:when", lower(rest.text), Colour::kRule, frame);
    card.card.valid_from = page_.when->today();
    write(std::move(card));
    return true;
  } else if (at(i) == "i" && one_of(at(i + 1), {"want", "need", "prefer", "like"}) && standing) {
    // "from now on I want short answers"
    Parse parse = parser_.parse(words, {i, sentence.end}, nullptr);
    const Turned rest =
        turned(words, trimmed(words, parse.rest), page_.turn->text, *page_.when, people_, true);
    std::string text = owner_name_ + " " + parse.verb_text + " " + rest.text;
    for (std::size_t found = text.find(" you "); found != std::string::npos;
         found = text.find(" you ", found)) {
      text.replace(found, 5, " the assistant ");
    }
    Frame frame = frame_of("rule", {});
    frame.domain = "rules";
    frame.tags = "rule assistant instruction";
    frame.importance = 0.9;
    Draft card = draft(text, "assistant", "rule:" + std::string(topic_of(words, sentence)),
                       lower(rest.text), Colour::kRule, frame);
    card.card.valid_from = page_.when->today();
    card.single = topic_of(words, sentence) != "other";
    write(std::move(card));
    return true;
  }
  if (!standing) {
    // "please always ...", "reply in ... from now on": the mark may come later.
    for (std::size_t k = i; k < sentence.end && k < i + 4; ++k) {
      if (one_of(at(k), {"always", "never"}) && imperative(at(k + 1))) {
        standing = true;
        negative = at(k) == "never";
        i = k + 1;
        break;
      }
    }
  }
  if (!standing) return false;
  skip();
  if (one_of(at(i), {"always", "never"})) {
    negative = at(i) == "never";
    ++i;
  }
  if (at(i) == "do" && at(i + 1) == "not") {
    negative = true;
    i += 2;
  }
  (void)polite_question;
  const bool gerund = at(i).ends_with("ing") && negative;
  if (i >= sentence.end || (!imperative(at(i)) && !gerund)) return false;
  Range body{i, sentence.end};
  // A reason after a comma is told apart: "..., I have slow internet".
  std::vector<Clause> after;
  for (std::size_t k = i + 1; k + 1 < sentence.end; ++k) {
    if (words[k].text == "," && begins_clause(words, k + 1, sentence.end, lexicon_)) {
      body.end = k;
      Clause reason;
      reason.begin = k + 1;
      reason.end = sentence.end;
      reason.link = ",";
      after.push_back(reason);
      break;
    }
    if (words[k].low == "because" || (words[k].low == "from" && at(k + 1) == "now")) {
      body.end = k;
      break;
    }
  }
  const Turned text =
      turned(words, trimmed(words, body), page_.turn->text, *page_.when, people_, false);
  std::string written = text.text;
  if (gerund) {
    if (const auto verb = lexicon_.verb(at(i))) {
      const std::size_t space = written.find(' ');
      written =
          std::string(verb->lemma) + (space == std::string::npos ? "" : written.substr(space));
    }
  }
  for (std::string_view you : {" your ", " yours ", " you "}) {
    const std::string_view to = you == " you " ? " it " : " its ";
    for (std::size_t found = written.find(you); found != std::string::npos;
         found = written.find(you, found)) {
      written.replace(found, you.size(), to);
    }
  }
  const std::string_view topic = topic_of(words, body);
  Frame frame = frame_of("rule", {});
  frame.domain = "rules";
  frame.tags = "rule assistant instruction";
  frame.importance = 0.9;
  Draft card =
      draft(std::string("The assistant should ") + (negative ? "never " : "") + written,
            "assistant", "rule:" + std::string(topic), lower(written), Colour::kRule, frame);
  card.card.valid_from = page_.when->today();
  card.single = topic != "other";
  const auto index = write(std::move(card));
  for (const Found& old : withdrawn_) notebook_.close(old, page_.when->today(), index, "withdrawn");
  withdrawn_.clear();
  for (const Clause& reason : after) read_clause(reason, sentence);
  return true;
}

// "forget the table rule", "you may joke again", "never mind the footnotes".
bool Reader::read_withdrawal(const Sentence& sentence) {
  const Words& words = page_.words;
  std::size_t i = sentence.begin;
  bool takes = false, allows = false;
  for (std::size_t k = sentence.begin; k + 1 < sentence.end; ++k) {
    const std::string& low = words[k].low;
    const std::string& next = words[k + 1].low;
    if (one_of(low, {"forget", "ignore", "drop", "scrap"}) &&
        one_of(next, {"the", "my", "about", "that", "what"}))
      takes = true, i = k + 1;
    if (low == "never" && next == "mind" && k + 2 < sentence.end && words[k + 2].low == "the")
      takes = true, i = k + 2;
    if (low == "no" && next == "need" && k + 2 < sentence.end) takes = true, i = k + 2;
    if (low == "you" && one_of(next, {"can", "may"}) && words[sentence.end - 1].low == "again")
      allows = true, i = k + 2;
    if (low == "do" && next == "not" && k + 3 < sentence.end &&
        one_of(words[k + 2].low, {"have", "need"}) && words[k + 3].low == "to" &&
        k > sentence.begin && words[k - 1].low == "you") {
      takes = true, i = k + 4;
    }
    if (takes || allows) break;
  }
  if (!takes && !allows) return false;
  std::size_t end = i;
  while (end < sentence.end && words[end].text != ",") ++end;
  std::string about;
  for (std::size_t k = i; k < end; ++k) about += words[k].text + " ";
  auto what = content_words(about);
  std::erase_if(what, [](const std::string& w) {
    return one_of(w, {"rul", "about", "instruction", "said", "thing", "anymor", "can", "us"});
  });
  const auto rules = notebook_.open("assistant", [&](const store::Card& card) {
    return card.colour == Colour::kRule && !what.empty() &&
           overlap(what, content_words(card.text)) >= 0.5;
  });
  if (rules.empty()) return false;
  // What stands in its place may follow in this turn; until then it has just ended.
  withdrawn_ = rules;
  std::size_t here = 0;
  for (std::size_t k = 0; k < page_.words.size(); ++k) here = k;
  bool replaced = false;
  for (std::size_t k = end; k + 1 <= here && !allows; ++k) {
    if ((words[k].low == "from" && words[k + 1].low == "now") ||
        one_of(words[k].low, {"instead", "always", "never"}))
      replaced = true;
  }
  if (!replaced) {
    for (const Found& old : rules)
      notebook_.close(old, page_.when->today(), std::nullopt, "withdrawn");
    withdrawn_.clear();
  }
  Sentence rest = sentence;
  rest.begin = end;
  if (end < sentence.end) read_order(rest);
  return true;
}

}  // namespace kartei::daemon
