import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

/// A cache between a test and an origin, both controlled by the test, on a manual clock.
final class CacheBench: Sendable {
    /// An answer of the origin.
    struct Reply: Sendable {
        var status = 200
        var headers: HTTPHeaders = [:]
        /// The body; nil for the number of the request.
        var body: String?
        var url: URL?
        /// The delay of the answer, in seconds.
        var delay = 0
        /// Whether it has a Date if the headers have none.
        var isDated = true
        var failure: (any Error)?
        /// The future that the answer waits for.
        var gate: Future<Void>?
    }

    struct Lost: Error {}

    let scheduler = ManualScheduler()
    let cache: HTTPCache
    let store: MemoryCacheStore
    private let state = Locked(State())

    private struct State {
        var requests: [HTTPRequest] = []
        var replies: [Reply] = []
        var cancelled = 0
    }

    init(
        mode: HTTPCache.Mode = .private, replaysCookies: Bool = false, name: String? = nil,
        coalescesMisses: Bool = true, harmlessHeaders: [String] = ["Foo", "Bar", "Baz"],
        limit: Int = 1 << 20, largest: Int? = nil, folder: FolderCacheStore? = nil,
        wallOffset: Locked<Int64> = Locked(0), staleIfUnreachable: Duration? = nil,
        defaultLifetime: Duration? = nil
    ) {
        let scheduler = scheduler
        store = MemoryCacheStore(limit: limit, largest: largest)
        let used: any CacheStore = folder ?? store
        cache = HTTPCache(
            in: used, mode: mode, replaysCookies: replaysCookies, statusName: name,
            coalescesMisses: coalescesMisses, harmlessHeaders: harmlessHeaders,
            staleIfUnreachable: staleIfUnreachable, defaultLifetime: defaultLifetime,
            now: {
                Date(
                    secondsSince1970: CacheBench.start + wallOffset.withLock { $0 }
                        + scheduler.now.offset.components.seconds)
            }, on: scheduler)
    }

    /// A store in memory, or in a folder whose files are read at each use.
    static func folder(_ isInFolder: Bool) -> FolderCacheStore? {
        isInFolder ? FolderCacheStore(on: CrashingDisk(), memory: 1) : nil
    }

    /// 1 January 2028.
    static let start: Int64 = 1_830_297_600

    /// The date so many seconds after the beginning.
    static func date(_ seconds: some BinaryInteger) -> String {
        Date(secondsSince1970: start + Int64(seconds)).httpText
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var last: HTTPRequest? { requests.last }
    var cancelled: Int { state.withLock { $0.cancelled } }

    /// Sets the origin's answers from now on: these in order, then the last one again and again.
    func answers(_ replies: Reply...) { answers(replies) }

    /// The same.
    func answers(_ replies: [Reply]) { state.withLock { $0.replies = replies } }

    /// Sets the origin's answer from now on, with these headers.
    func answers(_ headers: HTTPHeaders, status: Int = 200, body: String? = nil) {
        answers(Reply(status: status, headers: headers, body: body))
    }

    func advance(_ seconds: Int) { scheduler.advance(by: .seconds(seconds)) }

    var origin: HTTPService {
        { [self] request in
            let (number, reply) = state.withLock { state in
                state.requests.append(request)
                let reply = state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
                return (state.requests.count, reply)
            }
            guard let gate = reply.gate else { return respond(reply, number) }
            return gate.flatMap { self.respond(reply, number) }
        }
    }

    private func respond(_ reply: Reply, _ number: Int) -> Future<HTTPResponse> {
        if reply.delay > 0 { advance(reply.delay) }
        if let failure = reply.failure { return Future(error: failure) }
        var headers = reply.headers
        if reply.isDated, headers["Date"] == nil {
            headers.set(
                Self.date(scheduler.now.offset.components.seconds - Int64(reply.delay)), for: "Date"
            )
        }
        let isEmpty = reply.status == 304
        let body = Data((isEmpty ? "" : reply.body ?? "\(number)").utf8)
        return Future(
            value: HTTPResponse(
                status: reply.status, headers: headers, body: body, url: reply.url))
    }

    var service: HTTPService { stack(.cache(sharing: cache), over: origin) }

    /// Sends a request.
    func send(
        _ method: HTTPMethod = .get, _ path: String = "/", _ headers: HTTPHeaders = [:]
    ) -> Future<HTTPResponse> {
        service(
            HTTPRequest(method, URL(string: "https://example.com\(path)")!, headers: headers))
    }

    /// Sends a request whose answer comes at once.
    @discardableResult
    func ask(
        _ method: HTTPMethod = .get, _ path: String = "/", _ headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        try #require(send(method, path, headers).result).get()
    }

    /// The body of the answer to a GET.
    func get(_ headers: HTTPHeaders = [:], _ path: String = "/") throws -> String {
        try ask(.get, path, headers).text
    }

    /// Whether a response with such headers is used again after a while.
    func reuses(
        _ headers: HTTPHeaders, status: Int = 200, after seconds: Int = 0,
        asked: HTTPHeaders = [:], asking: HTTPHeaders = [:]
    ) throws -> Bool {
        answers(Reply(status: status, headers: headers), Reply())
        let first = try ask(.get, "/", asked)
        advance(seconds)
        return try ask(.get, "/", asking).text == first.text
    }
}

/// Returns the body of a service's answer to a GET, which comes at once.
func ask(_ service: HTTPService, _ path: String) throws -> String {
    let request = HTTPRequest(.get, URL(string: "https://example.com\(path)")!)
    return try #require(service(request).result).get().text
}
