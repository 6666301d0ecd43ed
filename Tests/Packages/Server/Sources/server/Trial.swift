import Foundation
import Pledge
import Synchronization

/// Calls the server in good times and bad, and prints what its callers got.
struct Trial {
    private let backend: BackendProcess
    private let server: RunningServer
    private let caller = CurlTransport()
    /// How many calls the server has begun.
    private let begun = Counter()

    init() async throws {
        backend = try BackendProcess()
        let transport = CurlTransport()
        let url = URL(string: "http://127.0.0.1:\(backend.port)")!
        var client = makeClient(of: url, over: transport)
        client.observers = [
            ServiceObserver { [begun] event in
                if event.parent == nil, case .began = event.kind { begun.add() }
            }
        ]
        server = try await RunningServer(
            makeRouter(calling: client), above: [ClientService(transport: transport)])
    }

    func run() async throws {
        try await callOnce()
        let back = try await killTheBackend()
        try await drain()
        back.kill()
        try await caller.close().value
    }

    private func callOnce() async throws {
        let trace = TraceContext.newTrace()
        let response = try await send(
            headers: ["traceparent": trace.traceparent, "Request-Timeout": "5000"])
        let told = try JSONDecoder().decode(Product.self, from: response.body)
        let span = told.traceparent.flatMap { TraceContext(traceparent: $0) }
        print("a call:", response.status)
        print("  in its caller's trace:", span?.traceID == trace.traceID)
        print("  as a span of its own:", span?.spanID != trace.spanID)
        print(
            "  with less time than its caller gave:", (1...5_000).contains(told.milliseconds ?? 0))
        let late = try await send(product: 300, headers: ["Request-Timeout": "100"])
        print("a caller that waits 100 ms:", late.status)
    }

    /// Kills the other server while it is called, and starts another one at its port.
    private func killTheBackend() async throws -> BackendProcess {
        async let load = statuses(of: 1_000)
        await begun.reach(100)
        backend.kill()
        let meanwhile = await load
        let away = await statuses(of: 200)
        let back = try BackendProcess(port: backend.port)
        // The breaker lets a call through when its time is over.
        while await status() != 200 {}
        let after = await statuses(of: 200)
        print("1000 calls, the other server killed meanwhile:", meanwhile.count, "answered")
        print("  each with 200 or 502:", meanwhile.allSatisfy { $0 == 200 || $0 == 502 })
        print("200 calls while it is away:", away.count { $0 == 502 }, "with 502")
        print("200 calls when it is back:", after.count { $0 == 200 }, "with 200")
        return back
    }

    /// Ends the server while it is called.
    private func drain() async throws {
        let count = begun.count
        async let last = statuses(of: 16, product: 500)
        await begun.reach(count + 16)
        try await server.drain()
        print("16 calls under way at the shutdown:", await last.count { $0 == 200 }, "with 200")
        print("a call after it:", await status() == nil ? "refused" : "answered")
    }

    private func send(
        product: Int = 7, headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        let url = URL(string: "http://127.0.0.1:\(server.port)/products/\(product)")!
        return try await caller.send(HTTPRequest(.get, url, headers: headers)).value
    }

    /// The status of a call; nil where no answer has come.
    private func status(product: Int = 7) async -> Int? { try? await send(product: product).status }

    /// The statuses of calls, sixteen at a time.
    private func statuses(of count: Int, product: Int = 7) async -> [Int?] {
        await withTaskGroup(of: Int?.self) { group in
            var found: [Int?] = []
            for number in 0..<count {
                if number >= 16, let next = await group.next() { found.append(next) }
                group.addTask { await status(product: product) }
            }
            for await next in group { found.append(next) }
            return found
        }
    }
}

/// A number that only grows.
private final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }

    /// Returns when it is as large as a number.
    func reach(_ goal: Int) async { while count < goal { await Task.yield() } }
}
