import PledgeFutures
import PledgeServices
import Testing

@Suite struct TraceContextTests {
    private let random = RandomSource(SeededGenerator(seed: 7))
    private let ids = "12345678901234567890123456789012-1234567890123456"

    // MARK: - Reading traceparent

    @Test func theSpecificationsExamplesOfATraceparentAreRead() throws {
        let value = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let context = try #require(TraceContext(traceparent: value))
        #expect(context.trace.high == 0x4bf9_2f35_77b3_4da6)
        #expect(context.trace.low == 0xa3ce_929d_0e0e_4736)
        #expect(context.span.value == 0x00f0_67aa_0ba9_02b7)
        #expect(context.isSampled && !context.isRandom)
        #expect("\(context.traceID)" == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect("\(context.spanID)" == "00f067aa0ba902b7")
        #expect(context.traceparent == value && "\(context)" == value)
        let other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
        #expect(TraceContext(traceparent: other)?.isSampled == false)
        #expect(TraceContext(traceparent: other)?.traceparent == other)
    }

    /// The cases of the specification's test suite.
    @Test(arguments: [
        "", "00", "00-IDS", "00-IDS-", "00-IDS-1", "00-IDS-001", "00-IDS-01.", "00-IDS-01-",
        "00-IDS-01-what-the-future-will-be-like", "cc-IDS-01.what-the-future-will-be-like",
        "cc-IDS-01x", "cc-IDS-1", "ff-IDS-01", "ff-IDS-01-more", ".0-IDS-01", "0.-IDS-01",
        "000-IDS-01", "0000-IDS-01", "0-IDS-01", "CC-IDS-01", "00-IDS-.0", "00-IDS-0.",
        "00-IDS-0A", "00_IDS_01", "00-IDS-01,00-IDS-01", "00-IDS-01, ", "é0-IDS-01",
        "00-00000000000000000000000000000000-1234567890123456-01",
        "00-12345678901234567890123456789012-0000000000000000-01",
        "00-.2345678901234567890123456789012-1234567890123456-01",
        "00-1234567890123456789012345678901.-1234567890123456-01",
        "00-123456789012345678901234567890123-1234567890123456-01",
        "00-1234567890123456789012345678901-1234567890123456-01",
        "00-12345678901234567890123456789012-.234567890123456-01",
        "00-12345678901234567890123456789012-123456789012345.-01",
        "00-12345678901234567890123456789012-12345678901234567-01",
        "00-12345678901234567890123456789012-123456789012345-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
    ])
    func anInvalidTraceparentIsNotRead(value: String) {
        let value = value.replacing("IDS", with: ids)
        #expect(TraceContext(traceparent: value, tracestate: ["a=1"]) == nil)
    }

    @Test(arguments: [
        " 00-IDS-01", "\t00-IDS-01", "00-IDS-01 ", "00-IDS-01\t", "\t 00-IDS-01 \t",
    ])
    func whiteSpaceAroundATraceparentIsIgnored(value: String) {
        let context = TraceContext(traceparent: value.replacing("IDS", with: ids))
        #expect(context?.traceparent == "00-\(ids)-01")
    }

    @Test(arguments: ["01-IDS-01", "cc-IDS-01", "cc-IDS-01-what-the-future", "fe-IDS-ff-"])
    func aLaterVersionIsReadByWhatItHasInCommonAndSentAsVersion00(value: String) throws {
        let value = value.replacing("IDS", with: ids)
        let context = try #require(TraceContext(traceparent: value, tracestate: ["a=1"]))
        #expect(context.traceparent == "00-\(ids)-01")
        #expect(context.tracestate == "a=1")
    }

    @Test(arguments: [("00", "00"), ("01", "01"), ("02", "02"), ("03", "03"), ("09", "01")])
    func undefinedFlagsOfATraceparentAreSentAsZero(value: String, sent: String) throws {
        let context = try #require(TraceContext(traceparent: "00-\(ids)-\(value)"))
        #expect(context.traceparent == "00-\(ids)-\(sent)")
        #expect(context.isRandom == (sent >= "02"))
    }

    @Test func anInvalidTracestateIsDroppedAndItsTraceparentKept() throws {
        let context = try #require(TraceContext(traceparent: "00-\(ids)-01", tracestate: ["A=1"]))
        #expect(context.state.members.isEmpty && context.tracestate == nil)
        #expect(context.traceparent == "00-\(ids)-01")
    }

    @Test func linesOfATracestateAreJoinedInTheirOrder() {
        let context = TraceContext(
            traceparent: "00-\(ids)-01", tracestate: ["foo=1,bar=2", "", "rojo=1", "baz=3"])
        #expect(context?.tracestate == "foo=1,bar=2,rojo=1,baz=3")
    }

    // MARK: - Identifiers

    @Test func aTraceOrSpanIDIsNeverZero() {
        #expect(TraceContext.TraceID(high: 0, low: 0) == nil)
        #expect(TraceContext.TraceID(high: 0, low: 1) != nil)
        #expect(TraceContext.SpanID(0) == nil)
        let zeros = RandomSource(Zeros())
        #expect(TraceContext.newTrace(random: zeros).trace.low == 1)
        #expect(TraceContext.newTrace(random: zeros).child(random: zeros).span.value == 1)
    }

    private struct Zeros: RandomNumberGenerator {
        mutating func next() -> UInt64 { 0 }
    }

    @Test func aTraceOrSpanIDIsReadFromItsDigits() {
        let text = "4bf92f3577b34da6a3ce929d0e0e4736"
        #expect(TraceContext.TraceID(text).map { "\($0)" } == text)
        #expect(TraceContext.TraceID(String(text.dropLast())) == nil)
        #expect(TraceContext.TraceID(text.uppercased()) == nil)
        #expect(TraceContext.SpanID("00f067aa0ba902b7").map { "\($0)" } == "00f067aa0ba902b7")
        #expect(TraceContext.SpanID("f067aa0ba902b7") == nil)
    }

    // MARK: - New ones

    @Test func aNewTraceHasRandomIDsAndNoState() throws {
        let traces = (0..<100).map { _ in TraceContext.newTrace(random: random) }
        #expect(Set(traces.map(\.traceID)).count == 100)
        #expect(Set(traces.map(\.spanID)).count == 100)
        #expect(traces.allSatisfy { $0.traceparent.hasSuffix("-01") && $0.tracestate == nil })
        #expect(!TraceContext.newTrace(isSampled: false).isSampled)
        let same = TraceContext.newTrace(random: RandomSource(SeededGenerator(seed: 7)))
        #expect(same == traces[0])
    }

    @Test func aChildOfATraceContextHasAnotherSpanAndAllElseOfItsParent() throws {
        let parent = try #require(
            TraceContext(traceparent: "00-\(ids)-03", tracestate: ["congo=t61rcWkgMzE"]))
        let child = parent.child(random: random)
        #expect(child.spanID != parent.spanID)
        var same = child
        same.span = parent.span
        #expect(same == parent)
        #expect(parent.child().spanID != parent.child().spanID)
    }
}

@Suite struct TraceStateTests {
    private typealias TraceState = TraceContext.TraceState

    private func text(_ lines: String...) -> String? { TraceState(lines)?.description }

    @Test func theSpecificationsExamplesOfATracestateAreRead() throws {
        #expect(text("rojo=00f067aa0ba902b7") == "rojo=00f067aa0ba902b7")
        let state = try #require(TraceState(["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"]))
        #expect(state.members.map(\.key) == ["rojo", "congo"])
        #expect(state["congo"] == "t61rcWkgMzE")
        #expect(state["other"] == nil)
    }

    @Test func everyAllowedCharacterOfATracestateIsRead() {
        let key = "0abcdefghijklmnopqrstuvwxyz0123456789_-*/@a-z0-9_-*/"
        let value = String(
            String.UnicodeScalarView((0x20...0x7E).compactMap(Unicode.Scalar.init)).filter {
                $0 != "," && $0 != "="
            })
        #expect(text("\(key)=\(value)") == "\(key)=\(value)")
    }

    @Test(arguments: [
        "foo =1", "FOO=1", "foo.bar=1", "@foo=1", "_foo=1", "=1", "foo", "foo=", "foo= ", "foo=1=2",
        "foo==", "foo=a\tb", "foo=é", "é=1", "foo=\u{7F}", "foo=a\nb",
    ])
    func anInvalidMemberMakesAWholeTracestateInvalid(member: String) {
        #expect(text("bar=2,\(member)") == nil)
        #expect(text("bar=2", member) == nil)
    }

    @Test func aTracestateIgnoresSpaceAroundMembersAndEmptyMembers() {
        #expect(text("foo=1 \t , \t bar=2, \t baz=3 ") == "foo=1,bar=2,baz=3")
        #expect(text("", "foo=1", " ,\t,", "bar=2,") == "foo=1,bar=2")
        #expect(text("foo=  1") == "foo=  1")
        #expect(text("") == "")
        #expect(text() == "")
    }

    @Test func aTracestateKeepsTheFirstOfMembersWithOneKey() {
        #expect(text("foo=1,bar=2,foo=3", "foo=4") == "foo=1,bar=2")
    }

    @Test func aTracestateHas32MembersAtMost() {
        let members = (1...33).map { "k\($0)=\($0)" }
        #expect(TraceState([members[..<32].joined(separator: ",")])?.members.count == 32)
        #expect(TraceState([members[..<20].joined(separator: ","), members[20]]) != nil)
        #expect(TraceState([members.joined(separator: ",")]) == nil)
        #expect(TraceState([members[..<20].joined(separator: ",")] + members[20...]) == nil)
    }

    @Test(arguments: [(256, 1, true), (257, 1, false), (1, 256, true), (1, 257, false)])
    func aTracestatesKeysAndValuesHave256CharactersAtMost(key: Int, value: Int, isValid: Bool) {
        let member = "\(String(repeating: "k", count: key))=\(String(repeating: "v", count: value))"
        #expect(text(member) == (isValid ? member : nil))
        #expect(
            (TraceState().setting(
                String(repeating: "v", count: value), for: String(repeating: "k", count: key))
                != nil) == isValid)
    }

    @Test func aTracestateOver512CharactersLosesLongMembersFirstThenTheLast() {
        let long = { (key: String) in key + "=" + String(repeating: "v", count: 127) }
        let short = { (key: String) in key + "=" + String(repeating: "v", count: 126) }
        // Three of 128 and one of 129 with three commas between: 516.
        #expect(
            text("\(short("a")),\(long("b")),\(short("c")),\(short("d"))")
                == "\(short("a")),\(short("c")),\(short("d"))")
        // Of two long entries the last is removed first, which is enough.
        #expect(
            text("\(long("a")),\(long("b")),\(short("c")),\(short("d"))")
                == "\(long("a")),\(short("c")),\(short("d"))")
        #expect(
            text("\(short("a")),\(short("b")),\(short("c")),\(short("d"))")
                == "\(short("a")),\(short("b")),\(short("c"))")
        let exact =
            "\(short("a")),\(short("b")),\(short("c")),d=" + String(repeating: "v", count: 123)
        #expect(exact.utf8.count == 512 && text(exact) == exact)
    }

    @Test func aMemberThatIsSetStandsFirstInATracestateAndReplacesTheOld() throws {
        let state = try #require(TraceState(["rojo=1,congo=2"]))
        #expect(state.setting("3", for: "congo")?.description == "congo=3,rojo=1")
        #expect(state.setting("3", for: "new")?.description == "new=3,rojo=1,congo=2")
        #expect(state.setting("a=b", for: "new") == nil)
        #expect(state.setting("1", for: "NEW") == nil)
        let full = try #require(TraceState([(1...32).map { "k\($0)=1" }.joined(separator: ",")]))
        let more = try #require(full.setting("1", for: "new"))
        #expect(more.members.count == 32 && more["new"] == "1" && more["k32"] == nil)
    }
}
