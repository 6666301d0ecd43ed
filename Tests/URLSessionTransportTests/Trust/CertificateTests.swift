import Foundation
import PledgeHTTPNetworking
import Testing

@testable import PledgeURLSessionTransport

/// Whatever bytes a server calls its certificate, they yield its key or none.
struct CertificateTests {
    private func key(of bytes: [UInt8]) -> [UInt8]? { Certificate(der: Data(bytes)).publicKey }

    @Test(arguments: [
        SampleCertificate.rsa, .rsaPSS, .ec, .ed25519, .ed448, .version1,
    ])
    func theKeyIsTheOneThatOpensslFinds(sample: SampleCertificate) throws {
        let key = try #require(sample.certificate.publicKey)
        #expect(sample.pin.matches(key))
        let others = [SampleCertificate.rsa, .rsaPSS, .ec, .ed25519, .ed448].map(\.pin)
        #expect(others.filter { $0.matches(key) } == [sample.pin])
    }

    @Test func aKeyOfAnUnknownKindIsNone() {
        #expect(SampleCertificate.x25519.certificate.publicKey == nil)
    }

    @Test(arguments: [SampleCertificate.ec, .rsa, .version1])
    func nothingIsFoundInAPart(sample: SampleCertificate) {
        let bytes = Array(sample.der)
        for count in bytes.indices {
            #expect(key(of: Array(bytes[..<count])) == nil, "the first \(count) bytes")
            #expect(key(of: Array(bytes[(count + 1)...])) == nil, "without \(count + 1) bytes")
        }
        for byte: UInt8 in [0, 0x30, 0xFF] {
            #expect(key(of: bytes + [byte]) == nil)
            #expect(key(of: [byte] + bytes) == nil)
        }
        #expect(key(of: bytes + bytes) == nil)
    }

    /// Lengths that are wrong, indefinite (0x80) or huge, tags that are others, keys of other kinds.
    @Test(arguments: [SampleCertificate.ec, .ed25519, .version1])
    func aChangedByteChangesTheKeyInItsPlaceOrLeavesNone(sample: SampleCertificate) throws {
        let bytes = Array(sample.der)
        let key = try #require(sample.certificate.publicKey)
        let place = try #require(bytes.firstRange(of: key))
        var found = 0
        for index in bytes.indices {
            let old = bytes[index]
            let others: [UInt8] = [
                0, 1, 0x30, 0x7F, 0x80, 0x81, 0x82, 0x83, 0x84, 0x88, 0xFE, 0xFF,
                old ^ 1, old ^ 0x80, old &+ 1, old &- 1,
            ]
            for byte in others where byte != old {
                var changed = bytes
                changed[index] = byte
                guard let other = self.key(of: changed) else { continue }
                #expect(other == Array(changed[place]), "\(byte) at \(index)")
                #expect((other == key) == !place.contains(index), "\(byte) at \(index)")
                found += 1
            }
        }
        // Names, dates, the key's bits and the signature may be any bytes.
        #expect(found > bytes.count)
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x80], [0x30, 0x80, 0, 0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x30, 0x83, 0xFF, 0xFF, 0xFF],
            [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0xFF],
            [0x30, 0x81],
            [0x30, 0x81, 0x03, 0x30, 0x01, 0x00], [0x30, 0x82, 0x00, 0x03, 0x30, 0x01, 0x00],
            [0x3F, 0xFF, 0xFF, 0xFF, 0x7F, 0x00], [0x30, 0x00], [0x00, 0x00],
        ] as [[UInt8]])
    func bytesThatAreNoCertificateHaveNoKey(bytes: [UInt8]) {
        #expect(key(of: bytes) == nil)
    }

    @Test func partsThatNoCertificateHasAreRefused() throws {
        let bytes = Array(SampleCertificate.ec.der)
        let key = try #require(SampleCertificate.ec.certificate.publicKey)
        let end = try #require(bytes.firstRange(of: key)?.upperBound)
        try #require(bytes[end] == 0xA3)  // the extensions
        for tag: UInt8 in [0x30, 0x04, 0xA0, 0xA4, 0x83] {
            var changed = bytes
            changed[end] = tag
            #expect(self.key(of: changed) == nil, "\(tag)")
        }
    }

    /// DER has one way to write a length: a longer one would make two certificates of one.
    @Test func aLengthInMoreBytesThanItNeedsIsRefused() throws {
        let bytes = Array(SampleCertificate.version1.der)
        try #require(bytes[1] == 0x82)
        #expect(key(of: [0x30, 0x83, 0] + bytes[2...]) == nil)
    }

    @Test func readsAFileInPEM() throws {
        let (one, other) = (SampleCertificate.ec, SampleCertificate.rsa)
        let lines = other.pem.replacing("\n", with: "\r\n")
        let text = "Certificate:\n  Data\n\(one.pem)\nother words\r\n\(lines)"
        #expect(Certificate.all(inPEM: Data(text.utf8)) == [one.certificate, other.certificate])
        let indented = one.pem.split(separator: "\n").map { "  \($0)  " }.joined(separator: "\n")
        #expect(Certificate.all(inPEM: Data(indented.utf8)) == [one.certificate])
    }

    @Test(arguments: [
        "", "no certificate", "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nMII*\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n",
        "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n",
    ])
    func aFileWithoutWholeCertificatesIsNone(text: String) {
        #expect(Certificate.all(inPEM: Data(text.utf8)) == nil)
    }

    @Test func aFileThatIsCutOffIsNone() {
        let headless = SampleCertificate.ec.pem.split(separator: "\n").prefix(1) + [""]
        let twice = headless.joined(separator: "\n") + SampleCertificate.ec.pem
        #expect(Certificate.all(inPEM: Data(twice.utf8)) == nil)
        let text = Data((SampleCertificate.ec.pem + SampleCertificate.rsa.pem).utf8)
        // The last line is whole before its line break.
        let whole = text.dropLast()
        #expect(Certificate.all(inPEM: whole)?.count == 2)
        let first = SampleCertificate.ec.pem.utf8.count
        for count in first..<(whole.count - 1) {
            let part = Certificate.all(inPEM: text.prefix(count))
            #expect(part == nil || part == [SampleCertificate.ec.certificate], "\(count)")
        }
        #expect(Certificate.all(inPEM: text.prefix(first + 100)) == nil)
    }

    @Test func anyBytesAreAFile() {
        #expect(Certificate.all(inPEM: Data((0...255).map { UInt8($0) })) == nil)
    }
}
