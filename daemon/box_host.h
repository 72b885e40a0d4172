// One open box at work: the box, its engine, the readers' librarians, the secretary's schedule, and
// what was heard and waits for the next commit.
//
// Threads: unless a function says otherwise, the writer thread. After every piece of work there,
// settle() sends what is to be sent, tells listeners what changed, and sets the alarm. Ownership:
// shared by the calls under way; borrows the services. Failure: errors of the disk go to the caller
// and leave box and engine as before.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "crypto/identity.h"
#include "daemon/events.h"
#include "daemon/give_back.h"
#include "daemon/manager/forgetting_policy.h"
#include "daemon/manager/schedule.h"
#include "daemon/network.h"
#include "daemon/secret_guard.h"
#include "daemon/services.h"
#include "store/box.h"
#include "store/librarian.h"
#include "store/meaning/embedder.h"
#include "store/vectors.h"
#include "sync/engine.h"

namespace kartei::daemon {

struct BoxSettings {
  std::string owner;      // who "I" is
  std::string zone;       // IANA
  std::string said_zone;  // the same, but empty where it is only this system's
  std::size_t token_budget = 500;
  std::int64_t audit_days = 90;
};

struct SettingsChange {  // empty: stays
  std::optional<std::string> owner, zone;
  std::optional<std::size_t> token_budget = {};
  std::optional<std::int64_t> audit_days = {};
};

// Turns of one call, waiting for the next commit. `answer` gets the ids in the turns' order.
struct HearJob {
  struct Item {
    store::Turn turn;    // drawer and device are filled in, the id by the engine
    std::string drawer;  // by name; made if absent
  };
  std::vector<Item> items;
  std::vector<std::string> allows;  // secrets in it that its owner allows, by their essences
  std::function<void(Result<std::vector<store::TurnId>>)> answer;
};

class ForgettingRun;
class Sorter;
struct ForgettingPage {
  std::size_t from = 0, limit = 50;  // of the steps, which to keep for showing
};
// A run of forgetting that an app asks for.
struct ForgettingAsked {
  bool dry_run = false;
  std::optional<store::Time> at;  // of a dry run that is shown page by page
  ForgettingPage page;
};
using ForgettingAnswer = std::function<void(Result<std::shared_ptr<ForgettingRun>>)>;

// The configured name of this device, or the host's.
std::string device_name(const Config& config);

using DrawerNames = std::map<store::DrawerId, std::string>;

class BoxHost final : public NetworkClient, public std::enable_shared_from_this<BoxHost> {
 public:
  static constexpr const char* kDefaultDrawer = "general";

  // Opens what lies in `folder`, or makes it.
  static Result<std::shared_ptr<BoxHost>> open(const std::string& name,
                                               const std::filesystem::path& folder,
                                               Services& services);
  ~BoxHost() override;

  // ---- any thread
  const std::string& name() const { return name_; }
  std::filesystem::path box_file() const { return folder_ / "box.kartei"; }
  const store::BoxFile& place() const { return box_->place(); }
  BoxSettings settings() const;
  std::shared_ptr<const DrawerNames> drawer_names() const;
  Events& events() { return events_; }
  // Of secrets, those that its owner allowed on this device.
  std::shared_ptr<const SecretsAllowed> allowed_secrets() const;
  // Hands turns over for the next commit; calls that come while one runs share the next. False: too
  // many wait.
  bool hear(HearJob job);
  // The librarian of one of the readers' threads; used on that thread only.
  Result<store::Librarian*> librarian(std::size_t reader);
  // For the audit and the counts of use; written down a moment later, many at once.
  void note_recall(store::AuditLine line, std::vector<store::CardId> cards);
  // An answer that hands out words for as long as its client reads: a lock does not wait for that.
  void cut_at_close(std::shared_ptr<api::ResponseStream> stream);
  // For the audit alone: any other read. The same one by the same app within a minute is one line.
  void note_read(store::AuditLine line);
  // False: the audit is far behind. Nothing is handed out then that it could not keep.
  bool audit_has_room() const;
  std::uint64_t audit_lost() const { return audit_lost_; }  // lines that could not be written

  // ---- the writer thread
  store::Box& box() { return *box_; }
  sync::Engine& engine() { return *engine_; }
  Services& services() { return services_; }
  const crypto::Identity& identity() const { return *identity_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path home() const { return folder_.parent_path().parent_path(); }
  sync::Now now() const;
  void settle();

  Status change_settings(const SettingsChange& change);
  Status refresh_drawer_names();                                    // after they changed
  Result<store::DrawerId> drawer_by_name(const std::string& name);  // made if absent
  // Does something with these secrets allowed (by their essences); where it fails they are not.
  Status with_secrets(std::span<const std::string> essences, const std::function<Status()>& work);
  // From now on; or not any more.
  Status allow_secrets(std::span<const std::string> essences);
  Status take_back_secrets(std::span<const std::string> essences);
  // Which drawers the model's endpoint may read where it is on another machine: its owner's word,
  // for that endpoint alone, beside what the configuration says.
  Result<bool> model_may_read(store::DrawerId drawer);
  Status allow_model(const std::string& drawer, bool allow);
  Status end_conversation(const std::string& conversation);
  // Turns that the secretary still has to read, and conversations that it was asked to.
  Result<std::uint64_t> pending_extraction();
  void write_audit();  // what has been noted so far
  void look_for_unread();
  // Something was, or is about to be: what is left of it on the disk is scrubbed a moment later,
  // and again when the erasure is final, also after a crash.
  Status erased();
  // A card's copy in another drawer: where the one is erased, the other goes, too.
  Status note_move(store::CardId original, store::CardId copy);

  // ---- forgetting. The policy is the box's, on all its devices.
  ForgettingPolicy forgetting_policy() const;
  Status set_forgetting_policy(const ForgettingPolicy& policy);
  // Whether this device forgets in shared drawers, too.
  bool forgets_shared() const;
  // Goes on in pieces; answers when it is done. kConflict: one is under way.
  void forget_now(const ForgettingAsked& asked, ForgettingAnswer answer);

  // ---- sorting: turns that name no drawer, before they are filed. This device's own knowledge.
  const Sorter& sorter() const { return *sorter_; }
  // Its owner moved the card: its kind goes there from now on. Gives the kind; empty: none.
  Result<std::string> teach_sorting(const store::Card& card, store::DrawerId drawer);
  Result<bool> forget_sorting(const std::string& kind);  // false: nothing was known of it

  bool sync_on() const { return sync_on_; }
  Status set_sync(bool on);  // persisted
  // A pairing has made this box a copy of the sponsor's: reopens it from what is on disk.
  Status take_welcome(ByteView welcome);
  Status remember_address(const std::string& address);  // of a member, from pairing
  bool busy() const { return sync_on_ || schedule_.reading(); }
  void reconfigure();             // the configuration has changed
  bool finds_by_meaning() const;  // false: its owner turned that off
  // The vectors, which are kept while that is off, go from the disk, a little at a time. kConflict
  // while it is on.
  Status drop_vectors();
  // Why not all is found by its meaning; empty: it is.
  std::string meaning_problem() const;
  void close();                            // syncs; no more work after it
  bool closed() const { return closed_; }  // any thread
  // Expires when all of it is gone from memory, its files closed: later than the host's own.
  std::weak_ptr<const bool> alive() const { return alive_; }

  void link_up(store::DeviceId device) override;
  void link_down(store::DeviceId device, const std::string& why) override;
  void message(store::DeviceId from, Bytes bytes) override;

 private:
  BoxHost(std::string name, std::filesystem::path folder, Services& services);
  Status start();
  Status seal_files();
  Status check_log();
  Status check_small_box();
  Status check_device();
  sync::EngineConfig engine_config() const;
  Status use_engine(std::unique_ptr<sync::Engine> engine);
  Status load_settings();
  Status load_secrets();
  Status keep_secrets(SecretsAllowed allowed);
  void announce_box();  // to the network
  void publish_changes();
  void look_for_shared_work();
  void on_alarm();
  void arm();
  void leave_network();
  void count_use(std::size_t times);
  void tell_vitals();

  void drain_heard();
  Result<std::vector<store::TurnId>> hear_now(std::span<HearJob> jobs);
  Status fill_turn(HearJob::Item& item);
  Result<store::DrawerId> sort_turn(const store::Turn& turn);
  Status load_sorting();
  Status keep_sorting(store::Box::Transaction::Durability durability);
  void keep_counted();

  void scan_unread(bool local, bool shared);
  void scan_again();
  void pump_secretary();
  struct Reading;
  Result<std::shared_ptr<Reading>> gather(const std::string& conversation);
  Status set_reach(Reading& reading);
  Result<bool> file_reading(const Reading& reading, store::UnitFiled unit);
  void finish_reading(const std::shared_ptr<Reading>& reading, Result<store::UnitFiled> unit);
  void give_up_vain_reading();
  void flush_usage();
  void tidy();
  bool may_compact() const;
  void load_facts();
  void embed();
  Status choose_model(const store::Embedder& embedder);
  void take_vectors(const store::Embedder& makes, const store::VectorBatch& batch,
                    Result<std::vector<float>> vectors);
  void embedding_failed(const std::string& why);
  void embedding_goes_on();
  Status sweep_vectors();
  void give_back();
  Status rest_vectors();
  void scrub();
  Status blank_audit();
  void scrub_when_final();
  Status load_scrub_mark();
  Status erase_originals();
  void forget_first();
  void forget_a_little();
  Result<bool> forgetting_step(ForgettingRun& run);
  store::RunId new_forgetting_run();
  void go_on_forgetting(const std::shared_ptr<ForgettingRun>& run, ForgettingAnswer answer);

  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);  // goes last
  const std::string name_;
  const std::filesystem::path folder_;
  Services& services_;
  Events events_;
  std::unique_ptr<crypto::Identity> identity_;
  std::unique_ptr<store::Box> box_;
  std::unique_ptr<sync::Engine> engine_;
  Schedule schedule_;
  std::shared_ptr<Alarm> alarm_, audit_alarm_;
  bool sync_on_ = false;
  std::atomic<bool> closed_{false};
  std::optional<std::int64_t> scrub_due_ms_, usage_due_ms_, tidy_due_ms_, scan_due_ms_,
      embed_due_ms_, give_back_due_ms_, facts_due_ms_, forget_due_ms_;
  std::unique_ptr<ForgettingRun> forgetting_;        // in the background; null: none is under way
  bool forget_asked_ = false;                        // one that somebody asked for is
  std::optional<std::uint64_t> scrub_until_height_;  // final up to here: scrubbed for good then
  bool only_log_left_ = false;                       // of a scrub that a reader stood in the way of
  std::int64_t tick_not_before_ms_ = 0;              // after a tick that failed
  bool embedding_ = false;                           // a batch is with the embedders' thread
  GiveBack give_back_;
  bool vectors_loaded_ = false;
  std::string model_;  // whose vectors are made; empty: not chosen yet
  std::size_t model_dims_ = 0;
  std::int64_t embed_retry_ms_ = 0;  // after failures, longer each time
  std::string embed_problem_;        // the last failure, while it lasts
  std::string embed_logged_;         // the one that the log tells of
  std::int64_t embed_log_not_before_ms_ = 0;
  std::weak_ptr<Reading> reading_;  // under way
  bool was_acting_ = false;
  std::uint64_t looked_at_height_ = 0;   // of the ledger, at the last look while acting
  std::int64_t scan_not_before_ms_ = 0;  // looking takes the longer the more is unread
  std::map<store::CardId, std::uint32_t> usage_;
  double use_ = 0;  // decaying average of turns heard and questions asked
  std::int64_t use_at_ms_ = 0;

  std::atomic<std::uint64_t> audit_lost_{0};

  mutable std::mutex mutex_;  // guards what follows
  BoxSettings settings_;
  std::shared_ptr<const DrawerNames> drawer_names_;
  std::shared_ptr<const SecretsAllowed> allowed_secrets_;
  std::vector<HearJob> heard_;
  bool drain_posted_ = false;
  struct Recalled {
    store::AuditLine line;
    std::vector<store::CardId> cards;
    bool counts = true;  // as use of this device
  };
  std::vector<Recalled> recalled_;
  std::unordered_map<std::size_t, std::int64_t> reads_;                 // noted lately: what, when
  std::array<std::unique_ptr<store::Librarian>, kReaders> librarians_;  // each its reader's
  std::vector<std::shared_ptr<api::ResponseStream>> cut_at_close_;

  std::unique_ptr<Sorter> sorter_;  // the writer's
};

}  // namespace kartei::daemon
