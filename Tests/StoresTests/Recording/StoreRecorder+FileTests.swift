import Foundation
import PledgeFutures
import PledgeStores
import Testing

@Suite struct RecorderFileTests {
    enum Event: Codable, Equatable, Sendable {
        case typed(String)
        case cleared
    }

    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("recorder-\(UUID().uuidString).jsonl")

    private func makeRecorder() -> StoreRecorder<String, Event> {
        StoreRecorder(
            initialState: "",
            reducer: Reducer { state, event in
                switch event {
                case .typed(let text): state + text
                case .cleared: ""
                }
            })
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: file)
    }

    @Test func whatWasSavedIsPlayedAgain() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let first = makeRecorder()
        let events: [Event] = [.typed("a\nb"), .cleared, .typed("Zoë 👍"), .typed(""), .cleared]
        for event in events { first.dispatch(event: event) }
        first.undo()
        try first.save(to: file)

        let second = makeRecorder()
        try second.replay(contentsOf: file)

        #expect(second.state == first.state)
        #expect(second.events == Array(events.dropLast()))
        #expect(second.states == Array(first.states.dropLast()))
    }

    @Test func anEncoderMayBreakLines() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let first = makeRecorder()
        for event in [Event.typed("a\nb"), .cleared] { first.dispatch(event: event) }
        try first.save(to: file, encoder: encoder)

        let second = makeRecorder()
        try second.replay(contentsOf: file)
        #expect(second.events == first.events)
    }

    @Test func nothingIsAFileToo() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try makeRecorder().save(to: file)
        let second = makeRecorder()
        try second.replay(contentsOf: file)
        #expect(second.events == [])
    }

    @Test func linesMayBeEmptyOrEndAsOnWindows() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write("\r\n{\"cleared\":{}}\r\n\n  \n{\"typed\":{\"_0\":\"x\"}}")
        let recorder = makeRecorder()
        try recorder.replay(contentsOf: file)
        #expect(recorder.events == [.cleared, .typed("x")])
    }

    @Test func aWrongLineIsNamedAndNothingIsPlayed() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write("{\"cleared\":{}}\n\n{\"secret\":{}}\n")
        let recorder = makeRecorder()
        let error = try #require(throws: RecordingError.self) {
            try recorder.replay(contentsOf: file)
        }
        #expect(error.code == .malformed)
        #expect(error.line == 3)
        #expect("\(error)".contains("\(file.lastPathComponent), line 3"))
        #expect(!"\(error)".contains("secret"))
        #expect(recorder.events == [])
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        let error = try #require(throws: RecordingError.self) {
            try makeRecorder().replay(contentsOf: file)
        }
        #expect(error.code == .unreadable)
        #expect(error.line == nil)
        let nowhere = file.appendingPathComponent("no/such/folder")
        #expect(throws: RecordingError.self) { try makeRecorder().save(to: nowhere) }
    }

    @Test func anEventThatCannotBeEncodedLeavesTheFile() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write("before")
        let recorder = StoreRecorder(
            initialState: 0.0, reducer: Reducer { (_: Double, new: Double) in new })
        recorder.dispatch(event: 1)
        recorder.dispatch(event: .infinity)
        let error = try #require(throws: RecordingError.self) { try recorder.save(to: file) }
        #expect(error.code == .unencodable)
        #expect(error.line == 2)
        #expect(try String(contentsOf: file, encoding: .utf8) == "before")
    }
}
