// embed_into allocates nothing: counted by an operator new of this program's own. Not under the
// thread sanitizer, which brings its own.
#if defined(__SANITIZE_THREAD__)
#define KARTEI_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KARTEI_THREAD_SANITIZER
#endif
#endif
#ifndef KARTEI_THREAD_SANITIZER
#include <cstdlib>
#include <new>

#include "tests/meaning/support.h"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace kartei::store {
namespace {

TEST(Allocation, embedIntoMakesNone) {
  const auto table = StaticTable::open(shipped_model()).value();
  std::vector<float> out(table->dims());
  const std::string longest(5000, 'x');
  const std::size_t before = allocations;
  for (std::string_view text : {std::string_view("A letter from Ghent"), std::string_view(longest),
                                std::string_view("cafe\u0301 \xFF"), std::string_view()}) {
    table->embed_into(text, out.data());
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace kartei::store
#endif
