import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import Testing

/// Independent decoders must read the same values that were encoded.
@Suite struct PercentEncodingTests {
    private let base = URL(string: "https://api.example.com/v1")!

    @Test(arguments: 0..<20) func encodedRandomTextComesBack(seed: UInt64) throws {
        var random = Xorshift(state: seed &* 0x9E37_79B9 &+ 1)
        for _ in 0..<50 {
            let segments = (0..<random.below(4)).map { _ in random.text(without: ["/"]) }
            if segments.contains(where: { $0 == "." || $0 == ".." }) { continue }
            let items = (0..<random.below(4)).map { _ in
                URLQueryItem(name: random.text(), value: random.below(4) == 0 ? nil : random.text())
            }
            let path = "/" + segments.joined(separator: "/")
            let url = try #require(Endpoint(path: path, query: .init(items), base: base).url)
            let wire = url.absoluteString
            #expect(wire.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })

            let parts = wire.dropFirst("https://api.example.com/v1".count)
                .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            #expect(Array(decode(parts[0], plusIsSpace: true).utf8) == Array(path.utf8))
            guard !items.isEmpty else { continue }
            let pairs = parts[1].split(separator: "&", omittingEmptySubsequences: false)
            #expect(pairs.count == items.count)
            for (pair, item) in zip(pairs, items) {
                let halves = pair.split(separator: "=", omittingEmptySubsequences: false)
                for plusIsSpace in [false, true] {
                    #expect(
                        decode(halves[0], plusIsSpace: plusIsSpace).utf8.elementsEqual(
                            item.name.utf8
                        )
                    )
                    let value = halves.count > 1 ? decode(halves[1], plusIsSpace: plusIsSpace) : nil
                    #expect(value.map { Array($0.utf8) } == item.value.map { Array($0.utf8) })
                }
            }
            let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
            #expect(components.path.utf8.elementsEqual("/v1\(path)".utf8))
            // A single item without a name or a value has no form that a decoder could read.
            if items == [URLQueryItem(name: "", value: nil)] { continue }
            #expect(components.queryItems?.map(\.name) == items.map(\.name))
            #expect(components.queryItems?.map(\.value) == items.map(\.value))
        }
    }

    @Test func everyEncodedASCIICharacterComesBack() throws {
        for code in UInt8(0)..<128 {
            let text = "a\(Character(Unicode.Scalar(code)))b"
            let items = [URLQueryItem(name: text, value: text)]
            let url = try #require(Endpoint(path: text, query: .init(items), base: base).url)
            let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
            #expect(components.path == "/v1/\(text)")
            #expect(components.queryItems == items)
        }
    }

    /// Decodes a URI, or a form in which "+" is a space.
    private func decode(_ text: Substring, plusIsSpace: Bool) -> String {
        var bytes: [UInt8] = []
        var characters = Array(text.utf8).makeIterator()
        while let byte = characters.next() {
            if byte == 0x25, let high = characters.next(), let low = characters.next() {
                bytes.append(UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)!)
            } else {
                bytes.append(byte == 0x2B && plusIsSpace ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Marsaglia's xorshift, so that a failing seed fails again.
private struct Xorshift {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    /// Up to seven characters: half of them ASCII, the others from all of Unicode.
    mutating func text(without excluded: Set<Unicode.Scalar> = []) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<below(8) {
            let bound = below(2) == 0 ? 128 : 0x110000
            guard let scalar = Unicode.Scalar(UInt32(below(bound))), !excluded.contains(scalar)
            else { continue }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
