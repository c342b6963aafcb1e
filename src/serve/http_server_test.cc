#include "serve/http_server.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/http_client.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

const ListenAddress kLoopback{.ip = "127.0.0.1", .port = 0};

// Answers with the path, or with a file.
HttpAnswer Echo(const HttpRequest& request) {
  if (request.path == "/none") return {.status = 404};
  if (request.path.starts_with("/file"))
    return {.policy = "script-src 'none'", .file = request.path.substr(5)};
  return {.body = std::make_shared<const std::string>(request.path + "\n" +
                                                      request.accept)};
}

std::string Ask(const HttpServer& server, const std::string& request) {
  return HttpClient(server.address()).Say(request).Hear();
}

std::string Get(const HttpServer& server, const std::string& target) {
  return Ask(server, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

TEST(ListenAddress, IsAnAddressAndAPort) {
  EXPECT_EQ(ParseListenAddress("127.0.0.1:9760").value().Url(),
            "http://127.0.0.1:9760/");
  EXPECT_EQ(ParseListenAddress("[::1]:80").value().Url(), "http://[::1]:80/");
  EXPECT_TRUE(ParseListenAddress("[::1]:80").value().is_loopback());
  EXPECT_TRUE(ParseListenAddress("localhost:80").value().is_loopback());
  EXPECT_FALSE(ParseListenAddress("0.0.0.0:80").value().is_loopback());
  for (const char* text : {"", ":", "9760", ":9760", "::1:80", "127.0.0.1",
                           "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                           "127.0.0.1:80x", "[::1]", "a:80"})
    EXPECT_FALSE(ParseListenAddress(text).ok()) << text;
}

TEST(HttpServer, AnswersGetAndHead) {
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  EXPECT_THAT(
      Ask(*server,
          "GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9760\r\nAccept: "
          "text/plain\r\n\r\n"),
      AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
            HasSubstr("Content-Security-Policy: default-src 'none'\r\n"),
            HasSubstr("X-Content-Type-Options: nosniff\r\n"),
            EndsWith("\r\n\r\n/metrics\ntext/plain")));
  EXPECT_THAT(Ask(*server, "HEAD /metrics HTTP/1.1\r\nHost: [::1]:1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                    HasSubstr("Content-Length: 9\r\n"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(Get(*server, "/none"), StartsWith("HTTP/1.1 404 "));
}

TEST(HttpServer, SendsFilesOfAnySize) {
  const TempDir folder;
  const std::string large(3 << 20, 'x');
  std::ofstream(folder / "large") << large;
  std::ofstream(folder / "empty");
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  const std::string got = Get(*server, "/file" + (folder / "large").string());
  EXPECT_THAT(got.substr(0, 300),
              HasSubstr("Content-Security-Policy: script-src 'none'\r\n"));
  EXPECT_TRUE(got.ends_with("\r\n\r\n" + large));
  EXPECT_THAT(Get(*server, "/file" + (folder / "empty").string()),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Get(*server, "/file" + (folder / "none").string()),
              StartsWith("HTTP/1.1 404 "));
  std::filesystem::create_symlink("large", folder / "link");
  EXPECT_THAT(Get(*server, "/file" + (folder / "link").string()),
              StartsWith("HTTP/1.1 404 "));
}

TEST(HttpServer, RefusesOtherRequests) {
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  const std::string host = "Host: localhost\r\n";
  for (const auto& [request, status] :
       std::vector<std::pair<std::string, std::string>>{
           {"POST / HTTP/1.1\r\n" + host + "\r\n", "405"},
           {"DELETE / HTTP/1.1\r\n" + host + "\r\n", "405"},
           {"GET / HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhello",
            "413"},
           {"GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n",
            "413"},
           {"GET http://me:secret@localhost/ HTTP/1.1\r\n" + host + "\r\n",
            "400"},
           {"GET / HTTP/9.9\r\n\r\n", "400"},
           {"\x16\x03\x01\x02\x00\x01 TLS\r\n\r\n", "400"},
           {"GET /\x01 HTTP/1.1\r\n\r\n", "400"},
           // A page of another site whose name leads here.
           {"GET / HTTP/1.1\r\nHost: evil.example:9760\r\n\r\n", "403"},
           {"GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", "403"},
           {"GET / HTTP/1.1\r\n\r\n", "403"}})
    EXPECT_THAT(Ask(*server, request), StartsWith("HTTP/1.1 " + status))
        << request;
}

TEST(HttpServer, RefusesHugeRequests) {
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  const std::string huge(100000, 'a');
  EXPECT_THAT(Get(*server, "/" + huge), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Ask(*server, "GET / HTTP/1.1\r\nX: " + huge + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 5000; ++i) many += "a: b\r\n";
  EXPECT_THAT(Ask(*server, many + "\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Get(*server, "/after"), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, DropsSlowClientsAndServesOthers) {
  const auto server =
      HttpServer::Start(kLoopback, Echo, {.request_s = 0.5}).value();
  const auto begin = Clock::now();
  HttpClient slow(server->address()), silent(server->address());
  slow.Say("GET / HT");
  EXPECT_THAT(Get(*server, "/other"), EndsWith("\r\n\r\n/other\n"));
  EXPECT_LT(SecondsSince(begin), 0.5);
  // A byte now and then does not lengthen the time.
  while (SecondsSince(begin) < 1.5) {
    slow.Say("T");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_THAT(slow.Hear(), IsEmpty());
  EXPECT_THAT(silent.Hear(), IsEmpty());
}

TEST(HttpServer, DropsClientsThatDoNotRead) {
  const TempDir folder;
  std::ofstream(folder / "large") << std::string(32 << 20, 'x');
  const auto server =
      HttpServer::Start(kLoopback, Echo, {.connections = 1, .answer_s = 0.5})
          .value();
  HttpClient deaf(server->address());
  deaf.Say("GET /file" + (folder / "large").string() +
           " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string answer;
  const auto begin = Clock::now();
  while (answer.empty() && SecondsSince(begin) < 20) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    answer = Get(*server, "/after");
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_LT(deaf.Hear().size(), std::size_t{32} << 20);
}

TEST(HttpServer, LimitsItsClients) {
  const auto server =
      HttpServer::Start(kLoopback, Echo, {.connections = 4}).value();
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 4; ++i)
    clients.push_back(std::make_unique<HttpClient>(server->address()));
  EXPECT_THAT(Get(*server, "/one/too/many"), IsEmpty());
  for (auto& client : clients)
    client->Say("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (auto& client : clients)
    EXPECT_THAT(client->Hear(), EndsWith("\r\n\r\n/x\n"));
}

TEST(HttpServer, AnswersClientsAtTheSameTime) {
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        if (Get(*server, "/x").ends_with("\r\n\r\n/x\n")) ++answered;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 400);
}

TEST(HttpServer, KeepsItsSocketsFromOtherPrograms) {
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  HttpClient client(server->address());
  EXPECT_THAT(Get(*server, "/x"), Not(IsEmpty()));  // the first is accepted
  int sockets = 0;
  for (int fd = 0; fd < 256; ++fd) {
    sockaddr_in name{};
    socklen_t size = sizeof name;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0 ||
        ntohs(name.sin_port) != server->address().port)
      continue;
    ++sockets;
    EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC) << fd;
  }
  EXPECT_GE(sockets, 2);  // that listens, and the client's
}

TEST(HttpServer, ReportsWhyItCannotListen) {
  const auto server = HttpServer::Start(kLoopback, Echo).value();
  const auto second = HttpServer::Start(server->address(), Echo);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), ErrorCode::kSystem);
  EXPECT_THAT(second.error().message(),
              AllOf(HasSubstr(server->address().Url()), HasSubstr("in use")));
}

TEST(HttpServer, EndsWithClientsConnected) {
  auto server = HttpServer::Start(kLoopback, Echo).value();
  HttpClient client(server->address());
  client.Say("GET /");
  server.reset();
  EXPECT_THAT(client.Hear(), IsEmpty());
}

}  // namespace
}  // namespace rangefinder
