// The little of libsecret, GIO and GLib that is needed, by dlopen: nothing of them is needed to
// build, or to run where there is no desktop.
#pragma once

#include <cstdint>

namespace kartei::keyring::libsecret {

struct GError {
  std::uint32_t domain;
  int code;
  char* message;
};
struct GList {
  void* data;
  GList *next, *prev;
};
using Object = void;

struct SecretSchemaAttribute {
  const char* name;
  int type;  // 0: text
};
struct SecretSchema {
  const char* name;
  int flags;
  SecretSchemaAttribute attributes[32];
  int reserved;
  void* reserved_more[7];
};

inline constexpr int kSessionBus = 2;
inline constexpr int kOpenSession = 1 << 1;  // SecretServiceFlags
inline constexpr int kSearchAll = 1 << 1, kSearchUnlock = 1 << 2, kSearchSecrets = 1 << 3;
inline constexpr int kCreateReplace = 1 << 1;  // SecretItemCreateFlags

struct Functions {
  Object* (*g_bus_get_sync)(int bus, Object* cancellable, GError** error);
  Object* (*g_dbus_connection_call_sync)(Object* bus, const char* name, const char* path,
                                         const char* interface, const char* method,
                                         Object* parameters, const void* reply_type, int flags,
                                         int timeout_ms, Object* cancellable, GError** error);
  Object* (*g_variant_new)(const char* format, ...);
  void (*g_variant_get)(Object* variant, const char* format, ...);
  Object* (*g_hash_table_new)(void* hash, void* equal);
  int (*g_hash_table_insert)(Object* table, const void* key, const void* value);
  void* g_str_hash;
  void* g_str_equal;
  GList* (*g_list_append)(GList* list, void* data);

  Object* (*secret_service_get_sync)(int flags, Object* cancellable, GError** error);
  GList* (*secret_service_search_sync)(Object* service, const SecretSchema* schema,
                                       Object* attributes, int flags, Object* cancellable,
                                       GError** error);
  int (*secret_service_unlock_sync)(Object* service, GList* objects, Object* cancellable,
                                    GList** unlocked, GError** error);
  Object* (*secret_collection_for_alias_sync)(Object* service, const char* alias, int flags,
                                              Object* cancellable, GError** error);
  int (*secret_collection_get_locked)(Object* collection);
  int (*secret_item_get_locked)(Object* item);
  Object* (*secret_item_get_secret)(Object* item);
  int (*secret_item_delete_sync)(Object* item, Object* cancellable, GError** error);
  Object* (*secret_item_create_sync)(Object* collection, const SecretSchema* schema,
                                     Object* attributes, const char* label, Object* value,
                                     int flags, Object* cancellable, GError** error);
  Object* (*secret_value_new)(const char* secret, std::intptr_t length, const char* content_type);
  const char* (*secret_value_get)(Object* value, std::size_t* length);
};

// Null: the library is not there, or lacks a function; `why` says which.
const Functions* load(const char*& why);

}  // namespace kartei::keyring::libsecret
