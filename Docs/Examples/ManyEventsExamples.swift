import Pledge
import PledgeStores
import Testing

/// The code of Docs/Guides/Effects.md on effects of many events, or of none, and on their end.
@Suite struct ManyEventsExamples {
    // snippet: chat
    struct Chat: Equatable, Sendable {
        var lines: [String] = []
        var hasEnded = false

        enum Event: Sendable {
            case enter, leave
            case said(String)
            case ended
        }
    }
    // end snippet

    @Test func listens() async throws {
        let scheduler = ManualScheduler()
        // snippet: events
        let (messages, server) = AsyncStream<String>.makeStream()
        let store = Store<Chat, Chat.Event>(
            initialState: Chat(),
            reducer: Reducer(effects: { chat, event in
                switch event {
                case .enter:
                    return .events(of: messages) { .said($0) }.id("messages")
                case .leave: return .cancel(id: "messages")
                case .said(let line): chat.lines.append(line)
                case .ended: chat.hasEnded = true
                }
                return .none
            }))
        // end snippet
        // snippet: listened
        store.dispatch(.enter)
        server.yield("hello")
        server.yield("is anybody there?")
        server.finish()
        try await store.finish(within: .seconds(10), on: scheduler).value
        #expect(store.state.lines == ["hello", "is anybody there?"])
        // end snippet
    }

    @Test func runs() async throws {
        let scheduler = ManualScheduler()
        // snippet: run
        let (messages, server) = AsyncThrowingStream<String, any Error>.makeStream()
        let store = Store<Chat, Chat.Event>(
            initialState: Chat(),
            reducer: Reducer(effects: { chat, event in
                switch event {
                case .enter:
                    return .run { send in
                        for try await message in messages {
                            send(.said(message))
                        }
                        send(.ended)
                    } catch: { error, send in
                        send(.said("The connection was lost: \(error)"))
                    }.id("messages")
                case .leave: return .cancel(id: "messages")
                case .said(let line): chat.lines.append(line)
                case .ended: chat.hasEnded = true
                }
                return .none
            }))
        // end snippet
        store.dispatch(.enter)
        server.yield("hello")
        server.finish(throwing: Offline())
        try await store.finish(within: .seconds(10), on: scheduler).value
        #expect(store.state.lines == ["hello", "The connection was lost: Offline()"])
    }

    struct Offline: Error {}

    @Test func firesAndForgets() {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: fire-and-forget
        let track = { @Sendable (name: String) -> Future<Int> in
            print(name)
            return Future(error: CancellationError())
        }
        let store = Store<Chat, Chat.Event>(
            initialState: Chat(),
            reducer: Reducer(effects: { chat, event in
                switch event {
                case .enter:
                    return .fireAndForget(track("entered")) { _ in }
                default: return .none
                }
            }))
        // end snippet
        store.dispatch(.enter)
        #expect(log.lines == ["entered"])
        #expect(store.state == Chat())
    }

    @Test func finishes() {
        // snippet: finish
        let answer = Promise<String>()
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                return event == "ask" ? Effect.future(answer).id("answer") : .none
            }))
        let scheduler = ManualScheduler()
        store.dispatch("ask")
        let early = store.finish(within: .seconds(1), on: scheduler)
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: (any Error).self) { try early.result?.get() }
        #expect(error.map { "\($0)".contains("\"answer\"") } == true)

        let late = store.finish(within: .seconds(1), on: scheduler)
        answer.resolve(with: "yes")
        #expect(throws: Never.self) { try late.result?.get() }
        #expect(store.state == ["ask", "yes"])
        // end snippet
        #expect(late.result != nil)
    }
}
