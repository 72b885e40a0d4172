// An exam: long conversations, questions about them, and the turns that hold each answer. Values,
// and the reading of the two file formats: ours (FORMAT in README.md) and LongMemEval's published
// JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/result.h"

namespace kartei::exams {

struct ExamTurn {
  std::string id, speaker, role, text, caption, time;  // time: RFC 3339, empty where none is known
};
struct ExamSession {
  std::string id;
  std::vector<ExamTurn> turns;
};
struct ExamQuestion {
  std::string question, answer, kind, now;
  std::vector<std::string> evidence;  // turn ids
};
// A card as somebody else would write it, and the turns that it came from.
struct ExamObservation {
  std::string text;
  std::vector<std::string> evidence;  // turn ids
};
struct ExamConversation {
  std::string id;
  std::vector<ExamSession> sessions;
  std::vector<ExamQuestion> questions;
  std::vector<std::string> speakers = {};  // where two people talk; the first is the owner
  std::vector<ExamObservation> observations = {};
};

// Reads FILE.json or FILE.json.gz of either format.
Result<std::vector<ExamConversation>> read_exam(const std::filesystem::path& file);

}  // namespace kartei::exams
