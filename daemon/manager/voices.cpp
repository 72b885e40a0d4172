#include "daemon/manager/voices.h"

#include <algorithm>

namespace kartei::daemon {
namespace {

constexpr std::string_view kNobody = "The user";

// People's own words: not the assistant's, and not what somebody passes on that others wrote.
bool is_said(const store::Turn& turn) {
  return turn.role == store::Role::kUser && turn.trust == store::Trust::kUser;
}

bool is_generic(std::string_view low) {
  return low.empty() || one_of(low, {"user", "me", "human", "owner", "i"});
}

// "mel42", "maya@home": what an account is called says nothing of who it is.
bool is_handle(std::string_view low) {
  return std::any_of(low.begin(), low.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && c != ' ' && c != '-' && c != '\'' && c != '.' && (c < 'a' || c > 'z');
  });
}

// The owner by full name, by one word of it, or short: "M", "Mel". Of two full names each is its
// own, though both be an Anna's.
bool names_owner(std::string_view low, std::string_view owner_low) {
  if (low.find(' ') != std::string_view::npos && owner_low.find(' ') != std::string_view::npos)
    return low == owner_low;
  if (low.substr(0, low.find(' ')) == owner_low) return true;
  for (std::size_t at = 0; at < owner_low.size();) {
    const std::size_t space = std::min(owner_low.find(' ', at), owner_low.size());
    if (owner_low.substr(at, space - at).starts_with(low)) return true;
    at = space + 1;
  }
  return false;
}

std::string first_word(const std::string& name) {
  return name.substr(0, name.find(' '));
}

bool ends_sentence(const Words& words, std::size_t i) {
  return i >= words.size() || words[i].kind == WordKind::kBreak ||
         words[i].kind == WordKind::kEmoji || one_of(words[i].text, {".", "!", "?", "-", ")"});
}

template <class Use>
void each_turn(const SecretaryTask& task, Use use) {
  for (const store::Turn& turn : task.context) use(turn);
  for (const store::Turn& turn : task.turns) use(turn);
}

// Who "I" is where nobody else says it: the owner of the box, else the first who has a name.
std::string owner_of(const SecretaryTask& task) {
  std::string name = task.owner;
  each_turn(task, [&](const store::Turn& turn) {
    if (name.empty() && is_said(turn) && !is_generic(lower(turn.speaker))) name = turn.speaker;
  });
  return name.empty() ? std::string(kNobody) : name;
}

}  // namespace

bool Voice::says(const store::Turn& turn) const {
  return is_said(turn) &&
         std::find(speakers.begin(), speakers.end(), lower(turn.speaker)) != speakers.end();
}

Words Voice::without_addresses(Words words) const {
  Words kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool called = words[i].kind == WordKind::kWord && !words[i].possessive &&
                        std::find(others.begin(), others.end(), words[i].low) != others.end();
    const bool first = kept.empty() || ends_sentence(kept, kept.size() - 1);
    const bool behind_comma = !kept.empty() && comma(kept.back());
    const bool comma_next = i + 1 < words.size() && comma(words[i + 1]);
    const bool at_end = called && behind_comma && (ends_sentence(words, i + 1) || comma_next);
    const bool at_start = called && first && comma_next;
    if (at_end) {
      kept.pop_back();
    } else if (at_start) {
      ++i;
    } else {
      kept.push_back(std::move(words[i]));
    }
  }
  return kept;
}

std::vector<Voice> voices_of(const SecretaryTask& task) {
  const std::string owner = owner_of(task), owner_low = lower(owner);
  std::vector<Voice> voices;
  each_turn(task, [&](const store::Turn& turn) {
    if (!is_said(turn)) return;
    const std::string low = lower(turn.speaker);
    const bool other = !is_generic(low) && !is_handle(low) && !names_owner(low, owner_low);
    const std::string& name = other ? turn.speaker : owner;
    auto voice = std::find_if(voices.begin(), voices.end(),
                              [&](const Voice& known) { return lower(known.name) == lower(name); });
    if (voice == voices.end()) voice = voices.insert(voices.end(), {name, {}, {}});
    if (std::find(voice->speakers.begin(), voice->speakers.end(), low) == voice->speakers.end())
      voice->speakers.push_back(low);
  });
  if (voices.empty()) voices.push_back({owner, {}, {}});
  for (Voice& voice : voices) {
    for (const Voice& other : voices)
      if (&other != &voice) voice.others.push_back(first_word(lower(other.name)));
  }
  return voices;
}

}  // namespace kartei::daemon
