// The HTTP API: every call of API.md, each group in a file of its own. Threads: handle() on the
// server's thread; it parses, and hands over to the writer, the readers or the box's queue of
// turns. Nothing here blocks. Ownership: borrows hosts and services, which must outlive it and its
// calls.
#pragma once

#include <atomic>
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>

#include "daemon/api/http.h"
#include "daemon/api/requests.h"
#include "daemon/api/router.h"
#include "daemon/hosts.h"

namespace kartei::daemon {
class KeyDesk;
class PairingDesk;
}  // namespace kartei::daemon

namespace kartei::daemon::api {

// 2020: a clock before it is not set.
inline constexpr std::int64_t kSaneClockMs = 1'577'836'800'000;

struct ApiParts {
  Hosts& hosts;
  Services& services;
  std::function<HttpCounts()> http_counts;
  PairingDesk* pairing = nullptr;  // null: this daemon cannot pair (tests)
  KeyDesk* keys = nullptr;         // null: boxes in the clear (tests)
};

class Api {
 public:
  explicit Api(ApiParts parts);
  void handle(HttpRequest request, Responder responder) {
    router_.route(std::move(request), std::move(responder));
  }
  const Router& router() const { return router_; }

 private:
  // What is answered on the writer thread, with the call's box.
  using BoxCall = std::function<Result<HttpResponse>(BoxHost&, const Call&)>;
  void on_writer(Call call, Responder responder, BoxCall run);
  // Runs `use` with the box on the writer thread, or answers why that cannot be now.
  void post_to_box(const std::string& name, const Responder& responder,
                   std::function<void(const std::shared_ptr<BoxHost>&)> use);
  // While a box is being encrypted the writer takes nothing else, for seconds or minutes.
  std::optional<HttpResponse> while_encrypting() const;
  // A call that runs on the writer thread, with its box.
  void add(Method method, std::string_view pattern, std::vector<std::string> query, BoxCall call);
  // The same for one that hands out words of the user: it says which turns and cards, and the audit
  // keeps that.
  using ReadCall =
      std::function<Result<HttpResponse>(BoxHost&, const Call&, std::vector<std::string>& items)>;
  void add_read(Method method, std::string_view pattern, std::vector<std::string> query,
                ReadCall call);
  // Runs `use` with the box: at once if it is open, else on the writer thread.
  void with_box(const Call& call, const Responder& responder,
                std::function<void(const std::shared_ptr<BoxHost>&)> use);

  void add_turn_calls();
  void add_recall_calls();
  void add_card_calls();
  void add_card_steps();
  void add_review_calls();
  void add_drawer_calls();
  void add_device_calls();
  void add_pairing_calls();
  void add_box_calls();
  void add_status_calls();
  void add_transfer_calls();
  void add_key_calls();
  void add_secretary_calls();
  void change_kept_key(Call call, Responder responder, bool keep);
  void add_forgetting_calls();

  void post_turns(Call call, Responder responder);
  void post_recall(Call call, Responder responder);
  void post_pairing(Call call, Responder responder);
  void get_events(Call call, Responder responder);
  void get_export(Call call, Responder responder);
  void post_import(Call call, Responder responder);
  void delete_box(Call call, Responder responder);
  void post_forgetting_run(Call call, Responder responder);
  void get_status(Call call, Responder responder);

  ApiParts parts_;
  Router router_;
  std::atomic<std::size_t> exports_{0};  // under way
  const std::int64_t started_ms_;
};

// For the audit: the call as it was made, and what it handed out. Any thread.
void note_read(BoxHost& host, const Call& call, std::vector<std::string> items);
std::string box_name(const Call& call);
Result<std::size_t> read_limit(const Call& call, std::size_t otherwise, std::size_t max);
// As the app wrote it, or as 32 hex digits.
Result<store::Turn> find_turn(BoxHost& host, const std::string& id);
Result<store::Card> find_card(BoxHost& host, const std::string& id);
Result<HttpResponse> card_answer(BoxHost& host, store::CardId id, int status = 200);
SecretsSeen look_for_secrets(const CardInput& input);
// What becomes of a call whose words hold secrets.
struct SecretsJudged {
  std::optional<HttpResponse> refusal;  // 403, which says what and where
  // Allowed with this call: for host.with_secrets(), around what the call does in the end.
  std::vector<std::string> allows;
};
// Changes nothing. `allow`: the call allows those in its texts. The writer's thread.
SecretsJudged judge_secrets(BoxHost& host, const SecretsSeen& seen, bool allow);
// The edit, and what the call allows with it.
Result<store::CardId> make_edit(BoxHost& host, store::CardEdited edit,
                                const SecretsJudged& secrets);
store::Card new_card(BoxHost& host, const CardInput& input, const Call& call);
// Names those that are there, the likeliest first.
Error no_drawer(BoxHost& host, const std::string& name, const std::string& advice = {});
Result<store::DeviceId> find_device(BoxHost& host, const std::string& id_or_name);
Result<std::vector<std::string>> source_ids(BoxHost& host, const store::Card& card);
// How the secretary is: which one works, and what a model costs.
Result<boost::json::object> secretary_view(BoxHost& host);
// The offset of the box's zone (or the system's) at a moment.
std::int16_t box_zone_min(const BoxSettings& settings, store::Time at);

}  // namespace kartei::daemon::api
