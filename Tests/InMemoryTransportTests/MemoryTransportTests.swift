import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeInMemoryTransport
import Testing

@Suite struct MemoryTransportTests {
    @Test func itIsANetworking() throws {
        let transport = MemoryTransport(routes: [.get("/hello", answer: .text("Hello"))])
        let networking: Networking = transport.request
        #expect(try networking(Endpoint(path: "/hello")).result?.get() == Data("Hello".utf8))
        let based = Endpoint(path: "hello", base: URL(string: "https://api.example.com/v1"))
        #expect(try networking(based).result?.get() == Data("Hello".utf8))
    }

    @Test func whatAWireRefusesIsRefused() {
        let transport = MemoryTransport(routes: [.any("/x", answer: .text("x"))])
        let refused: [(Endpoint, Endpoint.Error)] = [
            (Endpoint(path: "/x", headers: ["A": "b\r\n"]), .invalidHeader(name: "A")),
            (Endpoint(path: "/x", method: "G T"), .invalidMethod("G T")),
            (Endpoint(path: "/x/../x"), .invalidURL),
            (Endpoint(path: "/x", base: URL(string: "ftp://h")), .invalidURL),
            (Endpoint(path: "https://h/x", base: URL(string: "https://h")), .invalidURL),
            (Endpoint(path: "/x", body: .data(Data([1]))), .bodyNotAllowed(method: .get)),
        ]
        for (endpoint, error) in refused {
            #expect(throws: error) { try transport.request(endpoint).result?.get() }
        }
        #expect(transport.calls.map(\.endpoint) == refused.map(\.0))
        #expect(transport.calls.allSatisfy { $0.route == nil })
    }

    @Test func everyCallIsRecordedInOrder() {
        let transport = MemoryTransport(routes: [.get("/products/:id", answer: .text("x"))])
        for path in ["/products/1", "/nowhere", "/products/a%b"] {
            _ = transport.request(Endpoint(path: path))
        }
        #expect(
            transport.calls.map(\.endpoint.path) == ["/products/1", "/nowhere", "/products/a%b"]
        )
        #expect(transport.calls.map(\.route) == ["GET /products/:id", nil, "GET /products/:id"])
        #expect(transport.calls.map(\.parameters) == [["id": "1"], [:], ["id": "a%b"]])
    }

    @Test func answersTakeTheirTime() throws {
        let scheduler = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .text("x"))],
            latency: .milliseconds(20),
            on: scheduler
        )
        let future = transport.request(Endpoint(path: "/x"))
        #expect(future.result == nil && transport.calls.count == 1)
        scheduler.advance(by: .milliseconds(19))
        #expect(future.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(try future.result?.get() == Data("x".utf8))
    }

    @Test func refusalsTakeNoTime() {
        let transport = MemoryTransport(routes: [], latency: .seconds(1), on: ManualScheduler())
        #expect(throws: MemoryTransport.UnmatchedCall.self) {
            try transport.request(Endpoint(path: "/x")).result?.get()
        }
    }

    @Test func cancellingFreesTheTimerAndAsksNoAnswer() {
        let scheduler = CountingScheduler()
        let asked = Locked(0)
        let transport = MemoryTransport(
            routes: [
                .get(
                    "/x",
                    answer: .reply { _ in
                        asked.withLock { $0 += 1 }; return Data()
                    }
                )
            ],
            latency: .seconds(1),
            on: scheduler
        )
        let future = transport.request(Endpoint(path: "/x"))
        #expect(scheduler.pending == 1)
        future.cancel()
        #expect(throws: CancellationError.self) { try future.result?.get() }
        #expect(scheduler.pending == 0)
        scheduler.manual.advance(by: .seconds(2))
        #expect(asked.withLock { $0 } == 0 && transport.calls.count == 1)
    }

    @Test func aSchedulerThatGoesAwayLeavesNoCallPending() {
        final class Forgetful: Scheduler {
            final class Nothing: ScheduledAction { func cancel() {} }
            var now: SchedulerInstant { .init(offset: .zero) }
            func schedule(
                after delay: Duration,
                _ action: @escaping @Sendable () -> Void
            ) -> any ScheduledAction { Nothing() }
        }
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .text("x"))],
            latency: .seconds(1),
            on: Forgetful()
        )
        let future = transport.request(Endpoint(path: "/x"))
        #expect(throws: (any Error).self) { try future.result?.get() }
        #expect(future.result != nil)
    }

    @Test func callsFromManyThreadsAreAllRecorded() async throws {
        let answers = (0..<200).map { MemoryTransport.Answer.text("\($0)") }
        let transport = MemoryTransport(routes: [.get("/:n", answer: .sequence(answers))])
        let seen = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let data = try await transport.request(Endpoint(path: "/\(number)")).value
                    return ("\(number)", String(decoding: data, as: UTF8.self))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // The recorded order is the order in which the sequence was taken.
        #expect(transport.calls.count == 200)
        for (index, call) in transport.calls.enumerated() {
            #expect(seen[call.parameters["n"] ?? ""] == "\(index)")
        }
    }
}

/// Counts the actions that wait on a manual scheduler and were not cancelled.
private final class CountingScheduler: Scheduler {
    let manual = ManualScheduler()
    private let waiting = Locked(0)

    var pending: Int { waiting.withLock { $0 } }
    var now: SchedulerInstant { manual.now }

    func schedule(
        after delay: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        waiting.withLock { $0 += 1 }
        let token = manual.schedule(after: delay) { [waiting] in
            waiting.withLock { $0 -= 1 }
            action()
        }
        return Token(token, waiting)
    }

    private final class Token: ScheduledAction {
        let below: any ScheduledAction
        let waiting: Locked<Int>

        init(_ below: any ScheduledAction, _ waiting: Locked<Int>) {
            self.below = below
            self.waiting = waiting
        }

        func cancel() {
            below.cancel()
            waiting.withLock { $0 -= 1 }
        }
    }
}
