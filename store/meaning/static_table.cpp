#include "store/meaning/static_table.h"

#include <utility>

#include "store/meaning/mapped_file.h"
#include "store/meaning/row_sum.h"

namespace kartei::store {
namespace {

Error about_file(const std::filesystem::path& file, Cause cause, const std::string& what) {
  return {cause,
          "the model file " + file.string() + " cannot be used: " + what +
              "; it comes with Kartei: install it again",
          {}};
}

}  // namespace

Result<std::unique_ptr<StaticTable>> StaticTable::open(const std::filesystem::path& file,
                                                       TextLimits limits) {
  auto mapped = MappedFile::map(file);
  if (mapped.has_error()) return about_file(file, mapped.error().cause, mapped.error().what);
  auto mapping = *std::move(mapped);
  auto model = PackedModel::parse(mapping->bytes());
  if (model.has_error()) return about_file(file, model.error().cause, model.error().what);
  return std::unique_ptr<StaticTable>(
      new StaticTable(std::move(mapping), *std::move(model), limits, file));
}

StaticTable::StaticTable(std::unique_ptr<MappedFile> mapping, PackedModel model, TextLimits limits,
                         std::filesystem::path file)
    : mapping_(std::move(mapping)),
      model_(std::move(model)),
      limits_(limits),
      file_(std::move(file)) {}

StaticTable::~StaticTable() = default;

Result<std::vector<float>> StaticTable::embed(const std::vector<std::string_view>& texts) const {
  std::vector<float> vectors(texts.size() * dims());
  for (std::size_t i = 0; i < texts.size(); ++i) embed_into(texts[i], &vectors[i * dims()]);
  // Afterwards: what was read meanwhile may be a mixture of two files, or nothing.
  if (!mapping_->is_as_it_was())
    return about_file(file_, Cause::kCorrupt, "it was changed while in use");
  return vectors;
}

void StaticTable::embed_into(std::string_view text, float* out) const {
  Tokenizer tokenizer(model_, limits_);
  sum_rows(model_, tokenizer.pieces(text), out);
}

Status StaticTable::verify() const {
  if (const Status status = model_.verify(); status.has_error()) {
    return about_file(file_, status.error().cause, status.error().what);
  }
  return {};
}

void StaticTable::drop_cache() const {
  mapping_->drop();
}

}  // namespace kartei::store
