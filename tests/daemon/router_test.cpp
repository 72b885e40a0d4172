#include "daemon/api/router.h"

#include <gtest/gtest.h>

namespace kartei::daemon::api {
namespace {

struct KeepingSink final : ResponseSink {
  explicit KeepingSink(HttpResponse* to) : kept(to) {}
  void send(HttpResponse response) override { *kept = std::move(response); }
  std::shared_ptr<ResponseStream> stream(HttpResponse) override { return nullptr; }
  HttpResponse* kept;
};

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    router_.add(Method::kGet, "/v1/cards", {"limit"}, keep("list"));
    router_.add(Method::kPost, "/v1/cards", {}, keep("add"));
    router_.add(Method::kGet, "/v1/cards/{id}", {}, keep("one"));
    router_.add(Method::kGet, "/v1/cards/{id}/history", {}, keep("history"));
  }
  CallHandler keep(std::string name) {
    return [this, name](Call call, Responder) {
      hit_ = name;
      call_ = std::move(call);
    };
  }
  HttpResponse route(Method method, std::string target) {
    HttpResponse response;
    response.status = 0;
    hit_.clear();
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    router_.route(std::move(request), Responder(std::make_shared<KeepingSink>(&response)));
    return response;
  }
  Router router_;
  std::string hit_;
  Call call_;
};

TEST_F(RouterTest, FindsByMethodAndPattern) {
  route(Method::kGet, "/v1/cards");
  EXPECT_EQ(hit_, "list");
  route(Method::kPost, "/v1/cards");
  EXPECT_EQ(hit_, "add");
  route(Method::kGet, "/v1/cards/abc/history");
  EXPECT_EQ(hit_, "history");
  EXPECT_EQ(call_.path.at("id"), "abc");
}

TEST_F(RouterTest, DecodesNamesAndParameters) {
  route(Method::kGet, "/v1/cards/a%2Fb%20+c?box=my-box");
  EXPECT_EQ(hit_, "one");
  EXPECT_EQ(call_.path.at("id"), "a/b +c");
  EXPECT_EQ(call_.box, "my-box");
  route(Method::kGet, "/v1/cards?limit=5+0&");
  EXPECT_EQ(call_.parameter("limit"), "5 0");
}

TEST_F(RouterTest, UnknownPathsAndMethods) {
  EXPECT_EQ(route(Method::kGet, "/v1/nothing").status, 404);
  EXPECT_EQ(route(Method::kGet, "/").status, 404);
  EXPECT_EQ(route(Method::kGet, "").status, 404);
  EXPECT_EQ(route(Method::kGet, "/v1/cards/").status, 404);
  EXPECT_EQ(route(Method::kGet, "/a/b/c/d/e/f/g/h/i/j/k/l").status, 404);
  const auto answer = route(Method::kPut, "/v1/cards");
  EXPECT_EQ(answer.status, 405);
  ASSERT_EQ(answer.headers.size(), 1U);
  EXPECT_EQ(answer.headers[0].second, "GET, HEAD, POST");
}

TEST_F(RouterTest, UnknownParametersAreNamed) {
  const auto answer = route(Method::kGet, "/v1/cards?limti=5");
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.body.find("\"field\":\"limti\""), std::string::npos);
  EXPECT_EQ(hit_, "");
}

// They would be kept, and make every answer and export that holds them invalid JSON.
TEST_F(RouterTest, BytesThatAreNoTextAreRefused) {
  for (const char* target : {"/v1/cards/%ff", "/v1/cards/a%0ab", "/v1/cards/%C3",
                             "/v1/cards?limit=%fe", "/v1/cards?%ff=1", "/v1/cards/%7f"})
    EXPECT_EQ(route(Method::kGet, target).status, 400) << target;
  route(Method::kGet, "/v1/cards/%C3%A9");
  EXPECT_EQ(hit_, "one");
}

TEST_F(RouterTest, AnAppsNameIsText) {
  for (const std::string& name :
       {std::string("\xff\xfe"), std::string(257, 'a'), std::string("a\tb")}) {
    HttpResponse response;
    HttpRequest request;
    request.method = Method::kGet;
    request.target = "/v1/cards";
    request.app = name;
    hit_.clear();
    router_.route(std::move(request), Responder(std::make_shared<KeepingSink>(&response)));
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(hit_, "");
  }
}

TEST_F(RouterTest, BrokenEscapesAreRefused) {
  for (const char* target : {"/v1/cards/%", "/v1/cards/%4", "/v1/cards/%zz", "/v1/cards/%00",
                             "/v1/cards?limit=%f", "/v1/cards?%zz=1"})
    EXPECT_EQ(route(Method::kGet, target).status, 400) << target;
}

}  // namespace
}  // namespace kartei::daemon::api
