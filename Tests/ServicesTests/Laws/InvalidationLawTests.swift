import PledgeAdmission
import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

/// Who asks after an invalidation gets no answer from before it, in whatever order the policies stand.
@Suite(.oneAtATime) struct InvalidationLawTests {
    @Test(arguments: 0..<150) func anInvalidatedAnswerIsNotReturnedByAnyStack(seed: UInt64) {
        let shop = Shop(seed: seed)
        for step in 0..<400 {
            let key = Int.random(in: 0..<3, using: &shop.dice)
            switch Int.random(in: 0..<20, using: &shop.dice) {
            case 0..<10: shop.ask(key)
            case 10: shop.change(key)
            case 11: shop.changeAll()
            case 12: shop.leave()
            default: shop.scheduler.advance(by: .milliseconds(step % 9))
            }
        }
        shop.scheduler.run()
        #expect(shop.stale == 0, "\(shop.parts)")
        #expect(shop.answered > 0)
    }

    /// A memo and what stands around it, over a service that reads the present price when it is called.
    private final class Shop {
        typealias Part = (name: String, middleware: Middleware<Ask, Int>)

        struct Call {
            let key: Int
            let oldest: Int
            let future: Future<Int>
        }

        var dice: SeededGenerator
        let scheduler = ManualScheduler()
        let parts: [String]
        private let memos: [Memo<Int, Int>]
        private let stacks: [Service<Ask, Int>]
        private let prices = Locked([0, 0, 0])
        private var calls: [Call] = []

        init(seed: UInt64) {
            var dice = SeededGenerator(seed: seed)
            let (scheduler, prices) = (scheduler, prices)
            let memos = (0..<2).map { _ in
                Memo<Int, Int>(timeToLive: .milliseconds(200), limit: 2, on: scheduler)
            }
            var parts: [Part] = [("memoize", .memoize(by: \.number, sharing: memos[0]))]
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                let part = Self.draw(memos[1], on: scheduler, &dice)
                parts.insert(part, at: Int.random(in: 0...parts.count, using: &dice))
            }
            let latency = Int.random(in: 0...30, using: &dice)
            let send: Service<Ask, Int> = { ask in
                let price = prices.withLock { $0[ask.number] }
                return Future(value: price).delay(.milliseconds(latency), on: scheduler)
            }
            let group = Coalescer<Int, Int>()
            let last = Middleware<Ask, Int>.coalesce(by: \.number, sharing: group)(send)
            // The second has no memo, and shares the calls of the first.
            let first = Middleware(stacking: parts.map(\.middleware))(last)
            stacks = Bool.random(using: &dice) ? [first, last] : [first]
            self.parts = parts.map(\.name) + (stacks.count == 1 ? [] : ["a shared coalesce"])
            self.memos = memos
            self.dice = dice
        }

        private static func draw(
            _ memo: Memo<Int, Int>, on scheduler: ManualScheduler, _ dice: inout SeededGenerator
        ) -> Part {
            let wait = Duration.milliseconds(Int.random(in: 0...20, using: &dice))
            return switch Int.random(in: 0..<7, using: &dice) {
            case 0..<3: ("coalesce", .coalesce(by: \.number))
            case 3: ("memoize", .memoize(by: \.number, sharing: memo))
            case 4:
                (
                    "bulkhead",
                    .bulkhead(sharing: Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler))
                )
            case 5:
                (
                    "a wait before",
                    Middleware { next in
                        { ask in
                            Future(value: ()).delay(wait, on: scheduler).flatMap { next(ask) }
                        }
                    }
                )
            default:
                (
                    "a wait after",
                    Middleware { next in { ask in next(ask).delay(wait, on: scheduler) } }
                )
            }
        }

        func ask(_ key: Int) {
            let isPlain = stacks.count == 2 && Int.random(in: 0..<4, using: &dice) == 0
            let stack = stacks[isPlain ? 1 : 0]
            // Who does not ask the memo is not promised anything.
            let oldest = isPlain ? 0 : prices.withLock { $0[key] }
            calls.append(Call(key: key, oldest: oldest, future: stack(Ask(key))))
        }

        func change(_ key: Int) {
            prices.withLock { $0[key] += 1 }
            for memo in memos { memo.invalidate(key) }
        }

        func changeAll() {
            prices.withLock { prices in prices = prices.map { $0 + 1 } }
            for memo in memos { memo.invalidateAll() }
        }

        func leave() { calls.randomElement(using: &dice)?.future.cancel() }

        var answered: Int { calls.count { $0.future.valueNow != nil } }

        /// How many got an answer from before an invalidation that came before them.
        var stale: Int {
            calls.count { call in call.future.valueNow.map { $0 < call.oldest } ?? false }
        }
    }
}
