// A scan of codes in which several threads take part: each takes chunks that nobody has taken yet.
// What comes out does not depend on who took which.
//
// work() from any number of threads; finish() from one, after all of them have returned. Borrows
// the codes and the query. Internal to those who scan: others call Codes::scan.
#pragma once

#include "store/meaning/codes_impl.h"

namespace kartei::store {

// What the vectors of a chunk add to mean and deviation.
struct ChunkMoments {
  double sum = 0, squares = 0, count = 0;
};

class Codes::SharedScan {
 public:
  SharedScan(const Codes& codes, const QueryTables& query, std::size_t count,
             const CodeKernel& kernel = code_kernels().front());

  void work();
  Scan finish();

 private:
  const QueryTables& query_;
  const CodeKernel& kernel_;
  const std::size_t code_bytes_;
  const View seen_;
  const std::size_t chunks_;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::vector<ChunkMoments> moments_;  // each written by whoever took the chunk
  std::mutex mutex_;
  std::vector<Hit> hits_;  // guarded by mutex_
};

}  // namespace kartei::store
