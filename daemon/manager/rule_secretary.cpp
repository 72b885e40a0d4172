#include "daemon/manager/lexicon.h"
#include "daemon/manager/reader.h"
#include "daemon/manager/secretary.h"

namespace kartei::daemon {
namespace {

class RuleSecretary : public Secretary {
 public:
  Result<store::UnitFiled> extract(const SecretaryTask& task, CardLookup& cards) override {
    Notebook notebook(task, cards);
    for (const Voice& voice : voices_of(task)) Reader(lexicon_, task, voice, notebook).run();
    return notebook.finish(task.box_secret32);
  }

 private:
  Lexicon lexicon_;
};

}  // namespace

std::unique_ptr<Secretary> make_rule_secretary() {
  return std::make_unique<RuleSecretary>();
}

}  // namespace kartei::daemon
