// Beast is compiled here and nowhere else (BOOST_BEAST_SEPARATE_COMPILATION).
#include <boost/beast/src.hpp>
