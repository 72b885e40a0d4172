#include "daemon/manager/lexicon.h"

#include <algorithm>
#include <array>
#include <span>

#include "daemon/manager/lexicon_data.h"
#include "daemon/manager/lexicon_rules.h"
#include "daemon/manager/lexicon_tables.h"
#include "daemon/manager/lexicon_told.h"

namespace kartei::daemon {
namespace {

bool is_vowel(char c) {
  return std::string_view("aeiou").find(c) != std::string_view::npos;
}

bool doubles(std::string_view base) {
  if (base.size() < 3) return false;
  const char a = base[base.size() - 3], b = base[base.size() - 2], c = base.back();
  if (is_vowel(a) || !is_vowel(b) || is_vowel(c) || c == 'w' || c == 'x' || c == 'y') return false;
  static constexpr std::array<std::string_view, 23> kSingle = {
      "visit",    "open",      "happen",   "offer",  "suffer", "enter",    "cover",   "order",
      "answer",   "volunteer", "foster",   "garden", "listen", "discover", "recover", "inherit",
      "remember", "deliver",   "consider", "gather", "mentor", "color",    "honor"};
  return std::find(kSingle.begin(), kSingle.end(), base) == kSingle.end();
}

std::string regular_past(std::string_view base) {
  std::string out(base);
  if (out.back() == 'e') return out + "d";
  if (out.back() == 'y' && out.size() > 1 && !is_vowel(out[out.size() - 2])) {
    out.back() = 'i';
    return out + "ed";
  }
  if (doubles(base)) out += out.back();
  return out + "ed";
}

std::string ing(std::string_view base) {
  std::string out(base);
  if (out.ends_with("ie")) return out.substr(0, out.size() - 2) + "ying";
  if (out.back() == 'e' && !out.ends_with("ee") && out != "be")
    return out.substr(0, out.size() - 1) + "ing";
  if (doubles(base)) out += out.back();
  return out + "ing";
}

bool listed(std::span<const std::string_view> sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

// In the order of Set.
constexpr std::span<const std::string_view> kTables[] = {
    data::kFillers,        data::kAdverbs,           data::kTrailing,
    data::kStates,         data::kOwnables,          data::kEventNouns,
    data::kEmptyObjects,   data::kAttributes,        data::kJobs,
    data::kTransientNouns, data::kPrepositions,      data::kDeterminers,
    data::kPets,           data::kAuxiliaries,       data::kNotPlaces,
    data::kAbleVerbs,      data::kNotNames,          data::kOpeners,
    data::kOrderOpeners,   data::kImperatives,       data::kTellingAdverbs,
    data::kNoSubjects,     data::kOpeningVerbs,      data::kDegrees,
    data::kVagueObjects,   data::kLastingActivities, data::kDailyVerbs,
    data::kStateVerbs,     data::kCommonAbilities,   data::kBareHabits,
    data::kTraitNouns,     data::kSchedulingVerbs,   data::kThingVerbs,
    data::kChangeStems,    data::kNuisances,         data::kToldVerbs,
    data::kIngQualities,   data::kAttitudes,         data::kMoods,
    data::kEffects,        data::kCourtesies,        data::kHollowNouns};
static_assert(std::size(kTables) == static_cast<std::size_t>(Set::kCount));

}  // namespace

std::string third_person(std::string_view base) {
  std::string out(base);
  if (out.empty()) return out;
  if (out == "have") return "has";
  if (out == "be") return "is";
  if (out.ends_with("s") || out.ends_with("x") || out.ends_with("z") || out.ends_with("ch") ||
      out.ends_with("sh") || out.ends_with("o")) {
    return out + "es";
  }
  if (out.back() == 'y' && out.size() > 1 && !is_vowel(out[out.size() - 2])) {
    out.back() = 'i';
    return out + "es";
  }
  return out + "s";
}

Lexicon::Lexicon() {
  for (const auto lemma : data::kTrivialVerbs) add(lemma, Verb::kTrivial);
  for (const auto lemma : data::kHabitVerbs) add(lemma, Verb::kHabit);
  for (const auto lemma : data::kEventVerbs) add(lemma, Verb::kEvent);
  for (const auto lemma : data::kPlainVerbs) add(lemma, Verb::kPlain);
}

void Lexicon::put(std::string form, const VerbForm& value) {
  Entry& entry = forms_[std::move(form)];
  if (value.form == Form::kParticiple) {
    if (!entry.participle) entry.participle = value;
    if (entry.finite.lemma.empty()) entry.finite = value;
    return;
  }
  const bool taken = !entry.finite.lemma.empty() && entry.finite.form != Form::kParticiple;
  if (taken && entry.finite.lemma == value.lemma && entry.finite.form == Form::kBase) {
    entry.finite.past_too = entry.finite.past_too || value.form == Form::kPast;
  }
  if (!taken) entry.finite = value;
}

void Lexicon::add(std::string_view lemma, Verb verb) {
  std::string past = regular_past(lemma), participle = past;
  for (const auto& irregular : data::kIrregular) {
    if (irregular.lemma != lemma) continue;
    past = irregular.past;
    participle = irregular.participle;
  }
  put(std::string(lemma), {lemma, Form::kBase, verb});
  put(third_person(lemma), {lemma, Form::kThird, verb});
  put(past, {lemma, Form::kPast, verb});
  put(participle, {lemma, Form::kParticiple, verb});
  put(ing(lemma), {lemma, Form::kIng, verb});
}

std::optional<VerbForm> Lexicon::verb(std::string_view low) const {
  const auto at = forms_.find(std::string(low));
  if (at == forms_.end()) return std::nullopt;
  return at->second.finite;
}

std::optional<VerbForm> Lexicon::participle(std::string_view low) const {
  const auto at = forms_.find(std::string(low));
  if (at != forms_.end()) return at->second.participle;
  // An unknown word in "-ed" is some verb's.
  if (low.size() > 4 && low.ends_with("ed") && !low.ends_with("eed")) {
    return VerbForm{"act", Form::kParticiple, Verb::kPlain};
  }
  return std::nullopt;
}

const Relative* relative(std::string_view low) {
  const auto* at =
      std::lower_bound(std::begin(data::kRelatives), std::end(data::kRelatives), low,
                       [](const Relative& r, std::string_view key) { return r.word < key; });
  return at != std::end(data::kRelatives) && at->word == low ? at : nullptr;
}

std::span<const std::string_view> words_in(Set set) {
  return kTables[static_cast<std::size_t>(set)];
}

bool in(Set set, std::string_view low) {
  return listed(words_in(set), low);
}

}  // namespace kartei::daemon
