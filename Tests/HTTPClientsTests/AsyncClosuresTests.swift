import Foundation
import Pledge
import PledgeStores
import PledgeTesting
import TestSupport
import Testing

/// Where the library asks for a function that returns a future, an async closure does as well.
@Suite struct AsyncClosuresTests {
    private let server = URL(string: "https://api.example.com")!

    /// Its time stands still, so that no limit of a client ends what a busy machine begins late.
    private let scheduler = ManualScheduler()

    /// What the compiler makes of a closure without a type written beside it.
    private func type<Value>(_ future: Future<Value>) -> String { "\(Value.self)" }
    private func type<Input, Output>(_ service: @escaping Service<Input, Output>) -> String {
        "\(Output.self)"
    }

    @Test func closuresThatReturnFuturesKeepTheirMeaning() {
        let one = Future(value: 1)
        #expect(type(one.flatMap { Future(value: "\($0)") }) == "String")
        #expect(
            type(
                one.flatMap { number in
                    let text = "\(number)"
                    return Future(value: text)
                }) == "String")
        #expect(
            type(stack(.retry(), over: { (number: Int) in Future(value: "\(number)") })) == "String"
        )
        let pages = paginate({ (number: Int) in Future(value: "\(number)") }, from: 1) { _, _ in nil
        }
        let typed: any AsyncSequence<String, any Error> = pages
        _ = typed
    }

    /// In an async function Swift prefers what is async.
    @Test func closuresThatReturnFuturesKeepTheirMeaningInAsyncFunctions() async throws {
        let one = Future(value: 1)
        await Task.yield()
        #expect(type(one.flatMap { Future(value: "\($0)") }) == "String")
        #expect(type(stack(over: { (number: Int) in Future(value: "\(number)") })) == "String")
        var client = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 204)) }
        client.scheduler = scheduler
        #expect(try await client.get("/").status == 204)
        let refresher = TokenRefresher(AccessToken("a", refreshToken: "b"), on: scheduler) { _ in
            Future(value: AccessToken("c"))
        }
        #expect(try await refresher.refresh().value.value == "c")
    }

    @Test func thenAwaitsAnAsyncClosure() async throws {
        let text = Future(value: 2).then { number in
            await Task.yield()
            return "\(number)"
        }
        #expect(try await text.value == "2")
        let failed = Future(value: 2).then { (_: Int) async throws -> Int in
            throw CocoaError(.fileNoSuchFile)
        }
        await #expect(throws: CocoaError.self) { try await failed.value }
        let began = Promise<Void>()
        let ended = Promise<Bool>()
        let endless = Future(value: 2).then { (_: Int) async throws -> Int in
            began.resolve(with: ())
            await withTaskCancellationHandler {
                _ = await Promise<Int>(value: 1).resultWhenSettled
                while !Task.isCancelled { await Task.yield() }
            } onCancel: {
                ended.resolve(with: true)
            }
            return 1
        }
        try await began.value
        endless.cancel()
        #expect(try await ended.value)
    }

    @Test func oneClosureIsAroundWholeAndStreamedResponses() async throws {
        let transport = MemoryTransport(routes: [.get("/a", answer: .text("body"))])
        var client = HTTPClient(base: server, over: transport)
        client.scheduler = scheduler
        client.aroundExchange = .init { request, next in
            var request = request
            await Task.yield()
            request.headers["X-Signature"] = "signed \(request.url.path)"
            var response = try await next(request)
            response.headers["X-Seen"] = "yes"
            return response
        }
        let whole = try await client.get("/a")
        #expect(whole.text == "body" && whole.headers["X-Seen"] == "yes")
        let streamed = try await client.stream(Endpoint(path: "/a"))
        #expect(streamed.headers["X-Seen"] == "yes")
        #expect(try await streamed.collected(upTo: 100).value.text == "body")
        #expect(
            transport.calls.map { $0.request?.headers["X-Signature"] } == [
                "signed /a", "signed /a",
            ])
    }

    @Test func aClosureMayAnswerItselfOrThrow() async throws {
        let transport = MemoryTransport(routes: [])
        var client = HTTPClient(base: server, over: transport)
        client.scheduler = scheduler
        client.aroundCall = .init { request, _ in
            guard request.url.path == "/a" else { throw CocoaError(.fileNoSuchFile) }
            return HTTPResponse(status: 200, body: Data("own".utf8))
        }
        #expect(try await client.get("/a").text == "own")
        let streamed = try await client.stream(Endpoint(path: "/a"))
        #expect(try await streamed.collected(upTo: 100).value.text == "own")
        await #expect(throws: CocoaError.self) { try await client.get("/b") }
        #expect(transport.calls.isEmpty)
    }

    @Test func attemptDeadlineAndUserPassThroughAnAsyncClosure() async throws {
        let seen = Locked<[String]>([])
        let note = { @Sendable (place: String) in
            let context = CallContext.current
            seen.withLock { $0.append("\(place) \(context.attempt) \(context.deadline != nil)") }
        }
        var client = HTTPClient(base: server) { request in
            note("sent as \(request.headers["Authorization"] ?? "nobody")")
            return HTTPResponse(status: CallContext.current.attempt == 1 ? 503 : 200)
        }
        client.retry = .init(backoff: .constant(.zero))
        client.attemptTimeout = .seconds(3_600)
        client.deadline = .seconds(3_600)
        client.authorization = .bearer(
            from: TokenRefresher(AccessToken("joanna")) { _ in
                throw CocoaError(.fileNoSuchFile)
            })
        client.aroundAttempt = .init { request, next in
            await Task.yield()
            note("attempt")
            return try await next(request)
        }
        try await client.get("/a")
        #expect(
            seen.withLock { $0 } == [
                "attempt 1 true", "sent as Bearer joanna 1 true",
                "attempt 2 true", "sent as Bearer joanna 2 true",
            ])
    }

    @Test func cancellingACallCancelsItsClosure() async throws {
        let began = Promise<Void>()
        let cancelled = Promise<Void>()
        let silent = Promise<HTTPResponse>()
        var client = HTTPClient(base: server) { _ in silent }
        client.scheduler = scheduler
        client.aroundCall = .init { request, next in
            try await withTaskCancellationHandler {
                began.resolve(with: ())
                return try await next(request)
            } onCancel: {
                cancelled.resolve(with: ())
            }
        }
        let call = client.futures.send(Endpoint(path: "/a"))
        try await began.value
        call.cancel()
        try await cancelled.value
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func servicesTransportsRefreshesAndPagesTakeAsyncClosures() async throws {
        let double = stack(
            .timeout(.seconds(5), on: scheduler),
            over: { (number: Int) async throws in
                await Task.yield()
                return number * 2
            })
        #expect(try await double(4).value == 8)
        let logged = Middleware<Int, Int> { number, next in try await next(number + 1) * 10 }
        #expect(try await stack(logged, over: double)(4).value == 100)

        let api = makeNetworking(
            over: { request in
                await Task.yield()
                return HTTPResponse(status: 200, body: Data(request.url.path.utf8))
            }, base: server)
        #expect(try await api(Endpoint(path: "/a")).value == Data("/a".utf8))

        let refresher = TokenRefresher(AccessToken("a", refreshToken: "b"), on: scheduler) {
            token in
            await Task.yield()
            return AccessToken("after \(token.value)")
        }
        #expect(try await refresher.refresh().value.value == "after a")

        var pages: [Int] = []
        let numbers = paginate(
            { (number: Int) async throws in
                await Task.yield()
                return number
            }, from: 1
        ) { page, _ in page < 3 ? page + 1 : nil }
        for try await page in numbers { pages.append(page) }
        #expect(pages == [1, 2, 3])
    }

    @Test func effectsTakeAsyncClosures() async throws {
        enum Event: Equatable, Sendable { case load, fail, loaded(Int), failed }
        let store = TestStore<Int, Event>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                switch event {
                case .load: return .future { .loaded(try await Future(value: 7).value) }
                case .fail:
                    return .request({ () async throws -> Int in throw CocoaError(.fileNoSuchFile) })
                    {
                        result in (try? result.get()).map(Event.loaded) ?? .failed
                    }
                case .loaded(let number): state += number
                case .failed: state += 100
                }
                return .none
            }))
        store.send(.load)
        await store.receive(.loaded(7)) { $0 = 7 }
        store.send(.fail)
        await store.receive(.failed) { $0 = 107 }
        store.finish()
    }
}
