#include "store/librarian.h"

#include "store/card_list.h"
#include "store/facts_keeper.h"
#include "store/recall.h"
#include "store/rows.h"
#include "store/schema.h"

namespace kartei::store {

namespace {

// One view of the box for all statements of a recall. A lent connection may be in the midst of a
// transaction of the writer, and needs none: nobody else writes while it is lent.
class ReadView {
 public:
  static Result<ReadView> begin(Db& db, bool lent) {
    if (!lent) KARTEI_TRY(db.run("BEGIN"));
    return ReadView(lent ? nullptr : &db);
  }
  ReadView(ReadView&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  ReadView& operator=(ReadView&&) = delete;
  ~ReadView() {
    if (db_) static_cast<void>(db_->run("COMMIT"));  // a read transaction has nothing to lose
  }

 private:
  explicit ReadView(Db* db) : db_(db) {}
  Db* db_;
};

}  // namespace

struct Librarian::Impl {
  explicit Impl(std::shared_ptr<PieceHashes> words) : vocabulary(std::move(words)) {}

  std::unique_ptr<Db> db;
  bool lent = false;
  Stemmer stemmer;
  Vocabulary vocabulary;
  Weights weights;
  std::shared_ptr<const MeaningIndex> index;
  std::shared_ptr<const FactsIndex> facts;
  Embedders embedders;
  HelperThread helper;
};

Librarian::Librarian(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Librarian::~Librarian() = default;

Result<std::unique_ptr<Librarian>> Librarian::open(Box& box) {
  auto impl = std::make_unique<Impl>(box.piece_hashes());
  impl->lent = box.file().empty();
  impl->index = box.vectors().index();
  impl->facts = box.facts().index();
  if (impl->lent) {
    impl->db = std::make_unique<Db>(box.writer());
  } else {
    KARTEI_ASSIGN(impl->db, open_reader(box.place()));
  }
  return std::unique_ptr<Librarian>(new Librarian(std::move(impl)));
}

Result<RecallAnswer> Librarian::recall(const RecallRequest& request) {
  KARTEI_ASSIGN(const ReadView view, ReadView::begin(*impl_->db, impl_->lent));
  Recall::Meaning meaning{impl_->index->current(), nullptr, &impl_->helper};
  for (const auto& embedder : impl_->embedders) {
    if (!meaning.set || !embedder || embedder->model() != meaning.set->model) continue;
    meaning.embedder = embedder.get();
    break;
  }
  return Recall(*impl_->db, impl_->stemmer, impl_->vocabulary, impl_->weights, std::move(meaning),
                impl_->facts->current())
      .run(request);
}

void Librarian::rest() {
  if (!impl_->lent) impl_->db->release_memory();
}

void Librarian::use_embedders(Embedders embedders) {
  impl_->embedders = std::move(embedders);
}

Result<std::optional<Card>> Librarian::card(CardId id) {
  KARTEI_ASSIGN(auto cards,
                read_cards(impl_->db->query(
                    std::string("SELECT ") + kCardColumns + " FROM cards c WHERE c.id = ?", id)));
  if (cards.empty()) return std::optional<Card>();
  return std::optional<Card>(std::move(cards.front()));
}

Result<CardPage> Librarian::cards(const CardFilter& filter) {
  return list_cards(*impl_->db, filter);
}

}  // namespace kartei::store
