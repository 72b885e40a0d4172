// Everything out and in, as JSON lines.
#include "daemon/api/api.h"
#include "daemon/api/import.h"
#include "daemon/api/problem.h"
#include "store/export.h"

namespace kartei::daemon::api {
namespace {

constexpr std::size_t kChunkBytes = 256 << 10;
constexpr std::int64_t kClientPatienceMs = 30'000;

// Lines into chunks, chunks to the client as fast as it reads. Opens the answer with the first
// chunk: what fails before can still be said.
class ExportStream {
 public:
  explicit ExportStream(const Responder& responder) : responder_(responder) {}

  bool take(std::string_view line) {
    chunk_.append(line).push_back('\n');
    return chunk_.size() < kChunkBytes || send();
  }
  // Tells the client, one way or the other, how it ended.
  void end(const Status& written) {
    if (!stream_ && !written) return responder_.send(problem(written.error()));
    if (written && send()) return stream_->finish();
    if (stream_) stream_->abort();
  }

 private:
  bool send() {
    if (!stream_) {
      HttpResponse head;
      head.content_type = "application/x-ndjson";
      stream_ = responder_.stream(std::move(head));
    }
    return stream_ && stream_->wait_below(2 * kChunkBytes, kClientPatienceMs) &&
           stream_->write(std::exchange(chunk_, {}));
  }

  const Responder& responder_;
  std::shared_ptr<ResponseStream> stream_;
  std::string chunk_;
};

// On a connection of its own: one moment of the box, while the writer goes on and nobody waits for
// a slow client.
void write_export(const std::filesystem::path& file, const Responder& responder) {
  ExportStream out(responder);
  auto exporter = store::Exporter::open(file);
  if (!exporter) return out.end(exporter.error());
  out.end((*exporter)->run([&](std::string_view line) { return out.take(line); }));
}

}  // namespace

void Api::get_export(Call call, Responder responder) {
  with_box(call, responder, [this, responder](const std::shared_ptr<BoxHost>& host) {
    const bool sent = parts_.services.transfer.post(
        [host, responder](std::size_t) { write_export(host->box_file(), responder); });
    if (!sent) responder.send(busy());
  });
}

// The lines are read beside the writer, which then takes them in.
void Api::post_import(Call call, Responder responder) {
  const bool posted =
      parts_.services.readers.post([this, responder, call = std::move(call)](std::size_t) {
        auto file = read_import(call.request.body);
        if (!file) return responder.send(problem(file.error()));
        const bool sent = parts_.hosts.with(
            box_name(call), [responder, file = std::make_shared<ImportFile>(std::move(*file))](
                                Result<std::shared_ptr<BoxHost>> host) {
              if (!host) return responder.send(problem(host.error()));
              take_in(*host, std::move(*file), responder);
            });
        if (!sent) responder.send(busy());
      });
  if (!posted) responder.send(busy());
}

void Api::add_transfer_calls() {
  router_.add(Method::kGet, "/v1/export", {}, [this](Call call, Responder responder) {
    get_export(std::move(call), std::move(responder));
  });
  router_.add(Method::kPost, "/v1/import", {}, [this](Call call, Responder responder) {
    post_import(std::move(call), std::move(responder));
  });
}

}  // namespace kartei::daemon::api
