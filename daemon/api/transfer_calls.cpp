// Everything out and in, as JSON lines.
#include "daemon/api/api.h"
#include "daemon/api/import.h"
#include "daemon/api/problem.h"
#include "store/export.h"

namespace kartei::daemon::api {
namespace {

constexpr std::size_t kChunkBytes = 256 << 10;

// One export under way: a chunk is read, sent, and the next one read when the client has taken it;
// between the two it holds no thread. On a connection of its own: one moment of the box, while the
// writer goes on. Opens the answer with the first chunk: what fails before can still be said.
class ExportRun : public std::enable_shared_from_this<ExportRun> {
 public:
  ExportRun(std::shared_ptr<BoxHost> host, WorkQueue& transfer, Responder responder,
            std::atomic<std::size_t>& running)
      : host_(std::move(host)),
        transfer_(transfer),
        responder_(std::move(responder)),
        running_(running) {
    ++running_;
  }
  // What is not whole ends without an end.
  ~ExportRun() {
    if (stream_ && !whole_) stream_->abort();
    --running_;
  }
  ExportRun(const ExportRun&) = delete;
  ExportRun& operator=(const ExportRun&) = delete;

  bool start() {
    return transfer_.post([self = shared_from_this()](std::size_t) { self->step(); });
  }

 private:
  void step() {
    if (host_->closed()) return fail({Cause::kUnavailable, "The box was closed.", {}});
    std::string chunk;
    const auto more = read(chunk);
    if (!more) return fail(more.error());
    if (!stream_) {
      HttpResponse head;
      head.content_type = "application/x-ndjson";
      stream_ = responder_.stream(std::move(head));
      if (stream_) host_->cut_at_close(stream_);
    }
    if (!stream_ || !stream_->write(std::move(chunk))) return;
    if (!*more) {
      whole_ = true;
      return stream_->finish();
    }
    // What it holds of the box goes on the transfer's thread, too, if the client has gone.
    stream_->when_below(2 * kChunkBytes, [self = shared_from_this()](bool open) {
      (void)self->transfer_.post_follow_up([self, open](std::size_t) {
        if (open) self->step();
      });
    });
  }
  Result<bool> read(std::string& chunk) {
    if (!exporter_) {
      const BoxSettings settings = host_->settings();
      KARTEI_ASSIGN(exporter_,
                    store::Exporter::open(host_->place(), {settings.owner, settings.said_zone}));
    }
    return exporter_->next(chunk, kChunkBytes);
  }
  void fail(const Error& error) {
    if (!stream_) responder_.send(problem(error));
  }

  const std::shared_ptr<BoxHost> host_;
  WorkQueue& transfer_;
  const Responder responder_;
  std::atomic<std::size_t>& running_;
  std::unique_ptr<store::Exporter> exporter_;
  std::shared_ptr<ResponseStream> stream_;
  bool whole_ = false;
};

}  // namespace

void Api::get_export(Call call, Responder responder) {
  with_box(call, responder, [this, call, responder](const std::shared_ptr<BoxHost>& host) {
    if (exports_ >= kExports) return responder.send(busy());
    const auto run =
        std::make_shared<ExportRun>(host, parts_.services.transfer, responder, exports_);
    if (!run->start()) return responder.send(busy());
    note_read(*host, call, {});  // everything: no use in naming it
  });
}

// The lines are read beside the writer, which then takes them in.
void Api::post_import(Call call, Responder responder) {
  const bool posted =
      parts_.services.readers.post([this, responder, call = std::move(call)](std::size_t) {
        const std::string allow = call.parameter("allow_secrets").value_or("false");
        if (allow != "true" && allow != "false")
          return responder.send(
              problem(bad_input("`allow_secrets` must be true or false.", "allow_secrets")));
        auto file = read_import(call.request.body);
        if (!file) return responder.send(problem(file.error()));
        file->allow_secrets = allow == "true";
        ImportSecrets secrets = look_for_secrets(*file);
        post_to_box(box_name(call), responder,
                    [responder, file = std::make_shared<ImportFile>(std::move(*file)),
                     secrets = std::move(secrets)](const std::shared_ptr<BoxHost>& host) {
                      take_in(host, std::move(*file), secrets, responder);
                    });
      });
  if (!posted) responder.send(busy());
}

void Api::add_transfer_calls() {
  router_.add(Method::kGet, "/v1/export", {}, [this](Call call, Responder responder) {
    get_export(std::move(call), std::move(responder));
  });
  router_.add(Method::kPost, "/v1/import", {"allow_secrets"},
              [this](Call call, Responder responder) {
                post_import(std::move(call), std::move(responder));
              });
}

}  // namespace kartei::daemon::api
