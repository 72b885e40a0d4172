// The table that ships with Kartei: a vector for each piece of 13 languages' words, a text is their
// sum. One space for all of them. Needs no network and no memory of its own: the file is mapped,
// and pages of it are there while they are used.
//
// Any thread; const all through. The file must stay as it is while it is open: whoever installs
// another one renames it into place (as package managers do). Where it changes all the same,
// embed() fails; embed_into() gives anything (and see mapped_file.h for a file that was cut).
#pragma once

#include <filesystem>
#include <memory>

#include "store/meaning/embedder.h"
#include "store/meaning/packed_model.h"
#include "store/meaning/tokenizer.h"

namespace kartei::store {

class MappedFile;

class StaticTable final : public Embedder {
 public:
  // Error: kNotFound, kVersion, kCorrupt, kIo; it names the file and what to do. Only the header is
  // read: see verify().
  static Result<std::unique_ptr<StaticTable>> open(const std::filesystem::path& file,
                                                   TextLimits limits = {});
  ~StaticTable() override;
  StaticTable(const StaticTable&) = delete;
  StaticTable& operator=(const StaticTable&) = delete;

  const std::string& model() const override { return model_.name; }
  std::size_t dims() const override { return model_.dims; }
  Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const override;
  // One text, dims() floats; no allocation, no error.
  void embed_into(std::string_view text, float* out) const;

  // Reads the whole file (some 10 ms): error when it is not what was packed.
  Status verify() const;
  // Gives back the memory of what was read so far; the next text reads again what it needs.
  void drop_cache() const;

 private:
  StaticTable(std::unique_ptr<MappedFile> mapping, PackedModel model, TextLimits limits,
              std::filesystem::path file);

  const std::unique_ptr<MappedFile> mapping_;
  const PackedModel model_;
  const TextLimits limits_;
  const std::filesystem::path file_;
};

}  // namespace kartei::store
