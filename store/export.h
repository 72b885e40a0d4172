// Everything as JSON lines, read beside the writer: one moment of the box, row by row, so that
// memory does not grow with it. README.md has the form. One thread; the file must outlive it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "crypto/result.h"

namespace kartei::store {

class Db;

// `line` returns false to stop.
using TakeLine = std::function<bool(std::string_view)>;
// Within a transaction of the caller's.
Status write_export(Db& db, const TakeLine& line);

class Exporter {
 public:
  static Result<std::unique_ptr<Exporter>> open(const std::filesystem::path& file);
  ~Exporter();
  Status run(const TakeLine& line);

 private:
  explicit Exporter(std::unique_ptr<Db> db);
  std::unique_ptr<Db> db_;
};

}  // namespace kartei::store
