// One unit from two secretaries: all that the built-in one wrote stays as it is, and what a model
// proposes is added where it holds and is new. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/manager/model/answer.h"
#include "daemon/manager/model/ground.h"

namespace kartei::daemon {

struct Merged {
  std::size_t added = 0, replaced = 0, confirmed = 0, known = 0, too_many = 0;
  std::map<Unfit, std::size_t> unfit;
};

// `known`: open cards as they are now, see related_cards(). `model` is named on each card. The unit
// gets its new id.
Merged add_proposals(store::UnitFiled& unit, const std::vector<Proposal>& proposals,
                     const SecretaryTask& task, const Sheet& sheet,
                     const std::vector<store::Card>& known, const std::string& model);

}  // namespace kartei::daemon
