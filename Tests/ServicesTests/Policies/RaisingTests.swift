import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

#if compiler(>=6.2)
/// How the priority of a task that awaits a call reaches the tasks of the service, through policies that make calls
/// of their own.
@Suite(.oneAtATime) struct RaisingTests {
    private let scheduler = ManualScheduler()

    /// A service whose calls are the futures of some works, one after the other.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private func service(_ works: [LowWork]) async throws -> Service<Ask, Int> {
        for work in works { try await work.begin() }
        let rest = Locked(works)
        return { _ in rest.withLock { $0.removeFirst() }.future }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aCallerWhoJoinsRaisesTheJoinedCall() async throws {
        let work = LowWork()
        let load = stack(.coalesce(), over: try await service([work]))
        let (first, joined) = (load(1), load(1))
        first.raise(to: .utility)
        joined.map { $0 }.raise(to: .high)
        #expect(work.raises.elements == [.utility, .high])
        work.value.resolve(with: 7)
        #expect(try await [first.soon, joined.soon] == [7, 7])
        // The call is over.
        joined.raise(to: .high)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aJoinedCallIsRaisedThatWasJoinedBeforeItWasKnown() async throws {
        let work = LowWork()
        let again = Locked<Service<Ask, Int>?>(nil)
        let joined = Locked<Future<Int>?>(nil)
        let begin = try await service([work])
        let load = stack(
            .coalesce(),
            over: { (ask: Ask) in
                let call = again.withLock { $0 }?(ask)
                call?.raise(to: .high)
                joined.withLock { $0 = call }
                return begin(ask)
            })
        again.withLock { $0 = load }
        let first = load(1)
        #expect(work.raises.elements == [.high])
        work.value.resolve(with: 7)
        #expect(try await first.soon == 7)
        again.withLock { $0 = nil }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aJoinedCallThatIsMadeAgainIsRaisedLikeTheOneBefore() async throws {
        let works = [LowWork(), LowWork()]
        let load = stack(
            .coalesce(), .timeout(.seconds(90), on: scheduler), over: try await service(works))
        let deadline = CallDeadline(after: .seconds(1), on: scheduler)
        _ = CallContext(deadline: deadline).run { load(1) }
        let other = load(1)
        other.raise(to: .high)
        scheduler.advance(by: .seconds(1))
        #expect(works.map(\.raises.elements) == [[.high], [.high]])
        works[1].value.resolve(with: 7)
        #expect(try await other.soon == 7)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test("all calls of a hedge are raised, and those that begin later")
    func allCallsOfAHedgeAreRaised() async throws {
        let works = [LowWork(), LowWork(), LowWork()]
        let load = stack(
            .hedge(sharing: Hedge(after: .seconds(1), attempts: 3, maxExtraLoad: 1, on: scheduler)),
            over: try await service(works))
        let call = load(1)
        scheduler.advance(by: .seconds(1))
        call.raise(to: .utility)
        #expect(works.map(\.raises.elements) == [[.utility], [.utility], []])
        call.raise(to: .high)
        scheduler.advance(by: .seconds(1))
        #expect(works.map(\.raises.elements) == [[.utility, .high], [.utility, .high], [.high]])
        works[1].value.resolve(with: 7)
        #expect(try await call.soon == 7)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aTaskThatAwaitsACallThroughSeveralPoliciesRaisesItsWork() async throws {
        let work = LowWork()
        let load = stack(
            .coalesce(), .retry(on: scheduler), .timeout(.seconds(9), on: scheduler),
            .hedge(sharing: Hedge(after: .seconds(1), on: scheduler)),
            over: try await service([work]))
        let low = Task(priority: .utility) { try await load(1).value }
        #expect(await comesTrue { work.raises.elements == [.utility] })
        let high = Task(priority: .high) { try await load(1).value }
        #expect(await comesTrue { work.raises.elements == [.utility, .high] })
        work.value.resolve(with: 7)
        #expect(try await [low.value, high.value] == [7, 7])
    }

    /// Callers join, raise and leave while the calls begin and end.
    @Test func callsMayBeRaisedAndCancelledOnManyThreads() {
        let promises = Locked<[Promise<Int>]>([])
        let load = stack(
            .coalesce(), .hedge(sharing: Hedge(after: .seconds(1), on: scheduler)),
            over: { (_: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                promise.onCancel {}
                promises.withLock { $0.append(promise) }
                return promise
            })
        onThreads(4) { index in
            for round in 0..<500 {
                let call = load(1)
                call.raise(to: round % 2 == 0 ? .high : .low)
                switch (round + index) % 3 {
                case 0: call.cancel()
                case 1: promises.withLock { $0.popLast() }?.resolve(with: 1)
                default: break
                }
                call.raise(to: .medium)
            }
        }
        for promise in promises.withLock({ $0 }) { promise.resolve(with: 1) }
        scheduler.run()
    }
}
#endif
