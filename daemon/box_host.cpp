#include "daemon/box_host.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "daemon/api/local_socket.h"
#include "daemon/box_files.h"
#include "daemon/embedders.h"
#include "daemon/forgetting_run.h"
#include "daemon/manager/sorter.h"
#include "daemon/small_file.h"
#include "daemon/vitals.h"
#include "store/facts_keeper.h"
#include "store/vocabulary.h"

namespace kartei::daemon {
namespace {

constexpr std::int64_t kRetryTickMs = 1'000;
constexpr std::int64_t kTidyDelayMs = 2'000;
constexpr std::int64_t kEmbedDelayMs = 20;  // what is said next comes along
constexpr std::size_t kFactsAtOnce = 4096;
constexpr std::int64_t kPieceRestMs = 5;       // a reader may be at it
constexpr std::int64_t kTidyRest = 3;          // times as long as a step took
constexpr std::int64_t kTidyAgainMs = 60'000;  // after an error
constexpr const char* kLocalSuffix = " (this device)";
constexpr const char* kBudgetKey = "daemon.token_budget";
constexpr const char* kAddressKey = "daemon.address";

std::string boot_tag(crypto::Random& random) {
  std::array<std::uint8_t, 4> bytes{};
  random.fill(bytes);
  return to_hex(bytes);
}

}  // namespace

std::string device_name(const Config& config) {
  if (!config.name.empty()) return config.name;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "device";
  return name;
}

BoxHost::BoxHost(std::string name, std::filesystem::path folder, Services& services)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      services_(services),
      events_(boot_tag(services.random)),
      schedule_(Schedule::Rules{}),
      drawer_names_(std::make_shared<DrawerNames>()),
      sorter_(std::make_unique<Sorter>()) {}

BoxHost::~BoxHost() = default;

Result<std::shared_ptr<BoxHost>> BoxHost::open(const std::string& name,
                                               const std::filesystem::path& folder,
                                               Services& services) {
  std::shared_ptr<BoxHost> host(new BoxHost(name, folder, services));
  KARTEI_TRY(host->start());
  return host;
}

sync::EngineConfig BoxHost::engine_config() const {
  sync::EngineConfig config;
  config.device_name = device_name(*services_.config.get());
  return config;
}

Status BoxHost::use_engine(std::unique_ptr<sync::Engine> engine) {
  engine_ = std::move(engine);
  tell_vitals();
  KARTEI_TRY(load_settings());
  KARTEI_TRY(refresh_drawer_names());
  was_acting_ = false;
  if (sync_on_) announce_box();
  return {};
}

sync::Now BoxHost::now() const {
  return {services_.clock.wall(), services_.clock.mono_ms()};
}

// ---- settings

// Owner and zone are the box's, on all its devices; budget and audit are this device's.
Status BoxHost::load_settings() {
  BoxSettings settings;
  if (const auto owner = engine_->owner()) {
    settings.owner = owner->name;
    settings.zone = settings.said_zone = owner->zone;
  }
  if (settings.zone.empty()) settings.zone = services_.config.get()->zone;
  if (settings.zone.empty()) settings.zone = system_zone(process_environment());
  KARTEI_ASSIGN(const auto budget, box_->meta(kBudgetKey));
  if (budget) {
    const std::string digits(as_text(*budget));
    settings.token_budget = std::strtoul(digits.c_str(), nullptr, 10);
  }
  KARTEI_ASSIGN(settings.audit_days, store::audit_days(*box_));
  std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
  return {};
}

Status BoxHost::change_settings(const SettingsChange& change) {
  if (change.owner || change.zone) {
    sync::Engine::Owner owner = engine_->owner().value_or(sync::Engine::Owner{});
    owner.name = change.owner.value_or(owner.name);
    owner.zone = change.zone.value_or(owner.zone);
    KARTEI_TRY(engine_->set_owner(owner, now()));
  }
  if (change.token_budget || change.audit_days) {
    KARTEI_ASSIGN(auto transaction, box_->begin());
    if (change.token_budget) {
      const std::string digits = std::to_string(*change.token_budget);
      KARTEI_TRY(box_->put_meta(kBudgetKey, as_bytes(digits)));
    }
    if (change.audit_days) KARTEI_TRY(store::set_audit_days(*box_, *change.audit_days));
    KARTEI_TRY(transaction.commit(store::Box::Transaction::Durability::kSynced));
  }
  return load_settings();
}

BoxSettings BoxHost::settings() const {
  std::lock_guard lock(mutex_);
  return settings_;
}

std::shared_ptr<const DrawerNames> BoxHost::drawer_names() const {
  std::lock_guard lock(mutex_);
  return drawer_names_;
}

Status BoxHost::refresh_drawer_names() {
  KARTEI_ASSIGN(const auto drawers, box_->drawers());
  sorter_->set_drawers(drawers);
  auto names = std::make_shared<DrawerNames>();
  for (const store::Drawer& drawer : drawers)
    (*names)[drawer.id] = secrets::masked(drawer.name);  // one from elsewhere may hold any
  std::lock_guard lock(mutex_);
  drawer_names_ = std::move(names);
  return {};
}

Result<store::DrawerId> BoxHost::drawer_by_name(const std::string& name) {
  KARTEI_ASSIGN(const auto there, box_->drawer(std::string_view(name)));
  // Withdrawn from this device (or this device was revoked): its owner's words must not be lost,
  // and must not go where they cannot be read. They stay here, in a drawer of its own.
  if (there && !there->held) return drawer_by_name(name + kLocalSuffix);
  if (there) return there->id;
  KARTEI_ASSIGN(const store::Drawer made, engine_->make_drawer(name, now()));
  KARTEI_TRY(refresh_drawer_names());
  return made.id;
}

void BoxHost::reconfigure() {
  Schedule::Rules rules;
  rules.silence_ms = services_.config.get()->silence_s * 1000;
  schedule_.set_rules(rules);
  if (!embedding_) embed_due_ms_ = now().mono_ms;
  arm();
}

// ---- after every piece of work

void BoxHost::settle() {
  if (closed_) return;
  auto sends = engine_->flush(now());
  if (!sends) {
    spdlog::error("box {}: cannot write what is to be sent: {}", name_, sends.error().what);
  } else if (services_.network != nullptr && sync_on_ && !sends->empty()) {
    const store::BoxId id = engine_->status(now()).box;
    for (sync::Send& send : *sends) services_.network->send(id, send.to, std::move(send.message));
  }
  publish_changes();
  give_up_vain_reading();
  look_for_shared_work();
  pump_secretary();
  arm();
}

namespace {
const char* event_of(sync::ChangeKind kind) {
  switch (kind) {
    case sync::ChangeKind::kTurns:
      return "turn";
    case sync::ChangeKind::kCards:
      return "card";
    case sync::ChangeKind::kDrawers:
      return "drawer";
    case sync::ChangeKind::kPrimary:
      return "primary";
    case sync::ChangeKind::kFork:
      return "fork";
    case sync::ChangeKind::kOwner:
    case sync::ChangeKind::kForgetting:
      return "box";
    default:
      break;
  }
  return "device";
}
const char* what_of(sync::ChangeKind kind) {
  switch (kind) {
    case sync::ChangeKind::kMemberProposed:
      return "proposed";
    case sync::ChangeKind::kMemberAdmitted:
      return "admitted";
    case sync::ChangeKind::kRevoked:
      return "revoked";
    default:
      break;
  }
  return "changed";
}
}  // namespace

void BoxHost::publish_changes() {
  bool members = false, drawers = false, owner = false, erased_now = false;
  for (const sync::Change& change : engine_->take_changes()) {
    members |= change.kind == sync::ChangeKind::kDevices ||
               change.kind == sync::ChangeKind::kMemberAdmitted ||
               change.kind == sync::ChangeKind::kRevoked;
    drawers |= change.kind == sync::ChangeKind::kDrawers;
    owner |= change.kind == sync::ChangeKind::kOwner;
    if (change.kind == sync::ChangeKind::kErased) {
      if (auto noted = erased(); !noted) spdlog::error("box {}: {}", name_, noted.error().what);
      erased_now = true;
      continue;
    }
    if (change.kind == sync::ChangeKind::kMemberAdmitted && services_.on_admitted)
      services_.on_admitted(*this, change.device);
    if (change.kind == sync::ChangeKind::kFork)
      spdlog::warn("box {}: two records of device {} contradict each other", name_,
                   change.device.text());
    std::string data = std::string("{\"what\":\"") + what_of(change.kind) + '"';
    if (!change.device.is_zero()) data += ",\"device\":\"" + change.device.text() + '"';
    events_.push(event_of(change.kind), data + "}");
  }
  if (drawers) {
    if (auto refreshed = refresh_drawer_names(); !refreshed)
      spdlog::error("box {}: {}", name_, refreshed.error().what);
  }
  if (owner) {
    if (auto loaded = load_settings(); !loaded)
      spdlog::error("box {}: {}", name_, loaded.error().what);
  }
  if (members && sync_on_) announce_box();
  if (!erased_now) return;
  services_.writer.post_follow_up([self = shared_from_this()] {
    if (self->closed_) return;
    if (auto gone = self->erase_originals(); !gone)
      spdlog::error("box {}: {}", self->name_, gone.error().what);
    self->settle();
  });
}

void BoxHost::arm() {
  const sync::Now time = now();
  std::optional<std::int64_t> due;
  const auto earliest = [&](std::optional<std::int64_t> at) {
    if (at && (!due || *at < *due)) due = at;
  };
  if (const auto tick = engine_->next_tick_ms()) earliest(std::max(*tick, tick_not_before_ms_));
  earliest(schedule_.next_due_ms(time.mono_ms));
  scrub_when_final();
  earliest(scrub_due_ms_);
  earliest(usage_due_ms_);
  earliest(scan_due_ms_);
  if (!tidy_due_ms_ && box_->untidy()) tidy_due_ms_ = time.mono_ms + kTidyDelayMs;
  earliest(tidy_due_ms_);
  if (!embed_due_ms_ && !embedding_ && services_.embedders != nullptr &&
      services_.embedders->has_model() && box_->vectors().behind())
    embed_due_ms_ = time.mono_ms + kEmbedDelayMs;
  earliest(embed_due_ms_);
  earliest(give_back_due_ms_);
  earliest(facts_due_ms_);
  earliest(forget_due_ms_);
  alarm_->set(due);
}

void BoxHost::on_alarm() {
  if (closed_) return;
  const sync::Now time = now();
  const auto tick = engine_->next_tick_ms();
  if (tick && std::max(*tick, tick_not_before_ms_) <= time.mono_ms) {
    tell_vitals();
    if (auto done = engine_->tick(time); !done) {
      spdlog::error("box {}: {}", name_, done.error().what);
      tick_not_before_ms_ = time.mono_ms + kRetryTickMs;
    }
  }
  if (scrub_due_ms_ && *scrub_due_ms_ <= time.mono_ms) scrub();
  if (usage_due_ms_ && *usage_due_ms_ <= time.mono_ms) flush_usage();
  if (scan_due_ms_ && *scan_due_ms_ <= time.mono_ms) scan_again();
  if (tidy_due_ms_ && *tidy_due_ms_ <= time.mono_ms) tidy();
  if (embed_due_ms_ && *embed_due_ms_ <= time.mono_ms) embed();
  if (give_back_due_ms_ && *give_back_due_ms_ <= time.mono_ms) give_back();
  if (facts_due_ms_ && *facts_due_ms_ <= time.mono_ms) load_facts();
  if (forget_due_ms_ && *forget_due_ms_ <= time.mono_ms) forget_a_little();
  settle();
}

// A step at a time, and most of the time none: others' work goes in between.
void BoxHost::tidy() {
  tidy_due_ms_.reset();
  const std::int64_t began_ms = now().mono_ms;
  auto more = box_->tidy();
  if (more && !*more && may_compact()) more = box_->compact();
  if (!more) {
    spdlog::error("box {}: {}", name_, more.error().what);
    tidy_due_ms_ = now().mono_ms + kTidyAgainMs;
  } else if (*more) {
    const std::int64_t ended_ms = now().mono_ms;
    tidy_due_ms_ = ended_ms + kTidyRest * (ended_ms - began_ms + 1);
  } else if (box_->facts().loaded()) {
    facts_due_ms_ = now().mono_ms;  // the lists lie otherwise now
  }
}

// Writes a good part of the file anew: where there is a choice not by battery.
bool BoxHost::may_compact() const {
  return read_vitals("/", folder_, services_.config.get()->kind).power == election::Power::kMains;
}

// What questions are ranked by, a few milliseconds at a time; of the lists a piece at a time. Until
// it is there, and where it cannot be read, they read the disk.
void BoxHost::load_facts() {
  facts_due_ms_.reset();
  const auto load = [this]() -> Status {
    KARTEI_ASSIGN(const bool all, box_->facts().load(kFactsAtOnce));
    if (!all) {
      facts_due_ms_ = now().mono_ms;
      return {};
    }
    KARTEI_ASSIGN(const bool more, store::read_piece_hashes(*box_));
    if (more) facts_due_ms_ = now().mono_ms + kPieceRestMs;
    return {};
  };
  if (auto loaded = load(); !loaded)
    spdlog::warn("box {}: questions read the disk: {}", name_, loaded.error().what);
}

void BoxHost::tell_vitals() {
  election::Vitals vitals = read_vitals("/", folder_, services_.config.get()->kind);
  count_use(0);
  vitals.use = use_;
  std::size_t others = 0, heard = 0;
  for (const sync::MemberView& member : engine_->status(now()).members) {
    if (member.self || !member.member) continue;
    ++others;
    heard += member.connected ? 1 : 0;
  }
  if (others > 0) vitals.reachable = static_cast<double>(heard) / static_cast<double>(others);
  engine_->set_vitals(vitals);
}

// ---- use

void BoxHost::count_use(std::size_t times) {
  const std::int64_t time = services_.clock.mono_ms();
  use_ = election::decayed_use(use_, time - use_at_ms_) + static_cast<double>(times);
  use_at_ms_ = time;
}

void BoxHost::flush_usage() {
  usage_due_ms_.reset();
  std::vector<store::CardId> cards;
  for (const auto& [card, times] : usage_) cards.insert(cards.end(), std::min(times, 100U), card);
  usage_.clear();
  if (cards.empty()) return;
  if (auto counted = engine_->count_usage(std::move(cards), now()); !counted)
    spdlog::warn("box {}: counts of use are lost: {}", name_, counted.error().what);
}

Result<store::Librarian*> BoxHost::librarian(std::size_t reader) {
  auto& own = librarians_.at(reader);
  if (!own) {
    KARTEI_ASSIGN(own, store::Librarian::open(*box_));
  }
  return own.get();
}

// ---- sync

void BoxHost::announce_box() {
  if (services_.network == nullptr) return;
  const sync::EngineStatus status = engine_->status(now());
  NetworkBox box;
  box.box = status.box;
  box.self = status.self;
  box.box_secret = identity_->box_secret().copy();
  box.box_key = identity_->pub().box_key;
  box.link_key = engine_->derived_key("link");
  box.beacon_key = engine_->derived_key("beacon");
  for (const sync::MemberView& member : status.members) {
    if (member.self || !member.member) continue;
    if (const auto keys = engine_->member_keys(member.id))
      box.members.push_back({member.id, keys->box_key});
  }
  if (const auto address = box_->meta(kAddressKey); address && *address)
    box.addresses.emplace_back(as_text(**address));
  services_.network->set_box(std::move(box), weak_from_this());
}

Status BoxHost::remember_address(const std::string& address) {
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_TRY(box_->put_meta(kAddressKey, as_bytes(address)));
  return transaction.commit(store::Box::Transaction::Durability::kSynced);
}

Status BoxHost::set_sync(bool on) {
  KARTEI_TRY(write_small_file(folder_ / kSyncFile, on ? "direct" : "off"));
  if (on == sync_on_) return {};
  sync_on_ = on;
  if (on)
    announce_box();
  else
    leave_network();
  events_.push("sync", std::string("{\"mode\":\"") + (on ? "direct" : "off") + "\"}");
  return {};
}

// The network forgets the box at once and will not say which of its links end.
void BoxHost::leave_network() {
  if (services_.network == nullptr) return;
  const sync::EngineStatus status = engine_->status(now());
  services_.network->remove_box(status.box);
  for (const sync::MemberView& member : status.members)
    if (member.connected && !member.self) engine_->peer_down(member.id, now());
}

// The box joins, or stays as it was: the engine that it has goes on then, and pairing can be
// repeated.
Status BoxHost::take_welcome(ByteView welcome) {
  flush_usage();
  const store::BoxId before = engine_->status(now()).box;
  const auto owner = engine_->owner();
  KARTEI_ASSIGN(auto joined, sync::Engine::join(*box_, *identity_, welcome, services_.random,
                                                engine_config(), now()));
  if (services_.network != nullptr && sync_on_) services_.network->remove_box(before);
  KARTEI_TRY(use_engine(std::move(joined)));
  // What the box says of its owner holds; if it says nothing, what this device was told does.
  if (owner && !engine_->owner()) {
    KARTEI_TRY(engine_->set_owner(*owner, now()));
    KARTEI_TRY(load_settings());
  }
  return {};
}

void BoxHost::link_up(store::DeviceId device) {
  if (closed_) return;
  engine_->peer_up(device, now());
  events_.push("device", "{\"what\":\"connected\",\"device\":\"" + device.text() + "\"}");
  settle();
}

void BoxHost::link_down(store::DeviceId device, const std::string& why) {
  if (closed_) return;
  spdlog::debug("box {}: the link to {} ended: {}", name_, device.text(), why);
  engine_->peer_down(device, now());
  events_.push("device", "{\"what\":\"disconnected\",\"device\":\"" + device.text() + "\"}");
  settle();
}

void BoxHost::message(store::DeviceId from, Bytes bytes) {
  if (closed_) return;
  if (auto taken = engine_->receive(from, bytes, now()); !taken)
    spdlog::error("box {}: cannot take what {} sent: {}", name_, from.text(), taken.error().what);
  settle();
}

void BoxHost::close() {
  if (closed_) return;
  write_audit();
  flush_usage();
  if (scrub_due_ms_) scrub();
  if (auto synced = box_->sync(); !synced) spdlog::error("box {}: {}", name_, synced.error().what);
  closed_ = true;
  alarm_->set(std::nullopt);
  audit_alarm_->set(std::nullopt);
  if (services_.network != nullptr && sync_on_)
    services_.network->remove_box(engine_->status(now()).box);
  events_.close();
  std::vector<std::shared_ptr<api::ResponseStream>> streams;
  {
    std::lock_guard lock(mutex_);
    streams.swap(cut_at_close_);
  }
  for (const auto& stream : streams) stream->abort();
}

void BoxHost::cut_at_close(std::shared_ptr<api::ResponseStream> stream) {
  {
    std::lock_guard lock(mutex_);
    if (!closed_) {
      std::erase_if(cut_at_close_, [](const auto& one) { return !one->open(); });
      return cut_at_close_.push_back(std::move(stream));
    }
  }
  stream->abort();
}

}  // namespace kartei::daemon
