#include "daemon/link_pairing.h"

#include <spdlog/spdlog.h>

#include "daemon/network_links.h"
#include "sync/pairing_driver.h"

namespace kartei::daemon {
namespace {

class LinkPairing final : public PairingDesk {
 public:
  LinkPairing(LinkNetwork& network, CurrentConfig& config, crypto::Random& random)
      : network_(network),
        config_(config),
        random_(random),
        host_(network.net(), network.owner(), network.listener(), network.discovery(), {},
              host_callbacks(), random),
        guest_(network.net(), network.owner(), network.discovery(), {}, guest_callbacks(), random) {
    network.on_pairing([this](const sync::BeaconTag& session, boost::asio::ip::tcp::endpoint at) {
      guest_.found(session, at);
    });
  }

  Result<std::string> offer(std::shared_ptr<BoxHost> box, std::int64_t seconds) override {
    KARTEI_TRY(begin(box, "member", "offering"));
    const auto code = sync::PairingCode::generate(random_);
    host_.offer(code, std::chrono::seconds(seconds), box->engine().status(box->now()).box, self());
    network_.look_at_port();
    return code.text();
  }

  Status join(std::shared_ptr<BoxHost> box, const std::string& code,
              const std::string& address) override {
    auto parsed = sync::PairingCode::parse(code);
    if (!parsed) return bad_input(parsed.error().what, "code");
    if (box->engine().status(box->now()).members.size() > 1)
      return Error{Cause::kConflict,
                   "This box is shared with other devices already. Join with another box "
                   "(?box=NAME), or empty this one first.",
                   {}};
    KARTEI_TRY(begin(box, "newcomer", "joining"));
    address_ = address;
    guest_.join(*parsed, address, self());
    return {};
  }

  void cancel() override {
    if (!box_) return;
    host_.cancel();
    guest_.cancel();
    state_ = State{"failed", state_.role, state_.box, "The boxes were locked", state_.peer};
    newcomer_.reset();
    box_.reset();
    network_.look_at_port();
  }

  State state() const override { return state_; }
  std::uint16_t port() const override { return network_.port(); }
  // What kept the listener from its port has ended the offer by then.
  void when_reachable(std::function<void(Result<std::uint16_t>)> then) override {
    network_.when_listening([this, then = std::move(then)](std::uint16_t port) {
      if (port != 0) return then(port);
      then(Error{Cause::kUnavailable,
                 "No new device could reach this one" +
                     (state_.detail.empty() ? std::string(".") : ": " + state_.detail + ".") +
                     " Free the port, or name another one as `listen` in the configuration.",
                 {}});
    });
  }

  void admitted(BoxHost& box, store::DeviceId device) override {
    if (box_.get() != &box || newcomer_ != device || state_.role != "member") return;
    send_welcome();
  }

 private:
  sync::PairingSelf self() const { return {box_->identity().copy(), device_name(*config_.get())}; }

  Status begin(std::shared_ptr<BoxHost> box, const char* role, const char* name) {
    if (state_.name == "joining" || (state_.name == "waiting" && state_.role == "newcomer"))
      return Error{Cause::kConflict, "This device is joining a box just now.", {}};
    host_.cancel();
    box_ = std::move(box);
    newcomer_.reset();
    state_ = State{name, role, box_->name(), {}, {}};
    return {};
  }

  // ---- at the member
  sync::PairingHostCallbacks host_callbacks() {
    sync::PairingHostCallbacks callbacks;
    callbacks.on_join = [this](const sync::Newcomer& newcomer) { take_newcomer(newcomer); };
    callbacks.on_end = [this](const sync::PairingEnd& end) { ended("member", end); };
    return callbacks;
  }

  void take_newcomer(const sync::Newcomer& newcomer) {
    if (!box_) return host_.refuse("The offer is over.");
    newcomer_ = store::DeviceId{newcomer.keys.id()};
    state_.peer = newcomer.name;
    if (auto proposed = box_->engine().propose_member(newcomer, box_->now()); !proposed) {
      host_.refuse(proposed.error().what);
      box_->settle();
      return;
    }
    // Whoever pairs wants the two to speak: without links no approval could come, either.
    if (auto on = box_->set_sync(true); !on) spdlog::error("pairing: {}", on.error().what);
    if (box_->engine().is_member(*newcomer_)) {
      send_welcome();
    } else {
      state_.name = "waiting";
      state_.detail = "for the approval of a second device";
      host_.waiting();
    }
    box_->settle();
  }

  // Once: the newcomer is forgotten here, so that the news of its admission finds nobody to
  // welcome.
  void send_welcome() {
    const store::DeviceId newcomer = *newcomer_;
    newcomer_.reset();
    auto welcome = box_->engine().welcome(newcomer);
    if (!welcome) return host_.refuse(welcome.error().what);
    host_.welcome(std::move(*welcome));
  }

  // ---- at the newcomer
  sync::PairingGuestCallbacks guest_callbacks() {
    sync::PairingGuestCallbacks callbacks;
    callbacks.on_sponsor = [this](const sync::PairingSponsor& sponsor) {
      state_.peer = sponsor.name;
    };
    callbacks.on_waiting = [this] {
      state_.name = "waiting";
      state_.detail = "for the approval of a second device";
    };
    callbacks.on_welcome = [this](const Bytes& welcome) { take_welcome(welcome); };
    callbacks.on_end = [this](const sync::PairingEnd& end) { ended("newcomer", end); };
    return callbacks;
  }

  void take_welcome(const Bytes& welcome) {
    if (!box_) return guest_.accepted(Error{Cause::kUnavailable, "The box was closed.", {}});
    // First what it needs afterwards: cut off in between, it has joined and finds its sponsor
    // again.
    const bool on_before = box_->sync_on();
    Status taken = address_.empty() ? Status{} : box_->remember_address(address_);
    if (taken) taken = box_->set_sync(true);
    if (taken) taken = box_->take_welcome(welcome);
    if (!taken && !on_before) (void)box_->set_sync(false);
    box_->settle();
    guest_.accepted(std::move(taken));
  }

  void ended(const char* role, const sync::PairingEnd& end) {
    if (state_.role != role) return;
    network_.look_at_port();
    state_.detail.clear();
    if (!end) {
      state_.name = "done";
    } else {
      state_.name = "failed";
      state_.detail = end->what.empty() ? std::string(sync::text(end->failure)) : end->what;
      spdlog::warn("pairing failed: {}", state_.detail);
    }
    box_.reset();
  }

  LinkNetwork& network_;
  CurrentConfig& config_;
  crypto::Random& random_;
  State state_;
  std::shared_ptr<BoxHost> box_;  // while something is under way
  std::optional<store::DeviceId> newcomer_;
  std::string address_;
  sync::PairingHost host_;
  sync::PairingGuest guest_;
};

}  // namespace

std::unique_ptr<PairingDesk> make_link_pairing(LinkNetwork& network, CurrentConfig& config,
                                               crypto::Random& random) {
  return std::make_unique<LinkPairing>(network, config, random);
}

}  // namespace kartei::daemon
