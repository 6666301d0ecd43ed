// snippet: imports
import Foundation
import Pledge
import PledgeStores
import PledgeTesting
import Testing

// end snippet
// swift-format-ignore: OrderedImports
import TestSupport

/// The code of Docs/Guides/TestingState.md.
@Suite(.oneAtATime)
struct TestingStateExamples {
    // snippet: search
    struct Search: Equatable, Sendable {
        var text = ""
        var books: [String] = []
    }

    enum Event: Sendable {
        case typed(String)
        case found(Result<[String], any Error>)
    }
    // end snippet

    private let log = ExampleLog()

    /// What the examples print.
    private var print: @Sendable (String) -> Void { { [log] in log.add($0) } }

    // snippet: effects
    struct Finder: Sendable {
        let networking: Networking
        let scheduler: any FutureScheduler

        func reduce(_ search: inout Search, _ event: Event) -> Effect<Event> {
            switch event {
            case .typed(let text):
                search.text = text
                let found: @Sendable () -> Future<[String]> = {
                    networking(Endpoint(path: "/books/\(text)")).decoded()
                }
                return .request(found()) { .found($0) }
                    .debounce(id: "search", for: .milliseconds(300), on: scheduler)
            case .found(let result):
                search.books = (try? result.get()) ?? []
                return .none
            }
        }
    }
    // end snippet

    // snippet: test-store
    @Test func findsBooks() throws {
        let network = MockNetwork()
        let scheduler = ManualScheduler()
        let finder = Finder(networking: network.request, scheduler: scheduler)
        let store = TestStore(initialState: Search(), reducer: Reducer(effects: finder.reduce))

        store.send(.typed("M")) { $0.text = "M" }
        store.send(.typed("Momo")) { $0.text = "Momo" }
        scheduler.advance(by: .milliseconds(300))
        try network.next().answer(with: .json(["Momo"]))
        store.receive(where: { if case .found(.success) = $0 { true } else { false } }) {
            $0.books = ["Momo"]
        }

        store.finish()
        try network.finish()
    }
    // end snippet

    // snippet: failure
    func typeSomethingElse() {
        let finder = Finder(networking: MockNetwork().request, scheduler: ManualScheduler())
        let store = TestStore(
            initialState: Search(), reducer: Reducer(effects: finder.reduce),
            onFailure: { message, _ in print(message) })

        store.send(.typed("Momo")) { $0.text = "Mumu" }
        store.finish()
    }
    // end snippet

    @Test func failures() {
        typeSomethingElse()
        let shown = log.lines.joined(separator: "\n\n")
        #expect(shown == failureText, "\(shown)")
    }

    private let failureText = """
        send(typed("Momo")): the state is not as expected (- expected, + is).
        - text: "Mumu"
        + text: "Momo"

        1 effect has not ended. Answer the call that it waits for, or advance its scheduler, and \
        receive its events; or cancel it
        """

    // snippet: exhaustivity
    @Test func findsBooksInShort() throws {
        let network = MockNetwork()
        let scheduler = ManualScheduler()
        let finder = Finder(networking: network.request, scheduler: scheduler)
        let store = TestStore(
            initialState: Search(), reducer: Reducer(effects: finder.reduce), exhaustivity: .off)

        store.send(.typed("Momo"))
        scheduler.advance(by: .seconds(1))
        try network.next().answer(with: .json(["Momo"]))
        store.receive(where: { if case .found = $0 { true } else { false } }) {
            $0.books = ["Momo"]
        }
    }
    // end snippet

    // snippet: middleware
    @Test func countsAndGreets() {
        let counting = StoreMiddleware<[String], String> { context in
            { next in
                { event in
                    if event == "tap" { context.dispatch("tracked") }
                    next(event)
                }
            }
        }
        let greeting = Feedback<[String], String> { events in
            events.contains("tap") ? "greet" : nil
        } effect: { _ in
            .future(Future(value: "hello"))
        }
        let store = TestStore(
            initialState: [], reducer: Reducer { events, event in events + [event] },
            middleware: [counting], feedback: [greeting])

        store.send("tap") { $0 = ["tracked", "tap"] }
        store.receive("tracked") { $0 = ["tracked"] }
        store.receive("hello") { $0 = ["tracked", "tap", "hello"] }
        store.finish()
    }
    // end snippet

    @Test func nothingToWaitFor() async {
        // snippet: nothing-under-way
        let store = TestStore(
            initialState: 0, reducer: Reducer { $0 + $1 },
            onFailure: { message, _ in print(message) })

        await store.receive(10)
        // end snippet
        #expect(log.lines == ["receive(10): no event has come, and no effect is under way."])
    }

    @Test func ownReport() {
        // snippet: own-report
        let store = TestStore(
            initialState: 0, reducer: Reducer { $0 + $1 },
            onFailure: { message, location in
                print("\(location.fileID):\(location.line): \(message)")
            })
        // end snippet
        store.send(1) { $0 = 1 }
        store.finish()
        #expect(log.lines == [])
    }

    // snippet: await
    @Test func waitsForWhatComesLater() async {
        let store = TestStore(
            initialState: 0,
            reducer: Reducer(effects: { (sum: inout Int, number: Int) -> Effect<Int> in
                sum += number
                return number == 1 ? .future(Future { 10 }) : .none
            }))

        store.send(1) { $0 = 1 }
        await store.receive(10) { $0 = 11 }
    }
    // end snippet

    @Test func reducerAlone() {
        // snippet: reducer
        let sum = Reducer<Int, Int> { state, event in state + event }
        #expect(sum.reduce(1, 2) == 3)
        // end snippet
    }

    @Test func recorder() {
        // snippet: recorder
        let recorder = StoreRecorder(
            initialState: "",
            reducer: Reducer { (text: String, typed: String) in
                text + typed
            })
        for letter in ["M", "o", "m", "o"] { recorder.dispatch(letter) }

        recorder.undo()
        recorder.undo()
        #expect(recorder.state == "Mo")
        recorder.redo()
        #expect(recorder.state == "Mom")
        recorder.travel(to: 1)
        recorder.dispatch("y")
        #expect(recorder.states == ["", "M", "My"])
        // end snippet
    }

    @Test func bounded() {
        // snippet: recorder-bound
        let recorder = StoreRecorder<Int, Int>(
            initialState: 0, maximumEvents: 2, reducer: Reducer { $0 + $1 },
            middleware: [
                StoreMiddleware { _ in
                    { next in
                        { event in
                            print("\(event)")
                            next(event)
                        }
                    }
                }
            ])
        for event in [1, 10, 100] { recorder.dispatch(event) }
        recorder.undo()
        #expect(recorder.states == [1, 11, 111])
        #expect(recorder.droppedEvents == 1)
        // end snippet
        #expect(log.lines == ["1", "10", "100"])
    }

    @Test func replay() throws {
        // snippet: replay
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("events-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }

        let append: @Sendable (String, String) -> String = { text, typed in text + typed }
        let session = StoreRecorder(initialState: "", reducer: Reducer(append))
        for letter in ["M", "o", "m", "o"] { session.dispatch(letter) }
        try session.save(to: file)

        let again = StoreRecorder(initialState: "", reducer: Reducer(append))
        try again.replay(contentsOf: file)
        #expect(again.states == ["", "M", "Mo", "Mom", "Momo"])
        // end snippet
        #expect(try String(contentsOf: file, encoding: .utf8) == "\"M\"\n\"o\"\n\"m\"\n\"o\"\n")
    }
}
