import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct TestStoreInitTests {
    private struct Sum: Reducible, Equatable {
        var sum = 0
        static func reduce(_ state: Sum, event: Int) -> Sum { Sum(sum: state.sum + event) }
    }

    let log = TestLog<StoreFailure>()

    @Test func takesReducersAndReducibleStates() {
        let reducible = TestStore(initialState: Sum(), reducer: Reducer(), onFailure: log.add)
        reducible.send(3) { $0.sum = 3 }
        let function = TestStore(
            initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event },
            onFailure: log.add)
        function.send(3, expecting: 3)
        let reducer = TestStore(
            initialState: 0, reducer: Reducer<Int, Int> { state, event in state -= event },
            onFailure: log.add)
        reducer.send(3) { $0 = -3 }
        let withEffects = TestStore(
            initialState: 0,
            reducer: Reducer<Int, Int>(effects: { state, event in
                state += event
                return event == 1 ? .future(Future(value: 5)) : .none
            }), onFailure: log.add)
        withEffects.send(1, expecting: 1)
        withEffects.receive(5) { $0 = 6 }
        #expect(log.messages == [])
    }

    @Test func eachTakesMiddlewareAndFeedback() {
        let doubling = StoreMiddleware<Int, Int> { _ in { next in { next($0 * 2) } } }
        let once = Feedback<Int, Int> {
            $0 == 4 ? $0 : nil
        } effect: { _ in
            .future(Future(value: 10))
        }
        let stores = [
            TestStore(
                initialState: 0, reducer: Reducer { $0 + $1 }, middleware: [doubling],
                feedback: [once],
                onFailure: log.add),
            TestStore(
                initialState: 0, reducer: Reducer { state, event in state += event },
                middleware: [doubling], feedback: [once], onFailure: log.add),
            TestStore(
                initialState: 0,
                reducer: Reducer(effects: { (state: inout Int, event: Int) -> Effect<Int> in
                    state += event
                    return .none
                }), middleware: [doubling], feedback: [once], onFailure: log.add),
        ]
        for store in stores {
            store.send(2) { $0 = 4 }
            store.receive(20) { $0 = 24 }
            store.finish()
        }
        let reducible = TestStore(
            initialState: Sum(), reducer: Reducer(),
            middleware: [StoreMiddleware { _ in { next in { next($0 * 2) } } }],
            feedback: [
                Feedback {
                    $0.sum == 4 ? 4 : nil
                } effect: { _ in
                    .future(Future(value: 10))
                }
            ], onFailure: log.add)
        reducible.send(2) { $0.sum = 4 }
        reducible.receive(20) { $0.sum = 24 }
        #expect(log.messages == [])
    }

    @Test func whatTheInitialStateAsksForIsReceived() {
        let store = TestStore(
            initialState: Sum(sum: 1), reducer: Reducer(),
            feedback: [
                Feedback {
                    $0.sum == 1 ? 1 : nil
                } effect: { _ in
                    .future(Future(value: 10))
                }
            ], onFailure: log.add)
        store.receive(10) { $0.sum = 11 }
        store.finish()
        #expect(log.messages == [])
    }
}
