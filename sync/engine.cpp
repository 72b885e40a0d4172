#include "sync/engine.h"

#include "crypto/hash.h"
#include "crypto/sealed.h"
#include "sync/codec.h"
#include "sync/engine_write.h"

namespace kartei::sync {

namespace {

constexpr const char* kMetaSecret = "sync.secret";
constexpr const char* kMetaBox = "sync.box";
constexpr const char* kMetaRoll = "sync.roll";
constexpr const char* kMetaSeen = "sync.seen";
constexpr const char* kMetaBase = "sync.base";
constexpr const char* kMetaTip = "sync.tip";
constexpr const char* kMetaMissing = "sync.missing";
constexpr const char* kMetaForks = "sync.forks";
constexpr const char* kMetaAwaits = "sync.awaits";    // of a newcomer: its sponsor's tip
constexpr const char* kMetaWelcome = "sync.welcome";  // the state that it was given, until opened

Bytes encode_list(const std::vector<Bytes>& items) {
  ByteWriter out;
  for (const Bytes& item : items) {
    out.integer(static_cast<std::uint32_t>(item.size()));
    out.bytes(item);
  }
  return out.take();
}

std::vector<Bytes> decode_list(ByteView bytes) {
  std::vector<Bytes> out;
  ByteReader in(bytes);
  while (in.ok() && !in.at_end()) {
    ByteView item = in.bytes(in.integer<std::uint32_t>());
    if (in.ok()) out.push_back(to_bytes(item));
  }
  return out;
}

Bytes encode_term(const Term& term) {
  ByteWriter out;
  out.integer(term.counter);
  out.feed(term.feed);
  return out.take();
}

Term decode_term(ByteView bytes) {
  ByteReader in(bytes);
  Term out;
  out.counter = in.integer<std::uint64_t>();
  out.feed = in.feed();
  return out;
}

Bytes encode_awaits(const Position& position) {
  ByteWriter out;
  out.bytes(encode_term(position.term));
  out.integer(position.height);
  return out.take();
}

Position decode_awaits(ByteView bytes) {
  ByteReader in(bytes);
  Position out;
  out.term.counter = in.integer<std::uint64_t>();
  out.term.feed = in.feed();
  out.height = in.integer<std::uint64_t>();
  return out;
}

Bytes encode_counts(const Counts& counts) {
  ByteWriter out;
  for (const auto& [feed, count] : counts) {
    out.feed(feed);
    out.integer(count);
  }
  return out.take();
}

Counts decode_counts(ByteView bytes) {
  Counts out;
  ByteReader in(bytes);
  while (in.ok() && !in.at_end()) {
    FeedId feed = in.feed();
    auto count = in.integer<std::uint64_t>();
    if (in.ok()) out[feed] = count;
  }
  return out;
}

// Its commitments to the box's secret: one key for each use.
crypto::Secret subkey(const crypto::Secret& secret, std::string_view purpose) {
  return crypto::Secret(ByteView(crypto::keyed_hash(secret.view(), purpose, {})));
}

}  // namespace

Engine::Impl::Impl(store::Box& box_, const crypto::Identity& identity_, crypto::Random& random_,
                   EngineConfig config_)
    : box(box_),
      identity(identity_),
      random(random_),
      config(std::move(config_)),
      rules(config.rules),
      self{identity_.pub().id()} {}

void Engine::Impl::derive_keys() {
  roll_key = subkey(box_secret, "kartei roll key v1");
  head_key = subkey(box_secret, "kartei head key v1");
}

Status Engine::Impl::load(Now now) {
  KARTEI_ASSIGN(auto secret, box.meta(kMetaSecret));
  if (!secret) return not_found("the box belongs to no set of devices yet");
  KARTEI_ASSIGN(auto id, box.meta(kMetaBox));
  KARTEI_ASSIGN(auto roll_list, box.meta(kMetaRoll));
  KARTEI_ASSIGN(auto seen_bytes, box.meta(kMetaSeen));
  KARTEI_ASSIGN(auto base_bytes, box.meta(kMetaBase));
  KARTEI_ASSIGN(auto missing_bytes, box.meta(kMetaMissing));
  KARTEI_ASSIGN(auto awaits_bytes, box.meta(kMetaAwaits));
  KARTEI_ASSIGN(auto forks_bytes, box.meta(kMetaForks));
  content_missing.clear();
  lacking.clear();
  answered.clear();
  for (const Bytes& bytes : decode_list(missing_bytes.value_or(Bytes{})))
    if (auto drawer = DrawerId::from_bytes(bytes)) content_missing.insert(*drawer);
  missing_dirty = false;
  if (!id || id->size() != 16 || secret->size() != 32 || !roll_list)
    return corrupt("the box's membership is damaged; restore it from a backup or pair anew");
  box_id = *BoxId::from_bytes(*id);
  box_secret = crypto::Secret(ByteView(*secret));
  derive_keys();
  roll = std::make_unique<Roll>(box_id, rules);
  roll->add_all(decode_list(*roll_list), roll_key);
  ledger = std::make_unique<Ledger>(rules);
  seen = seen_bytes ? decode_term(*seen_bytes) : Term{};
  awaits = awaits_bytes ? decode_awaits(*awaits_bytes) : Position{};
  if (base_bytes) {
    KARTEI_ASSIGN(BaseState base, decode_base(*base_bytes));
    ledger->reset(base);
  }
  keys.clear();
  open_keys();
  drawers_held = drawers_now();
  heads.clear();
  KARTEI_ASSIGN(auto stored_heads, box.records().heads());
  for (auto& [device, sealed] : stored_heads)
    if (auto opened = open_head(sealed, head_key))
      heads[device] = {std::move(opened->head), std::move(sealed)};
  auto own_head = heads.find(self);
  if (own_head != heads.end()) head_counter = std::max(head_counter, own_head->second.head.counter);
  records_dirty = seen_dirty = base_dirty = tip_dirty = roll_dirty = roll_moved = false;
  heads_dirty.clear();
  box_moved = keys_moved = true;
  grants_owed_ms.reset();
  overlay_stale = overlay_set = true;  // what was shown before is made anew
  opened_ms = tip_moved_ms = now.mono_ms;
  KARTEI_TRY(load_feeds());
  forked_at.clear();
  forks_dirty = false;
  if (forks_bytes)
    for (const auto& [feed, seq] : decode_counts(*forks_bytes)) freeze(feed, seq);
  return {};
}

Status Engine::Impl::load_feeds() {
  feeds.clear();
  KARTEI_ASSIGN(auto ranges, box.records().feeds());
  for (const store::FeedRange& range : ranges) {
    Feed& feed = feeds[range.feed];
    feed.start = range.start;
    feed.end = range.end;
    if (auto hash = ledger->base_hashes().find(range.feed);
        hash != ledger->base_hashes().end() && range.start == range.end)
      feed.last = hash->second;
    for (std::uint64_t seq = range.start; seq < range.end;) {
      KARTEI_ASSIGN(auto records, box.records().range(range.feed, seq, range.end, 1 << 20));
      if (records.empty()) return corrupt("a feed in the box has a hole; run `kartei doctor`");
      for (const store::StoredRecord& stored : records) {
        KARTEI_ASSIGN(Record record, Record::decode(stored.bytes));
        feed.last = record.hash;
        KARTEI_TRY(index_record(record, false));
      }
      seq += records.size();
    }
  }
  KARTEI_ASSIGN(auto tip, box.meta(kMetaTip));
  if (!tip || tip->size() != 32) return {};
  Hash32 hash{};
  std::copy(tip->begin(), tip->end(), hash.begin());
  Ledger::Step step;
  while (hash != ledger->root().hash) {
    const Entry* entry = ledger->find(hash);
    if (!entry) return corrupt("the ledger's position is damaged; run `kartei doctor`");
    step.add.push_back(entry);
    hash = entry->parent;
  }
  std::reverse(step.add.begin(), step.add.end());
  ledger->adopt(step);
  // What is folded is folded, whatever was readable then.
  for (auto& [id, feed] : feeds)
    std::erase_if(feed.unreadable, [&, name = &id](std::uint64_t seq) {
      const Entry* entry = ledger->find(*name, seq);
      return entry && ledger->is_ancestor(*entry);
    });
  return {};
}

// A newcomer's first start: the state that came with its welcome.
Status Engine::Impl::take_welcome_state() {
  KARTEI_ASSIGN(auto state, box.meta(kMetaWelcome));
  if (!state) return {};
  KARTEI_TRY(box.erase_meta(kMetaWelcome));
  return take_snapshot(*state);
}

// Others' heads alone are not worth a write: whoever forgets one hears a newer one. One of ours
// that came back from others tells of an incarnation.
Status Engine::Impl::save_heads() {
  bool other = records_dirty || roll_dirty || seen_dirty || base_dirty || tip_dirty;
  if (!other && !heads_dirty.contains(self)) return {};
  for (const DeviceId& device : heads_dirty)
    KARTEI_TRY(box.records().put_head(device, heads.at(device).sealed));
  heads_dirty.clear();
  records_dirty = false;
  return {};
}

Status Engine::Impl::save() {
  KARTEI_TRY(save_heads());
  if (roll_dirty) KARTEI_TRY(box.put_meta(kMetaRoll, encode_list(roll->encoded())));
  if (seen_dirty) KARTEI_TRY(box.put_meta(kMetaSeen, encode_term(seen)));
  if (base_dirty) KARTEI_TRY(box.put_meta(kMetaBase, encode(ledger->base_state())));
  if (tip_dirty) KARTEI_TRY(box.put_meta(kMetaTip, ledger->tip().hash));
  if (missing_dirty) {
    std::vector<Bytes> missing;
    for (const DrawerId& drawer : content_missing) missing.push_back(to_bytes(drawer.view()));
    KARTEI_TRY(box.put_meta(kMetaMissing, encode_list(missing)));
  }
  if (forks_dirty) KARTEI_TRY(box.put_meta(kMetaForks, encode_counts(forked_at)));
  missing_dirty = forks_dirty = false;
  roll_dirty = seen_dirty = base_dirty = tip_dirty = false;
  return {};
}

Status Engine::Impl::settle(Now now) {
  last_settled_ms = now.mono_ms;
  if (roll_moved) KARTEI_TRY(on_roll_changed());
  KARTEI_TRY(adopt(now));
  KARTEI_TRY(consider_leading(now));
  KARTEI_TRY(file_unread(now));
  KARTEI_TRY(renew_after_erase(now));
  KARTEI_TRY(repair_keys(now));
  KARTEI_TRY(advance_final());
  KARTEI_TRY(refresh_overlay());
  KARTEI_TRY(note_waiting(now));
  return save();
}

// A longer name would make a first record that nobody reads again.
Status Engine::Impl::found(Now now) {
  if (config.device_name.size() > kDeviceNameMax)
    return bad_input("this device's name is longer than " + std::to_string(kDeviceNameMax) +
                         " bytes; shorten `name` in the configuration",
                     "name");
  box_secret = crypto::Secret::random(32, random);
  derive_keys();
  RollGenesis genesis;
  genesis.device.keys = identity.pub();
  genesis.device.name = config.device_name;
  random.fill(genesis.device.nonce);
  box_id = derive_box_id(identity.pub().sign_key, genesis.device.nonce);
  roll = std::make_unique<Roll>(box_id, rules);
  ledger = std::make_unique<Ledger>(rules);
  KARTEI_TRY(box.put_meta(kMetaSecret, box_secret.view()));
  KARTEI_TRY(box.put_meta(kMetaBox, box_id.view()));
  KARTEI_ASSIGN(KeyPart control, new_key(kControl, {self}));
  std::vector<KeyPart> parts;
  parts.push_back(std::move(control));
  KARTEI_TRY(append_roll(genesis, std::move(parts), now));
  return save();
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

namespace {

// Within the caller's transaction. True: a state came along, which the next start takes.
Result<bool> take_welcome(store::Box& box, const crypto::Identity& identity, ByteView bytes) {
  KARTEI_ASSIGN(Welcome welcome, decode_welcome(bytes));
  KARTEI_ASSIGN(crypto::Secret secret,
                crypto::open_key(identity, as_bytes("kartei welcome v1"), welcome.secret));
  if (secret.size() != 32) return corrupt("the welcome's key is damaged; pair again");
  Roll roll(welcome.box, {});
  roll.add_all(welcome.roll, subkey(secret, "kartei roll key v1"));
  DeviceId self{identity.pub().id()};
  if (!roll.founder() || !roll.is_member(self))
    return Error{Cause::kForbidden, "the box has not admitted this device (yet)", {}};
  KARTEI_ASSIGN(auto drawers, box.drawers());
  for (const store::Drawer& drawer : drawers)
    if (drawer.shared)
      return Error{Cause::kConflict,
                   "this box shares drawers already; join with a new box, or empty this one",
                   {}};
  // What the box said to itself alone before it joined: local drawers stay, the feeds go.
  KARTEI_ASSIGN(auto feeds, box.records().feeds());
  for (const store::FeedRange& range : feeds) KARTEI_TRY(box.records().remove(range.feed));
  KARTEI_ASSIGN(auto heads, box.records().heads());
  for (const auto& [device, head] : heads) KARTEI_TRY(box.records().remove_head(device));
  for (const char* key : {kMetaBase, kMetaTip, kMetaMissing, kMetaWelcome, kMetaForks})
    KARTEI_TRY(box.erase_meta(key));
  KARTEI_TRY(box.put_meta(kMetaSeen, encode_term(welcome.seen)));
  KARTEI_TRY(box.put_meta(kMetaAwaits, encode_awaits(welcome.tip)));
  if (!welcome.state.empty()) KARTEI_TRY(box.put_meta(kMetaWelcome, welcome.state));
  KARTEI_TRY(box.put_meta(kMetaSecret, secret.view()));
  KARTEI_TRY(box.put_meta(kMetaBox, welcome.box.view()));
  KARTEI_TRY(box.put_meta(kMetaRoll, encode_list(roll.encoded())));
  return !welcome.state.empty();
}

}  // namespace

// Within the caller's transaction. `with_state`: what came with a welcome is taken; else it goes.
Status Engine::Impl::start(bool with_state, Now now) {
  KARTEI_ASSIGN(auto secret, box.meta(kMetaSecret));
  if (secret) {
    KARTEI_TRY(load(now));
  } else {
    KARTEI_TRY(found(now));
  }
  if (!roll->founder())
    return corrupt("the box's roll is damaged; restore it from a backup or pair anew");
  if (!rules.incarnations) take_old_feed();
  opened_ms = now.mono_ms;
  KARTEI_TRY(reread_unreadable());
  note_members();
  KARTEI_TRY(put_drawers());
  KARTEI_TRY(with_state ? take_welcome_state() : box.erase_meta(kMetaWelcome));
  KARTEI_TRY(settle(now));
  changes.clear();
  return {};
}

Result<std::unique_ptr<Engine>> Engine::open(store::Box& box, const crypto::Identity& identity,
                                             crypto::Random& random, EngineConfig config, Now now) {
  Status failed;
  // A state that cannot be taken must not fail every start: it comes over a link, too.
  for (bool with_state : {true, false}) {
    auto impl = std::make_unique<Impl>(box, identity, random, config);
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_ASSIGN(auto state, box.meta(kMetaWelcome));
    Status started = impl->start(with_state, now);
    if (started) {
      KARTEI_TRY(transaction.commit(Durability::kSynced));
      return std::unique_ptr<Engine>(new Engine(std::move(impl)));
    }
    failed = with_state ? started : failed;
    const Cause cause = started.error().cause;
    const bool disk = cause == Cause::kFull || cause == Cause::kIo || cause == Cause::kReadOnly;
    if (!state || disk) break;  // a disk that is full today takes it tomorrow
  }
  return failed.error();
}

Result<std::unique_ptr<Engine>> Engine::join(store::Box& box, const crypto::Identity& identity,
                                             ByteView welcome, crypto::Random& random,
                                             EngineConfig config, Now now) {
  auto impl = std::make_unique<Impl>(box, identity, random, std::move(config));
  KARTEI_ASSIGN(auto transaction, box.begin());
  KARTEI_ASSIGN(const bool with_state, take_welcome(box, identity, welcome));
  KARTEI_TRY(impl->start(true, now));
  if (with_state && impl->ledger->base().height == 0)
    return corrupt("the welcome's state is damaged; pair again");
  KARTEI_TRY(transaction.commit(Durability::kSynced));
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Status Engine::accept_welcome(store::Box& box, const crypto::Identity& identity, ByteView bytes,
                              crypto::Random&) {
  KARTEI_ASSIGN(auto transaction, box.begin());
  KARTEI_TRY(take_welcome(box, identity, bytes));
  return transaction.commit(Durability::kSynced);
}

bool Engine::founded(store::Box& box) {
  auto secret = box.meta(kMetaSecret);
  return secret.has_value() && secret->has_value();
}

Hash32 Engine::derived_key(std::string_view purpose) const {
  return crypto::keyed_hash(impl_->box_secret.view(), "kartei derived key v1", {as_bytes(purpose)});
}

std::vector<Change> Engine::take_changes() {
  return std::exchange(impl_->changes, {});
}

void Engine::set_vitals(const election::Vitals& vitals) {
  impl_->vitals = vitals;
}

bool Engine::acting() const {
  return impl_->is_acting();
}

}  // namespace kartei::sync
