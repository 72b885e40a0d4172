#include "tests/bench/devices.h"

#include "tests/harness/json_call.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kartei::bench {

namespace json = boost::json;

Result<std::unique_ptr<BenchDevice>> BenchDevice::start(const std::filesystem::path& karteid,
                                                        const std::string& kind, int port,
                                                        const std::vector<int>& peer_ports) {
  std::string peers;
  for (int peer : peer_ports)
    peers += (peers.empty() ? "\"127.0.0.1:" : ", \"127.0.0.1:") + std::to_string(peer) + "\"";
  KARTEI_ASSIGN(auto process, harness::DaemonProcess::start(
                                  karteid, kind,
                                  {"kind = \"" + kind + "\"",
                                   "listen = \"127.0.0.1:" + std::to_string(port) + "\"",
                                   "peers = [" + peers + "]"}));
  return std::unique_ptr<BenchDevice>(new BenchDevice(std::move(process), port));
}

Result<json::object> BenchDevice::call(std::string_view method, const std::string& target,
                                       const json::value& body) {
  return harness::json_call(client_, method, target, body);
}

Result<int> BenchDevice::status_of(std::string_view method, const std::string& target) {
  KARTEI_ASSIGN(const auto answer, client_.call(method, target));
  return answer.status;
}

Status BenchDevice::wait(const char* what, const std::function<Result<bool>()>& condition,
                         double seconds, std::chrono::milliseconds pause) {
  const auto began = Clock::now();
  for (;;) {
    KARTEI_ASSIGN(const bool holds, condition());
    if (holds) return {};
    if (us_since(began) > seconds * 1e6)
      return Error{Cause::kUnavailable, std::string("waited in vain: ") + what, {}};
    if (pause.count() > 0) ::poll(nullptr, 0, static_cast<int>(pause.count()));
  }
}

Result<int> free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool ok = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!ok) return Error{Cause::kIo, "no port is free on loopback", {}};
  return static_cast<int>(ntohs(address.sin_port));
}

Status pair(BenchDevice& member, BenchDevice& newcomer) {
  KARTEI_TRY(member.call("PUT", "/v1/sync", json::object{{"mode", "direct"}}));
  KARTEI_ASSIGN(const auto offer,
                member.call("POST", "/v1/pairing", json::object{{"seconds", 60}}));
  KARTEI_TRY(
      newcomer.call("POST", "/v1/pairing",
                    json::object{{"code", offer.at("code")},
                                 {"address", "127.0.0.1:" + std::to_string(member.port())}}));
  KARTEI_TRY(newcomer.wait("the newcomer belongs to the box", [&]() -> Result<bool> {
    KARTEI_ASSIGN(const auto state, newcomer.call("GET", "/v1/pairing"));
    return state.at("state").as_string() == "done";
  }));
  KARTEI_TRY(newcomer.call("PUT", "/v1/sync", json::object{{"mode", "direct"}}));
  return {};
}

Status share(BenchDevice& device, const std::string& drawer) {
  KARTEI_TRY(device.call("PATCH", "/v1/drawers/" + drawer,
                         json::object{{"shared", true}, {"create", true}}));
  return {};
}

}  // namespace kartei::bench
