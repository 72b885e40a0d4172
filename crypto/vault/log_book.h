// What must be known of the log beside its bytes: which generation it is in, where its header goes
// next, and up to where it is certainly on disk. A state machine without I/O.
//
// A generation is the time between two headers of the log. Every frame is sealed with its
// generation and with a mark: how many frames, from the start, were committed and synced when it
// was written. After a crash, a frame that does not authenticate ends the log where nothing ever
// vouched for it, and is damage where a later frame's mark says that it had been on disk.
//
// Threads: one at a time; the owner locks.
#pragma once

#include <cstdint>
#include <optional>

namespace kartei::vault {

class LogBook {
 public:
  struct Header {
    int copy = 0;
    std::uint64_t generation = 0;
  };

  // ---- writing
  // Where the next header goes: never over the one copy that is known to be on disk.
  Header next_header(std::uint64_t random_start) const {
    if (!current_) return {0, random_start};
    return {1 - stable_copy_, current_->generation + 1};
  }
  void header_written(const Header& header) {
    if (!current_) stable_copy_ = header.copy;
    current_ = header;
    committed_ = durable_ = 0;
    candidate_.reset();
    sync_failed_ = false;
  }
  // Before the bytes go out: what is written over is no longer vouched for.
  void frame_header_begins(std::uint64_t frame, bool ends_commit) {
    lower(frame);
    candidate_.reset();
    if (ends_commit) candidate_ = frame;
  }
  void page_begins(std::uint64_t frame) { lower(frame); }
  void page_written(std::uint64_t frame) {
    if (candidate_ == frame) committed_ = frame + 1;
    candidate_.reset();
  }

  // ---- syncing
  struct Sync {
    std::uint64_t generation = 0;
    std::uint64_t committed = 0;
    std::uint64_t lowered = 0;
  };
  Sync sync_begins() const { return {generation(), committed_, lowered_}; }
  // After a failed sync the kernel may have dropped what it could not write: nothing more of this
  // generation is vouched for.
  void sync_ended(const Sync& sync, bool well) {
    if (!current_ || sync.generation != generation()) return;
    if (!well) sync_failed_ = true;
    if (sync_failed_) return;
    stable_copy_ = current_->copy;
    unsure_ = false;
    if (sync.lowered == lowered_ && sync.committed > durable_) durable_ = sync.committed;
  }

  // ---- recovery
  // What was found: the newer header, and whether the other copy authenticates too. Which of the
  // two is on disk cannot be told then: after a kill the newer one may be in the kernel's cache
  // only, after a power cut all frames that would prove that it had been synced may be torn.
  void recovered(std::optional<Header> header, bool other_fits) {
    current_.reset();
    unsure_ = false;
    if (!header) return;
    header_written(*header);
    unsure_ = other_fits;
  }
  // The log is to be synced before the next header is written: it goes over the older one.
  bool sync_before_header() const { return unsure_; }

  std::uint64_t generation() const { return current_ ? current_->generation : 0; }
  std::uint64_t mark() const { return durable_; }

 private:
  void lower(std::uint64_t frame) {
    if (committed_ > frame) {
      committed_ = frame;
      ++lowered_;
    }
    if (durable_ > frame) durable_ = frame;
  }

  std::optional<Header> current_;
  std::uint64_t committed_ = 0;             // frames, from the start
  std::uint64_t durable_ = 0;               // at most committed_
  std::uint64_t lowered_ = 0;               // how often committed frames were written over
  int stable_copy_ = 0;                     // of the header
  std::optional<std::uint64_t> candidate_;  // ends a commit as soon as its page is written
  bool sync_failed_ = false;
  bool unsure_ = false;  // both copies of the header were found
};

}  // namespace kartei::vault
