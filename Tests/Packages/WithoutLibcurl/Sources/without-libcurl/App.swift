import PledgeHTTPClients
import PledgeLibcurlTransport

/// Says how a call ends to a port at which nobody listens.
///
/// `.ci/run users` runs it once as it is, and once where libcurl is hidden.
@main
struct App {
    static func main() async {
        var client = HTTPClient(base: URL(string: "http://127.0.0.1:1"), over: CurlTransport())
        client.retry = nil
        do {
            print(try await client.networking(.init(path: "/a")).value)
        } catch {
            print(error)
        }
    }
}
