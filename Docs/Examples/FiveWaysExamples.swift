// snippet: imports
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/SameScreenFiveWays.md: a button that loads a fact about a number.
@Suite(.oneAtATime)
struct FiveWaysExamples {
    // snippet: screen
    struct Screen: Equatable, Sendable {
        var number = 0
        var fact = Loadable<String, Unknown>.idle
    }

    struct Unknown: Error, Equatable {}

    enum Event: Equatable, Sendable {
        case plus
        case ask
        case told(Result<String, Unknown>)
    }
    // end snippet

    @Test func facts() async throws {
        // snippet: network
        let networking = MemoryTransport(routes: [
            .get("/facts/:number", answer: .json("odd"))
        ]).request
        // end snippet
        let answer: Future<String> = networking(Endpoint(path: "/facts/1")).decoded()
        #expect(try await answer.value == "odd")
    }

    /// The same taps on each of the screens; the network is answered in between.
    private func use(
        _ network: MockNetwork, state: () -> Screen, tapPlus: () -> Void, tapAsk: () -> Void
    ) throws {
        tapPlus()
        tapAsk()
        #expect(state() == Screen(number: 1, fact: .loading()))
        try network.next().answer(with: .json("odd"))
        #expect(state() == Screen(number: 1, fact: .loaded("odd")))
        tapAsk()
        try network.next().answer(with: .status(503))
        #expect(state() == Screen(number: 1, fact: .failed(Unknown(), previous: "odd")))
        try network.finish()
    }

    /// What all of them load.
    static func loading(
        _ network: MockNetwork
    ) -> @Sendable (Int) -> Future<Result<String, Unknown>> {
        let networking: Networking = network.request
        // snippet: load
        let load: @Sendable (Int) -> Future<Result<String, Unknown>> = { number in
            let fact: Future<String> = networking(Endpoint(path: "/facts/\(number)")).decoded()
            return fact.map { .success($0) }.recover { _ in .failure(Unknown()) }
        }
        // end snippet
        return load
    }

    @Test func redux() throws {
        let network = MockNetwork()
        let load = Self.loading(network)
        // snippet: redux
        let reducer = Reducer<Screen, Event> { (screen: inout Screen, event: Event) in
            switch event {
            case .plus: screen.number += 1
            case .ask: screen.fact.startLoading()
            case .told(let result): screen.fact.finishLoading(with: result)
            }
        }
        let loading = DispatchMiddleware<Screen, Event> { context in
            { next in
                { event in
                    next(event)
                    guard event == .ask else { return }
                    load(context.state.number).onSuccess { context.dispatch(event: .told($0)) }
                }
            }
        }
        let store = Store(initialState: Screen(), reducer: reducer, middleware: [loading])
        // end snippet
        try use(
            network, state: { store.state },
            tapPlus: { store.dispatch(event: .plus) }, tapAsk: { store.dispatch(event: .ask) })
    }

    @Test func elm() throws {
        let network = MockNetwork()
        let load = Self.loading(network)
        // snippet: elm
        let update = Reducer<Screen, Event>(effects: { screen, event in
            switch event {
            case .plus:
                screen.number += 1
                return .none
            case .ask:
                screen.fact.startLoading()
                let number = screen.number
                return .future(load(number).map { .told($0) })
            case .told(let result):
                screen.fact.finishLoading(with: result)
                return .none
            }
        })
        let store = Store(initialState: Screen(), reducer: update)
        // end snippet
        try use(
            network, state: { store.state },
            tapPlus: { store.dispatch(event: .plus) }, tapAsk: { store.dispatch(event: .ask) })
    }

    @Test func rxFeedback() throws {
        let network = MockNetwork()
        let load = Self.loading(network)
        // snippet: feedback
        let store = Store<Screen, Event>(
            initialState: Screen(),
            reducer: Reducer { screen, event in
                var screen = screen
                switch event {
                case .plus: screen.number += 1
                case .ask: screen.fact.startLoading()
                case .told(let result): screen.fact.finishLoading(with: result)
                }
                return screen
            },
            feedback: [
                Feedback {
                    $0.fact.isLoading ? $0.number : nil
                } effect: { number in
                    .future(load(number).map { .told($0) })
                }
            ])
        // end snippet
        try use(
            network, state: { store.state },
            tapPlus: { store.dispatch(event: .plus) }, tapAsk: { store.dispatch(event: .ask) })
    }

    // snippet: reactor
    enum Mutation: Equatable, Sendable {
        case setNumber(Int)
        case setLoading
        case setFact(Result<String, Unknown>)
    }

    final class Reactor: Sendable {
        enum Action: Sendable { case plus, ask }

        let store = Store(initialState: Screen(), reducer: Reducer<Screen, Mutation>(reduce))
        let load: @Sendable (Int) -> Future<Result<String, Unknown>>

        init(load: @escaping @Sendable (Int) -> Future<Result<String, Unknown>>) {
            self.load = load
        }

        func send(_ action: Action) {
            let number = store.state.number
            switch action {
            case .plus: store.dispatch(event: .setNumber(number + 1))
            case .ask:
                store.dispatch(event: .setLoading)
                load(number).onSuccess { [store] in store.dispatch(event: .setFact($0)) }
            }
        }

        @Sendable static func reduce(_ screen: inout Screen, _ mutation: Mutation) {
            switch mutation {
            case .setNumber(let number): screen.number = number
            case .setLoading: screen.fact.startLoading()
            case .setFact(let result): screen.fact.finishLoading(with: result)
            }
        }
    }
    // end snippet

    @Test func reactorKit() throws {
        let network = MockNetwork()
        let load = Self.loading(network)
        // snippet: reactor-use
        let reactor = Reactor(load: load)
        // end snippet
        try use(
            network, state: { reactor.store.state },
            tapPlus: { reactor.send(.plus) }, tapAsk: { reactor.send(.ask) })
    }

    @Test func reSwift() throws {
        let network = MockNetwork()
        let load = Self.loading(network)
        // snippet: reswift
        let reducer = Reducer<Screen, Event> { screen, event in
            var screen = screen
            switch event {
            case .plus: screen.number += 1
            case .ask: screen.fact.startLoading()
            case .told(let result): screen.fact.finishLoading(with: result)
            }
            return screen
        }
        let store = Store(initialState: Screen(), reducer: reducer)
        let askForFact: @Sendable (Store<Screen, Event>) -> Void = { store in
            store.dispatch(event: .ask)
            load(store.state.number).onSuccess { store.dispatch(event: .told($0)) }
        }
        // end snippet
        try use(
            network, state: { store.state },
            tapPlus: { store.dispatch(event: .plus) }, tapAsk: { askForFact(store) })
    }
}
