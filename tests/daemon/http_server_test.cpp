#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <vector>

#include "daemon/api/problem.h"
#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;
using api::HttpLimits;
using api::HttpRequest;
using api::HttpResponse;
using api::Responder;

void echo(HttpRequest request, Responder responder) {
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = std::string(to_text(request.method)) + " " + request.target + " " + request.app +
                  " " + request.body;
  responder.send(std::move(response));
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  Served served(echo);
  RawClient client(served.socket());
  for (int i = 0; i < 3; ++i) {
    const auto answer =
        client.call("POST", "/a?b=" + std::to_string(i), "body", "X-Kartei-App: me\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a?b=" + std::to_string(i) + " me body");
  }
  EXPECT_EQ(served.server().counts().accepted, 1U);
  EXPECT_EQ(served.server().counts().requests, 3U);
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  // The first answer comes late, from another thread: the second must still come after it.
  std::vector<std::thread> threads;
  Served served([&](HttpRequest request, Responder responder) {
    threads.emplace_back([request = std::move(request), responder = std::move(responder)] {
      if (request.target == "/1") ::poll(nullptr, 0, 20);
      HttpResponse response;
      response.body = request.target;
      responder.send(std::move(response));
    });
  });
  RawClient client(served.socket());
  std::string bytes;
  for (int i = 1; i <= 20; ++i)
    bytes += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(bytes);
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(client.answer().body, "/" + std::to_string(i));
  served.stop();
  for (auto& thread : threads) thread.join();
}

TEST(HttpServer, AnAnswerDoesNotWaitForTheLoop) {
  std::promise<void> go_on;
  std::thread thread;
  Served* loop_of = nullptr;
  Served served([&](HttpRequest, Responder responder) {
    thread = std::thread([&, responder] {
      std::promise<void> busy;
      loop_of->loop().post([&] {
        busy.set_value();
        go_on.get_future().wait();
      });
      busy.get_future().wait();
      HttpResponse response;
      response.body = "at once";
      responder.send(std::move(response));
    });
  });
  loop_of = &served;
  RawClient client(served.socket());
  EXPECT_EQ(client.call("GET", "/").body, "at once");
  go_on.set_value();
  thread.join();
}

TEST(HttpServer, AnAnswerLargerThanTheSocketTakesArrivesWhole) {
  std::string body;
  for (int i = 0; body.size() < (4U << 20); ++i) body += std::to_string(i) + " ";
  std::vector<std::thread> threads;
  Served served([&](HttpRequest, Responder responder) {
    threads.emplace_back([&body, responder = std::move(responder)] {
      HttpResponse response;
      response.body = body;
      responder.send(std::move(response));
    });
  });
  RawClient client(served.socket());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.call("GET", "/").body == body);
  served.stop();
  for (auto& thread : threads) thread.join();
}

TEST(HttpServer, ConnectionCloseIsObeyed) {
  Served served(echo);
  RawClient client(served.socket());
  const auto answer = client.call("GET", "/", "", "Connection: close\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(client.hung_up());
}

TEST(HttpServer, MalformedRequestsGetAProblemDocument) {
  Served served(echo);
  for (const char* bytes :
       {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawClient client(served.socket());
    client.send(bytes);
    const auto answer = client.answer();
    EXPECT_EQ(answer.status, 400) << bytes;
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << bytes;
    EXPECT_NE(answer.body.find("urn:kartei:problem:malformed"), std::string::npos);
    EXPECT_TRUE(client.hung_up());
  }
  EXPECT_EQ(served.server().counts().requests, 0U);
}

TEST(HttpServer, AnOversizeBodyIsRefusedAndTheClientHearsIt) {
  HttpLimits limits;
  limits.body_bytes = 1000;
  Served served(echo, limits);
  {
    RawClient client(served.socket());
    EXPECT_EQ(client.call("POST", "/", std::string(1000, 'x')).status, 200);
    // Sends all of it before it reads: the answer must survive that.
    const auto answer = client.call("POST", "/", std::string(3 << 20, 'x'));
    EXPECT_EQ(answer.status, 413);
    EXPECT_NE(answer.body.find("1000 bytes"), std::string::npos);
  }
  RawClient chunked(served.socket());
  chunked.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" +
               std::string(2048, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.answer().status, 413);
}

TEST(HttpServer, LargeHeadersAreRefused) {
  Served served(echo);
  RawClient client(served.socket());
  client.send("GET / HTTP/1.1\r\nX-Long: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.answer().status, 431);
}

TEST(HttpServer, ASlowRequestTimesOutAndASilentConnectionDoesNot) {
  HttpLimits limits;
  limits.request_timeout_ms = 50;
  Served served(echo, limits);
  RawClient silent(served.socket());
  RawClient slow(served.socket());
  slow.send("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nx");
  EXPECT_TRUE(slow.hung_up());
  EXPECT_EQ(silent.call("GET", "/").status, 200);
}

TEST(HttpServer, AClientThatDoesNotReadIsCutOff) {
  HttpLimits limits;
  limits.write_timeout_ms = 50;
  Served served(
      [](HttpRequest, Responder responder) {
        HttpResponse response;
        response.body.assign(8 << 20, 'x');
        responder.send(std::move(response));
      },
      limits);
  RawClient client(served.socket());
  client.request("GET", "/");
  EXPECT_TRUE(eventually([&] {
    return served.server().counts().connections_now == 0 && served.server().counts().requests == 1;
  }));
}

TEST(HttpServer, TheOldestIdleConnectionMakesRoom) {
  HttpLimits limits;
  limits.connections = 2;
  Served served(echo, limits);
  RawClient first(served.socket()), second(served.socket());
  EXPECT_EQ(first.call("GET", "/").status, 200);
  EXPECT_EQ(second.call("GET", "/").status, 200);
  RawClient third(served.socket());
  EXPECT_EQ(third.call("GET", "/").status, 200);
  EXPECT_TRUE(first.hung_up());
  EXPECT_EQ(second.call("GET", "/").status, 200);
}

TEST(HttpServer, WhenAllAreBusyANewOneIsTurnedAway) {
  HttpLimits limits;
  limits.connections = 2;
  std::mutex mutex;
  std::vector<Responder> held;
  Served served(
      [&](HttpRequest, Responder responder) {
        std::lock_guard lock(mutex);
        held.push_back(std::move(responder));
      },
      limits);
  RawClient first(served.socket()), second(served.socket());
  first.request("GET", "/");
  second.request("GET", "/");
  ASSERT_TRUE(eventually([&] { return served.server().counts().requests == 2; }));
  RawClient third(served.socket());
  const auto answer = third.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  std::lock_guard lock(mutex);
  held.clear();  // and a dropped request is answered, too
  EXPECT_EQ(first.answer().status, 500);
}

TEST(HttpServer, OtherUsersAreTurnedAwayUnheard) {
  HttpLimits limits;
  limits.peer_uid = ::geteuid() + 1;
  Served served(echo, limits);
  RawClient client(served.socket());
  client.request("GET", "/");
  EXPECT_TRUE(client.hung_up());
  EXPECT_EQ(served.server().counts().requests, 0U);
  EXPECT_EQ(served.server().counts().refused, 1U);
}

TEST(HttpServer, ExpectContinueIsAnswered) {
  Served served(echo);
  RawClient client(served.socket());
  client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.answer().status, 100);
  client.send("ok");
  EXPECT_EQ(client.answer().body, "POST /  ok");
}

TEST(HttpServer, StreamsChunksThenTakesTheNextRequest) {
  Served served([](HttpRequest request, Responder responder) {
    if (request.target != "/stream") return echo(std::move(request), std::move(responder));
    HttpResponse head;
    head.content_type = "text/event-stream";
    auto stream = responder.stream(std::move(head));
    stream->write("one");
    stream->write("two, which is longer");
  });
  RawClient client(served.socket());
  client.request("GET", "/stream");
  const std::string all = client.take_until("0\r\n\r\n");
  EXPECT_NE(all.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_NE(all.find("3\r\none\r\n14\r\ntwo, which is longer\r\n0\r\n\r\n"), std::string::npos)
      << all;
  // Nothing of the stream may come before the next answer.
  client.request("GET", "/next");
  const RawAnswer next = client.answer();
  EXPECT_EQ(next.status, 200);
  EXPECT_EQ(next.body, "GET /next  ");
}

// A handler that gives its stream away, to be used from the test.
struct HandedOut {
  std::shared_ptr<api::ResponseStream> stream;
  std::atomic<bool> ready{false};
  Served served{[this](HttpRequest, Responder responder) {
    stream = responder.stream({});
    ready = true;
  }};

  // Asks, and waits until `text` has come.
  void ask(RawClient& client, const std::string& text) {
    client.request("GET", "/");
    ASSERT_TRUE(eventually([&] { return ready.load(); }));
    EXPECT_TRUE(stream->write(text));
    client.read_until(text);
  }
};

TEST(HttpServer, AStreamThatIsBrokenOffHasNoEnd) {
  HandedOut out;
  RawClient client(out.served.socket());
  out.ask(client, "half of it");
  out.stream->abort();
  EXPECT_FALSE(out.stream->write("more"));
  out.stream.reset();
  EXPECT_TRUE(client.hung_up());
  EXPECT_EQ(client.read_until("0\r\n\r\n").find("\r\n0\r\n"), std::string::npos);
}

TEST(HttpServer, AStreamNoticesThatItsClientIsGone) {
  HandedOut out;
  {
    RawClient client(out.served.socket());
    out.ask(client, "hello");
  }
  EXPECT_TRUE(eventually([&] { return !out.stream->open(); }));
  EXPECT_FALSE(out.stream->write("anybody?"));
  out.stream.reset();
}

// What another thread posts while the handler still runs overtakes what the handler posted.
TEST(HttpServer, AStreamsHeadGoesBeforeWhatIsWrittenMeanwhile) {
  std::shared_ptr<api::ResponseStream> stream;
  std::promise<void> handed_out;
  Served served([&](HttpRequest, Responder responder) {
    stream = responder.stream({});
    std::thread([&] { stream->write("early"); }).join();
    handed_out.set_value();
  });
  RawClient client(served.socket());
  client.request("GET", "/");
  handed_out.get_future().wait();
  EXPECT_TRUE(stream->write("late"));
  const std::string all = client.read_until("late");
  EXPECT_TRUE(all.starts_with("HTTP/1.1 200")) << all;
  EXPECT_LT(all.find("early"), all.find("late")) << all;
  stream.reset();
}

TEST(HttpServer, AStreamMayBeBrokenOffBeforeItBegan) {
  Served served([&](HttpRequest request, Responder responder) {
    if (request.target != "/stream") return echo(std::move(request), std::move(responder));
    auto stream = responder.stream({});
    std::thread([&] { stream->abort(); }).join();
  });
  RawClient client(served.socket());
  client.request("GET", "/stream");
  EXPECT_TRUE(client.hung_up());
  EXPECT_EQ(RawClient(served.socket()).call("GET", "/").status, 200);
}

TEST(HttpServer, AStreamThatIsNotReadIsBounded) {
  HttpLimits limits;
  limits.stream_backlog_bytes = 1 << 20;
  std::shared_ptr<api::ResponseStream> stream;
  std::atomic<bool> ready{false};
  Served served(
      [&](HttpRequest, Responder responder) {
        stream = responder.stream({});
        ready = true;
      },
      limits);
  RawClient client(served.socket());
  client.request("GET", "/");
  ASSERT_TRUE(eventually([&] { return ready.load(); }));
  std::size_t written = 0;
  while (written < 64 && stream->write(std::string(256 << 10, 'x'))) ++written;
  EXPECT_LT(written, 64U);
  bool told = false, open = true;
  stream->when_below(1, [&](bool is_open) {
    told = true;
    open = is_open;
  });
  EXPECT_TRUE(told);
  EXPECT_FALSE(open);
  stream.reset();
}

TEST(HttpServer, AProducerIsToldWhenItsClientHasRead) {
  HandedOut out;
  RawClient client(out.served.socket());
  out.ask(client, "begin");
  std::atomic<int> told{0};
  EXPECT_TRUE(out.stream->write(std::string(2 << 20, 'x') + "end"));
  out.stream->when_below(1, [&](bool open) { told = open ? 1 : 2; });
  out.served.catch_up();
  EXPECT_EQ(told, 0) << "the client has not read yet";
  client.read_until("end");
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  out.stream.reset();
}

TEST(HttpServer, AHeadIsAGetWithoutItsBody) {
  Served served(echo);
  RawClient client(served.socket());
  const std::string length = client.call("GET", "/a").header("Content-Length");
  client.request("HEAD", "/a");
  const std::string head = client.take_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
  EXPECT_NE(head.find("Content-Length: " + length + "\r\n"), std::string::npos) << head;
  // The next answer begins where the head ended.
  EXPECT_EQ(client.call("GET", "/b").body, "GET /b  ");
}

TEST(HttpServer, AHeadOfAStreamOrOfAnErrorHasNoBodyEither) {
  Served served([](HttpRequest request, Responder responder) {
    if (request.target == "/error") return responder.send(api::problem(404, "not-found", "No."));
    if (request.target != "/stream") return echo(std::move(request), std::move(responder));
    EXPECT_EQ(responder.stream({}), nullptr);
  });
  RawClient client(served.socket());
  for (const char* target : {"/stream", "/error"}) {
    client.request("HEAD", target);
    const std::string head = client.take_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 ")) << head;
    EXPECT_EQ(client.call("GET", "/b").body, "GET /b  ") << target;
  }
}

TEST(HttpServer, ABodyInACodingThatIsNotKnownIsRefused) {
  Served served(echo);
  for (const char* coding :
       {"gzip", "chunked, gzip", "gzip, chunked", "chunked, chunked", "chunked;x=1", "xchunked",
        "identity", "chunked\r\nTransfer-Encoding: chunked"}) {
    RawClient client(served.socket());
    client.send(std::string("POST /a HTTP/1.1\r\nTransfer-Encoding: ") + coding +
                "\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n");
    const auto answer = client.answer();
    EXPECT_TRUE(answer.status == 501 || answer.status == 400) << coding << answer.status;
    EXPECT_TRUE(client.hung_up()) << coding;
  }
  EXPECT_EQ(served.server().counts().requests, 0U);
  RawClient old(served.socket());
  old.send("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  EXPECT_EQ(old.answer().status, 400);
  RawClient good(served.socket());
  good.send(
      "POST /a HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=1\r\nok\r\n0\r\nT: 1\r\n\r\n");
  EXPECT_EQ(good.answer().body, "POST /a  ok");
}

// Sends `part` again and again, up to 64 MB, and gives what came back. The server must not read on.
RawAnswer flood(Served& served, const std::string& begin, const std::string& part) {
  RawClient client(served.socket());
  client.send(begin);
  std::size_t sent = 0;
  while (sent < (64 << 20) && client.send(part)) sent += part.size();
  EXPECT_LT(sent, std::size_t{32} << 20);
  return client.answer();
}

TEST(HttpServer, WhatFramesABodyIsBounded) {
  Served served(echo);
  const std::string begin = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string text(8'000, 'x');
  // One extension without an end; many small ones; a trailer without an end, and one of many lines.
  EXPECT_EQ(flood(served, begin + "1;x=", text).status, 413);
  EXPECT_EQ(flood(served, begin, "1;x=" + text + "\r\ny\r\n").status, 413);
  EXPECT_EQ(flood(served, begin + "0\r\nX: ", text).status, 413);
  EXPECT_EQ(flood(served, begin + "0\r\n", "X: " + text + "\r\n").status, 413);
  EXPECT_EQ(served.server().counts().requests, 0U);
}

TEST(HttpServer, WhatIsSaidInATrailerNamesNobody) {
  Served served(echo);
  RawClient client(served.socket());
  client.send(
      "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nok\r\n0\r\nX-Kartei-App: other\r\n\r\n");
  EXPECT_EQ(client.answer().body, "POST /a  ok");
}

TEST(HttpServer, HalfSentRequestsDoNotLockOthersOut) {
  HttpLimits limits;
  limits.connections = 4;
  for (const char* half :
       {"GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"}) {
    Served served(echo, limits);
    std::vector<std::unique_ptr<RawClient>> slow;
    for (int i = 0; i < 4; ++i) {
      slow.push_back(std::make_unique<RawClient>(served.socket()));
      slow.back()->send(half);
    }
    ASSERT_TRUE(eventually([&] { return served.server().counts().connections_now == 4; }));
    // The last of them must have been read from, or it would go first, as an idle one.
    served.catch_up();
    RawClient other(served.socket());
    EXPECT_EQ(other.call("GET", "/").status, 200);
    EXPECT_EQ(slow[0]->answer().status, 503) << "the oldest makes room, and is told why";
    EXPECT_EQ(served.server().counts().connections_now, 4U);
  }
}

TEST(HttpServer, AHeaderHasLessTimeThanABody) {
  HttpLimits limits;
  limits.header_timeout_ms = 50;
  Served served(echo, limits);
  RawClient slow(served.socket()), body(served.socket());
  body.send("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n");
  slow.send("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(slow.hung_up());
  body.send("ok");
  EXPECT_EQ(body.answer().body, "POST /  ok");
}

TEST(HttpServer, AnswersThatNobodyReadsDoNotLockOthersOut) {
  HttpLimits limits;
  limits.connections = 2;
  limits.unread_ms = 50;
  Served served(
      [](HttpRequest request, Responder responder) {
        HttpResponse response;
        response.body.assign(request.target == "/large" ? 8 << 20 : 1, 'x');
        responder.send(std::move(response));
      },
      limits);
  RawClient first(served.socket()), second(served.socket());
  first.request("GET", "/large");
  second.request("GET", "/large");
  ASSERT_TRUE(eventually([&] { return served.server().counts().requests == 2; }));
  EXPECT_TRUE(eventually([&] {
    RawClient third(served.socket());
    return third.call("GET", "/").status == 200;
  }));
}

}  // namespace
}  // namespace kartei::daemon
