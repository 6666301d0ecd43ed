import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct TraceContextFuzzTests {
    /// The values of `traceparent` and of each line of `tracestate`.
    private func inputs(_ seed: UInt64) throws -> some Sequence<(String, [String])> {
        var inputs = Mutator(
            corpus: try corpus(named: "trace-context"),
            words: [
                "00", "01", "cc", "ff", "FF", "4bf92f3577b34da6a3ce929d0e0e4736",
                "00f067aa0ba902b7", "0000000000000000", "foo=1", "rojo",
            ],
            delimiters: "-,=\n @", seed: seed)
        return (0..<fuzzInputCount()).lazy.map { _ in
            let text = String(decoding: inputs.next(), as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return (lines.first.map(String.init) ?? "", lines.dropFirst().map(String.init))
        }
    }

    /// The grammar of the specification, as an expression.
    private func grammar() throws -> Regex<AnyRegexOutput> {
        let fields = "(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
        return try Regex("(?:00-\(fields)|(?!00|ff)[0-9a-f]{2}-\(fields)(?:-.*)?)")
            .dotMatchesNewlines().matchingSemantics(.unicodeScalar)
    }

    @Test func aParentIsReadExactlyWhereTheGrammarAllowsItAndPrintsAsItWas() throws {
        let grammar = try grammar()
        var read = 0
        for (parent, _) in try inputs(31) {
            let value = HTTPHeaders([("traceparent", parent)])["traceparent"] ?? ""
            let context = TraceContext(traceparent: value)
            let isValid = value.wholeMatch(of: grammar) != nil
            #expect((context != nil) == isValid, "\(value.debugDescription)")
            guard let context else { continue }
            read += 1
            #expect(TraceContext(traceparent: context.traceparent) == context)
            if value.hasPrefix("00") {
                // The flags that are not defined are zero.
                let flags = (UInt8(value.suffix(2), radix: 16) ?? 0) & 3
                #expect(context.traceparent == value.dropLast(2) + "0\(flags)")
            }
        }
        // Were everything refused, nothing would have been tried.
        #expect(read > fuzzInputCount() / 20)
    }

    @Test func aStateStaysWithinItsLimitsAndIsReadAgain() throws {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        var read = 0
        for (_, lines) in try inputs(32) {
            let fields = [("traceparent", parent)] + lines.map { ("tracestate", $0) }
            let state = try #require(TraceContext(HTTPHeaders(fields))).state
            #expect(state.description.utf8.count <= 512, "\(lines)")
            #expect(state.members.count <= 32, "\(lines)")
            #expect(Set(state.members.map(\.key)).count == state.members.count, "\(lines)")
            #expect(TraceContext.TraceState([state.description]) == state, "\(lines)")
            if !state.members.isEmpty { read += 1 }
        }
        #expect(read > fuzzInputCount() / 20)
    }

    /// Neither value is text of any kind.
    @Test func randomBytesNeverTrap() {
        var random = SeededGenerator(seed: 33)
        for _ in 0..<fuzzInputCount() {
            let texts = (0..<2).map { _ in
                let count = Int.random(in: 0...80, using: &random)
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                return String(decoding: bytes, as: UTF8.self)
            }
            #expect(TraceContext(traceparent: texts[0], tracestate: [texts[1]]) == nil)
            let state = TraceContext.TraceState(texts)
            #expect(state.map { TraceContext.TraceState([$0.description]) == state } ?? true)
        }
    }
}
