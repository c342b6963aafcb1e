// A small HTTP/1.1 server: GET and HEAD of pages that one function makes. One
// thread, one request per connection, and a limit on everything that a client
// controls: connections, bytes of a request, time.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// An address that a server listens at.
struct ListenAddress {
  std::string ip{};  // without brackets
  std::uint16_t port = 0;

  bool is_loopback() const;
  std::string Url() const;
};

// "127.0.0.1:9760", "[::1]:9760", "localhost:9760"; kUsage for other texts.
Result<ListenAddress> ParseListenAddress(std::string_view text);

struct HttpRequest {
  std::string path{};    // without its query, not decoded
  std::string accept{};  // the header
};

struct HttpAnswer {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string policy{};  // Content-Security-Policy; empty: nothing is allowed
  std::shared_ptr<const std::string> body{};  // null: `file`, or empty
  std::filesystem::path file{};
};

// Called in the server's thread.
using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;

struct HttpLimits {
  int connections = 32;
  std::uint32_t header_bytes = 16 << 10;
  double request_s = 5;  // to receive a request
  double answer_s = 60;  // to send an answer
};

class HttpServer {
 public:
  // Serves until it is destroyed. kSystem: the address is not available.
  static Result<std::unique_ptr<HttpServer>> Start(const ListenAddress& address,
                                                   HttpHandler handler,
                                                   HttpLimits limits = {});
  virtual ~HttpServer() = default;

  // With the chosen port if port 0 was requested.
  virtual ListenAddress address() const = 0;
};

}  // namespace rangefinder
