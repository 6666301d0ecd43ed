// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Guides/Caching.md.
@Suite struct CachingExamples {
    // snippet: prices
    let prices = URL(string: "https://shop.example/prices")!
    // end snippet

    /// An origin that answers so, and writes down that it was asked.
    private func origin(
        _ headers: HTTPHeaders, _ lines: ExampleLog
    ) -> HTTPService {
        { request in
            lines.add("\(request.method)")
            return Future(value: HTTPResponse(status: 200, headers: headers))
        }
    }

    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (HTTPMethod) -> Void = { lines.add("\($0)") }
        // snippet: usage
        let origin: HTTPService = { request in
            print(request.method)
            return Future(
                value: HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=60"]))
        }
        let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
        let service = stack(.cache(sharing: cache), .retry(), over: origin)

        _ = service(HTTPRequest(.get, prices))
        _ = service(HTTPRequest(.get, prices))
        // end snippet
        #expect(lines.lines == ["GET"])
        // snippet: forget
        cache.remove(prices)
        cache.remove(under: URL(string: "https://shop.example/orders")!)
        cache.remove(account: "account 7")
        cache.removeExpired()
        cache.clear()
        // end snippet
        _ = service(HTTPRequest(.get, prices))
        #expect(lines.lines == ["GET", "GET"])
    }

    @Test func defaultLifetime() {
        let lines = ExampleLog()
        // snippet: default-lifetime
        let cache = HTTPCache(defaultLifetime: .seconds(300))
        // end snippet
        let service = stack(.cache(sharing: cache), over: origin([:], lines))
        _ = [service(HTTPRequest(.get, prices)), service(HTTPRequest(.get, prices))]
        #expect(lines.lines.count == 1)
    }

    @Test func users() throws {
        let lines = ExampleLog()
        let origin: HTTPService = { request in
            let condition = request.headers["If-None-Match"]
            lines.add("\(request.headers["Authorization"] ?? "-") \(condition ?? "-")")
            return Future(
                value: HTTPResponse(
                    status: condition == nil ? 200 : 304,
                    headers: ["Cache-Control": "no-cache", "ETag": "\"1\""]))
        }
        // snippet: users
        let refresher = TokenRefresher(AccessToken("old")) { _ in
            Future(value: AccessToken("new"))
        }
        let cache = HTTPCache()
        let service = stack(
            .redirect(),
            .authorize(.bearer(from: refresher), for: .origins(of: prices)),
            .cache(sharing: cache),
            .retry(),
            over: origin)

        _ = service(HTTPRequest(.get, prices))
        refresher.refresh().observe { _ in
            _ = service(HTTPRequest(.get, prices))  // The new token confirms what is stored.
        }
        // end snippet
        #expect(lines.lines == ["Bearer old -", "Bearer new \"1\""])
        #expect(cache.statistics.confirmations == 1)
    }

    @Test func signOut() async throws {
        let lines = ExampleLog()
        let refresher = TokenRefresher(AccessToken("token")) { $0 }
        let cache = HTTPCache()
        let service = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: prices), as: "account 7"),
            .cache(sharing: cache), over: origin(["Cache-Control": "max-age=60"], lines))
        _ = service(HTTPRequest(.get, prices))
        #expect(try await cache.storedURLs.value == [prices])
        // snippet: sign-out
        refresher.signOut()
        try await cache.remove(account: "account 7").value
        // end snippet
        #expect(try await cache.storedURLs.value == [])
    }

    @Test func harmless() {
        let lines = ExampleLog()
        // snippet: harmless
        let cache = HTTPCache(harmlessHeaders: ["X-Theme", "X-Request-Start"])
        // end snippet
        let service = stack(
            .cache(sharing: cache), over: origin(["Cache-Control": "max-age=60"], lines))
        for theme in ["light", "dark"] {
            _ = service(HTTPRequest(.get, prices, headers: ["X-Theme": theme]))
        }
        #expect(lines.lines.count == 1)
    }

    @Test func request() throws {
        let lines = ExampleLog()
        let service = stack(.cache(), over: origin(["Cache-Control": "max-age=60"], lines))
        // snippet: request
        /// What is there, or a 504; the origin is not asked.
        var offline = HTTPRequest(.get, prices)
        offline.headers["Cache-Control"] = "only-if-cached, max-stale"

        /// What the origin confirms now.
        var reload = HTTPRequest(.get, prices)
        reload.headers["Cache-Control"] = "no-cache"
        // end snippet
        #expect(try service(offline).result?.get().status == 504)
        #expect(try service(reload).result?.get().status == 200)
        #expect(try service(offline).result?.get().status == 200)
        #expect(try service(reload).result?.get().status == 200)
        #expect(lines.lines.count == 2)
    }

    @Test func stale() throws {
        let lines = ExampleLog()
        let print: @Sendable (HTTPMethod) -> Void = { lines.add("\($0)") }
        // snippet: stale
        let scheduler = ManualScheduler()
        let seconds = { @Sendable in scheduler.now.offset / .seconds(1) }
        let origin: HTTPService = { request in
            print(request.method)
            if seconds() > 0 { return Future(value: HTTPResponse(status: 503)) }
            let headers: HTTPHeaders = ["Cache-Control": "max-age=10, stale-if-error=3600"]
            return Future(value: HTTPResponse(status: 200, headers: headers))
        }
        let cache = HTTPCache(
            now: { Date(timeIntervalSince1970: seconds()) }, on: scheduler)
        let service = stack(.cache(sharing: cache), over: origin)

        _ = service(HTTPRequest(.get, prices))
        scheduler.advance(by: .seconds(600))
        _ = service(HTTPRequest(.get, prices))  // The origin is down: the answer from before.
        // end snippet
        #expect(lines.lines.count == 2 && cache.statistics.rescues == 1)
        #expect(try service(HTTPRequest(.get, prices)).result?.get().status == 200)
    }

    @Test func unreachable() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: unreachable
        let scheduler = ManualScheduler()
        let seconds = { @Sendable in scheduler.now.offset / .seconds(1) }
        let origin: HTTPService = { _ in
            if seconds() > 0 { return Future(error: HTTPError(code: .cannotConnect)) }
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
            return Future(
                value: HTTPResponse(status: 200, headers: headers, body: Data("tea: 3 €".utf8)))
        }
        let cache = HTTPCache(
            staleIfUnreachable: .seconds(86_400),
            now: { Date(timeIntervalSince1970: seconds()) }, on: scheduler)
        let service = stack(.cache(sharing: cache), over: origin)

        for _ in 1...3 {
            service(HTTPRequest(.get, prices)).observe { result in
                guard let answer = try? result.get() else { return print("no connection") }
                print("\(answer.text), \(answer.headers["Age"] ?? "0") seconds old")
            }
            scheduler.advance(by: .seconds(80_000))
        }
        // end snippet
        #expect(
            lines.lines == [
                "tea: 3 €, 0 seconds old", "tea: 3 €, 80000 seconds old", "no connection",
            ])
    }

    @Test func cacheStatus() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let origin: HTTPService = { _ in
            Future(value: HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=60"]))
        }
        // snippet: cache-status
        var client = HTTPClient(base: URL(string: "https://shop.example")!, over: origin)
        client.cache = HTTPCache()
        for _ in 1...2 {
            let response: HTTPResponse = try await client.get("/prices")
            switch response.cacheStatus {
            case .hit?, .stale?: print("stored")
            case .revalidated?: print("stored, and confirmed by the server")
            case .collapsed?: print("from another call's request")
            case .miss(let reason)?: print("from the server: \(reason.rawValue)")
            case nil: print("no cache was asked")
            }
        }
        // end snippet
        #expect(lines.lines == ["from the server: uri-miss", "stored"])
    }

    @Test func status() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let origin: HTTPService = { _ in
            Future(value: HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=60"]))
        }
        // snippet: status
        let cache = HTTPCache(statusName: "app")
        let service = stack(.cache(sharing: cache), over: origin)
        for _ in 1...2 {
            service(HTTPRequest(.get, prices)).observe { result in
                print((try? result.get().headers["Cache-Status"]) ?? "none")
            }
        }
        // end snippet
        #expect(lines.lines.first == "app; fwd=uri-miss; stored")
        #expect(lines.lines.last?.hasPrefix("app; hit; ttl=") == true)
    }

    // snippet: store
    struct CountingStore: CacheStore {
        let memory = MemoryCacheStore()
        let count: @Sendable () -> Void

        func responses(for key: CacheKey) -> Future<[CachedResponse]> { memory.responses(for: key) }

        func update(
            _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
        ) -> Future<Void> {
            count()
            return memory.update(key, change)
        }

        func removeAll() -> Future<Void> { memory.removeAll() }
        func usage() -> Future<CacheUsage> { memory.usage() }

        func keys(
            where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
        ) -> Future<[CacheKey]> { memory.keys(where: isIncluded) }
    }
    // end snippet

    @Test func store() {
        let (lines, changes) = (ExampleLog(), ExampleLog())
        let cache = HTTPCache(in: CountingStore(count: changes.adder("change")))
        let service = stack(
            .cache(sharing: cache), over: origin(["Cache-Control": "max-age=60"], lines))
        _ = [service(HTTPRequest(.get, prices)), service(HTTPRequest(.get, prices))]
        #expect(lines.lines.count == 1 && changes.lines.count == 1)
    }
}
