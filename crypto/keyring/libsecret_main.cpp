#include <dlfcn.h>

#include "crypto/keyring/libsecret.h"

namespace kartei::keyring::libsecret {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& out, const char*& why) {
  void* const symbol = ::dlsym(library, name);
  if (symbol == nullptr) why = name;
  out = reinterpret_cast<Function>(symbol);
  return symbol != nullptr;
}

}  // namespace

const Functions* load(const char*& why) {
  // What it links to, GIO and GLib, is found through it.
  void* const library = ::dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = "libsecret-1.so.0";
    return nullptr;
  }
  static Functions all;
#define KARTEI_FIND(name) find(library, #name, all.name, why)
  const bool complete =
      KARTEI_FIND(g_bus_get_sync) && KARTEI_FIND(g_dbus_connection_call_sync) &&
      KARTEI_FIND(g_variant_new) && KARTEI_FIND(g_variant_get) && KARTEI_FIND(g_hash_table_new) &&
      KARTEI_FIND(g_hash_table_insert) && KARTEI_FIND(g_str_hash) && KARTEI_FIND(g_str_equal) &&
      KARTEI_FIND(g_list_append) && KARTEI_FIND(secret_service_get_sync) &&
      KARTEI_FIND(secret_service_search_sync) && KARTEI_FIND(secret_service_unlock_sync) &&
      KARTEI_FIND(secret_collection_for_alias_sync) && KARTEI_FIND(secret_collection_get_locked) &&
      KARTEI_FIND(secret_item_get_locked) && KARTEI_FIND(secret_item_get_secret) &&
      KARTEI_FIND(secret_item_delete_sync) && KARTEI_FIND(secret_item_create_sync) &&
      KARTEI_FIND(secret_value_new) && KARTEI_FIND(secret_value_get);
#undef KARTEI_FIND
  return complete ? &all : nullptr;
}

}  // namespace kartei::keyring::libsecret
