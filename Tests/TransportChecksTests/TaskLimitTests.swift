import PledgeFutures
import TestSupport
import Testing

@testable import PledgeTransportChecks

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
