import HTTPTestSupport
import PledgeHTTPNetworking
import TestSupport
import Testing

@testable import PledgeHTTPCaching

@Suite struct CacheControlTests {
    private func control(_ lines: String...) -> CacheControl {
        CacheControl(HTTPHeaders(lines.map { ("Cache-Control", $0) }))
    }

    @Test(arguments: [
        ("max-age=5", 5), ("max-age=\"5\"", 5), ("MAX-AGE=5", 5), ("max-age=05", 5),
        ("public, max-age=5", 5), (" , ,max-age=5,,", 5), ("x=\"max-age=9\", max-age=5", 5),
        ("max-age=5, x=\"max-age=9\"", 5), ("x=\"a, max-age=9, b\",max-age=5", 5),
        ("x=\"a\\\", max-age=9\", max-age=5", 5), ("max-age=5, max-age=9", 5),
        ("max-age=9, max-age=5", 5), ("max-age=2147483647", 2_147_483_647),
        ("max-age=2147483648", 2_147_483_648), ("max-age=2147483649", 2_147_483_648),
        ("max-age=99999999999999999999999999", 2_147_483_648),
    ])
    func secondsOfADirective(line: String, seconds: Int64) {
        #expect(control(line).permitted("max-age") == seconds)
        #expect(!control(line).isMalformed)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-5", "max-age=1.5", "max-age=5s", "max-age='5'",
        "max-age=+5", "max-age=\"\"", "max-age=\" 5\"", "max-age=0x5", "max-age=5, max-age=x",
        "max-age =5", "max-age= 5", "max-age=5;x=1", "max-age=\"5\"x", "max-age=\"5", "max-age=٥",
    ])
    func whatIsNoCountOfSecondsPermitsNothing(line: String) {
        #expect(control(line).permitted("max-age") == 0)
        #expect(control(line).demanded("max-age") == DeltaSeconds.most)
    }

    @Test(arguments: [
        "no-store; max-age=5", "private; max-age=5", "max-age =5", "max-age=5;x", "=5", "\"a\"",
        "x=\"a, no-store", "a b", "x=\"a\"b",
    ])
    func whatIsNoListIsMalformed(line: String) { #expect(control(line).isMalformed) }

    @Test(arguments: [
        "no-store", "NO-STORE", "a,no-store", "a=1\t,\tno-store", "no-store=1", "no-store; a",
        "x=\"a, no-store", "no-store=\"", "max-age=5 no-store, no-store",
    ])
    func aDirectiveIsSeen(line: String) { #expect(control(line).contains("no-store")) }

    @Test(arguments: ["", "x-no-store", "no-store-x", "x=\"no-store\"", "x=no-store", "no_store"])
    func noneIsSeenWhereThereIsNone(line: String) {
        #expect(!control(line).contains("no-store"))
    }

    @Test func linesAreOneListButAnOpenQuotationEndsWithItsLine() {
        #expect(control("a", "no-store").contains("no-store"))
        #expect(control("x=\"a", "no-store").contains("no-store"))
        #expect(control("x=\"a", "b\", max-age=5").permitted("max-age") == 5)
    }

    @Test func fieldNames() {
        #expect(
            control("no-cache=\"Set-Cookie, X-A\"").fieldNames("no-cache") == ["set-cookie", "x-a"])
        #expect(control("no-cache=X-A").fieldNames("no-cache") == ["x-a"])
        for line in [
            "no-cache", "no-cache=\"\"", "no-cache=\"a b, c=\"", "no-cache=\"a\", no-cache",
        ] {
            #expect(control(line).fieldNames("no-cache") == nil)
        }
    }

    @Test func whatASecondLessDirectiveSays() {
        #expect(control("max-stale").permitted("max-stale", bare: .max) == .max)
        #expect(control("max-stale=x").permitted("max-stale", bare: .max) == 0)
        #expect(control("max-stale, max-stale=3").permitted("max-stale", bare: .max) == 3)
        #expect(control("a").permitted("max-stale") == nil && control("a").demanded("a") != nil)
    }

    @Test func anythingCanBeRead() {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "max-age", "=", "\"", ",", " ", "\\", "5", "no-store", ";", "\u{e9}", "\t", "x",
        ]
        for _ in 0..<2_000 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let read = control(text)
            #expect(
                (0...DeltaSeconds.most).contains(read.permitted("max-age") ?? 0), "\(text)")
        }
    }
}
