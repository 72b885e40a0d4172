// When the secretary reads which conversation. A pure state machine: what was heard and the time go
// in, what is to be read comes out. It only says when; which turns are unread the box knows.
//
// A conversation is read once ten of its user and assistant turns are unread, when the app says
// that it ended, and after a silence. One reading at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kartei::daemon {

class Schedule {
 public:
  struct Rules {
    std::size_t unread_turns = 10;
    std::int64_t silence_ms = 120'000;
    std::int64_t retry_ms = 60'000;          // after a reading that failed
    std::size_t conversations_max = 10'000;  // beyond: the box still knows, see missed()
  };
  explicit Schedule(Rules rules) : rules_(rules) {}
  void set_rules(Rules rules) { rules_ = rules; }

  // One turn was heard; `counts`: of user or assistant.
  void heard(const std::string& conversation, bool counts, std::int64_t now_ms);
  // The app asked for it: due at once, even where nothing is known to be unread.
  void asked(const std::string& conversation);
  // A look at the box (at start, or turns came from another device) found so many unread.
  void found(const std::string& conversation, std::size_t unread, std::int64_t now_ms);

  // The conversation to read now, if any; nothing else is due until done() or failed().
  std::optional<std::string> take_due(std::int64_t now_ms);
  // A part was read; `left`: turns that are still unread now. What was due for all goes on.
  void done(std::size_t left);
  void failed(std::int64_t now_ms);

  // When take_due() will have something; empty: not before another event.
  std::optional<std::int64_t> next_due_ms(std::int64_t now_ms) const;
  bool reading() const { return reading_.has_value(); }
  // No more conversations than most() are kept in mind; one that somebody asked for goes before the
  // others. True, once, when some were left out and there is room again: look at the box.
  std::size_t most() const { return rules_.conversations_max; }
  void missed() { missed_ = true; }
  bool has_room_again();
  // Conversations asked for and not read yet, the one being read included.
  std::size_t asked_for() const;

 private:
  struct Pending {
    std::size_t unread = 0;
    std::int64_t last_ms = 0;        // last heard
    std::int64_t not_before_ms = 0;  // after a failure
    bool asked = false;
  };
  std::int64_t due_at(const Pending& pending) const;
  Pending* pending_of(const std::string& conversation);

  Rules rules_;
  std::map<std::string, Pending> pending_;
  std::optional<std::string> reading_;
  bool missed_ = false;
};

}  // namespace kartei::daemon
