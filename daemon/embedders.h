// Which model makes vectors of what is said and of questions, as the owner chose: the table that
// ships with Kartei, an endpoint, or none. Without one, words and names still find things.
//
// Threads: any. Ownership: shares the embedders with the calls under way. Failure: a table that
// cannot be used, or an endpoint that is not allowed, leaves no embedder and a sentence that says
// so.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "daemon/config.h"
#include "daemon/guarded_embedder.h"
#include "daemon/work_queue.h"
#include "store/librarian.h"

namespace kartei::store {
class StaticTable;
}

namespace kartei::daemon {

struct EmbedderChoice {
  std::shared_ptr<const store::Embedder> makes;  // vectors of what is stored; null: none
  // Of questions, less patient: the same model's, and those of models whose vectors may still
  // answer while new ones are made.
  store::Embedders asks;
  std::string problem;  // why there is none, and what to do
};

class Embedders {
 public:
  // Finds what was chosen; one that is the same as before is kept.
  Embedders(const Config& config, const Environment& environment);
  ~Embedders();
  void reconfigure(const Config& config, const Environment& environment);

  EmbedderChoice get() const;
  // A thread for the making: slow endpoints hold up nobody else.
  WorkQueue& queue() { return queue_; }
  bool has_model() const;
  bool is_off() const;  // its owner wants nothing to be found by its meaning
  // How the chosen endpoint serves questions; empty: none is chosen.
  std::optional<EmbedderHealth> endpoint_health() const;
  void give_up();  // calls under way end within a second, later ones at once
  void stop();
  // Gives back memory that only questions and new words need. Cheap.
  void rest();

 private:
  void choose(const Config& config, const Environment& environment);
  void choose_endpoint(const EndpointConfig& endpoint, const Environment& environment);
  bool in_background(std::function<void()> work);
  void remember_asked();

  const std::shared_ptr<std::atomic<bool>> stopping_ = std::make_shared<std::atomic<bool>>(false);
  WorkQueue queue_, tries_;   // tries: of an endpoint that failed, apart from the slow making
  mutable std::mutex mutex_;  // guards what follows
  std::string chosen_;        // what the choice was made from
  bool off_ = false;
  std::shared_ptr<const store::StaticTable> table_;
  std::shared_ptr<const store::Embedder> asks_;  // the chosen one
  // True: its calls are not waited for any more. Of the chosen endpoint that makes vectors.
  std::shared_ptr<std::atomic<bool>> making_given_up_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<const GuardedEmbedder> endpoint_;  // the same, where it is an endpoint
  store::Embedders asked_;                           // chosen before, newest first
  EmbedderChoice choice_;
};

// `model_file` of the configuration, or where it was installed: beside the program.
std::filesystem::path model_file(const Config& config);

}  // namespace kartei::daemon
