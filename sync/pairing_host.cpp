#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>

#include "sync/pairing_driver.h"
#include "sync/pairing_stream.h"

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct PairingHost::Impl : std::enable_shared_from_this<PairingHost::Impl> {
  using StreamPtr = std::shared_ptr<PairingStream>;

  // One wait for a newcomer. Its streams borrow from it and are closed before it goes.
  struct Wait {
    Wait(PairingOffer o, store::BoxId b, PairingSelf s)
        : offer(std::move(o)), box(b), self(std::move(s)) {}
    PairingOffer offer;
    store::BoxId box;
    PairingSelf self;
    std::list<StreamPtr> streams;
    StreamPtr chosen;       // its code was right
    bool answered = false;  // with a welcome or a refusal
  };

  Impl(asio::any_io_executor n, asio::any_io_executor o, Listener& l, Discovery& d,
       PairingLimits bounds, PairingHostCallbacks c, crypto::Random& r)
      : net(std::move(n)),
        owner(std::move(o)),
        listener(l),
        discovery(d),
        limits(bounds),
        callbacks(std::move(c)),
        random(r),
        timer(net) {}

  void offer(PairingOffer made, store::BoxId box, PairingSelf self, std::uint64_t for_generation);
  void accepted(tcp::socket socket);
  void on_event(const StreamPtr& stream, PairingEvent event);
  void on_failed(const StreamPtr& stream, const PairingFailed& failed);
  void close_wait();
  void end(PairingEnd how);
  void answer(const std::function<Status(PairingMember&)>& say);
  void conclude(const std::function<Status(PairingMember&)>& say);
  void say_waiting();
  void tell(std::function<void(const PairingHostCallbacks&)> what);

  asio::any_io_executor net, owner;
  Listener& listener;
  Discovery& discovery;
  const PairingLimits limits;
  const PairingHostCallbacks callbacks;
  crypto::Random& random;
  asio::steady_timer timer;
  std::unique_ptr<Wait> wait;
  std::uint64_t waiting_for = 0;             // the generation of `wait`
  std::atomic<std::uint64_t> generation{0};  // an offer or cancel() makes older news void
};

void PairingHost::Impl::tell(std::function<void(const PairingHostCallbacks&)> what) {
  asio::post(owner, [self = shared_from_this(), made = waiting_for, what = std::move(what)] {
    if (self->generation == made) what(self->callbacks);
  });
}

void PairingHost::Impl::offer(PairingOffer made, store::BoxId box, PairingSelf self,
                              std::uint64_t for_generation) {
  close_wait();
  waiting_for = for_generation;
  if (generation != for_generation) return;
  const Status listening =
      listener.open(StreamKind::kPairing,
                    [this](tcp::socket socket, const Bytes&) { accepted(std::move(socket)); });
  if (listening.has_error()) {
    return end(PairingFailed{PairingFailure::kRefused, listening.error().what});
  }
  timer.expires_after(std::chrono::milliseconds(made.expires_ms() - pairing_clock_ms()));
  timer.async_wait([me = shared_from_this()](error_code ec) {
    if (!ec && me->wait && !me->wait->chosen) {
      me->end(PairingFailed{PairingFailure::kExpired, {}});
    }
  });
  wait = std::make_unique<Wait>(std::move(made), box, std::move(self));
  BeaconTag session{};
  random.fill(session);
  // Without beacons the newcomer needs the address; that is no failure.
  (void)discovery.set_pairing(session);
}

void PairingHost::Impl::accepted(tcp::socket socket) {
  if (!wait || wait->streams.size() >= limits.connections_max) return;
  auto session = std::make_unique<PairingMember>(wait->offer, wait->box, wait->self, random);
  const auto stream = std::make_shared<PairingStream>(std::move(socket), std::move(session));
  stream->set_handler([this, weak = std::weak_ptr<PairingStream>(stream)](PairingEvent event) {
    if (const auto from = weak.lock()) on_event(from, std::move(event));
  });
  wait->streams.push_back(stream);
  stream->start(limits.step_timeout);
}

void PairingHost::Impl::on_event(const StreamPtr& stream, PairingEvent event) {
  if (std::holds_alternative<PairingConfirmed>(event)) {
    wait->chosen = stream;
    stream->expect(limits.step_timeout);
    listener.close(StreamKind::kPairing);
    (void)discovery.set_pairing(std::nullopt);
  } else if (auto* join = std::get_if<PairingJoin>(&event)) {
    stream->expect(limits.approval_timeout);
    tell([newcomer = std::move(join->newcomer)](const PairingHostCallbacks& to) {
      if (to.on_join) to.on_join(newcomer);
    });
  } else if (std::holds_alternative<PairingDone>(event)) {
    end(std::nullopt);
  } else if (auto* failed = std::get_if<PairingFailed>(&event)) {
    on_failed(stream, *failed);
  }
}

// A connection that fails is not yet the end of the wait: it is when it held the right code, or
// when no try is left.
void PairingHost::Impl::on_failed(const StreamPtr& stream, const PairingFailed& failed) {
  if (wait->chosen == stream) return end(failed);
  stream->close();
  wait->streams.remove(stream);
  if (wait->chosen) return;
  if (const auto refusal = wait->offer.refusal(pairing_clock_ms()))
    end(PairingFailed{*refusal, {}});
}

void PairingHost::Impl::close_wait() {
  if (!wait) return;
  timer.cancel();
  listener.close(StreamKind::kPairing);
  (void)discovery.set_pairing(std::nullopt);
  for (const auto& stream : wait->streams) stream->close();
  // Handlers of the streams may still be under way, but a closed one does not call its session
  // again.
  wait.reset();
}

void PairingHost::Impl::end(PairingEnd how) {
  close_wait();
  tell([how](const PairingHostCallbacks& to) {
    if (to.on_end) to.on_end(how);
  });
}

void PairingHost::Impl::answer(const std::function<Status(PairingMember&)>& say) {
  if (!wait || !wait->chosen) return;
  const auto stream = wait->chosen;
  auto& member = static_cast<PairingMember&>(stream->session());
  const Status said = say(member);
  stream->flush();
  if (said.has_error()) return end(PairingFailed{PairingFailure::kProtocol, said.error().what});
  if (member.closed()) end(PairingFailed{PairingFailure::kRefused, {}});
}

void PairingHost::Impl::conclude(const std::function<Status(PairingMember&)>& say) {
  if (wait && wait->chosen) wait->answered = true;
  answer(say);
}

// Again and again, so that the newcomer knows of a member that has gone.
void PairingHost::Impl::say_waiting() {
  if (wait && wait->answered) return;
  answer([](PairingMember& member) { return member.waiting(); });
  if (!wait || !wait->chosen) return;
  timer.expires_after(limits.reminder);
  timer.async_wait([me = shared_from_this()](error_code ec) {
    if (!ec) me->say_waiting();
  });
}

PairingHost::PairingHost(asio::any_io_executor net, asio::any_io_executor owner, Listener& listener,
                         Discovery& discovery, PairingLimits limits, PairingHostCallbacks callbacks,
                         crypto::Random& random)
    : impl_(std::make_shared<Impl>(std::move(net), std::move(owner), listener, discovery, limits,
                                   std::move(callbacks), random)) {}

PairingHost::~PairingHost() {
  ++impl_->generation;
  impl_->close_wait();
}

void PairingHost::offer(PairingCode code, std::chrono::seconds valid, store::BoxId box,
                        PairingSelf self) {
  const auto expires = pairing_clock_ms() + std::chrono::milliseconds(valid).count();
  const auto made = std::make_shared<std::pair<PairingOffer, PairingSelf>>(
      PairingOffer(std::move(code), expires), std::move(self));
  asio::post(impl_->net, [impl = impl_, made, box, generation = ++impl_->generation] {
    impl->offer(std::move(made->first), box, std::move(made->second), generation);
  });
}

void PairingHost::cancel() {
  ++impl_->generation;
  asio::post(impl_->net, [impl = impl_] { impl->close_wait(); });
}

void PairingHost::waiting() {
  asio::post(impl_->net, [impl = impl_] { impl->say_waiting(); });
}

void PairingHost::welcome(Bytes welcome) {
  asio::post(impl_->net, [impl = impl_, bytes = std::move(welcome)] {
    impl->conclude([&bytes](PairingMember& member) { return member.welcome(bytes); });
  });
}

void PairingHost::refuse(std::string why) {
  asio::post(impl_->net, [impl = impl_, why = std::move(why)] {
    impl->conclude([&why](PairingMember& member) { return member.refuse(why); });
  });
}

}  // namespace kartei::sync
