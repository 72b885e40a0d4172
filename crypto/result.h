// Errors as values. No exception crosses a folder; a cause tells a program what to do, `what` tells
// a person.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <string>
#include <utility>

namespace kartei {

enum class Cause {
  kBadInput,  // the caller's words are off; `field` names the part at fault where there is one
  kNotFound,
  kConflict,   // does not fit what is there (a second daemon, a stale version)
  kForbidden,  // understood and refused (a secret, a revoked device, a missing grant)
  kCorrupt,    // what is stored or received does not verify
  kVersion,    // made by a newer Kartei
  kFull,       // no space left on the disk, or a bounded queue is full
  kReadOnly,
  kUnavailable,  // not now: offline, still starting
  kLocked,       // somebody must unlock the boxes first
  kIo,
  kInternal,  // a defect of ours
};

struct Error {
  Cause cause = Cause::kInternal;
  std::string what;   // one sentence: what happened and what to do; never a secret
  std::string field;  // with kBadInput: which field
};

// boost::system::result asks for this; result.value() on an error is a defect of the caller.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& at);

template <class T>
using Result = boost::system::result<T, Error>;
using Status = Result<void>;

inline Error bad_input(std::string what, std::string field = {}) {
  return {Cause::kBadInput, std::move(what), std::move(field)};
}
inline Error not_found(std::string what) {
  return {Cause::kNotFound, std::move(what), {}};
}
inline Error corrupt(std::string what) {
  return {Cause::kCorrupt, std::move(what), {}};
}

// Returns the error of an expression of type Result<...> from the enclosing function.
#define KARTEI_TRY(expression)                                        \
  do {                                                                \
    if (auto kartei_status = (expression); kartei_status.has_error()) \
      return kartei_status.error();                                   \
  } while (false)

// KARTEI_ASSIGN(auto x, f()): x = the value, or the error is returned.
#define KARTEI_ASSIGN_JOIN2(a, b) a##b
#define KARTEI_ASSIGN_JOIN(a, b) KARTEI_ASSIGN_JOIN2(a, b)
#define KARTEI_ASSIGN(target, expression)                                   \
  auto KARTEI_ASSIGN_JOIN(kartei_result_, __LINE__) = (expression);         \
  if (KARTEI_ASSIGN_JOIN(kartei_result_, __LINE__).has_error())             \
    return std::move(KARTEI_ASSIGN_JOIN(kartei_result_, __LINE__)).error(); \
  target = std::move(*KARTEI_ASSIGN_JOIN(kartei_result_, __LINE__))

}  // namespace kartei
