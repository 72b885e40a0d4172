#include "daemon/manager/lexicon.h"
#include "daemon/manager/reader.h"
#include "daemon/manager/secretary.h"

namespace kartei::daemon {
namespace {

class RuleSecretary : public Secretary {
 public:
  Result<store::UnitFiled> extract(const SecretaryTask& task, CardLookup& cards) override {
    return Reader(lexicon_, task, cards).run();
  }

 private:
  Lexicon lexicon_;
};

}  // namespace

std::unique_ptr<Secretary> make_rule_secretary() {
  return std::make_unique<RuleSecretary>();
}

}  // namespace kartei::daemon
