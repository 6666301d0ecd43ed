import PledgeServices
import Testing

@Suite struct TraceStateTests {
    private typealias TraceState = TraceContext.TraceState

    private func text(_ lines: String...) -> String? { TraceState(lines)?.description }

    @Test func theExamplesOfTheSpecificationAreRead() throws {
        #expect(text("rojo=00f067aa0ba902b7") == "rojo=00f067aa0ba902b7")
        let state = try #require(TraceState(["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"]))
        #expect(state.members.map(\.key) == ["rojo", "congo"])
        #expect(state["congo"] == "t61rcWkgMzE")
        #expect(state["other"] == nil)
    }

    @Test func allAllowedCharactersAreRead() {
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
    func anInvalidMemberMakesTheWholeInvalid(member: String) {
        #expect(text("bar=2,\(member)") == nil)
        #expect(text("bar=2", member) == nil)
    }

    @Test func spaceAroundMembersAndEmptyMembersArePassedOver() {
        #expect(text("foo=1 \t , \t bar=2, \t baz=3 ") == "foo=1,bar=2,baz=3")
        #expect(text("", "foo=1", " ,\t,", "bar=2,") == "foo=1,bar=2")
        #expect(text("foo=  1") == "foo=  1")
        #expect(text("") == "")
        #expect(text() == "")
    }

    @Test func ofMembersWithOneKeyTheFirstIsKept() {
        #expect(text("foo=1,bar=2,foo=3", "foo=4") == "foo=1,bar=2")
    }

    @Test func thereAre32MembersAtMost() {
        let members = (1...33).map { "k\($0)=\($0)" }
        #expect(TraceState([members[..<32].joined(separator: ",")])?.members.count == 32)
        #expect(TraceState([members[..<20].joined(separator: ","), members[20]]) != nil)
        #expect(TraceState([members.joined(separator: ",")]) == nil)
        #expect(TraceState([members[..<20].joined(separator: ",")] + members[20...]) == nil)
    }

    @Test(arguments: [(256, 1, true), (257, 1, false), (1, 256, true), (1, 257, false)])
    func keyAndValueHave256CharactersAtMost(key: Int, value: Int, isValid: Bool) {
        let member = "\(String(repeating: "k", count: key))=\(String(repeating: "v", count: value))"
        #expect(text(member) == (isValid ? member : nil))
        #expect(
            (TraceState().setting(
                String(repeating: "v", count: value), for: String(repeating: "k", count: key))
                != nil) == isValid)
    }

    @Test func whatIsLongerThan512CharactersLosesLongMembersFirstThenTheLast() {
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

    @Test func whatIsSetStandsFirstAndReplacesTheOld() throws {
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
