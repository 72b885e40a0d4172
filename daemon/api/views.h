// Values as JSON, as the API shows them. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "daemon/api/http.h"
#include "daemon/box_host.h"
#include "daemon/key_desk.h"
#include "store/librarian.h"

namespace kartei::daemon::api {

HttpResponse json_response(const boost::json::value& value, int status = 200);

boost::json::value or_null(const std::string& text);    // null where empty
boost::json::value date_view(const store::Date& date);  // null where unknown
boost::json::value time_view(store::Time time);         // null where zero; UTC otherwise
std::string drawer_view(const DrawerNames& names, store::DrawerId drawer);
// The app's own id where it gave one.
std::string turn_id(const store::Turn& turn);

boost::json::object turn_view(const store::Turn& turn, const DrawerNames& names);
boost::json::object card_view(const store::Card& card, const DrawerNames& names,
                              const std::vector<std::string>& sources);
HttpResponse recall_response(const store::RecallAnswer& answer, const DrawerNames& names,
                             std::int64_t took_us);
boost::json::object vitals_view(const election::Vitals& vitals);
boost::json::object position_view(const store::Position& position);
// What opens the boxes, and what each of it protects from.
boost::json::object keyring_view(const KeyState& state);

}  // namespace kartei::daemon::api
