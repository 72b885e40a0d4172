// kartei-secret-service: one look-up, store or removal at the desktop's Secret Service, and then
// it ends. Started by karteid (helper_protocol.h); its owner may start it, too, which tells nothing
// that `secret-tool` would not.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "crypto/keyring/helper_protocol.h"
#include "crypto/keyring/libsecret.h"
#include "crypto/secret.h"

namespace kartei::keyring {
namespace {

using namespace libsecret;

constexpr const char* kServiceName = "org.freedesktop.secrets";
constexpr int kCallTimeoutMs = 4'000;
constexpr unsigned kLifetimeS = 90;  // in case that nobody is left to end this
constexpr const char* kLabel = "Kartei: opens the boxes of this device. Do not delete";

const SecretSchema& schema() {
  static SecretSchema one{"org.kartei.Keyring", 0, {{"wrap", 0}, {nullptr, 0}}, 0, {}};
  return one;
}

// The outcome of a step; the first that is not kHelperDone ends all.
struct Trouble {
  HelperStatus status = kHelperDone;
  std::string words;
};

Trouble of(HelperStatus status, GError* error) {
  return {status, error == nullptr ? "" : error->message};
}

// A bus that is there. GIO would start one of its own else, which nobody else speaks to.
Trouble need_bus() {
  const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address != nullptr && *address != '\0') {
    if (std::strstr(address, "autolaunch:") != nullptr)
      return {kHelperNoBus, "DBUS_SESSION_BUS_ADDRESS says autolaunch"};
    return {};
  }
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string socket = std::string(runtime == nullptr ? "" : runtime) + "/bus";
  struct stat info {};
  if (runtime == nullptr || ::stat(socket.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode))
    return {kHelperNoBus, "DBUS_SESSION_BUS_ADDRESS is not set"};
  ::setenv("DBUS_SESSION_BUS_ADDRESS", ("unix:path=" + socket).c_str(), 1);
  return {};
}

class Desk {
 public:
  Desk(const Functions& functions, bool may_ask) : g_(functions), may_ask_(may_ask) {}

  Trouble open() {
    GError* error = nullptr;
    bus_ = g_.g_bus_get_sync(kSessionBus, nullptr, &error);
    if (bus_ == nullptr) return of(kHelperNoBus, error);
    if (Trouble trouble = need_service(); trouble.status != kHelperDone) return trouble;
    service_ = g_.secret_service_get_sync(kOpenSession, nullptr, &error);
    return service_ == nullptr ? of(kHelperFailed, error) : Trouble{};
  }

  Trouble look_up(const char* wrap) {
    Object* item = nullptr;
    if (Trouble trouble = find(wrap, item); trouble.status != kHelperDone) return trouble;
    Object* const value = g_.secret_item_get_secret(item);
    if (value == nullptr) return {kHelperFailed, "the item came without its secret"};
    std::size_t size = 0;
    const char* bytes = g_.secret_value_get(value, &size);
    if (size > kHelperValueMax) return {kHelperFailed, "the item is too long"};
    if (::write(STDOUT_FILENO, bytes, size) != static_cast<ssize_t>(size))
      return {kHelperFailed, "nobody takes the value"};
    return {};
  }

  Trouble store(const char* wrap, const crypto::Secret& value) {
    Object* collection = nullptr;
    if (Trouble trouble = need_collection(collection); trouble.status != kHelperDone)
      return trouble;
    GError* error = nullptr;
    Object* const secret =
        g_.secret_value_new(reinterpret_cast<const char*>(value.view().data()),
                            static_cast<std::intptr_t>(value.size()), "text/plain");
    Object* const item = g_.secret_item_create_sync(collection, &schema(), attributes(wrap), kLabel,
                                                    secret, kCreateReplace, nullptr, &error);
    return item == nullptr ? of(kHelperFailed, error) : Trouble{};
  }

  Trouble forget(const char* wrap) {
    Object* item = nullptr;
    if (Trouble trouble = find(wrap, item); trouble.status != kHelperDone) return trouble;
    GError* error = nullptr;
    return g_.secret_item_delete_sync(item, nullptr, &error) != 0 ? Trouble{}
                                                                  : of(kHelperFailed, error);
  }

 private:
  Object* ask_bus(const char* method, Object* parameters, GError*& error) {
    return g_.g_dbus_connection_call_sync(bus_, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                          "org.freedesktop.DBus", method, parameters, nullptr, 0,
                                          kCallTimeoutMs, nullptr, &error);
  }

  // Somebody has the name, or can be started under it.
  Trouble need_service() {
    GError* error = nullptr;
    Object* answer = ask_bus("NameHasOwner", g_.g_variant_new("(s)", kServiceName), error);
    if (answer == nullptr) return of(kHelperNoBus, error);
    int owned = 0;
    g_.g_variant_get(answer, "(b)", &owned);
    if (owned != 0) return {};
    answer = ask_bus("StartServiceByName", g_.g_variant_new("(su)", kServiceName, std::uint32_t{0}),
                     error);
    return answer == nullptr ? of(kHelperNoService, error) : Trouble{};
  }

  Object* attributes(const char* wrap) {
    Object* const table = g_.g_hash_table_new(g_.g_str_hash, g_.g_str_equal);
    g_.g_hash_table_insert(table, "wrap", wrap);
    return table;
  }

  // Null: there is none.
  Object* default_collection() {
    GError* error = nullptr;
    return g_.secret_collection_for_alias_sync(service_, "default", 0, nullptr, &error);
  }

  Trouble need_collection(Object*& collection) {
    collection = default_collection();
    if (collection == nullptr)
      return {kHelperLocked, "it has no default keyring yet; make one in the desktop"};
    if (g_.secret_collection_get_locked(collection) == 0) return {};
    if (!may_ask_) return {kHelperLocked, ""};
    GError* error = nullptr;
    GList* unlocked = nullptr;
    g_.secret_service_unlock_sync(service_, g_.g_list_append(nullptr, collection), nullptr,
                                  &unlocked, &error);
    return unlocked == nullptr ? of(kHelperLocked, error) : Trouble{};
  }

  Trouble find(const char* wrap, Object*& item) {
    GError* error = nullptr;
    const int flags = kSearchAll | kSearchSecrets | (may_ask_ ? kSearchUnlock : 0);
    GList* const found = g_.secret_service_search_sync(service_, &schema(), attributes(wrap), flags,
                                                       nullptr, &error);
    if (error != nullptr) return of(kHelperFailed, error);
    if (found != nullptr) {
      item = found->data;
      if (g_.secret_item_get_locked(item) != 0) return {kHelperLocked, ""};
      return {};
    }
    // Some services do not find in what is locked.
    Object* const collection = default_collection();
    if (collection != nullptr && g_.secret_collection_get_locked(collection) == 0)
      return {kHelperNotFound, ""};
    if (collection == nullptr || !may_ask_) return {kHelperLocked, ""};
    Object* opened = nullptr;
    if (Trouble trouble = need_collection(opened); trouble.status != kHelperDone) return trouble;
    GList* const again = g_.secret_service_search_sync(service_, &schema(), attributes(wrap), flags,
                                                       nullptr, &error);
    if (again == nullptr) return of(kHelperNotFound, error);
    item = again->data;
    return {};
  }

  const Functions& g_;
  const bool may_ask_;
  Object* bus_ = nullptr;
  Object* service_ = nullptr;
};

crypto::Secret read_value() {
  crypto::Secret room(kHelperValueMax);
  std::size_t size = 0;
  while (size < room.size()) {
    const ssize_t got = ::read(STDIN_FILENO, room.writable().data() + size, room.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return crypto::Secret(room.view().first(size));
}

Trouble run(std::string_view verb, const char* wrap, bool may_ask) {
  if (Trouble trouble = need_bus(); trouble.status != kHelperDone) return trouble;
  const char* missing = "";
  const Functions* const functions = load(missing);
  if (functions == nullptr) return {kHelperNoLibrary, missing};
  Desk desk(*functions, may_ask);
  if (Trouble trouble = desk.open(); trouble.status != kHelperDone) return trouble;
  if (verb == kLookUpVerb) return desk.look_up(wrap);
  if (verb == kForgetVerb) return desk.forget(wrap);
  return desk.store(wrap, read_value());
}

int main_of(int argc, char** argv) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::alarm(kLifetimeS);
  const std::string_view verb = argc > 1 ? argv[1] : "";
  const bool may_ask = argc == 4 && std::string_view(argv[3]) == kAskFlag;
  if ((argc != 3 && !may_ask) ||
      (verb != kLookUpVerb && verb != kStoreVerb && verb != kForgetVerb)) {
    std::fprintf(stderr,
                 "usage: %s look-up|store|forget WRAP [--ask]\n"
                 "Asks the desktop's Secret Service for karteid; see `kartei keyring`.\n",
                 kHelperProgram);
    return kHelperUsage;
  }
  const Trouble trouble = run(verb, argv[2], may_ask);
  if (!trouble.words.empty()) std::fprintf(stderr, "%s\n", trouble.words.c_str());
  return trouble.status;
}

}  // namespace
}  // namespace kartei::keyring

int main(int argc, char** argv) {
  const int status = kartei::keyring::main_of(argc, argv);
  std::fflush(nullptr);
  ::_exit(status);  // GLib's threads are not waited for
}
