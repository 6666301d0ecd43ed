import PledgeFutures
import TestSupport
import Testing

#if compiler(>=6.2)
/// How the priority of a task that awaits reaches the tasks that work for it.
@Suite(.oneAtATime) struct RaisingTests {
    /// Ways from a future to one that waits for it.
    enum Way: String, CaseIterable {
        case shield
        case follow
        case followAfterAHandler
        case chain
        case policy

        func future(from future: Future<Int>) -> Future<Int> {
            switch self {
            case .shield: return future.shielded()
            case .follow:
                let promise = Promise<Int>()
                promise.follow(future)
                return promise
            case .followAfterAHandler:
                let promise = Promise<Int>()
                promise.onCancel {}
                promise.onCancel {}
                promise.follow(future)
                promise.onCancel {}
                return promise
            case .chain:
                let followed = Way.follow.future(from: future.map { $0 }.shielded().map { $0 })
                return Future.all([Promise(value: 1), followed.shielded()])
                    .flatMap { numbers in Future(value: numbers[1]) }
            case .policy:
                let promise = InternalPromise<Int>()
                let branch = future.onEnd { promise.settle(with: $0) }
                promise.onCancel({ branch.cancel() }, raising: { _ in [branch] })
                return promise
            }
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(arguments: Way.allCases)
    func raisingAFuturesPriorityReachesItsProducer(way: Way) async throws {
        let work = LowWork()
        try await work.begin()
        let future = way.future(from: work.future)
        future.raise(to: .utility)
        future.raise(to: .low)
        future.raise(to: .high)
        #expect(work.raises.elements == [.utility, .high])
        work.value.resolve(with: 7)
        #expect(try await future.soon == 7)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(
        "a task that awaits raises the producer, and again when it is raised itself",
        arguments: Way.allCases)
    func aTaskThatAwaitsRaisesTheProducer(way: Way) async throws {
        let work = LowWork()
        try await work.begin()
        let future = way.future(from: work.future)
        let task = Task(priority: .utility) { try await future.value }
        #expect(await comesTrue { work.raises.elements == [.utility] })
        task.escalatePriority(to: .high)
        #expect(await comesTrue { work.raises.elements == [.utility, .high] })
        work.value.resolve(with: 7)
        #expect(try await task.value == 7)
    }

    @Test func raisingThePriorityOfFuturesThatFollowEachOtherInACycleEnds() {
        let promises = [Promise<Int>(), Promise<Int>()]
        promises[0].follow(promises[1].shielded())
        promises[1].follow(promises[0])
        promises[0].raise(to: .high)
        promises[0].resolve(with: 1)
        #expect(promises[1].valueNow == 1)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func raisingAFuturesPriorityReachesAProducerManyFuturesUp() async throws {
        let work = LowWork()
        try await work.begin()
        let future = (0..<30).reduce(work.future) { future, _ in future.shielded() }
        future.raise(to: .utility)
        #expect(work.raises.elements == [.utility])
        let tooFar = (0..<70).reduce(future) { future, _ in future.shielded() }
        tooFar.raise(to: .high)
        #expect(work.raises.elements == [.utility])
        work.value.resolve(with: 7)
        #expect(try await tooFar.soon == 7)
    }

    /// Handlers are added, and the promise settles or is cancelled, while other threads raise.
    @Test(arguments: 0..<4) func cancelHandlersMayBeAddedWhileAPriorityIsRaised(seed: UInt64) {
        for round in 0..<500 {
            let (upstream, promise) = (Promise<Int>(), Promise<Int>())
            let shield = promise.shielded()
            promise.onCancel {}
            onThreads(4) { index in
                switch index {
                case 0:
                    for _ in 0..<20 {
                        promise.onCancel {}
                        promise.follow(upstream)
                    }
                case 1: for _ in 0..<20 { promise.raise(to: .high) }
                case 2: for _ in 0..<20 { shield.raise(to: .high) }
                default:
                    switch (UInt64(round) + seed) % 4 {
                    case 0: promise.resolve(with: 1)
                    case 1: upstream.resolve(with: 1)
                    case 2: promise.cancel()
                    default: shield.cancel()
                    }
                }
            }
            promise.resolve(with: 2)
            #expect(promise.isSettled && shield.isSettled)
        }
    }
}
#endif
