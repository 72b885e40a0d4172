#include "tests/vault/thief.h"

#include <algorithm>
#include <set>

namespace kartei::vault_test {

namespace {

using FailureKind = vault::VaultFailure::Kind;
using Wrong = std::optional<std::string>;

vault::LogLayout layout_of(const Scene& scene) {
  return {scene.plan.page_size};
}

std::uint64_t frames_of(const Scene& scene) {
  return layout_of(scene).frames_in(static_cast<std::int64_t>(scene.image.at(kLog).size()));
}

std::size_t frame_at(const Scene& scene, std::uint64_t frame) {
  return static_cast<std::size_t>(layout_of(scene).frame_at(frame));
}

std::size_t pages_of(const Scene& scene) {
  return scene.image.at(kFile).size() / scene.plan.page_size;
}

DiskImage flipped(const Scene& scene, const char* file, std::size_t byte) {
  DiskImage image = scene.image;
  image[file][byte] ^= 0x10;
  return image;
}

void swap_parts(Bytes& bytes, std::size_t a, std::size_t b, std::size_t size) {
  std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(a),
                   bytes.begin() + static_cast<std::ptrdiff_t>(a + size),
                   bytes.begin() + static_cast<std::ptrdiff_t>(b));
}

void copy_part(const Bytes& from, Bytes& to, std::size_t at, std::size_t size) {
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), size,
              to.begin() + static_cast<std::ptrdiff_t>(at));
}

// Nothing may be read that was never there.
Wrong expect_refused(const Found& found, const std::string& what) {
  if (!found.error.empty() && (!found.opened || !found.failures.empty())) return std::nullopt;
  return what + " was not refused";
}

// Refused, or the log ends earlier and the vault says where.
Wrong expect_no_wrong_data(const Found& found, const std::string& what) {
  if (!found.error.empty()) return expect_refused(found, what);
  if (!found.right) return what + " was read as data";
  return std::nullopt;
}

#define NEED_SCENE(scene, with_log)                  \
  const auto made = make_scene(maker, with_log);     \
  if (!made) return "nothing can be stored with it"; \
  const Scene& scene = *made

Wrong unaltered(const vault::FormatMaker& maker) {
  for (const bool with_log : {false, true}) {
    NEED_SCENE(scene, with_log);
    const Found found = read_all(scene.image, scene, maker);
    if (!found.right || found.transactions != scene.transactions)
      return "what was written is not read again: " + found.error;
    if (!found.failures.empty()) return "something is reported of a sound file";
  }
  return std::nullopt;
}

Wrong other_key(const vault::FormatMaker& maker) {
  for (const bool with_log : {false, true}) {
    NEED_SCENE(scene, with_log);
    const Found found = read_all(scene.image, scene, maker, test_key(8));
    if (found.opened || found.cause != Cause::kForbidden) return "another key opens it";
  }
  return std::nullopt;
}

Wrong swapped_pages(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, false);
  const std::size_t size = scene.plan.page_size;
  for (std::size_t a = 1; a + 1 < pages_of(scene); a += 3) {
    DiskImage image = scene.image;
    swap_parts(image[kFile], a * size, (a + 1) * size, size);
    const Found found = read_all(image, scene, maker);
    if (found.error.empty())
      return "pages " + std::to_string(a + 1) + " and the next can be swapped";
    if (!found.reports(FailureKind::kMainPage, a + 1) &&
        !found.reports(FailureKind::kMainPage, a + 2))
      return "swapped pages are not named";
  }
  return std::nullopt;
}

Wrong page_of_another_box(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, false);
  const auto other = make_scene(maker, false, scene.plan.seed + 1);
  if (!other) return "nothing can be stored with it";
  const std::size_t size = scene.plan.page_size;
  const std::size_t end = std::min(pages_of(scene), pages_of(*other));
  for (std::size_t page = 1; page < end; page += 4) {
    DiskImage image = scene.image;
    copy_part(other->image.at(kFile), image[kFile], page * size, size);
    if (!read_all(image, scene, maker).reports(FailureKind::kMainPage, page + 1))
      return "page " + std::to_string(page + 1) + " of another box passes";
  }
  return std::nullopt;
}

Wrong another_log(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  const auto other = make_scene(maker, true, scene.plan.seed + 1);
  if (!other) return "nothing can be stored with it";
  DiskImage image = scene.image;
  image[kLog] = other->image.at(kLog);
  const Found found = read_all(image, scene, maker);
  if (!found.reports(FailureKind::kLogHeader)) return "another box's log is not reported";
  return expect_refused(found, "another box's log");
}

Wrong swapped_frames(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  const auto size = static_cast<std::size_t>(layout_of(scene).physical_frame());
  for (std::uint64_t a = 0; a + 1 < frames_of(scene); a += 2) {
    DiskImage image = scene.image;
    swap_parts(image[kLog], frame_at(scene, a), frame_at(scene, a + 1), size);
    const Found found = read_all(image, scene, maker);
    if (!found.reports(FailureKind::kLogFrame, a + 1) &&
        !found.reports(FailureKind::kLogEnd, a + 1))
      return "frames " + std::to_string(a + 1) + " and the next can be swapped unseen";
    if (auto wrong = expect_no_wrong_data(found, "a swapped frame")) return wrong;
  }
  return std::nullopt;
}

// A bit in each region of the main file's pages.
Wrong flipped_in_pages(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, false);
  const std::size_t size = scene.plan.page_size;
  for (const std::size_t byte : {0u, 15u, 16u, 18u, 20u, 23u}) {
    if (read_all(flipped(scene, kFile, byte), scene, maker).error.empty())
      return "byte " + std::to_string(byte) + " of the start can be altered";
  }
  for (std::size_t page = 0; page < pages_of(scene); ++page) {
    // Ciphertext, nonce, tag.
    for (const std::size_t byte :
         {std::size_t{30}, size / 2, size - 41, size - 40, size - 17, size - 16, size - 1}) {
      const Found found = read_all(flipped(scene, kFile, page * size + byte), scene, maker);
      if (found.error.empty())
        return "byte " + std::to_string(byte) + " of page " + std::to_string(page + 1) +
               " can be altered";
      if (page > 0 && !found.reports(FailureKind::kMainPage, page + 1))
        return "the page is not named";
    }
  }
  return std::nullopt;
}

Wrong flipped_in_log(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  const std::size_t in_frame[] = {0,
                                  vault::kFrameHeaderSlot - 40,
                                  vault::kFrameHeaderSlot - 1,
                                  vault::kFrameHeaderSlot,
                                  vault::kFrameHeaderSlot + 8 + scene.plan.page_size / 2,
                                  vault::kFrameHeaderSlot + 8 + scene.plan.page_size,
                                  static_cast<std::size_t>(layout_of(scene).physical_frame()) - 1};
  for (std::uint64_t frame = 0; frame < frames_of(scene); ++frame) {
    for (const std::size_t byte : in_frame) {
      const Found found =
          read_all(flipped(scene, kLog, frame_at(scene, frame) + byte), scene, maker);
      if (!found.reports(FailureKind::kLogFrame, frame + 1) &&
          !found.reports(FailureKind::kLogEnd, frame + 1))
        return "byte " + std::to_string(byte) + " of frame " + std::to_string(frame + 1) +
               " can be altered unseen";
      if (auto wrong = expect_no_wrong_data(found, "an altered frame")) return wrong;
    }
  }
  return std::nullopt;
}

// What later frames vouch for is never taken for the log's end: no commit goes lost in silence.
Wrong damage_in_the_midst(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  int refused = 0;
  for (std::uint64_t frame = 0; frame < frames_of(scene); ++frame) {
    const DiskImage image = flipped(scene, kLog, frame_at(scene, frame) + 3);
    const Found found = read_all(image, scene, maker);
    const bool damage = found.reports(FailureKind::kLogFrame, frame + 1);
    if (damage) ++refused;
    if (damage != !found.error.empty()) return "damage of the log is read over: " + found.error;
    if (!damage) continue;
    const Found rescued = read_all(image, scene, maker, test_key(), true);
    if (!rescued.right || rescued.transactions >= scene.transactions)
      return "a damaged log cannot be cut off there: " + rescued.error;
  }
  // The last commit's own frames are vouched for by none.
  if (refused < static_cast<int>(frames_of(scene)) / 3) return "hardly a frame is vouched for";
  return std::nullopt;
}

Wrong damaged_log_header(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  DiskImage image = scene.image;
  for (int copy = 0; copy < 2; ++copy)
    image[kLog][static_cast<std::size_t>(vault::LogLayout::header_at(copy)) + 5] ^= 1;
  const Found found = read_all(image, scene, maker);
  if (!found.reports(FailureKind::kLogHeader)) return "a damaged header is taken for an empty log";
  return expect_refused(found, "a damaged log header");
}

// Of the two copies the older one is not needed. Without the newer one its frames tell that it was.
Wrong one_damaged_log_header(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  int refused = 0;
  for (int copy = 0; copy < 2; ++copy) {
    const auto at = static_cast<std::size_t>(vault::LogLayout::header_at(copy)) + 5;
    const Found found = read_all(flipped(scene, kLog, at), scene, maker);
    if (found.reports(FailureKind::kLogHeader)) ++refused;
    if (found.error.empty() && found.transactions != scene.transactions)
      return "commits go lost with a header";
  }
  if (refused != 1) return "the newer header is not missed";
  return std::nullopt;
}

// Cut anywhere, a log is what it was earlier: never something that was not.
Wrong cut_log(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  const std::size_t whole = scene.image.at(kLog).size();
  for (std::size_t size = 0; size < whole; size += 509) {
    DiskImage image = scene.image;
    image[kLog].resize(size);
    if (auto wrong = expect_no_wrong_data(read_all(image, scene, maker), "a cut log")) return wrong;
  }
  return std::nullopt;
}

Wrong cut_file(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, false);
  const std::size_t page = scene.plan.page_size;
  for (const std::size_t less : {std::size_t{1}, std::size_t{600}, page, 2 * page + 1, 3 * page}) {
    DiskImage image = scene.image;
    image[kFile].resize(image[kFile].size() - less);
    const Found found = read_all(image, scene, maker);
    const bool named = found.reports(FailureKind::kMainPage, image[kFile].size() / page + 1);
    if (found.error.empty() || (less < page && !named))
      return "a file that lacks " + std::to_string(less) + " bytes passes";
  }
  return std::nullopt;
}

Wrong blank_page(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, false);
  const std::size_t size = scene.plan.page_size;
  for (std::size_t page = 1; page < pages_of(scene); page += 2) {
    DiskImage image = scene.image;
    std::fill_n(image[kFile].begin() + static_cast<std::ptrdiff_t>(page * size), size, 0);
    if (!read_all(image, scene, maker).reports(FailureKind::kMainPage, page + 1))
      return "a page of zeros passes";
  }
  return std::nullopt;
}

// A nonce is never used twice: not for a page written again, nor for another one.
Wrong nonces(const vault::FormatMaker& maker) {
  const Plan plan{5, 1024, false, 12, "Quittenbaum"};
  FaultDisk disk(new_disk(plan, maker));
  std::set<Bytes> seen;
  Wrong wrong;
  disk.after = [&](const Call& call) {
    if (call.kind != CallKind::kWrite || call.size < vault::kReserved) return;
    const auto at = disk.file(call.file)->begin() +
                    static_cast<std::ptrdiff_t>(static_cast<std::size_t>(call.offset) + call.size -
                                                vault::kReserved);
    if (!seen.insert(Bytes(at, at + vault::kNonceSize)).second) wrong = "a nonce was used twice";
  };
  Runner runner(disk, plan, maker);
  if (runner.open().has_error()) return "nothing can be stored with it";
  for (const Step& step : make_steps(plan))
    if (runner.run(step).has_error()) return "nothing can be stored with it";
  runner.close();
  if (!wrong && seen.size() < 100) return "too few nonces to tell";
  return wrong;
}

// Put back into the log, a slot of an earlier time of the log is seen by its generation.
Wrong older_slot(const vault::FormatMaker& maker) {
  const Plan plan{3, 1024, false, 0, "Quittenbaum"};
  FaultDisk disk(new_disk(plan, maker));
  Runner runner(disk, plan, maker);
  if (runner.open().has_error()) return "nothing can be stored with it";
  const auto write = [&](const char* sql) { return execute(runner.writer(), sql).has_value(); };
  if (!write("PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(x); INSERT INTO t VALUES('old')"))
    return "nothing can be stored with it";
  const Bytes older = *disk.file(kLog);
  if (!write("PRAGMA wal_checkpoint(RESTART); UPDATE t SET x = 'new'; UPDATE t SET x = 'newer'"))
    return "nothing can be stored with it";
  Bytes& log = *disk.file(kLog);
  const vault::LogLayout layout{plan.page_size};
  const auto end = std::min(older.size(), log.size());
  const auto frames_at = static_cast<std::size_t>(layout.frame_at(0));
  copy_part(older, log, frames_at, end - frames_at);
  const Status read = execute(runner.writer(), "PRAGMA cache_size = 0; PRAGMA shrink_memory");
  const auto other = connect(*runner.vault());
  if (read.has_error() || other.has_error()) return std::nullopt;
  if (execute(other->get(), "SELECT * FROM t").has_value()) return "an older slot passes";
  return std::nullopt;
}

// Frames of a transaction that is under way are read again before it is committed (pages that were
// written twice): damage there must fail the commit, not end up in it.
Wrong damage_under_way(const vault::FormatMaker& maker) {
  NEED_SCENE(scene, true);
  const std::uint64_t frames = frames_of(scene);
  for (std::uint64_t frame = frames; frame < frames + 30; frame += 3) {
    FaultDisk disk(scene.image);
    const auto vault = open_vault(disk, maker);
    if (vault.has_error()) return "nothing can be stored with it";
    const auto db = connect(**vault);
    if (db.has_error()) return "nothing can be stored with it";
    const Status written =
        execute(db->get(),
                "PRAGMA cache_spill = ON; PRAGMA cache_size = 4; PRAGMA wal_autocheckpoint = 0;"
                "BEGIN IMMEDIATE; CREATE TABLE twice AS WITH RECURSIVE c(i) AS (VALUES(1) UNION "
                "ALL SELECT i + 1"
                " FROM c WHERE i < 100) SELECT i, zeroblob(300) AS b FROM c;"
                "UPDATE twice SET b = randomblob(300); UPDATE twice SET b = randomblob(300)");
    if (written.has_error()) return "nothing can be stored with it";
    Bytes& log = *disk.file(kLog);
    const std::size_t at = frame_at(scene, frame) + vault::kFrameHeaderSlot + 100;
    if (at >= log.size()) return "the transaction is too small";
    log[at] ^= 1;
    if (execute(db->get(), "COMMIT").has_error()) continue;
    // It may have been written once more, or be of a page that nobody reads.
    const DiskImage left = disk.live();
    const Found found = read_all(left, scene, maker);
    if (found.transactions >= 0 && found.transactions < scene.transactions)
      return "damage under way takes commits with it";
    const FaultDisk again(left);
    const auto reopened = open_vault(again, maker);
    const auto other = reopened.has_value() ? connect(**reopened) : Result<Connection>(Error{});
    if (other.has_error() || execute(other->get(), "SELECT * FROM twice").has_error())
      return "damage under way is committed";
  }
  return std::nullopt;
}

// What it finds it says in rows: pages that say which page points to which are read by nothing
// else.
Status check_integrity(sqlite3* db) {
  std::string said;
  const auto take = [](void* to, int, char** texts, char**) {
    if (texts[0] != nullptr && std::string_view(texts[0]) != "ok")
      static_cast<std::string*>(to)->append(texts[0]).push_back(' ');
    return 0;
  };
  const int code = sqlite3_exec(db, "PRAGMA integrity_check", take, &said, nullptr);
  if (code != SQLITE_OK) return Error{Cause::kCorrupt, sqlite3_errmsg(db), {}};
  return said.empty() ? Status() : Error{Cause::kCorrupt, said, {}};
}

}  // namespace

bool Found::reports(vault::VaultFailure::Kind kind) const {
  return std::ranges::any_of(failures, [&](const auto& one) { return one.kind == kind; });
}

bool Found::reports(vault::VaultFailure::Kind kind, std::uint64_t number) const {
  return std::ranges::any_of(
      failures, [&](const auto& one) { return one.kind == kind && one.number == number; });
}

std::optional<Scene> make_scene(const vault::FormatMaker& maker, bool with_log,
                                std::uint64_t seed) {
  Scene scene{{seed, 1024, false, 8, "Quittenbaum"}, {}, 0, {}};
  std::vector<Step> steps = make_steps(scene.plan);
  std::erase_if(steps, [](const Step& step) { return step.kind != Step::Kind::kTransaction; });
  // All pages are read when it is checked: none is free.
  if (!with_log) steps.push_back({Step::Kind::kPlain, {"VACUUM"}});
  scene.digests = expected_digests(steps);
  FaultDisk disk(new_disk(scene.plan, maker));
  Runner runner(disk, scene.plan, maker);
  if (runner.open().has_error()) return std::nullopt;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The later half stays in the log, in several transactions.
    if (with_log && i == steps.size() / 2) {
      const Status emptied =
          execute(runner.writer(), "PRAGMA wal_checkpoint(RESTART); PRAGMA wal_autocheckpoint = 0");
      if (emptied.has_error()) return std::nullopt;
    }
    if (runner.run(steps[i]).has_error()) return std::nullopt;
  }
  scene.transactions = runner.acknowledged();
  if (!with_log) runner.close();
  scene.image = disk.live();
  return scene;
}

Found read_all(const DiskImage& image, const Scene& scene, const vault::FormatMaker& maker,
               const crypto::Secret& key, bool accept_damaged_log) {
  Found found;
  const FaultDisk disk(image);
  auto vault = open_vault(disk, maker, key, accept_damaged_log);
  if (vault.has_error()) {
    found.error = vault.error().what;
    found.cause = vault.error().cause;
    return found;
  }
  found.opened = true;
  const Status status = [&]() -> Status {
    KARTEI_ASSIGN(const Connection db, connect(**vault));
    KARTEI_ASSIGN(found.transactions, transactions_in(db.get()));
    KARTEI_ASSIGN(const Hash32 content, digest(db.get()));
    const auto count = static_cast<std::size_t>(found.transactions);
    found.right = count < scene.digests.size() && scene.digests[count] == content;
    return check_integrity(db.get());
  }();
  found.failures = (*vault)->failures();
  if (status.has_error()) {
    found.error = status.error().what;
    found.right = false;
  }
  return found;
}

std::vector<Check> thief_checks() {
  return {{"unaltered", unaltered},
          {"other key", other_key},
          {"swapped pages", swapped_pages},
          {"page of another box", page_of_another_box},
          {"another box's log", another_log},
          {"swapped frames", swapped_frames},
          {"flipped bits in pages", flipped_in_pages},
          {"flipped bits in the log", flipped_in_log},
          {"damage in the midst of the log", damage_in_the_midst},
          {"damaged log header", damaged_log_header},
          {"one damaged log header", one_damaged_log_header},
          {"cut log", cut_log},
          {"cut file", cut_file},
          {"blank page", blank_page},
          {"nonces", nonces},
          {"older slot in the log", older_slot},
          {"damage under way", damage_under_way}};
}

}  // namespace kartei::vault_test
