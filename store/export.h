// Everything as JSON lines, read beside the writer: one moment of the box, row by row, so that
// memory does not grow with it. README.md has the form. One thread; the file must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "crypto/result.h"
#include "store/box_file.h"

namespace kartei::store {

class Db;

// `line` returns false to stop.
using TakeLine = std::function<bool(std::string_view)>;
// What the box line says beside the format; empty: nobody has said it.
struct ExportHead {
  std::string owner, zone;
};
inline constexpr int kExportFormat = 2;
// Within a transaction of the caller's.
Status write_export(Db& db, const TakeLine& line, ExportHead head = {});

class ExportLines;

class Exporter {
 public:
  static Result<std::unique_ptr<Exporter>> open(const BoxFile& file, ExportHead head = {});
  ~Exporter();
  Status run(const TakeLine& line);
  // A part at a time: appends whole lines until `out` holds `bytes` or more. False: that was all.
  // The moment is that of the first part. Parts may be read on different threads, one at a time.
  Result<bool> next(std::string& out, std::size_t bytes);

 private:
  Exporter(std::unique_ptr<Db> db, ExportHead head);
  Status begin();
  std::unique_ptr<Db> db_;
  const ExportHead head_;
  std::unique_ptr<ExportLines> lines_;  // of next()
};

}  // namespace kartei::store
