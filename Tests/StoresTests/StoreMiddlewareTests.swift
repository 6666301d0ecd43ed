import Dispatch
import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct StoreMiddlewareTests {
    typealias Middleware = StoreMiddleware<[String], String>

    let seen = TestLog<String>()

    func logging(_ name: String) -> Middleware {
        Middleware { [seen] context in
            seen.append("set up \(name)")
            return { next in
                { event in
                    seen.append("\(name) before \(event): \(context.state.count)")
                    next(event)
                    seen.append("\(name) after \(event): \(context.state.count)")
                }
            }
        }
    }

    func store(_ middleware: Middleware...) -> Store<[String], String> {
        Store(initialState: [], reducer: Reducer { $0 + [$1] }, middleware: middleware)
    }

    @Test func middlewareIsSetUpOnceInOrderAndTheFirstIsTheOutermost() {
        let store = store(logging("a"), logging("b"))
        #expect(seen.elements == ["set up a", "set up b"])
        store.dispatch("x")
        #expect(
            seen.elements.dropFirst(2) == [
                "a before x: 0", "b before x: 0", "b after x: 1", "a after x: 1",
            ])
        store.dispatch("y")
        #expect(seen.elements.count { $0.hasPrefix("set up") } == 2)
        #expect(store.state == ["x", "y"])
    }

    @Test func aDispatchWithinAMiddlewareGoesThroughTheWholeChain() {
        let twice = Middleware { context in
            { next in
                { event in
                    if event == "x" { context.dispatch("y") }
                    next(event)
                }
            }
        }
        let store = store(logging("a"), twice)
        store.dispatch("x")
        #expect(store.state == ["y", "x"])
        #expect(
            seen.elements == [
                "set up a", "a before x: 0", "a before y: 0", "a after y: 1", "a after x: 2",
            ])
    }

    @Test func aMiddlewareMayDropAndReplaceEvents() {
        let filter = Middleware { _ in
            { next in
                { event in
                    if event == "drop" { return }
                    next(event.uppercased())
                }
            }
        }
        let store = store(filter)
        store.dispatch("drop")
        store.dispatch("keep")
        #expect(store.state == ["KEEP"])
    }

    @Test func dispatchingWhileAMiddlewareIsSetUpTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let early = Middleware { context in
                context.dispatch("early")
                return { next in next }
            }
            _ = Store<[String], String>(
                initialState: [], reducer: Reducer { $0 + [$1] }, middleware: [early])
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("while its middleware was being set up"))
    }

    @Test func aSourceOnAnotherThreadMayDispatchWhileTheStoreIsSetUp() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            let source = Middleware { context in
                let sent = DispatchSemaphore(value: 0)
                Thread {
                    for event in ["a", "b"] { context.dispatch(event) }
                    sent.signal()
                }.start()
                sent.wait()
                return { next in { event in next(event.uppercased()) } }
            }
            let store = Store<[String], String>(
                initialState: [], reducer: Reducer { $0 + [$1] }, middleware: [source])
            store.dispatch("c")
            exit(store.state == ["A", "B", "C"] ? 0 : 1)
        }
    }

    @Test func eventsOfOtherThreadsKeepTheirOrderWhileTheStoreIsSetUp() async {
        for _ in 0..<200 {
            let done = Promise<Void>()
            let source = StoreMiddleware<[Int], Int> { context in
                Thread {
                    for event in 0..<50 { context.dispatch(event) }
                    done.resolve(with: ())
                }.start()
                return { next in
                    { event in
                        next(event)
                        if event == 0 { context.dispatch(1000) }
                    }
                }
            }
            let store = Store<[Int], Int>(
                initialState: [], reducer: Reducer { $0 + [$1] }, middleware: [source])
            try? await done.value
            #expect(store.state.filter { $0 < 1000 } == Array(0..<50))
            #expect(store.state.count == 51)
        }
    }

    @Test func eventsOfEffectsGoThroughTheMiddlewareUnlessTheirEffectIsReplaced() {
        let promises = Locked<[Promise<String>]>([])
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                guard event == "ask" else { return .none }
                return .future {
                    let promise = Promise<String>()
                    promises.withLock { $0.append(promise) }
                    return promise
                }.id("ask")
            }), middleware: [logging("a")])
        store.dispatch("ask")
        store.dispatch("ask")
        for promise in promises.withLock({ $0 }) { promise.resolve(with: "answer") }
        #expect(store.state == ["ask", "ask", "answer"])
        #expect(seen.elements.count { $0.hasPrefix("a before answer") } == 1)
    }

    /// Runs a closure on a thread, and returns after the thread has ended.
    static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        Thread {
            body()
            done.signal()
        }.start()
        done.wait()
    }

    @Test func aSequenceOfEffectsGoesOnAfterAnEventThatWaitedForTheMiddlewareIsReduced() {
        let seen = seen
        let first = Promise<String>()
        // During the event that waits first, another thread settles the effect that the feedback began.
        let source = Middleware { context in
            Self.onAnotherThread { context.dispatch("a") }
            return { next in
                { event in
                    if event == "a" { Self.onAnotherThread { first.resolve(with: "b") } }
                    next(event)
                }
            }
        }
        let second = Effect<String>.future {
            seen.append("second begins")
            return Promise()
        }
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer { state, event in
                seen.append("reduce \(event)")
                return state + [event]
            }, middleware: [source],
            feedback: [
                Feedback { _ in
                    true
                } effect: { _ in
                    .concatenate(.future(first), second)
                }
            ]
        )
        #expect(seen.elements == ["reduce a", "reduce b", "second begins"])
        #expect(store.state == ["a", "b"])
    }

    @Test(arguments: [false, true])
    func aCancellationOfAnEffectIsCarriedOutBeforeANewerEventsEffectBegins(hasMiddleware: Bool) {
        let seen = seen
        let (old, job) = (Promise<String>(), Promise<String>())
        old.onCancel { seen.append("cancel the old one") }
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { _, event in
                switch event {
                case "begin":
                    .merge(
                        Effect.future(old).id("x"),
                        .concatenate(.future(job), .cancel(id: "x")))
                case "replace":
                    Effect.future {
                        seen.append("begin the new one")
                        return Promise()
                    }.id("x")
                default: .none
                }
            }), middleware: hasMiddleware ? [Middleware { _ in { $0 } }] : [])
        store.dispatch("begin")
        job.resolve(with: "replace")
        // The old one is gone before the new one comes; the sequence ends with its cancellation.
        #expect(seen.elements == ["cancel the old one", "begin the new one"])
    }

    @Test func theContextThatAMiddlewareKeepsDoesNotKeepTheStore() {
        let kept = Locked<DispatchContext<[String], String>?>(nil)
        let keeping = Middleware { context in
            kept.withLock { $0 = context }
            return { next in next }
        }
        var store: Store<[String], String>? = store(keeping)
        weak let gone = store
        store?.dispatch("x")
        store = nil
        #expect(gone == nil)
        let context = kept.withLock { $0 }
        context?.dispatch("y")
        #expect(context?.state == ["x"])
    }
}
