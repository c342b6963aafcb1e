#include "serve/http_server.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace rangefinder {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::size_t kMostIgnored = std::size_t{1} << 20;

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long>(seconds * 1e3));
}

tcp::endpoint EndpointOf(const ListenAddress& address) {
  return {asio::ip::make_address(address.ip), address.port};
}

// Whether `host`, a Host header, names this machine itself: a page of another
// site whose name resolves to 127.0.0.1 must not read the answers.
bool IsOwnHost(std::string_view host) {
  if (const std::size_t colon = host.rfind(':');
      colon != host.npos && host.find(']', colon) == host.npos)
    host = host.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  asio::ip::make_address(host, error);
  return !error || AsciiLower(host) == "localhost";
}

// One request of one client.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const HttpHandler& handler,
             const HttpLimits& limits, bool own_host, int& open)
      : stream_(std::move(socket)),
        handler_(handler),
        limits_(limits),
        own_host_(own_host),
        open_(open) {
    ++open_;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { --open_; }

  void Start() {
    parser_.header_limit(limits_.header_bytes);
    parser_.body_limit(0);
    stream_.expires_after(Milliseconds(limits_.request_s));
    http::async_read_header(
        stream_, buffer_, parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) {
          self->OnRequest(error);
        });
  }

 private:
  void OnRequest(beast::error_code error) {
    if (error == http::error::header_limit) return Answer({.status = 431});
    if (error == http::error::body_limit || (!error && !parser_.is_done()))
      return Answer({.status = 413});  // a body
    if (!error) return Answer(AnswerOf(parser_.get()));
    // Otherwise the client left, was slow, or does not use HTTP.
    if (error.category() ==
            http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream)
      Answer({.status = 400});
  }

  HttpAnswer AnswerOf(const http::request<http::empty_body>& request) const {
    if (request.method() != http::verb::get &&
        request.method() != http::verb::head)
      return {.status = 405};
    const auto text = [](auto view) {
      return std::string(view.data(), view.size());
    };
    const std::string target = text(request.target());
    // Refuses another server's address and credentials in it.
    if (!target.starts_with('/')) return {.status = 400};
    if (own_host_ && !IsOwnHost(text(request[http::field::host])))
      return {.status = 403};
    return handler_({.path = target.substr(0, target.find_first_of("?#")),
                     .accept = text(request[http::field::accept])});
  }

  void Answer(HttpAnswer answer) {
    beast::file_posix file;
    if (answer.status == 200 && answer.body == nullptr) {
      file.native_handle(
          ::open(answer.file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
      if (!file.is_open()) answer = {.status = 404};
    }
    if (answer.status != 200) {
      const auto reason =
          http::obsolete_reason(static_cast<http::status>(answer.status));
      answer.body = std::make_shared<const std::string>(
          fmt::format("{}\n", std::string_view(reason.data(), reason.size())));
    }
    if (answer.body != nullptr)
      return Send<http::string_body>(answer,
                                     [&](auto& body) { body = *answer.body; });
    Send<http::file_body>(answer, [&](auto& body) {
      beast::error_code error;
      body.reset(std::move(file), error);
    });
  }

  template <typename Body, typename Fill>
  void Send(const HttpAnswer& answer, const Fill& fill) {
    auto response = std::make_shared<http::response<Body>>(
        static_cast<http::status>(answer.status), 11);
    response->set(http::field::content_type, answer.type);
    response->set("Content-Security-Policy",
                  answer.policy.empty() ? "default-src 'none'" : answer.policy);
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->set(http::field::cache_control, "no-store");
    if (answer.status == 405) response->set(http::field::allow, "GET, HEAD");
    response->keep_alive(false);
    fill(response->body());
    response->prepare_payload();
    const auto done = [self = shared_from_this(), response](
                          beast::error_code, std::size_t) { self->Finish(); };
    stream_.expires_after(Milliseconds(limits_.answer_s));
    if (parser_.get().method() == http::verb::head) {
      auto serializer =
          std::make_shared<http::response_serializer<Body>>(*response);
      http::async_write_header(
          stream_, *serializer,
          [serializer, done](beast::error_code error, std::size_t size) {
            done(error, size);
          });
      return;
    }
    http::async_write(stream_, *response, done);
  }

  // If a socket is closed with unread bytes of the client, the answer is lost.
  void Finish() {
    beast::error_code error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    stream_.expires_after(Milliseconds(1));
    if (!error) Ignore();
  }

  void Ignore() {
    buffer_.clear();
    stream_.async_read_some(
        buffer_.prepare(4096),
        [self = shared_from_this()](beast::error_code error, std::size_t size) {
          self->ignored_ += size;
          if (!error && self->ignored_ < kMostIgnored) self->Ignore();
        });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{};
  http::request_parser<http::empty_body> parser_{};
  const HttpHandler& handler_;
  const HttpLimits& limits_;
  const bool own_host_;
  int& open_;
  std::size_t ignored_ = 0;
};

// Everything except the constructor and destructor runs in its thread.
class BeastServer final : public HttpServer {
 public:
  BeastServer(HttpHandler handler, HttpLimits limits)
      : handler_(std::move(handler)), limits_(limits), acceptor_(context_) {}
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;
  ~BeastServer() override {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  ListenAddress address() const override { return address_; }

  Status Listen(const ListenAddress& address) {
    const tcp::endpoint endpoint = EndpointOf(address);
    // Programs that this process starts must not inherit its sockets.
    Descriptor listening(::socket(endpoint.protocol().family(),
                                  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                  0));
    const int yes = 1;
    if (!listening.valid() ||
        ::setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &yes,
                     sizeof yes) != 0 ||
        ::bind(listening.get(), endpoint.data(),
               static_cast<socklen_t>(endpoint.size())) != 0 ||
        ::listen(listening.get(), limits_.connections) != 0)
      return ErrnoError(address.Url(), "cannot listen there");
    boost::system::error_code error;
    acceptor_.assign(endpoint.protocol(), listening.Release(), error);
    const tcp::endpoint bound = acceptor_.local_endpoint(error);
    if (error) return Error(ErrorCode::kSystem, error.message());
    address_ = {.ip = address.ip, .port = bound.port()};
    Accept();
    thread_ = std::thread([this] { context_.run(); });
    return Ok();
  }

 private:
  void Accept() {
    acceptor_.async_wait(tcp::acceptor::wait_read,
                         [this](boost::system::error_code error) {
                           if (error) return;
                           AcceptOne();
                           Accept();
                         });
  }

  void AcceptOne() {
    Descriptor client(::accept4(acceptor_.native_handle(), nullptr, nullptr,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client.valid()) {
      // Without descriptors, the next one would fail at once.
      if (errno == EMFILE || errno == ENFILE)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return;
    }
    if (open_ >= limits_.connections) return;  // closes the client
    boost::system::error_code error;
    tcp::socket socket(context_);
    socket.assign(EndpointOf(address_).protocol(), client.Release(), error);
    if (error) return;
    std::make_shared<Connection>(std::move(socket), handler_, limits_,
                                 address_.is_loopback(), open_)
        ->Start();
  }

  const HttpHandler handler_;
  const HttpLimits limits_;
  ListenAddress address_{};
  int open_ = 0;  // declared before the context, whose end ends the connections
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  std::thread thread_{};
};

}  // namespace

bool ListenAddress::is_loopback() const {
  boost::system::error_code error;
  return asio::ip::make_address(ip, error).is_loopback();
}

std::string ListenAddress::Url() const {
  return ip.find(':') == ip.npos ? fmt::format("http://{}:{}/", ip, port)
                                 : fmt::format("http://[{}]:{}/", ip, port);
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  ListenAddress address;
  if (colon != text.npos) {
    std::string_view ip = text.substr(0, colon);
    if (ip.starts_with('[') && ip.ends_with(']'))
      ip = ip.substr(1, ip.size() - 2);
    else if (ip.find(':') != ip.npos)
      ip = "";  // ambiguous: a port, or a part of the address
    address.ip = ip == "localhost" ? "127.0.0.1" : ip;
    const auto port = ParseNumber<std::uint16_t>(text.substr(colon + 1));
    address.port = port.value_or(0);
    boost::system::error_code bad;
    asio::ip::make_address(address.ip, bad);
    if (port && !bad) return address;
  }
  return Error(ErrorCode::kUsage,
               fmt::format("{}: expected an address and a port, such as "
                           "127.0.0.1:9760 or [::1]:9760",
                           Printable(text)));
}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(
    const ListenAddress& address, HttpHandler handler, HttpLimits limits) {
  auto server = std::make_unique<BeastServer>(std::move(handler), limits);
  TRY(server->Listen(address));
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace rangefinder
