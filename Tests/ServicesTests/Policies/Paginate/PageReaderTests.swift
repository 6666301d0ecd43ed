import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

/// Which calls an iteration gives up, and in which context it calls.
@Suite struct PageReaderTests {
    let scheduler = ManualScheduler()

    func pages(_ upstream: Upstream) -> PageSequence<Ask, Int> {
        paginate(upstream.send, from: 1) { _, ask in Ask(ask.number + 1, luggage: ask.luggage) }
    }

    @Test func leavingTheLoopGivesUpThePageAhead() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10))])
        for try await page in pages(upstream) {
            #expect(page == 10)
            #expect(upstream.inFlight == 1)
            break
        }
        #expect(upstream.count == 2)
        #expect(upstream.cancelled == 1)
        #expect(upstream.living == 0)
        #expect(scheduler.isIdle)
    }

    @Test func anErrorInTheLoopGivesUpThePageAhead() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10))])
        await #expect(throws: Broken.self) {
            for try await _ in pages(upstream) { throw Broken() }
        }
        #expect(upstream.cancelled == 1)
    }

    @Test func cancellingTheTaskEndsTheWait() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10))])
        let pages = pages(upstream)
        let seen = Locked<[Int]>([])
        let task = Task {
            for try await page in pages { seen.withLock { $0.append(page) } }
        }
        while seen.withLock({ $0.isEmpty }) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(seen.withLock { $0 } == [10])
        #expect(upstream.count == 2)
        #expect(upstream.cancelled == 1)
        #expect(upstream.living == 0)
    }

    @Test func aCancelledTaskGetsNoPageThatIsThere() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10)), .atOnce(.success(20))])
        let pages = pages(upstream)
        let seen = try await Task {
            var iterator = pages.makeAsyncIterator()
            var seen = [try await iterator.next()]
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await iterator.next() }
            seen.append(try await iterator.next())
            return seen
        }.value
        #expect(seen == [10, nil])
        #expect(upstream.count == 2)
    }

    @Test func aTaskThatIsCancelledBetweenPagesGivesUpThePageAhead() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10))])
        let pages = pages(upstream)
        await Task {
            var iterator = pages.makeAsyncIterator()
            _ = try? await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(upstream.cancelled == 0)
            _ = try? await iterator.next()
            #expect(upstream.cancelled == 1)
        }.value
    }

    @Test func aCancelledTaskCallsNobody() async throws {
        let upstream = Upstream(on: scheduler)
        let pages = pages(upstream)
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = pages.makeAsyncIterator()
            await #expect(throws: CancellationError.self) { try await iterator.next() }
        }.value
        #expect(upstream.count == 0)
    }

    /// The service returns the same promise to all callers, as a cache does.
    @Test func othersKeepAPageThatIsGivenUp() async throws {
        let shared = Promise<Int>()
        let cancelled = Locked(false)
        shared.onCancel { cancelled.withLock { $0 = true } }
        let other = shared.map { $0 + 1 }
        let pages = paginate(
            { (number: Int) in number == 1 ? Future(value: 10) : shared }, from: 1
        ) { _, number in number + 1 }
        for try await _ in pages { break }
        #expect(shared.result == nil)
        #expect(!cancelled.withLock { $0 })
        shared.resolve(with: 20)
        #expect(try await other.value == 21)
    }

    @Test func nothingIsAliveOnceItIsOver() async throws {
        weak var luggage: Luggage?
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10)), .atOnce(.success(20))])
        do {
            let held = Luggage()
            luggage = held
            let pages = paginate(upstream.send, from: Ask(1, luggage: held)) { page, ask in
                page == 20 ? nil : Ask(2, luggage: ask.luggage)
            }
            var count = 0
            for try await _ in pages { count += 1 }
            #expect(count == 2)
        }
        upstream.forget()
        #expect(luggage == nil)
    }

    @Test func everyCallIsMadeWhereTheIterationBegan() async throws {
        let upstream = Upstream(
            on: scheduler, [.atOnce(.success(10)), .atOnce(.success(20)), .atOnce(.success(30))])
        let pages = CallContext(attempt: 7).run { self.pages(upstream) }
        let context = CallContext(
            deadline: CallDeadline(after: .seconds(9), on: scheduler), attempt: 3)
        var iterator = context.run { pages.makeAsyncIterator() }
        scheduler.advance(by: .seconds(2))
        for expected in [10, 20] { #expect(try await iterator.next() == expected) }
        #expect(upstream.arrivals.map(\.attempt) == [3, 3, 3])
        #expect(upstream.arrivals.map(\.remaining) == [.seconds(7), .seconds(7), .seconds(7)])
    }

    @Test func thePagesOfAnObservedCallAreSpans() async throws {
        let log = TestLog<PolicyEvent>()
        let (scheduler, upstream) = (
            scheduler,
            Upstream(on: scheduler, [.atOnce(.success(10)), .atOnce(.failure(Broken()))])
        )
        let service = stack(
            .observed(by: log.observer, on: scheduler),
            over: { (_: Ask) -> Future<Int> in
                Future {
                    var sum = 0
                    for try await page in self.pages(upstream) { sum += page }
                    return sum
                }
            })
        await #expect(throws: Broken.self) { try await service(1).value }
        #expect(
            log.lines == [
                "0 1 observed began call", "0 2<1 paginate began page 1",
                "0 2<1 paginate ended success in 0", "0 3<1 paginate began page 2",
                "0 3<1 paginate ended retryable in 0: Broken",
                "0 1 observed ended retryable in 0: Broken",
            ])
    }

    /// Tasks iterate over the same pages, and stop at different pages.
    @Test func tasksShareTheSamePages() async throws {
        let pages = paginate({ (number: Int) in Future { number } }, from: 1) { _, number in
            number < 50 ? number + 1 : nil
        }
        let sums = await withTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                group.addTask {
                    var sum = 0
                    do {
                        for try await page in pages {
                            sum += page
                            if index % 2 == 0, page == 10 { break }
                        }
                    } catch { Issue.record(error) }
                    return sum
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            sums.sorted() == Array(repeating: 55, count: 10) + Array(repeating: 1_275, count: 10))
    }
}
