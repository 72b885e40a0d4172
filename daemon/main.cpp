// karteid: wires everything together, runs until SIGTERM or SIGINT. The only place that knows all
// the parts; each has one owner here, and they go in the reverse order.
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include "crypto/keyring/passphrase.h"
#include "crypto/random.h"
#include "daemon/api/api.h"
#include "daemon/api/local_socket.h"
#include "daemon/cli/daemon_options.h"
#include "daemon/embedders.h"
#include "daemon/hosts.h"
#include "daemon/key_desk.h"
#include "daemon/link_pairing.h"
#include "daemon/log.h"
#include "daemon/manager/model/model_secretary.h"
#include "daemon/network_links.h"
#include "daemon/version.h"
#include "daemon/vitals.h"
#include "store/meaning/mapped_file.h"

namespace kartei::daemon {
namespace {

// Memory of other people's words: no core dumps, no ptrace by other processes of the user.
void harden() {
  ::umask(0077);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);  // until there is something to read again
  store::survive_cut_files();
}

// What resolves a symbol at its first use saves the registers on the stack, and what is in them: a
// passphrase, perhaps. Our programs are linked so that it is done at the start, the system's
// libraries are not, but for this variable. Begins the program anew with it.
void resolve_symbols_now(char** arguments) {
  constexpr const char* kVariable = "LD_BIND_NOW";
  if (std::getenv(kVariable) != nullptr) return;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed || ::setenv(kVariable, "1", 1) != 0) return;
  ::execv(program.c_str(), arguments);
  // Not there any more, or replaced meanwhile: it goes on without.
}

constexpr std::int64_t kLockPatienceMs = 40'000;  // far longer than a call takes
constexpr std::int64_t kLookMs = 5;

struct Options {
  Paths paths;
  std::filesystem::path config_file;
  bool config_named = false;
};

// Everything that runs. Declared in the order in which it is built.
class Daemon {
 public:
  Daemon(Options options, Config config)
      : options_(std::move(options)),
        config_(std::move(config)),
        writer_(config_.get()->waiting),
        readers_("reader", kReaders, config_.get()->waiting),
        worker_("secretary", 1, config_.get()->boxes + 1),
        transfer_("transfer", 1, kExports),
        embedders_(*config_.get(), process_environment()),
        secretary_(make_rule_secretary(), {options_.paths.home, process_environment(), steady_ms,
                                           config_.get()->boxes + 1}),
        services_{loop_,  writer_, readers_,   worker_, transfer_, random_,
                  clock_, config_, secretary_, nullptr, {},        &embedders_},
        hosts_(options_.paths.home, services_),
        keys_(key_parts()) {
    services_.model = &secretary_;
  }

  Status start() {
    secretary_.reconfigure(config_.get()->secretary);
    KARTEI_TRY(keys_.open());
    if (!keys_.locked()) services_.data_key = keys_.data_key();
    KARTEI_ASSIGN(const int socket, api::listen_local(options_.paths.socket));
    network_ = std::make_unique<LinkNetwork>(loop_, writer_, options_.paths.home / "port",
                                             *config_.get(), random_, clock_);
    services_.network = network_.get();
    pairing_ = make_link_pairing(*network_, config_, random_);
    services_.on_admitted = [this](BoxHost& host, store::DeviceId device) {
      pairing_->admitted(host, device);
    };
    api::ApiParts parts{hosts_, services_, [this] { return server_->counts(); }, pairing_.get(),
                        &keys_};
    api_ = std::make_unique<api::Api>(std::move(parts));
    api::HttpLimits limits;
    limits.connections = config_.get()->connections;
    limits.peer_uid = ::geteuid();
    server_ = api::HttpServer::make(loop_.io(), socket, limits,
                                    [this](api::HttpRequest request, api::Responder responder) {
                                      api_->handle(std::move(request), std::move(responder));
                                    });
    return {};
  }

  // The error is one that it could not go on from.
  Status run() {
    const auto opened = std::make_shared<std::promise<void>>();
    auto is_open = opened->get_future();
    writer_.post_follow_up([this, opened] {
      open_first();
      opened->set_value();
    });
    // Nobody is served before there is something to say: a call would wait for the writer.
    while (is_open.wait_for(std::chrono::milliseconds(kLookMs)) == std::future_status::timeout &&
           !services_.encrypting->now()) {
    }
    try {
      loop_.run();
    } catch (const std::exception& error) {
      end_after_defect("loop", error.what());
    }
    if (stopper_.joinable()) stopper_.join();
    ::unlink(options_.paths.socket.c_str());
    if (failed_) return *failed_;
    spdlog::info("stopped");
    return {};
  }

  // Ends the threads in order where start() failed.
  void abandon() {
    stop_threads();
    loop_.stop();
    loop_.run();
  }

 private:
  // On the writer. It may take minutes until a box is encrypted: the loop serves meanwhile, and who
  // asks is told so.
  void open_first() {
    const Status opened = keys_.locked() ? lock_boxes() : hosts_.open_at_start();
    if (!opened) hosts_.lock(opened.error());
    loop_.post([this, opened] {
      if (opened) return opened_first();
      failed_ = opened.error();
      begin_stop();
    });
  }

  // From here on a signal ends it in order. Before, it ends at once: a step of the encryption that
  // is cut off is taken up again at the next start.
  void opened_first() {
    for (const int number : {SIGTERM, SIGINT}) loop_.on_signal(number, [this] { begin_stop(); });
    loop_.on_signal(SIGHUP, [this] { reread(); });
    spdlog::info("karteid {} answers at {}", version(), options_.paths.socket.string());
    if (store::to_ms(clock_.wall()) < api::kSaneClockMs)
      spdlog::warn("This device's clock says {}. Set the clock: turns are dated by it.",
                   store::format_rfc3339(clock_.wall()));
  }

  Status on_writer(std::function<Status()> work) {
    std::promise<Status> done;
    auto result = done.get_future();
    writer_.post_follow_up([&] { done.set_value(work()); });
    return result.get();
  }

  KeyDeskParts key_parts() {
    const auto service = [this](bool may_ask) -> std::unique_ptr<keyring::SecretService> {
      keyring::HelperOptions options{keyring::find_secret_service_helper()};
      options.may_ask = may_ask;
      options.given_up = [this] { return stopping_.load(); };
      return std::make_unique<keyring::HelperSecretService>(std::move(options));
    };
    return {options_.paths.home,
            random_,
            loop_,
            service,
            [this] { return keyring::stretch_for(config_.get()->kind == election::Kind::kPhone); },
            [this](const crypto::Secret& key) { return open_boxes(key); },
            [this](const Error&) { return close_boxes(); }};
  }

  Status open_boxes(const crypto::Secret& key) {
    return on_writer([this, &key] {
      services_.data_key = &key;
      hosts_.unlock();
      return hosts_.open_at_start();
    });
  }

  Status lock_boxes() {
    hosts_.lock(keys_.locked_error());
    services_.data_key = nullptr;
    secretary_.forget_key();
    return {};
  }

  // A call under way may have a box for a while. None waits for a client: exports are cut off.
  Status close_boxes() {
    KARTEI_TRY(on_writer([this] {
      pairing_->cancel();
      return lock_boxes();
    }));
    const std::int64_t until_ms = steady_ms() + kLockPatienceMs;
    while (!hosts_.all_gone()) {
      if (stopping_ || steady_ms() > until_ms)
        return Error{Cause::kUnavailable,
                     "The boxes are locked for every new call, but one that is under way still has "
                     "a box open. Stop karteid to be sure.",
                     {}};
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
    }
    ::malloc_trim(0);
    return {};
  }

  void stop_threads() {
    stopping_ = true;
    keys_.stop();
    embedders_.give_up();  // nobody is waited for that hangs
    secretary_.give_up();
    worker_.stop();
    secretary_.stop();
    readers_.stop();
    transfer_.stop();
    embedders_.stop();
    (void)on_writer([this]() -> Status {
      hosts_.close_all();
      if (network_) network_->stop();
      return {};
    });
    writer_.stop();
  }

  // The loop goes on meanwhile, so that answers under way still reach their clients.
  void begin_stop() {
    if (stopper_.joinable()) return;
    if (!failed_) spdlog::info("stopping");
    server_->close();
    stopper_ = std::thread([this] {
      stop_threads();
      loop_.post([this] { loop_.stop(); });
    });
  }

  void reread() {
    auto config = load_config(options_.config_file, options_.config_named);
    if (!config) {
      spdlog::error("the configuration stays as it was: {}", config.error().what);
      return;
    }
    set_log_level(config->log);
    embedders_.reconfigure(*config, process_environment());
    secretary_.reconfigure(config->secretary);
    config_.set(std::move(*config));
    writer_.post_follow_up([this] {
      network_->reconfigure(*config_.get());
      hosts_.for_each([](BoxHost& host) { host.reconfigure(); });
    });
    spdlog::info("the configuration was read again");
  }

  const Options options_;
  CurrentConfig config_;
  crypto::SystemRandom random_;
  SystemClock clock_;
  EventLoop loop_;
  WriterThread writer_;
  WorkQueue readers_, worker_, transfer_;
  Embedders embedders_;
  ModelSecretary secretary_;
  Services services_;
  Hosts hosts_;
  std::atomic<bool> stopping_{false};
  KeyDesk keys_;
  std::unique_ptr<LinkNetwork> network_;
  std::unique_ptr<PairingDesk> pairing_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<api::HttpServer> server_;
  std::optional<Error> failed_;  // the loop's thread
  std::thread stopper_;
};

int fail(const Error& error) {
  std::fprintf(stderr, "karteid: %s\n", error.what.c_str());
  return 1;
}

int run(Options options) {
  auto config = load_config(options.config_file, options.config_named);
  if (!config) return fail(config.error());
  start_log(config->log);
  store::prepare_store();
  if (!crypto::init()) return fail({Cause::kInternal, "libsodium does not work here.", {}});
  if (auto made = api::make_private_folder(options.paths.home); !made) return fail(made.error());
  auto lock = api::HomeLock::take(options.paths.home);
  if (!lock) return fail(lock.error());
  Daemon daemon(std::move(options), std::move(*config));
  if (auto started = daemon.start(); !started) {
    daemon.abandon();
    return fail(started.error());
  }
  if (const Status ran = daemon.run(); !ran) return fail(ran.error());
  return 0;
}

}  // namespace
}  // namespace kartei::daemon

int main(int argc, char** argv) {
  using namespace kartei::daemon;
  resolve_symbols_now(argv);
  harden();
  const cli::DaemonOptions asked = cli::read_daemon_options(argc, argv);
  if (asked.exit_code) return *asked.exit_code;
  auto paths = find_paths(process_environment());
  if (!paths) return fail(paths.error());
  Options options{std::move(*paths), {}, !asked.config_file.empty()};
  options.config_file =
      options.config_named ? std::filesystem::path(asked.config_file) : options.paths.config;
  return run(std::move(options));
}
