import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

/// A forbidden action of a reducer stops the program, and does not block it.
@Suite(.oneAtATime) struct ImpureReducerTests {
    typealias Report = ExitTest.Result

    private func text(of result: Report?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func failingAnEffectsFutureTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let promise = Promise<Int>()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    if event == 1 { return .future(promise) }
                    promise.reject(with: CancellationError())
                    return .none
                }))
            for event in [1, 2] { store.dispatch(event: event) }
        }
        #expect(try text(of: result).contains("tried to settle an effect's future"))
    }

    @Test func settlingAnEffectsFutureBehindMiddlewareTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let promise = Promise<Int>()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    if event == 1 { return .future(promise) }
                    promise.resolve(with: 3)
                    return .none
                }), middleware: [StoreMiddleware { _ in { $0 } }])
            for event in [1, 2] { store.dispatch(event: event) }
        }
        #expect(try text(of: result).contains("tried to settle an effect's future"))
    }

    @Test func movingTheClockTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let scheduler = ManualScheduler()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    if event == 2 { scheduler.run() }
                    return Effect.future(Future(value: 3))
                        .debounce(id: 1, for: .seconds(1), on: scheduler)
                }))
            for event in [1, 2] { store.dispatch(event: event) }
        }
        #expect(try text(of: result).contains("tried to move an effect's clock"))
    }

    @Test func freeingAQuerysValueThatUsesTheStoreTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let held = Locked<Store<Int, Int>?>(nil)
            let feedback = Feedback<Int, Int> { state in
                QueryOfOneState(state, OnDeinit { _ = held.withLock { $0 }?.state })
            } effect: { _ in
                .none
            }
            let store = Store<Int, Int>(
                initialState: 0, reducer: Reducer { $0 + $1 }, feedback: [feedback])
            held.withLock { $0 = store }
            store.dispatch(event: 1)
        }
        #expect(try text(of: result).contains("tried to read the state"))
    }

    @Test func usingTheStoreInTheFirstQueryTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let held = Locked<DispatchContext<Int, Int>?>(nil)
            let middleware = StoreMiddleware<Int, Int> { context in
                held.withLock { $0 = context }
                return { $0 }
            }
            let feedback = Feedback<Int, Int>(
                { _ in held.withLock { $0 }?.state }, effect: { _ in .none })
            _ = Store(
                initialState: 0, reducer: Reducer { $0 + $1 }, middleware: [middleware],
                feedback: [feedback])
        }
        #expect(try text(of: result).contains("tried to read the state"))
    }
}

/// A query of a state, which calls a closure when it is freed.
private struct QueryOfOneState: Equatable, Sendable {
    let state: Int
    let end: OnDeinit

    init(_ state: Int, _ end: OnDeinit) { (self.state, self.end) = (state, end) }

    static func == (left: Self, right: Self) -> Bool { left.state == right.state }
}
