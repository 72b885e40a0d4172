#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <set>

#include "sync/link_dial.h"
#include "sync/pairing_driver.h"
#include "sync/pairing_stream.h"

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kCandidatesMax = 16;
constexpr std::chrono::milliseconds kConnectTimeout{5'000};

}  // namespace

struct PairingGuest::Impl : std::enable_shared_from_this<PairingGuest::Impl> {
  struct Candidate {
    BeaconTag session{};
    tcp::endpoint where;
  };
  struct Search {
    Search(PairingCode c, std::string a, PairingSelf s)
        : code(std::move(c)), address(std::move(a)), self(std::move(s)) {}
    PairingCode code;
    std::string address;
    PairingSelf self;
    std::deque<Candidate> candidates;                    // to be tried
    std::set<std::pair<BeaconTag, tcp::endpoint>> seen;  // bounded by kCandidatesMax
    std::set<BeaconTag> asked;                           // has had its one guess
    BeaconTag asking{};
    int wrong = 0;
    std::shared_ptr<Dialler> dial;
    std::shared_ptr<PairingStream> stream;
    bool confirmed = false;
  };

  Impl(asio::any_io_executor n, asio::any_io_executor o, Discovery& d, PairingLimits bounds,
       PairingGuestCallbacks c, crypto::Random& r)
      : net(std::move(n)),
        owner(std::move(o)),
        discovery(d),
        limits(bounds),
        callbacks(std::move(c)),
        random(r),
        timer(net) {}

  void join(std::unique_ptr<Search> made, std::uint64_t for_generation);
  void found(const BeaconTag& session, const tcp::endpoint& where);
  void try_next();
  void dial();
  void connected(tcp::socket socket);
  void on_event(PairingEvent event);
  void on_failed(const PairingFailed& failed);
  void close_search();
  void end(PairingEnd how);
  void accepted(const Status& taken);
  void tell(std::function<void(const PairingGuestCallbacks&)> what);

  asio::any_io_executor net, owner;
  Discovery& discovery;
  const PairingLimits limits;
  const PairingGuestCallbacks callbacks;
  crypto::Random& random;
  asio::steady_timer timer;
  std::unique_ptr<Search> search;
  std::uint64_t searching_for = 0;
  std::atomic<std::uint64_t> generation{0};
};

void PairingGuest::Impl::tell(std::function<void(const PairingGuestCallbacks&)> what) {
  asio::post(owner, [self = shared_from_this(), made = searching_for, what = std::move(what)] {
    if (self->generation == made) what(self->callbacks);
  });
}

void PairingGuest::Impl::join(std::unique_ptr<Search> made, std::uint64_t for_generation) {
  close_search();
  searching_for = for_generation;
  if (generation != for_generation) return;
  search = std::move(made);
  if (!search->address.empty()) {
    if (const auto address = parse_address(search->address); address.has_error()) {
      return end(PairingFailed{PairingFailure::kNotFound, address.error().what});
    }
    search->dial = std::make_shared<Dialler>(net, kConnectTimeout);
    search->dial->add(search->address);
    return dial();
  }
  timer.expires_after(limits.search_timeout);
  timer.async_wait([me = shared_from_this()](error_code ec) {
    if (ec || !me->search || me->search->confirmed) return;
    const bool wrong = me->search->wrong > 0;
    me->end(PairingFailed{wrong ? PairingFailure::kWrongCode : PairingFailure::kNotFound, {}});
  });
  if (const Status heard = discovery.set_listening_for_pairing(true); heard.has_error()) {
    end(PairingFailed{PairingFailure::kNotFound, heard.error().what});
  }
}

void PairingGuest::Impl::found(const BeaconTag& session, const tcp::endpoint& where) {
  if (!search || !search->address.empty() || search->confirmed) return;
  if (search->seen.size() >= kCandidatesMax) return;
  if (!search->seen.emplace(session, where).second) return;
  search->candidates.push_back({session, where});
  if (!search->dial && !search->stream) try_next();
}

// Each wait that is announced gets one guess, whatever the addresses it is announced from.
void PairingGuest::Impl::try_next() {
  while (!search->candidates.empty()) {
    const Candidate next = search->candidates.front();
    search->candidates.pop_front();
    if (search->asked.count(next.session) != 0) continue;
    search->dial = std::make_shared<Dialler>(net, kConnectTimeout);
    search->dial->add(next.where);
    search->asking = next.session;
    return dial();
  }
}

void PairingGuest::Impl::dial() {
  const auto dialler = search->dial;  // it may be let go of from within
  dialler->next([this](std::optional<tcp::socket> socket) {
    if (socket) return connected(std::move(*socket));
    search->dial.reset();
    if (!search->address.empty()) {
      return end(PairingFailed{PairingFailure::kNotFound, "Nobody answers at this address."});
    }
    try_next();
  });
}

void PairingGuest::Impl::connected(tcp::socket socket) {
  search->asked.insert(search->asking);
  auto session = std::make_unique<PairingNewcomer>(search->code, search->self, random);
  search->stream = std::make_shared<PairingStream>(std::move(socket), std::move(session));
  search->stream->set_handler([this](PairingEvent event) { on_event(std::move(event)); });
  search->stream->start(limits.step_timeout);
}

void PairingGuest::Impl::on_event(PairingEvent event) {
  const auto stream = search->stream;
  if (std::holds_alternative<PairingConfirmed>(event)) {
    search->confirmed = true;
    timer.cancel();
    (void)discovery.set_listening_for_pairing(false);
    stream->expect(limits.step_timeout);
  } else if (auto* sponsor = std::get_if<PairingSponsor>(&event)) {
    // What is to come may take long: an approval, or a large box over a slow line.
    stream->expect_bytes(limits.silence_timeout);
    tell([found = std::move(*sponsor)](const PairingGuestCallbacks& to) {
      if (to.on_sponsor) to.on_sponsor(found);
    });
  } else if (std::holds_alternative<PairingWaiting>(event)) {
    tell([](const PairingGuestCallbacks& to) {
      if (to.on_waiting) to.on_waiting();
    });
  } else if (auto* welcome = std::get_if<PairingWelcome>(&event)) {
    tell([bytes = std::move(welcome->welcome)](const PairingGuestCallbacks& to) {
      if (to.on_welcome) to.on_welcome(bytes);
    });
  } else if (auto* failed = std::get_if<PairingFailed>(&event)) {
    on_failed(*failed);
  }
}

// Found by beacon, it may be somebody else's wait, or a trap: a few others are tried.
void PairingGuest::Impl::on_failed(const PairingFailed& failed) {
  if (search->confirmed || !search->address.empty()) return end(failed);
  search->stream->close();
  search->stream.reset();
  search->dial.reset();
  if (failed.failure == PairingFailure::kWrongCode && ++search->wrong >= kPairingAttempts) {
    return end(failed);
  }
  try_next();
}

void PairingGuest::Impl::accepted(const Status& taken) {
  if (!search || !search->stream) return;
  auto& newcomer = static_cast<PairingNewcomer&>(search->stream->session());
  if (!newcomer.welcomed()) return;
  if (taken.has_error()) return end(PairingFailed{PairingFailure::kRefused, taken.error().what});
  // The welcome is taken: even if the member does not hear of it any more, this device has joined.
  (void)newcomer.done();
  end(std::nullopt);
}

void PairingGuest::Impl::close_search() {
  if (!search) return;
  timer.cancel();
  (void)discovery.set_listening_for_pairing(false);
  if (search->dial) search->dial->cancel();
  if (search->stream) search->stream->close();
  search.reset();
}

void PairingGuest::Impl::end(PairingEnd how) {
  close_search();
  tell([how](const PairingGuestCallbacks& to) {
    if (to.on_end) to.on_end(how);
  });
}

PairingGuest::PairingGuest(asio::any_io_executor net, asio::any_io_executor owner,
                           Discovery& discovery, PairingLimits limits,
                           PairingGuestCallbacks callbacks, crypto::Random& random)
    : impl_(std::make_shared<Impl>(std::move(net), std::move(owner), discovery, limits,
                                   std::move(callbacks), random)) {}

PairingGuest::~PairingGuest() {
  ++impl_->generation;
  impl_->close_search();
}

void PairingGuest::join(PairingCode code, std::string address, PairingSelf self) {
  auto made = std::make_shared<std::unique_ptr<Impl::Search>>(
      std::make_unique<Impl::Search>(std::move(code), std::move(address), std::move(self)));
  asio::post(impl_->net, [impl = impl_, made, generation = ++impl_->generation] {
    impl->join(std::move(*made), generation);
  });
}

void PairingGuest::found(const BeaconTag& session, const tcp::endpoint& where) {
  asio::post(impl_->net, [impl = impl_, session, where] { impl->found(session, where); });
}

void PairingGuest::accepted(Status taken) {
  asio::post(impl_->net, [impl = impl_, taken = std::move(taken)] { impl->accepted(taken); });
}

void PairingGuest::cancel() {
  ++impl_->generation;
  asio::post(impl_->net, [impl = impl_] { impl->close_search(); });
}

}  // namespace kartei::sync
