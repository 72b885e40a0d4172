#include "crypto/result.h"

#include <stdexcept>

namespace kartei {

void throw_exception_from_error(const Error& error, const boost::source_location& at) {
  throw std::logic_error("value() of an error at " + std::string(at.file_name()) + ":" +
                         std::to_string(at.line()) + ": " + error.what);
}

}  // namespace kartei
