import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct PaginateTests {
    let scheduler = ManualScheduler()

    /// Pages 1…count: the page's value is its number times ten.
    func pages(
        _ upstream: Upstream, count: Int, maxPages: Int = 10_000
    ) -> some AsyncSequence<Int, any Error> & Sendable {
        paginate(upstream.send, from: 1, maxPages: maxPages) { _, ask in
            ask.number < count ? Ask(ask.number + 1) : nil
        }
    }

    func settled(_ values: [Int]) -> Upstream {
        Upstream(on: scheduler, values.map { .atOnce(.success($0)) })
    }

    @Test func pagesComeInOrder() async throws {
        let upstream = settled([10, 20, 30])
        var values: [Int] = []
        for try await page in pages(upstream, count: 3) { values.append(page) }
        #expect(values == [10, 20, 30])
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 3])
    }

    @Test func theClosureNextSeesThePageAndItsInput() async throws {
        let seen = Locked<[String]>([])
        let upstream = settled([5, 7])
        let pages = paginate(upstream.send, from: Ask(3)) { page, ask in
            seen.withLock { $0.append("\(ask.number): \(page)") }
            return page == 5 ? Ask(9) : nil
        }
        for try await _ in pages {}
        #expect(seen.withLock { $0 } == ["3: 5", "9: 7"])
    }

    @Test func exactlyOnePageIsLoadedAhead() async throws {
        let upstream = Upstream(on: scheduler)
        let pages = pages(upstream, count: 4)
        #expect(upstream.count == 0)
        var iterator = pages.makeAsyncIterator()
        #expect(upstream.count == 0)
        let first = Task { [upstream] in
            while upstream.count < 1 { await Task.yield() }
            upstream.settle(0, .success(10))
        }
        #expect(try await iterator.next() == 10)
        await first.value
        for number in 2...4 {
            #expect(upstream.count == number)
            // The arrival of a page does not request the next one.
            upstream.settle(number - 1, .success(number * 10))
            #expect(upstream.count == number)
            #expect(try await iterator.next() == number * 10)
        }
        #expect(upstream.count == 4)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(upstream.count == 4)
    }

    @Test func aPaginationOfOnePageEndsAfterIt() async throws {
        let upstream = settled([10])
        var iterator = pages(upstream, count: 1).makeAsyncIterator()
        #expect(try await iterator.next() == 10)
        #expect(try await iterator.next() == nil)
        #expect(upstream.count == 1)
    }

    @Test func anErrorEndsAPaginationAfterThePagesBefore() async throws {
        let upstream = Upstream(
            on: scheduler,
            [
                .atOnce(.success(10)), .atOnce(.success(20)),
                .atOnce(.failure(Broken(number: 3))),
            ])
        var iterator = pages(upstream, count: 9).makeAsyncIterator()
        #expect(try await iterator.next() == 10)
        #expect(try await iterator.next() == 20)
        await #expect(throws: Broken(number: 3)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        #expect(upstream.count == 3)
    }

    @Test func theFirstPagesErrorIsTheOnlyElement() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.failure(Broken()))])
        var iterator = pages(upstream, count: 9).makeAsyncIterator()
        await #expect(throws: Broken()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func anErrorOfThePaginationsNextClosureComesAfterItsPage() async throws {
        let upstream = settled([10, 20])
        let pages = paginate(upstream.send, from: Ask(1)) { page, ask in
            if page == 20 { throw Broken(number: 2) }
            return Ask(ask.number + 1)
        }
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next() == 10)
        #expect(try await iterator.next() == 20)
        await #expect(throws: Broken(number: 2)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func iterationsOverPagesAreIndependent() async throws {
        let upstream = settled([10, 20, 10, 20])
        let pages = pages(upstream, count: 2)
        var first = pages.makeAsyncIterator()
        #expect(try await first.next() == 10)
        var second = pages.makeAsyncIterator()
        #expect(try await first.next() == 20)
        #expect(try await second.next() == 10)
        #expect(try await first.next() == nil)
        #expect(try await second.next() == 20)
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 1, 2])
    }

    /// A nil that Swift has wrapped into an input still means the end.
    @Test(arguments: [0, 1, 2])
    func aCursorThatIsNilIsTheEnd(cursors: Int) async throws {
        let asked = Locked<[Int?]>([])
        let load: Service<Int?, Int?> = { cursor in
            asked.withLock { $0.append(cursor) }
            let number = cursor ?? 0
            return Future(value: number < cursors ? number + 1 : nil)
        }
        var count = 0
        for try await _ in paginate(load, from: nil, next: { page, _ in page }) { count += 1 }
        #expect(count == cursors + 1)
        #expect(asked.withLock { $0 } == [nil] + Array((1...max(1, cursors)).prefix(cursors)))
    }

    @Test func aServerThatNeverEndsIsLeftAfterSoManyPages() async throws {
        let upstream = Upstream(
            on: scheduler, Array(repeating: .atOnce(.success(1)), count: 100))
        let pages = paginate(upstream.send, from: Ask(1), maxPages: 5) { _, ask in ask }
        var count = 0
        let error = await #expect(throws: ServiceError.self) {
            for try await _ in pages { count += 1 }
        }
        #expect(count == 5)
        #expect(upstream.count == 5)
        #expect(error?.code == .tooManyPages)
        #expect(error?.pages == 5)
        #expect(error?.loggedCode == "tooManyPages")
        #expect(error.map { "\($0)".contains("page 5") && "\($0)".contains("maxPages") } == true)
    }

    @Test func asManyPagesAsAllowedAreNoFailure() async throws {
        let upstream = settled([10, 20, 30])
        var count = 0
        for try await _ in pages(upstream, count: 3, maxPages: 3) { count += 1 }
        #expect(count == 3)
    }

    @Test func manyPagesNeedNeitherStackNorMemory() async throws {
        let pages = paginate(
            { (number: Int) in Future(value: number) }, from: 1, maxPages: .max
        ) { page, _ in page < 100_000 ? page + 1 : nil }
        var sum = 0
        for try await page in pages { sum += page }
        #expect(sum == 100_000 * 100_001 / 2)
    }

    @MainActor @Test func aScreenIteratesOverPagesOnTheMainActor() async throws {
        let upstream = settled([10, 20])
        var shown: [Int] = []
        for try await page in pages(upstream, count: 2) {
            MainActor.assertIsolated()
            shown.append(page)
        }
        #expect(shown == [10, 20])
    }

    /// The expected result according to the documentation, for random servers and readers.
    @Test func thePagesAgreeWithAnOracle() async throws {
        for seed in 0..<300 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...6, using: &chance)
            let failing = Int.random(in: 1...8, using: &chance)
            let maxPages = Int.random(in: 1...8, using: &chance)
            let taken = Int.random(in: 0...8, using: &chance)
            let upstream = Upstream(
                on: scheduler,
                (1...count).map { .atOnce($0 == failing ? .failure(Broken()) : .success($0)) })
            var iterator = pages(upstream, count: count, maxPages: maxPages).makeAsyncIterator()
            var seen: [String] = []
            for _ in 0..<taken {
                do {
                    seen.append(try await iterator.next().map { "\($0)" } ?? "nil")
                } catch {
                    seen.append("\(type(of: error))")
                }
            }
            // The whole sequence, then nil again and again.
            let values = min(count, failing - 1, maxPages)
            var whole = (0..<values).map { "\($0 + 1)" }
            if values == failing - 1, failing <= count, failing <= maxPages {
                whole.append("Broken")
            } else if values < count {
                whole.append("ServiceError")
            }
            whole += Array(repeating: "nil", count: 8)
            #expect(seen == Array(whole.prefix(taken)), "seed \(seed)")
            #expect(upstream.count == (taken == 0 ? 0 : min(taken + 1, count, failing, maxPages)))
        }
    }

    #if os(macOS) || os(Linux)
    @Test func aPaginationOfNoPageTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = paginate({ (number: Int) in Future(value: number) }, from: 1, maxPages: 0) {
                _, _ in nil
            }
        }
        expectTrap("paginate needs maxPages of 1 or more, not 0", in: result)
    }
    #endif
}

/// Which calls an iteration gives up, and in which context it calls.
@Suite struct PageReaderTests {
    let scheduler = ManualScheduler()

    func pages(_ upstream: Upstream) -> some AsyncSequence<Int, any Error> & Sendable {
        paginate(upstream.send, from: 1) { _, ask in Ask(ask.number + 1, luggage: ask.luggage) }
    }

    @Test func leavingALoopOverPagesGivesUpThePageAhead() async throws {
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

    @Test func anErrorInALoopOverPagesGivesUpThePageAhead() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(10))])
        await #expect(throws: Broken.self) {
            for try await _ in pages(upstream) { throw Broken() }
        }
        #expect(upstream.cancelled == 1)
    }

    @Test func cancellingTheTaskEndsTheWaitForAPage() async throws {
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

    @Test func aCancelledTaskLoadsNoPage() async throws {
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

    @Test func nothingIsAliveOnceAnIterationOverPagesIsOver() async throws {
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

    @Test func everyPageIsLoadedInTheCallContextWhereTheIterationBegan() async throws {
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
