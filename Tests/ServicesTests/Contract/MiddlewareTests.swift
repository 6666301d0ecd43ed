import PledgeFutures
import PledgeServices
import ServicesTestSupport
import Testing

@Suite struct StackTests {
    struct Product: Equatable, Sendable {
        typealias ID = Int
        var id: ID
    }

    final class Shop: Sendable {
        func load(_ id: Product.ID) -> Future<Product> { Future(value: Product(id: id)) }
        static func find(_ id: Product.ID) -> Future<Product> { Future(value: Product(id: id)) }
    }

    let log = Locked<[String]>([])

    func noting<Input, Output>(_ name: String) -> Middleware<Input, Output> {
        Middleware { [log] next in
            { input in
                log.withLock { $0.append(name) }
                return next(input)
            }
        }
    }

    @Test func theFirstMiddlewareOfAStackIsOutermost() {
        let load = stack(noting("a"), noting("b"), noting("c"), over: Shop().load)
        #expect(load(7).valueNow == Product(id: 7))
        #expect(log.withLock { $0 } == ["a", "b", "c"])
    }

    @Test func aStackOfNothingIsTheService() {
        let load = stack(over: Shop().load)
        #expect(load(7).valueNow == Product(id: 7))
    }

    /// The test is that this compiles: the types are inferred from the service.
    @Test func methodsFunctionsAndClosuresAreServices() {
        let scheduler = ManualScheduler()
        let method = stack(
            .deadline(.seconds(10), on: scheduler), .timeout(.seconds(2), on: scheduler),
            over: Shop().load)
        let function = stack(.timeout(.seconds(2), on: scheduler), over: Shop.find)
        let closure = stack(
            .timeout(.seconds(2), on: scheduler),
            over: { (id: Product.ID) in Future(value: Product(id: id)) })
        let typed: Service<Product.ID, Product> = stack(.timeout(.seconds(2)), over: closure)
        #expect(method(1).valueNow?.id == 1)
        #expect(function(2).valueNow?.id == 2)
        #expect(typed(3).valueNow?.id == 3)
    }

    @Test func thePartsOfAStackMayBeChosenByACondition() {
        for isPatient in [true, false] {
            let load = stack(
                isPatient ? .deadline(.seconds(9)) : .passThrough,
                over: { (id: Int) in
                    Future(value: CallContext.current.deadline != nil)
                })
            #expect(load(1).valueNow == isPatient)
        }
    }
}

@Suite struct MiddlewareTests {
    /// Logs its letter before and after the service runs.
    func noting(_ letter: String, in log: Locked<String>) -> Middleware<Int, Int> {
        Middleware { next in
            { input in
                log.withLock { $0 += letter }
                return next(input).always { log.withLock { $0 += letter.uppercased() } }
            }
        }
    }

    let log = Locked("")
    let double: Service<Int, Int> = { Future(value: $0 * 2) }

    @Test func aMiddlewareIsCalledWithAService() {
        #expect(noting("a", in: log)(double)(4).valueNow == 8)
        #expect(log.withLock { $0 } == "aA")
    }

    @Test func aroundComposesTwoMiddlewareIntoOne() {
        let both = noting("a", in: log).around(noting("b", in: log))
        #expect(both(double)(4).valueNow == 8)
        #expect(log.withLock { $0 } == "abBA")
    }

    @Test func aroundIsAssociativeForMiddlewareAndPassThroughChangesNothing() {
        let parts = ["a", "b", "c"].map { noting($0, in: log) }
        let compositions = [
            parts[0].around(parts[1]).around(parts[2]),
            parts[0].around(parts[1].around(parts[2])),
            Middleware.passThrough.around(Middleware(stacking: parts)),
            Middleware(stacking: parts).around(.passThrough),
            Middleware(stacking: parts + [.passThrough]),
        ]
        for composition in compositions {
            log.withLock { $0 = "" }
            _ = composition(double)(1)
            #expect(log.withLock { $0 } == "abcCBA")
        }
    }

    @Test func composingNoMiddlewareChangesNothing() {
        #expect(Middleware(stacking: [])(double)(4).valueNow == 8)
        #expect(Middleware.passThrough(double)(4).valueNow == 8)
    }

    @Test func aMiddlewareMayServeSeveralServices() {
        let wrapped = noting("a", in: log)
        #expect(wrapped(double)(1).valueNow == 2)
        #expect(wrapped { Future(value: -$0) }(1).valueNow == -1)
        #expect(log.withLock { $0 } == "aAaA")
    }
}
