import Foundation
import TestSupport
import Testing

@testable import PledgeHTTPMessages

@Suite(.oneAtATime) struct URLReferenceTests {
    private func resolve(_ text: String, against base: String) -> String? {
        URLReference(text).resolved(against: URL(string: base)!)?.absoluteString
    }

    /// The examples of RFC 3986, section 5.4, that apply to an http URL.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func aURLReferenceAgreesWithTheExamplesOfTheStandard(text: String, url: String) {
        #expect(resolve(text, against: "http://a/b/c/d;p?q") == url)
    }

    @Test(arguments: [
        ("/a%2Fb%2e%41", "http://a/a%2Fb%2e%41"), ("/a%2fb?c=%2F%3F", "http://a/a%2fb?c=%2F%3F"),
        ("/100%", "http://a/100%25"), ("/%zz%2", "http://a/%25zz%252"),
        ("/a b", "http://a/a%20b"), ("/ü?ü#ü", "http://a/%C3%BC?%C3%BC#%C3%BC"),
        ("/a/\u{301}b", "http://a/a/%CC%81b"), ("/?\u{301}", "http://a/?%CC%81"),
        ("/a|b\\c^d`e{f}g\"<>", "http://a/a%7Cb%5Cc%5Ed%60e%7Bf%7Dg%22%3C%3E"),
        ("/[a]?[b]", "http://a/%5Ba%5D?%5Bb%5D"), ("/a?b?c#d#e", "http://a/a?b?c#d%23e"),
        ("/\\evil.com", "http://a/%5Cevil.com"), ("\\\\evil.com", "http://a/b/%5C%5Cevil.com"),
        ("/a\tb", "http://a/a%09b"), ("//b/..//c", "http://b//c"), ("///c", nil),
        ("/x:y", "http://a/x:y"), ("./x:y", "http://a/b/x:y"), ("1:y", "http://a/b/1:y"),
        ("HTTPS://B/c", "HTTPS://B/c"), ("https://b:8443?x", "https://b:8443?x"),
        ("http://[::1]:80/a", "http://[::1]:80/a"), ("?", "http://a/b/c?"),
        ("#", "http://a/b/c?d#"),
    ])
    func aURLReferenceKeepsEscapesAndEscapesTheRest(text: String, url: String?) {
        #expect(resolve(text, against: "http://a/b/c?d#e")?.without("#e") == url)
    }

    @Test(arguments: [
        "http:g", "http:/g", "mailto:a@b", "app://callback?code=1", "javascript:alert(1)",
        "file:///etc/passwd", "http://", "http:///a", "http://a@b@c/", "http://a%20b/",
        "http://a b/",
        "http://a\\@b/", "//\\evil.com", "http://\u{301}ü/", "http://a:99999/", "http://a:b/",
        "http://u:p@/",
        "//", "http://a|b/",
    ])
    func aURLReferenceThatIsNoPlaceToAskIsRefused(text: String) {
        #expect(resolve(text, against: "http://a/b") == nil)
    }

    @Test(arguments: [
        ("http://ü/", "http://xn--tda/"), ("//faß.de:80/x", "http://xn--fa-hia.de:80/x"),
        ("//u:p@日本語.jp?q", "http://xn--wgv71a119e.jp?q"), ("//a。b/", "http://a.b/"),
        ("//a／b/", nil), ("//ü＠b/", nil), ("//ü\\b/", nil), ("//ü%20/", nil), ("//ü b/", nil),
        ("//é@b/", nil), ("//\u{FFFD}/", nil),
    ])
    func aUnicodeHostGetsItsNameInASCII(text: String, url: String?) {
        #expect(resolve(text, against: "http://a/b") == url)
    }

    @Test func aHostThatIsNotUTF8IsRefused() {
        let reference = URLReference([0x2F, 0x2F, 0xE9, 0x2F])
        #expect(reference.resolved(against: URL(string: "http://a/b")!) == nil)
    }

    @Test func userinfoIsKeptOnlyWhereItIsTheBasesOwn() {
        #expect(resolve("/c", against: "http://u:p@a/b") == "http://u:p@a/c")
        #expect(resolve("?c", against: "http://u:p@a/b") == "http://u:p@a/b?c")
        #expect(resolve("//b/c", against: "http://u:p@a/b") == "http://b/c")
        #expect(resolve("http://u:p@a/c", against: "http://a/b") == "http://a/c")
        #expect(resolve("//x@evil/c", against: "http://a/b") == "http://evil/c")
    }

    @Test func aURLReferenceInheritsTheFragment() {
        #expect(resolve("/c", against: "http://a/b#old") == "http://a/c#old")
        #expect(resolve("//b/c", against: "http://a/b#old") == "http://b/c#old")
        #expect(resolve("/c#new", against: "http://a/b#old") == "http://a/c#new")
    }

    /// Compared with the loop that the RFC itself describes.
    @Test(arguments: 0..<20) func aURLReferenceLosesItsDotsAsInTheStandardsLoop(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let segments = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
                ["", ".", "..", "a", "..b", ".c", "d%2F"].randomElement(using: &generator)!
            }
            let path = "/" + segments.joined(separator: "/")
            // With an authority, since "//" at the beginning would be read as one.
            #expect(
                resolve("http://h" + path, against: "http://a/") == "http://h" + removeDots(path),
                "\(path)")
        }
    }

    private func removeDots(_ path: String) -> String {
        var (input, output) = (path, "")
        while !input.isEmpty {
            if input.hasPrefix("/./") {
                input.removeFirst(2)
            } else if input == "/." {
                input = "/"
            } else if input.hasPrefix("/../") || input == "/.." {
                input = input == "/.." ? "/" : String(input.dropFirst(3))
                output = String(output[..<(output.lastIndex(of: "/") ?? output.startIndex)])
            } else {
                let end = input.dropFirst().firstIndex(of: "/") ?? input.endIndex
                output += input[..<end]
                input = String(input[end...])
            }
        }
        return output
    }
}

extension String {
    /// The text without an ending.
    fileprivate func without(_ ending: String) -> String {
        hasSuffix(ending) ? String(dropLast(ending.count)) : self
    }
}
