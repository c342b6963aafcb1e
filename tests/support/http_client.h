// A client that sends the bytes that a test gives it, well-formed or not.

#pragma once

#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/file.h"
#include "serve/http_server.h"

namespace rangefinder {

// Of a server on 127.0.0.1.
class HttpClient {
 public:
  explicit HttpClient(const ListenAddress& server)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // A failure is an empty answer.
    [[maybe_unused]] const int status =
        ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to);
  }

  HttpClient& Say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent =
          ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return *this;
  }

  // Until the server ends the connection.
  std::string Hear() {
    std::string text;
    char block[4096];
    while (true) {
      const ssize_t got = ::recv(socket_.get(), block, sizeof block, 0);
      if (got <= 0) return text;
      text.append(block, static_cast<std::size_t>(got));
    }
  }

 private:
  Descriptor socket_;
};

}  // namespace rangefinder
