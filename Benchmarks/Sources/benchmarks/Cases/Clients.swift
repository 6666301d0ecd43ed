import Foundation
import PledgeAdmission
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeObservation
import PledgeServices
import PledgeStorage
import PledgeTesting
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Case {
    /// The cost of a new client around a transport that answers at once.
    static let clientWithDefaults = Case(
        name: "POST of JSON, client with its defaults",
        ways: [
            Way("Pledge") { posts($0) { HTTPClient(base: server, over: $0).futures.send } },
            Way("bare transport") { posts($0) { $0.send } },
        ]
    )

    /// The cost of a new client with every part in use, except the log.
    static let clientWithAllSlots = Case(
        name: "POST of JSON, client with all slots",
        ways: [
            Way("Pledge") { posts($0) { clientWithAll(over: $0).futures.send } },
            Way("bare transport") { posts($0) { $0.send } },
        ]
    )
}

extension Case {
    /// The cost of a stored response of 8 KiB, one of a hundred URLs, for a client with its defaults.
    static let cacheHit = Case(
        name: "GET answered by the cache",
        ways: [
            Way(
                "folder, each file read", at: 1, over: { CachingClient(inFolder: 1) },
                closing: { $0.remove() }
            ) { try await $0.get() },
            Way(
                "folder", at: 1, over: { CachingClient(inFolder: 8 << 20) },
                closing: { $0.remove() }
            ) { try await $0.get() },
            Way("memory", at: 1, over: { CachingClient(HTTPCache()) }, closing: { $0.remove() }) {
                try await $0.get()
            },
            Way("URLCache on disk", at: 1, over: { DiskCache() }, closing: { $0.remove() }) {
                $0.get()
            },
        ]
    )
}

/// A client whose server answers each URL once, and whose cache answers from then on.
private final class CachingClient: Sendable {
    private let client: HTTPClient
    private let folder: URL?
    private let count = Atomic(0)

    init(_ cache: HTTPCache, _ folder: URL? = nil) {
        var client = HTTPClient(base: server, over: CacheableServer())
        client.cache = cache
        self.client = client
        self.folder = folder
        for number in 0..<100 {
            _ = client.futures.send(HTTPRequest(.get, Self.url(number)))
        }
        let written = DispatchSemaphore(value: 0)
        cache.flush().observe { _ in written.signal() }
        written.wait()
    }

    convenience init(inFolder memory: Int) {
        let folder = temporaryFolder()
        self.init(HTTPCache(folder: folder, memory: memory), folder)
    }

    func get() async throws -> HTTPResponse {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue % 100
        return try await client.send(HTTPRequest(.get, Self.url(number)))
    }

    func remove() { folder.map { try? FileManager.default.removeItem(at: $0) } }

    private static func url(_ number: Int) -> URL { server.appending(path: "items/\(number)") }
}

/// A server whose answers of 8 KiB stay fresh.
private struct CacheableServer: HTTPTransport {
    private let answer = HTTPResponse(
        status: 200, headers: ["Cache-Control": "max-age=1000000"],
        body: Data(repeating: 7, count: 8_192))

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> { Future(value: answer) }
}

/// Foundation's cache, which only looks a stored response up.
private final class DiskCache: Sendable {
    private let cache: URLCache
    private let folder = temporaryFolder()
    private let requests: [URLRequest]
    private let count = Atomic(0)

    init() {
        cache = URLCache(memoryCapacity: 0, diskCapacity: 256 << 20, diskPath: folder.path)
        requests = (0..<100).map { URLRequest(url: server.appending(path: "items/\($0)")) }
        let body = Data(repeating: 7, count: 8_192)
        for request in requests {
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: ["Cache-Control": "max-age=1000000"])!
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: body), for: request)
        }
    }

    func get() -> CachedURLResponse? {
        cache.cachedResponse(
            for: requests[count.wrappingAdd(1, ordering: .relaxed).newValue % 100])
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}

private func temporaryFolder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "pledge-\(UUID())")
}

private let server = URL(string: "https://api.example.com")!

private let orders = URL(string: "https://api.example.com/orders")!

private struct Order: Encodable {
    let id: Int
    let items = ["pen", "ink", "paper"]
}

private func posts(_ count: Int, _ makeService: (MemoryTransport) -> HTTPService) {
    let service = opaque(
        makeService(MemoryTransport(routes: [.post("/orders", answer: .text("ok"))])))
    for index in 0..<count {
        let body = try! HTTPRequest.Body.json(Order(id: index))
        keep(service(HTTPRequest(.post, orders, body: body)))
    }
}

private func clientWithAll(over transport: MemoryTransport) -> HTTPClient {
    var client = HTTPClient(base: server, over: transport)
    client.headers = ["Accept": "application/json"]
    client.authorization = .bearer("token")
    client.cookies = CookieJar()
    client.cache = HTTPCache()
    client.sendsIdempotencyKeys = true
    client.hedge = .perOrigin(Hedge())
    client.circuitBreaker = .perOrigin(CircuitBreaker())
    client.bulkhead = .perOrigin(Bulkhead())
    client.deadline = .seconds(60)
    client.acceptedStatuses = 200...299
    client.observers = [ServiceMetrics().observer]
    return client
}
