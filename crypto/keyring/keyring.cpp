#include "crypto/keyring/keyring.h"

#include <algorithm>

namespace kartei::keyring {

namespace {

Error with_place(Error error, const KeyFiles& files) {
  error.what = "The keyring " + files.place(kKeyringFile) + " cannot be read: " + error.what;
  if (error.cause == Cause::kCorrupt)
    error.what += ". Put it back from a backup: without it the boxes of this device do not open.";
  return error;
}

// Whether this key file is one that a first start was cut off at: it has written that down before.
bool is_to_be_forgotten(KeyFiles& files, const crypto::Secret& key_file) {
  const auto bytes = files.read(kForgetListFile, kForgetListSizeMax);
  const auto list = bytes ? decode_forget_list(bytes->view()) : Result<ForgetList>(bytes.error());
  const auto wrap = FileSource::wrap_of(key_file);
  if (!list || !wrap) return false;
  const ForgetList::Entry entry{Backend::kFile, *wrap};
  return std::find(list->entries.begin(), list->entries.end(), entry) != list->entries.end();
}

// A key file without its keyring: that may come back from a backup.
Status keep_old_key(KeyFiles& files) {
  const auto key = files.read(kWrappingKeyFile, kKeyringSizeMax);
  if (!key) return key.error().cause == Cause::kNotFound ? Status() : Status(key.error());
  if (is_to_be_forgotten(files, *key) || files.read(kOldWrappingKeyFile, kKeyringSizeMax))
    return {};
  return files.rename(kWrappingKeyFile, kOldWrappingKeyFile);
}

}  // namespace

Result<Keyring> Keyring::open(KeyFiles& files, crypto::Random& random) {
  auto bytes = files.read(kKeyringFile, kKeyringSizeMax);
  if (!bytes) {
    if (bytes.error().cause == Cause::kNotFound) return bytes.error();
    return with_place(bytes.error(), files);
  }
  auto content = decode_keyring(bytes->view());
  if (!content) return with_place(content.error(), files);
  Keyring keyring(files, random);
  keyring.content_ = std::move(*content);
  return keyring;
}

void Keyring::remove_leftovers(std::initializer_list<KeySource*> sources) {
  (void)files_->remove(kFreshKeyringFile);
  for (const char* name : {kFreshKeyringFile, kWrappingKeyFile, kForgetListFile})
    (void)files_->remove((std::string(name) + kUnfinishedSuffix).c_str());
  const auto list = read_forget_list();
  if (!list) return;
  for (const ForgetList::Entry& entry : list->entries)
    for (KeySource* source : sources)
      if (source->backend() == entry.backend) (void)forget(entry, *source);
}

Result<Keyring::Made> Keyring::make(KeyFiles& files, crypto::Random& random, KeySource& source) {
  const auto there = files.read(kKeyringFile, kKeyringSizeMax);
  if (there || there.error().cause != Cause::kNotFound)
    return Error{Cause::kConflict, "There is a keyring already: " + files.place(kKeyringFile), {}};
  if (source.backend() == Backend::kFile) KARTEI_TRY(keep_old_key(files));
  Made made{Keyring(files, random), crypto::Secret::random(kKeySize, random)};
  made.keyring.content_.key_id = key_id_of(made.data_key);
  KARTEI_TRY(made.keyring.adopt_forget_list());
  KARTEI_TRY(made.keyring.put(made.data_key, source));
  return made;
}

Result<crypto::Secret> Keyring::unlock(KeySource& source) const {
  const Wrap* wrap = content_.find(source.backend());
  if (wrap == nullptr)
    return not_found(std::string("The keyring has no wrap of the kind ") +
                     to_text(source.backend()) + ".");
  KARTEI_ASSIGN(const crypto::Secret key, source.key_of(*wrap));
  auto data_key = open_wrap(*wrap, content_.key_id, key);
  if (!data_key && data_key.error().cause == Cause::kForbidden) return source.refused();
  return data_key;
}

Status Keyring::add(const crypto::Secret& data_key, KeySource& source) {
  if (key_id_of(data_key) != content_.key_id)
    return Error{Cause::kInternal, "The data key is not the one of this keyring.", {}};
  // What these keep has one place: the new key would go over one that is still needed.
  if (source.backend() != Backend::kPassphrase && has(source.backend()))
    return Error{Cause::kConflict,
                 std::string("The keyring is wrapped that way already. To wrap it anew, run "
                             "`kartei keyring remove ") +
                     to_text(source.backend()) + "` first.",
                 {}};
  return put(data_key, source);
}

Status Keyring::put(const crypto::Secret& data_key, KeySource& source) {
  KARTEI_ASSIGN(const Wrap wrap, make_wrap(data_key, source));
  KeyringContent next = content_;
  next.put(wrap);
  Status replaced = replace(std::move(next), &data_key, &source);
  // Not by name, which a rename that could not be synced may have put in place.
  if (!replaced && !has(source.backend()))
    (void)forget({wrap.backend, wrap.id}, source);
  else
    forgot({wrap.backend, wrap.id});
  return replaced;
}

Status Keyring::remove(KeySource& source) {
  const Wrap* wrap = content_.find(source.backend());
  if (wrap == nullptr)
    return not_found(std::string("The keyring has no wrap of the kind ") +
                     to_text(source.backend()) + ".");
  if (content_.wraps.size() == 1)
    return Error{
        Cause::kConflict,
        "This is the keyring's last wrap: without it no box of this device could be opened "
        "again. Add another one first (`kartei keyring add`, `kartei passphrase`).",
        {}};
  const ForgetList::Entry entry{wrap->backend, wrap->id};
  KARTEI_TRY(will_forget(*wrap));
  KeyringContent next = content_;
  next.drop(source.backend());
  if (Status replaced = replace(std::move(next), nullptr, nullptr); !replaced) {
    if (has(entry.backend)) forgot(entry);
    return replaced;
  }
  if (auto forgotten = forget(entry, source); !forgotten) {
    Error error = forgotten.error();
    error.what =
        "The wrap is gone from the keyring, but what it needed could not be removed yet; karteid "
        "tries again at its next start: " +
        error.what;
    return error;
  }
  return {};
}

Result<Wrap> Keyring::make_wrap(const crypto::Secret& data_key, KeySource& source) {
  Wrap wrap;
  wrap.backend = source.backend();
  random_->fill(wrap.id);
  KARTEI_TRY(will_forget(wrap));
  const auto key = source.make_key(wrap, *random_);
  if (!key) {
    if (source.kept_nothing()) forgot({wrap.backend, wrap.id});
    return key.error();
  }
  seal_wrap(wrap, data_key, *key, *random_);
  return wrap;
}

// ---- what is to be forgotten

// The error: there may be one that cannot be read now. A damaged one, and another keyring's, say
// nothing.
Result<ForgetList> Keyring::read_forget_list() const {
  ForgetList none;
  none.key_id = content_.key_id;
  const auto bytes = files_->read(kForgetListFile, kForgetListSizeMax);
  if (!bytes && bytes.error().cause != Cause::kNotFound) return bytes.error();
  const auto list = bytes ? decode_forget_list(bytes->view()) : Result<ForgetList>(bytes.error());
  return list && list->key_id == content_.key_id ? *list : none;
}

// Where a keyring is made no box needs an earlier one: what that one, or a first start that was cut
// off, left in the Secret Service is this one's to forget. Should it come back from a backup, it
// has another way in: the last one never stands in the list but at its very start. Its key file
// stays.
Status Keyring::adopt_forget_list() {
  const auto bytes = files_->read(kForgetListFile, kForgetListSizeMax);
  if (!bytes) return bytes.error().cause == Cause::kNotFound ? Status() : Status(bytes.error());
  auto list = decode_forget_list(bytes->view());
  if (!list) return {};
  std::erase_if(list->entries,
                [](const auto& entry) { return entry.backend != Backend::kSecretService; });
  if (list->entries.empty()) return {};
  list->key_id = content_.key_id;
  return write_forget_list(*list);
}

Status Keyring::write_forget_list(const ForgetList& list) {
  if (list.entries.empty()) return files_->remove(kForgetListFile);
  return files_->write(kForgetListFile, encode_forget_list(list));
}

Status Keyring::will_forget(const Wrap& wrap) {
  if (wrap.backend == Backend::kPassphrase) return {};  // needs nothing elsewhere
  Status written;
  if (auto list = read_forget_list()) {
    list->put({wrap.backend, wrap.id});
    written = write_forget_list(*list);
  } else {
    written = list.error();
  }
  if (written) return {};
  Error error = written.error();
  error.what = "The keyring stays as it was: " + error.what;
  return error;
}

Status Keyring::forget(const ForgetList::Entry& entry, KeySource& source) {
  const Wrap* wrap = content_.find(entry.backend);
  // The key file has one place: one that is needed lies where the other one did.
  const bool needed = wrap != nullptr && (wrap->id == entry.id || entry.backend == Backend::kFile);
  if (!needed) KARTEI_TRY(source.forget(entry.id));
  forgot(entry);
  return {};
}

// Where this fails the entry is looked at again, which does no harm. A damaged list says nothing.
void Keyring::forgot(const ForgetList::Entry& entry) {
  const auto bytes = files_->read(kForgetListFile, kForgetListSizeMax);
  if (bytes && !decode_forget_list(bytes->view())) {
    (void)files_->remove(kForgetListFile);
    return;
  }
  auto list = read_forget_list();
  if (!list) return;
  const std::size_t before = list->entries.size();
  list->drop(entry);
  if (list->entries.size() != before) (void)write_forget_list(*list);
}

// With a source: what was written must give the data key before it takes its place.
Status Keyring::replace(KeyringContent next, const crypto::Secret* data_key, KeySource* source) {
  const auto give_up = [&](Error error) -> Status {
    (void)files_->remove(kFreshKeyringFile);
    error.what = "The keyring stays as it was: " + error.what;
    return error;
  };
  if (auto written = files_->write(kFreshKeyringFile, encode_keyring(next)); !written)
    return give_up(written.error());
  const auto bytes = files_->read(kFreshKeyringFile, kKeyringSizeMax);
  if (!bytes) return give_up(bytes.error());
  const auto content = decode_keyring(bytes->view());
  if (!content || *content != next)
    return give_up({Cause::kIo, "what was written cannot be read back", {}});
  if (source != nullptr) {
    Keyring fresh(*files_, *random_);
    fresh.content_ = *content;
    const auto opened = fresh.unlock(*source);
    if (!opened) return give_up(opened.error());
    if (!equal_in_constant_time(opened->view(), data_key->view()))
      return give_up({Cause::kInternal, "the new wrap gives another key", {}});
  }
  const Status renamed = files_->rename(kFreshKeyringFile, kKeyringFile);
  // Renamed, but perhaps not synced? What stands in the file now counts.
  if (!renamed) {
    const auto now = files_->read(kKeyringFile, kKeyringSizeMax);
    const auto read = now ? decode_keyring(now->view()) : Result<KeyringContent>(now.error());
    if (!read || *read != next) return give_up(renamed.error());
    content_ = std::move(next);
    Error error = renamed.error();
    error.what =
        "The keyring was replaced, but that may not be safe on the disk yet: " + error.what;
    return error;
  }
  content_ = std::move(next);
  return {};
}

}  // namespace kartei::keyring
