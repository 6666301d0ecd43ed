import Foundation
import PledgeHTTPTransportKit
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

/// A certificate that openssl has made, and the hash that openssl makes of its key.
///
/// The private keys were thrown away.
struct SampleCertificate: Sendable {
    let der: Data
    let pin: PinnedKey

    private init(pin: String, base64: String) {
        der = Data(base64Encoded: base64)!
        self.pin = PinnedKey(sha256: pin)!
    }

    var certificate: Certificate { Certificate(der: der) }

    /// The text of a file in PEM.
    var pem: String {
        let lines = der.base64EncodedString(options: [.lineLength64Characters])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }

    /// A key of RSA, 1,024 bits.
    static let rsa = SampleCertificate(
        pin: "zIAwTMnkyGBuRJnX6aZDi+hzwOrljL9iyDrRNR39E+Y=",
        base64: """
            MIICEjCCAXugAwIBAgIUXoaQRsjVMyN0o3hXbJ+XrD9LR9gwDQYJKoZIhvcNAQELBQAwDjEMMAoGA1UEAwwD\
            cnNhMCAXDTI2MTEyNjIxMzUzN1oYDzIxMjYxMTAyMjEzNTM3WjAOMQwwCgYDVQQDDANyc2EwgZ8wDQYJKoZI\
            hvcNAQEBBQADgY0AMIGJAoGBANU2acrNe0Ndas/HshCFmPitB3ri8QLbhPcKrbfkxgcLye76G2DpTBkUCZa7\
            0bW0AhKia4jeijDmV+JRvKO8iRNKV+kOWWLa13cDYVPxoI71BjqyDsnLLz+sDfEQspMRnW5jS99amHyBVol2\
            xdb+C/ax1GV+HigumvcokaGPQtSvAgMBAAGjazBpMB0GA1UdDgQWBBRNZpIzbSItSe2P5u8FW5+iyToKGTAf\
            BgNVHSMEGDAWgBRNZpIzbSItSe2P5u8FW5+iyToKGTAPBgNVHRMBAf8EBTADAQH/MBYGA1UdEQQPMA2CC3Jz\
            YS5leGFtcGxlMA0GCSqGSIb3DQEBCwUAA4GBAJThRvD6DZTwtyhpynxFjvk8e9EEEKGgtzyVLjR/YF2hJENu\
            25KvVbHoejFqtTuUrx+7BekmQb5tZqriy52FgWvjrgMWANI1DTe+voWDEa31gq+d6Qlh35XPxcjbXqRJ9FSD\
            igWcrs1ZSJey1/oErLHkyoZEq2pSjFpEDAyXQFbh
            """)

    /// A key of RSA-PSS.
    static let rsaPSS = SampleCertificate(
        pin: "Jsz4VI0jSAf40AGw+5A8i0v/sW//DiydoV7I1Q19Keg=",
        base64: """
            MIICeDCCAa2gAwIBAgIUTFloenGo1KFkaqpwFL16Df3jOE4wQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQME\
            AgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEFAKIDAgFeMA4xDDAKBgNVBAMMA3BzczAgFw0yNjEx\
            MjYyMTM1MzhaGA8yMTI2MTEwMjIxMzUzOFowDjEMMAoGA1UEAwwDcHNzMIGdMAsGCSqGSIb3DQEBCgOBjQAw\
            gYkCgYEAvgss6N7lqkhjWfhoUvJPlgA5Fj/yjYvvNB4S19xburRAn7HkrlzRPYFxF4AgSP8cLnT7QvMpQb8J\
            YBdxRqwch1mKLZ+jrrpRoV/Erw+SX6uoGy6J8+EnDSllVKfG6NFEBEeEtFNdwxKavg9Cficj6dzCdbc9dcKA\
            d6ckT4Xi9WMCAwEAAaNrMGkwHQYDVR0OBBYEFNj09eUNwlMHvRbt922fM3TmqtmrMB8GA1UdIwQYMBaAFNj0\
            9eUNwlMHvRbt922fM3TmqtmrMA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILcHNzLmV4YW1wbGUwQQYJ\
            KoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEFAKIDAgFe\
            A4GBAEb0H08PIJjWlCjL32AI4ifjPu/8Q+o2mgpzc5rIQi4zfUFHpvhjtcFP7j41XGpNqVXquUVDvdc4Z/Ih\
            q1a1tAqL0tvxZqDBX94wpIlRypcuBbHQ81QVmSdMrTyOHg7idPmobQ0YFJV75Eyu9vbhtYlsM6mGvWrdVaEA\
            DMrT/ixt
            """)

    /// A key of the curve P-256.
    static let ec = SampleCertificate(
        pin: "K8VQZV58o9sJdwN/qnZp2UTZ2K/mgGe8GNvPYsBd9pQ=",
        base64: """
            MIIBhzCCAS6gAwIBAgIUNSyRz2/OEg7HVdWBSnIuekOA1GEwCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCZWMw\
            IBcNMjYxMTI2MjEzNTM3WhgPMjEyNjExMDIyMTM1MzdaMA0xCzAJBgNVBAMMAmVjMFkwEwYHKoZIzj0CAQYI\
            KoZIzj0DAQcDQgAEckySYgX0q8lGocPxbT4h6I3OZ5i8Flo/+OxcaG1IMtCcUgPfH3fjw0/Y0fbGIWFf6MLZ\
            g/Nx4x/y4pS3weZFf6NqMGgwHQYDVR0OBBYEFAzqbdcdY65+vqaSOOVy83Rwzw1jMB8GA1UdIwQYMBaAFAzq\
            bdcdY65+vqaSOOVy83Rwzw1jMA8GA1UdEwEB/wQFMAMBAf8wFQYDVR0RBA4wDIIKZWMuZXhhbXBsZTAKBggq\
            hkjOPQQDAgNHADBEAiBb82wrWHcl5eQdFh71xRRnx8wJ1fFTMpfHZc+BTLl7UAIgPRQkbfzdge8dXtAUqTTU\
            650sAyPsptNMsBb9+fgF8JI=
            """)

    /// A key of Ed25519.
    static let ed25519 = SampleCertificate(
        pin: "UihJVF+jhToRESCPMSIgt3cBhAI3Qzy+0aSYHkxRYYY=",
        base64: """
            MIIBVzCCAQmgAwIBAgIUIafk19ybDD5AveTEjdNVbk/VvMkwBQYDK2VwMBIxEDAOBgNVBAMMB2VkMjU1MTkw\
            IBcNMjYxMTI2MjEzNTM4WhgPMjEyNjExMDIyMTM1MzhaMBIxEDAOBgNVBAMMB2VkMjU1MTkwKjAFBgMrZXAD\
            IQDfKytG9mG/rMS1hOGMjMpdJ134ua3DMZVnpMKgkrnrzqNvMG0wHQYDVR0OBBYEFBg4y/MZCp6WIfUqy84S\
            I5CS0J5NMB8GA1UdIwQYMBaAFBg4y/MZCp6WIfUqy84SI5CS0J5NMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0R\
            BBMwEYIPZWQyNTUxOS5leGFtcGxlMAUGAytlcANBABhpIL1CKzVbfHiaX9qS5NchiTWtHKq/SE0dCQKlgZXA\
            dEHRtbpfsYNvHcLGIXTpllCRuPA7ILMBfJgv/KGetAQ=
            """)

    /// A key of Ed448.
    static let ed448 = SampleCertificate(
        pin: "9Bd+jdNJaHsQephXbfdRvszTux2TxYCxmi/6jii6lSQ=",
        base64: """
            MIIBnDCCARygAwIBAgIUUFTmTvyJthTUFiVEBuPCVFH9ZfwwBQYDK2VxMBAxDjAMBgNVBAMMBWVkNDQ4MCAX\
            DTI2MTEyNjIxMzUzOFoYDzIxMjYxMTAyMjEzNTM4WjAQMQ4wDAYDVQQDDAVlZDQ0ODBDMAUGAytlcQM6ABh0\
            MwNBqxB0TKOnpxxpjcbg2S5Ejn4U4vNZbwmU54njiY/Fnvr74iRyY9Bz+Tp1WtyCLfVbi5IwAKNtMGswHQYD\
            VR0OBBYEFI6vnimnVjc+vMd/GcmQ+d53rUUpMB8GA1UdIwQYMBaAFI6vnimnVjc+vMd/GcmQ+d53rUUpMA8G\
            A1UdEwEB/wQFMAMBAf8wGAYDVR0RBBEwD4INZWQ0NDguZXhhbXBsZTAFBgMrZXEDcwCbFlJLesYI9h7D0d+K\
            ifqKngiin/X650L84BAi7WoML9aLFrWnl69kIUS45Sq+VtRGwQKv5aVRhYBw+oU3p/m3ohRmWXGavuXu7HCq\
            FGDeh8orAM5cDILZLYtJya5CFRlGxxCQHmVhOZdHULDWb/d0HgA=
            """)

    /// The key of ``ec`` in a certificate of version 1, which does not name its version.
    static let version1 = SampleCertificate(
        pin: "K8VQZV58o9sJdwN/qnZp2UTZ2K/mgGe8GNvPYsBd9pQ=",
        base64: """
            MIIBGTCBvwIUU96bUd7GkbaptnrH5MFg3r64oUkwCgYIKoZIzj0EAwIwDjEMMAoGA1UEAwwDb2xkMCAXDTI2\
            MTEyNjIxMzUzOFoYDzIxMjYxMTAyMjEzNTM4WjAOMQwwCgYDVQQDDANvbGQwWTATBgcqhkjOPQIBBggqhkjO\
            PQMBBwNCAARyTJJiBfSryUahw/FtPiHojc5nmLwWWj/47FxobUgy0JxSA98fd+PDT9jR9sYhYV/owtmD83Hj\
            H/LilLfB5kV/MAoGCCqGSM49BAMCA0kAMEYCIQCBjQFUBbvbvN4eLGIK1qQUT+0qBwOkrTYQSYodLTj1zAIh\
            APuMGnkw20qOVlxy03JynVlkhIX6IoCuKN385jY+uuVQ
            """)

    /// A key of X25519, which signs nothing.
    static let x25519 = SampleCertificate(
        pin: "ucHEYOc6NLRa9uuMh9BsvK7b+6nPKwefIcxTjUPXWwI=",
        base64: """
            MIHnMIGPAhR/40R2kE+so96j/ff7ccOj5HX5jDAKBggqhkjOPQQDAjANMQswCQYDVQQDDAJlYzAgFw0yNjEx\
            MjYyMTM1NTlaGA8yMTI2MTEwMjIxMzU1OVowDjEMMAoGA1UEAwwDb2xkMCowBQYDK2VuAyEAng6ayFKgvSpL\
            t9jYbU2lwbcJD1obWngF7dACbApzFGAwCgYIKoZIzj0EAwIDRwAwRAIgPQrG3Wqb5lRbm6zakP7jLZx7vHQP\
            PqUYLuCbaJKEOWkCIHA7jzhOjENJ+WBhOFvhrdYUcr6nEqm5W56/5k0Zs3hB
            """)
}
