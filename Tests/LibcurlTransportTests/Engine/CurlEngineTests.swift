import Foundation
import Futures
import HTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import LibcurlTransport

@Suite(.timeLimit(.minutes(10)))
struct CurlEngineTests {
    /// An engine and a server for its calls.
    private struct Bench {
        let engine: CurlEngine
        private let options: CurlOptions
        private let server: LoopbackServer

        init(_ delivery: CurlTransport.Delivery) throws {
            server = try LoopbackServer { _ in .text("ok") }
            options = try CurlOptions(
                CurlTransport.Configuration(), ConnectionSettings(), CurlLibrary.lookUp(),
                on: ManualScheduler())
            engine = try CurlEngine(options, delivery: ResultDelivery(delivery))
        }

        var callersTurns: Int { engine.loop.withLock { $0?.callersTurns ?? 0 } }

        func get() async throws -> String? {
            let promise = InternalPromise<HTTPResponse>()
            let request = HTTPRequest(.get, server.url)
            let call = CurlCall(request, for: .whole(promise), options, engine)
            let handle = try engine.handles.take(for: request)
            #expect(engine.submit(.start(call, handle)))
            return try await promise.soon.text
        }
    }

    @Test func aCallerBeginsACallWhileTheThreadSleeps() async throws {
        let bench = try Bench(.concurrent)
        // After a call the thread goes to sleep, at some moment or other.
        for _ in 0..<10_000 where bench.callersTurns < 3 {
            let text = try await bench.get()
            #expect(text == "ok")
        }
        #expect(bench.callersTurns >= 3)
        bench.engine.submit(.close)
        try await bench.engine.ended.soon
        #expect(bench.callersTurns == 0)
    }

    @Test func noCallerDoesWhereItWouldRunAnObserver() async throws {
        let bench = try Bench(.inline)
        for _ in 0..<100 {
            let text = try await bench.get()
            #expect(text == "ok")
        }
        #expect(bench.callersTurns == 0)
        bench.engine.submit(.drain)
        try await bench.engine.ended.soon
    }

    @Test func callersOfManyThreadsLoseNoCall() async throws {
        let bench = try Bench(.concurrent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 {
                        let text = try await bench.get()
                        #expect(text == "ok")
                    }
                }
            }
            try await group.waitForAll()
        }
        bench.engine.submit(.drain)
        try await bench.engine.ended.soon
    }
}
