// BoxHost: which drawers a model's endpoint on another machine may read.
#include <algorithm>
#include <sstream>

#include "daemon/box_host.h"
#include "daemon/hosts.h"
#include "daemon/manager/model/model_secretary.h"

namespace kartei::daemon {
namespace {

constexpr const char* kModelDrawersKey = "model_drawers";  // "ID URL" a line

using Allowed = std::vector<std::pair<std::string, std::string>>;

Result<Allowed> read_allowed(store::Box& box) {
  KARTEI_ASSIGN(const auto kept, box.meta(kModelDrawersKey));
  Allowed out;
  if (!kept) return out;
  std::istringstream lines{std::string(as_text(*kept))};
  std::string drawer, url;
  while (lines >> drawer >> url) out.emplace_back(drawer, url);
  return out;
}

}  // namespace

Result<bool> BoxHost::model_may_read(store::DrawerId drawer) {
  ModelSecretary* model = services_.model;
  if (model == nullptr || !model->is_configured()) return false;
  model->fetch_key(services_.data_key);
  if (model->is_local()) return true;
  const auto names = drawer_names();
  if (const auto name = names->find(drawer); name != names->end()) {
    const std::string said =
        name_ == Hosts::kDefaultBox ? name->second : name_ + "/" + name->second;
    const auto config = services_.config.get();
    const auto& listed = config->secretary.drawers;
    if (std::find(listed.begin(), listed.end(), said) != listed.end()) return true;
  }
  KARTEI_ASSIGN(const Allowed allowed, read_allowed(*box_));
  return std::find(allowed.begin(), allowed.end(), std::pair(drawer.text(), model->endpoint())) !=
         allowed.end();
}

// For the endpoint that is configured now: another one needs its owner's word anew.
Status BoxHost::allow_model(const std::string& drawer, bool allow) {
  const ModelSecretary* model = services_.model;
  if (model == nullptr || !model->is_configured())
    return Error{Cause::kConflict,
                 "No endpoint of a model is configured: see [secretary] in daemon/README.md.",
                 {}};
  KARTEI_ASSIGN(const auto there, box_->drawer(std::string_view(drawer)));
  if (!there) return not_found("There is no drawer called " + drawer + ".");
  KARTEI_ASSIGN(Allowed allowed, read_allowed(*box_));
  const std::pair entry(there->id.text(), model->endpoint());
  std::erase(allowed, entry);
  if (allow) allowed.push_back(entry);
  std::string lines;
  for (const auto& [id, url] : allowed) lines += id + " " + url + "\n";
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_TRY(box_->put_meta(kModelDrawersKey, as_bytes(lines)));
  return transaction.commit(store::Box::Transaction::Durability::kSynced);
}

}  // namespace kartei::daemon
