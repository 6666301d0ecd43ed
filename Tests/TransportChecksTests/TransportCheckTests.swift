import Foundation
import Pledge
import PledgeFutures
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeTransportChecks

@Suite(.oneAtATime) struct TransportCheckTests {
    private func check(_ name: String) throws -> TransportCheck {
        try #require(TransportCheck.all.first { $0.name == name })
    }

    /// Uses no server, and answers 200 to everything.
    private let deaf = CheckedTransport(
        send: { request in Future(value: HTTPResponse(status: 200, url: request.url)) },
        stream: { request in
            Future(
                value: HTTPStreamedResponse(
                    status: 200, body: HTTPBodyStream(Data()), url: request.url))
        },
        maxBodySize: 10_000_000, patience: .milliseconds(10))

    @Test func namesAreUnique() {
        let names = TransportCheck.all.map(\.name)
        #expect(Set(names).count == names.count && names.count > 100)
    }

    @Test func aTransportThatReachesNoServerFailsAlmostAll() async {
        var passed: [String] = []
        for check in TransportCheck.all {
            do { try await check.run(deaf) } catch { continue }
            passed.append(check.name)
        }
        // The rest are answers that may be read or refused, and statuses 200 without a body.
        let lenient = [
            "no body", "no chunks", "status 205", "garbage", "bare text", "bad status line",
            "bad version", "bad chunk size", "bad length", "two lengths", "length no number",
            "endless length", "header without a colon", "NUL in a header", "endless head",
        ]
        let surprising = passed.filter { !lenient.contains($0) }
        #expect(surprising == [], "these pass without a server")
    }

    /// Threads that all tasks share may be busy for longer than a check waits.
    @Test func aCheckDoesNotShareThreadsWithOtherTasks() async throws {
        let isApart = Locked<[Bool]>([])
        let watched = CheckedTransport(
            send: { request in
                let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
                isApart.withLock { $0.append(executor != nil) }
                return deaf.send(request)
            }, maxBodySize: 1)
        await #expect(throws: TransportFailure.self) {
            try await check("keep-alive").run(watched)
        }
        #expect(isApart.withLock { !$0.isEmpty && !$0.contains(false) })
    }

    @Test func aFailureNamesTheLineThatHasRunTheCheck() async throws {
        let check = try check("keep-alive")
        let line: UInt = #line + 1
        let failure = await #expect(throws: TransportFailure.self) { try await check.run(deaf) }
        #expect(failure?.location.line == line)
        #expect(failure.map { "\($0)".contains("(at \(#filePath):\(line):") } == true)
    }

    @Test func aTransportThatHangsFailsInTime() async throws {
        let held = Promise<HTTPResponse>()
        let hanging = CheckedTransport(
            send: { _ in held.map { $0 } }, maxBodySize: 1, patience: .milliseconds(50))
        let error = await #expect(throws: TransportFailure.self) {
            try await check("chunked").run(hanging)
        }
        #expect(error?.description.contains("nothing happened within 0.05 seconds") == true)
    }

    @Test func aListedDifferenceMustBeOne() async throws {
        let check = try check("chunked")
        try await check.run(deaf, differences: ["chunked": .differs("it is deaf")])
        try await check.run(deaf, differences: ["chunked": .traps("it is deaf")])
        await #expect(throws: TransportFailure.self) {
            try await check.run(deaf, differences: ["other": .differs("no matter")])
        }
        // This check passes, so the declared difference is out of date.
        await #expect(throws: TransportFailure.self) {
            try await self.check("no body").run(
                deaf, differences: ["no body": .differs("it is deaf")])
        }
    }
}

@Suite(.oneAtATime) struct TaskLimitTests {
    @Test func letsInSoManyAtATime() async {
        let limit = TaskLimit(2)
        let log = TestLog<Int>()
        let gates = (0..<5).map { _ in Promise<Void>() }
        await withTaskGroup(of: Void.self) { group in
            for (index, gate) in gates.enumerated() {
                group.addTask {
                    await limit.run {
                        log.append(index)
                        _ = await gate.resultWhenSettled
                    }
                }
                // The others come one after the other, and wait.
                if index < 2 { #expect(await comesTrue { log.elements.count == index + 1 }) }
            }
            #expect(log.elements == [0, 1])
            gates[1].resolve()
            #expect(await comesTrue { log.elements.count == 3 })
            for gate in gates { gate.resolve() }
            await group.waitForAll()
        }
        #expect(log.elements.sorted() == [0, 1, 2, 3, 4])
    }

    @Test func roomIsGivenBackAfterAFailure() async throws {
        let limit = TaskLimit(1)
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await limit.run { throw CancellationError() }
            }
        }
        #expect(await limit.run { 1 } == 1)
    }

    @Test func noMoreThanTheLimitAreInItAtATime() async {
        let limit = TaskLimit(3)
        let inside = Locked((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await limit.run {
                        inside.withLock {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        await Task.yield()
                        inside.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(inside.withLock { $0.now } == 0)
        #expect((1...3).contains(inside.withLock { $0.most }))
    }
}
