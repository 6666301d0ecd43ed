import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct PaginateTests {
    let scheduler = ManualScheduler()

    /// Pages 1…count: the page's value is its number times ten.
    func pages(
        _ upstream: Upstream, count: Int, maxPages: Int = 10_000
    ) -> PageSequence<Ask, Int> {
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

    @Test func nextSeesThePageAndItsInput() async throws {
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

    @Test func aSinglePageIsFollowedByNothing() async throws {
        let upstream = settled([10])
        var iterator = pages(upstream, count: 1).makeAsyncIterator()
        #expect(try await iterator.next() == 10)
        #expect(try await iterator.next() == nil)
        #expect(upstream.count == 1)
    }

    @Test func anErrorEndsItAfterThePagesBefore() async throws {
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

    @Test func whatNextThrowsComesAfterItsPage() async throws {
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

    @Test func iterationsAreIndependent() async throws {
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
        let error = await #expect(throws: PaginationError.self) {
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

    @MainActor @Test func aScreenIteratesOnTheMainActor() async throws {
        let upstream = settled([10, 20])
        var shown: [Int] = []
        for try await page in pages(upstream, count: 2) {
            MainActor.assertIsolated()
            shown.append(page)
        }
        #expect(shown == [10, 20])
    }

    /// The expected result according to the documentation, for random servers and readers.
    @Test func oracle() async throws {
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
                whole.append("PaginationError")
            }
            whole += Array(repeating: "nil", count: 8)
            #expect(seen == Array(whole.prefix(taken)), "seed \(seed)")
            #expect(upstream.count == (taken == 0 ? 0 : min(taken + 1, count, failing, maxPages)))
        }
    }

    #if os(macOS) || os(Linux)
    @Test func noPageTraps() async {
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
