// Everything out and in, as JSON lines.
#include <boost/json/array.hpp>

#include "daemon/api/api.h"
#include "daemon/api/import.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::size_t kChunkBytes = 256 << 10;
constexpr std::size_t kExportBytesMax = 512 << 20;
constexpr std::int64_t kClientPatienceMs = 30'000;

// The whole box at one moment. Held in memory while the client reads: the writer must not wait for
// a slow reader, and no plain text may go to the disk.
Result<std::vector<std::string>> take_lines(BoxHost& host) {
  std::vector<std::string> chunks(1);
  std::size_t total = 0;
  KARTEI_TRY(host.box().export_lines([&](std::string_view line) {
    total += line.size() + 1;
    if (chunks.back().size() + line.size() > kChunkBytes) chunks.emplace_back();
    chunks.back().append(line);
    if (!line.ends_with('\n')) chunks.back() += '\n';
    return total <= kExportBytesMax;
  }));
  if (total > kExportBytesMax)
    return Error{Cause::kFull, "The box is too large to be exported in one piece.", {}};
  return chunks;
}

}  // namespace

void Api::get_export(Call call, Responder responder) {
  const std::string name = box_name(call);
  const bool posted =
      parts_.hosts.with(name, [this, responder](Result<std::shared_ptr<BoxHost>> host) {
        if (!host) return responder.send(problem(host.error()));
        auto lines = take_lines(**host);
        if (!lines) return responder.send(problem(lines.error()));
        auto chunks = std::make_shared<std::vector<std::string>>(std::move(*lines));
        const bool sent = parts_.services.transfer.post([chunks, responder](std::size_t) {
          HttpResponse head;
          head.content_type = "application/x-ndjson";
          const auto stream = responder.stream(std::move(head));
          if (!stream) return;
          for (std::string& chunk : *chunks) {
            if (!stream->wait_below(4 * kChunkBytes, kClientPatienceMs)) return;
            if (!stream->write(std::exchange(chunk, {}))) return;
          }
        });
        if (!sent) responder.send(busy());
      });
  if (!posted) responder.send(busy());
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
