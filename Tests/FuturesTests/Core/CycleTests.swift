import PledgeFutures
import TestSupport
import Testing

/// Futures that wait for themselves.
@Suite(.oneAtATime) struct CycleTests {
    /// A future that continues with a future derived from itself.
    private func loop(
        _ promise: Promise<Int>, _ derive: (Future<Int>) -> Future<Int>
    ) -> Future<Int> {
        let own = Locked<Future<Int>?>(nil)
        let future = promise.flatMap(
            { _ in own.withLock { $0.take() } ?? Future(value: 0) },
            fileID: "Test/Cycle.swift", line: 7)
        own.withLock { $0 = derive(future) }
        return future
    }

    @Test(
        "F5: a cycle of up to 64 links is rejected, and both places are named",
        arguments: [1, 2, 62])
    func aCycleIsRejected(links: Int) {
        let promise = Promise<Int>()
        let future = loop(promise) { future in
            (0..<links).reduce(future) { future, number in
                future.map({ $0 }, fileID: "Test/Step.swift", line: UInt(number))
            }
        }
        promise.resolve(with: 1)
        #expect(future.codeNow == .cycle)
        let text = "\(future)"
        #expect(text.contains("Test/Cycle.swift:7"), "\(text)")
        #expect(text.contains("Test/Step.swift:\(links - 1)"), "\(text)")
    }

    @Test("F5: two futures that adopt each other at the same time do not wait for ever")
    func adoptingEachOther() {
        for _ in 0..<2_000 {
            let promises = [Promise<Int>(), Promise<Int>()]
            let futures = Locked<[Future<Int>]>([])
            let made = promises.indices.map { index in
                promises[index].flatMap { _ in futures.withLock { $0[1 - index] } }
            }
            futures.withLock { $0 = made }
            onThreads(2) { promises[$0].resolve(with: 1) }
            #expect(made.allSatisfy { $0.codeNow == .cycle })
            futures.withLock { $0 = [] }
        }
    }

    @Test("F5: nothing of a cycle is left") func aCycleIsFreed() {
        let census = Census()
        var promise: Promise<Int>? = Promise<Int>()
        for _ in 0..<2 {
            let token = Tracked(census)
            let future = loop(promise ?? Promise()) { $0.map { $0 + token.number } }
            promise?.resolve(with: 1)
            #expect(future.codeNow == .cycle)
            promise = Promise()
        }
        #expect(census.living == 0)
    }

    @Test("F5: what is no cycle is left alone") func noCycle() {
        let (promise, step) = (Promise<Int>(), Promise<Int>())
        let inner = (0..<200).reduce(step as Future<Int>) { future, _ in future.map { $0 + 1 } }
        let future = promise.flatMap { _ in inner }
        promise.resolve(with: 1)
        step.resolve(with: 0)
        #expect(future.valueNow == 200)
    }

    #if os(Linux) || os(macOS)
    /// Each case runs in a process of its own, since the reports belong to the whole process.
    @Test("F5: a debug report of an awaiting task names what is behind a shield")
    func aShieldIsLookedThrough() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            FutureDiagnostics.awaitingLimit = .milliseconds(1)
            let (promise, forgotten) = (Promise<Int>(), Promise<Int>(fileID: "Test/Load", line: 3))
            let future = CycleTests().loop(promise) { $0.shielded() }
            promise.resolve(with: 1)
            let tasks = [Task { await future.resultWhenSettled }]
            let cameTrue = await comesTrue { !reports.elements.isEmpty }
            precondition(cameTrue, "a report came")
            precondition(reports.elements[0].contains("waits for itself"), "it names the cycle")
            let other = Task { await forgotten.shielded().resultWhenSettled }
            let cameToo = await comesTrue { reports.elements.count > 1 }
            precondition(cameToo, "another report came")
            precondition(reports.elements[1].contains("Test/Load:3"), "it names the producer")
            future.cancel()
            forgotten.resolve(with: 1)
            for task in tasks + [other] { _ = await task.value }
        }
    }

    @Test("F5: a debug report names a cycle that is longer, or goes through an aggregate")
    func longerCyclesAreReported() async {
        await #expect(processExitsWith: .success) {
            for isLong in [true, false] {
                let reports = TestLog<String>()
                FutureDiagnostics.send { reports.append($0) }
                FutureDiagnostics.awaitingLimit = .milliseconds(1)
                let promise = Promise<Int>()
                let future = CycleTests().loop(promise) { future in
                    if isLong { return (0..<200).reduce(future) { future, _ in future.map { $0 } } }
                    return Future.all([future.map { $0 }, future]).map { $0[0] }
                }
                promise.resolve(with: 1)
                let cameTrue = await comesTrue { !reports.elements.isEmpty }
                precondition(cameTrue, "a report came")
                precondition(
                    reports.elements[0].contains("Test/Cycle.swift:7"), "it names the line")
                precondition(reports.elements[0].contains("waits for itself"), "it names the cycle")
                // Break the cycle, which would not be freed otherwise.
                future.cancel()
            }
        }
    }
    #endif
}
