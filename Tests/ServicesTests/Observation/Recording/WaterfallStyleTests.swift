import PledgeFutures
import PledgeServices
import Testing

@Suite struct WaterfallStyleTests {
    private let recorder = CallRecorder()

    private func call() throws -> RecordedCall {
        for event: PolicyEvent in [
            .made(.began(name: "load")), .made(.began(name: "call 1"), by: "hedge", span: 2, in: 1),
            .made(.ended(.retryable(after: nil)), by: "hedge", at: 20, span: 2, in: 1),
            .made(.began(name: "call 2"), by: "hedge", span: 3, in: 1),
            .made(.ended(.ignorable), by: "hedge", at: 20, span: 3, in: 1),
            .made(.began(name: "call 3"), by: "hedge", span: 4, in: 1),
            .made(.ended(.failure), by: "hedge", at: 20, span: 4, in: 1),
            .made(.began(name: "call 4"), by: "hedge", span: 5, in: 1),
            .made(.hit, at: 20), .made(.note("\u{1B}[5m"), at: 20), .made(.ended(), at: 20),
        ] { recorder.observer.receive(event) }
        return try #require(recorder.lastCall)
    }

    @Test func eachOutcomeHasItsColour() throws {
        let text = try call().waterfall(width: 10, style: .ansi)
        for (code, fill, word) in [
            (32, "=", "success"), (33, "x", "retryable"), (90, "-", "ignorable"),
            (31, "x", "failure"), (36, ">", "unfinished"),
        ] {
            let bar = String(repeating: fill, count: 10)
            let line = text.split(separator: "\n").first { $0.contains(word) }
            #expect(line?.contains("|\u{1B}[\(code)m\(bar)\u{1B}[0m|") == true, "\(word)")
            #expect(line?.hasSuffix("\u{1B}[\(code)m\(word)\u{1B}[0m") == true, "\(word)")
        }
        #expect(text.contains("|\u{1B}[35m         *\u{1B}[0m|"))
    }

    @Test func withoutItsEscapesItIsThePlainText() throws {
        let call = try call()
        let text = call.waterfall(width: 10, style: .ansi)
        #expect(text.replacing(/\u{1B}\[[0-9]+m/, with: "") == call.waterfall(width: 10))
    }

    @Test func plainTextHasNoEscapes() throws {
        #expect(!(try call().waterfall().contains("\u{1B}")))
    }
}
