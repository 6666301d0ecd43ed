import CPledgeCurl
import Foundation
import PledgeServices
import Testing

@testable import PledgeLibcurlTransport

struct CurlLibraryTests {
    @Test func libcurlIsFoundWhereTheTestsRun() throws {
        let library = try CurlLibrary.lookUp()
        #expect(try CurlLibrary.lookUp() == library)
        let number = ccurl_version_number()
        #expect(number >= UInt32(CCURL_MIN_VERSION))
        #expect(library.version.split(separator: ".").count == 3)
        #expect(library.tlsLibrary?.isEmpty == false)
        #expect(library.has(ccurl_feature_tls))
        #expect(library.mayReuseHandles == !(0x075300...0x080100).contains(number))
        #expect(library.keepsEarlyAnswers == (number >= 0x080b01))
        #expect(library.tellsRefusals == (number >= 0x081300))
        #expect(library.waitsForFirstAnswer == (number >= 0x080a00))
    }

    @Test(
        arguments: [(0x075000, "7.80.0"), (0x080a01, "8.10.1"), (0, "0.0.0")] as [(UInt32, String)])
    func aVersionOfLibcurlIsWrittenAsText(number: UInt32, words: String) {
        #expect(CurlLibrary.words(ofVersion: number) == words)
    }

    @Test(arguments: [
        (
            ccurl_missing,
            "libcurl.so.4 is not on this machine: install the package libcurl4 (Debian, Ubuntu)"
                + " or libcurl (Fedora, Amazon Linux), or use AHCTransport"
        ),
        (ccurl_incomplete, "libcurl.so.4 lacks functions of libcurl's"),
        (ccurl_too_old, "libcurl 7.79.1 is too old: install 7.80.0 or later"),
        (ccurl_cannot_start, "libcurl does not start"),
        (ccurl_unsupported, "libcurl cannot be looked up on this system: use SessionTransport"),
    ])
    func anErrorSaysWhatToDoIfLibcurlIsMissing(availability: ccurl_availability, words: String)
        throws
    {
        let error = try #require(
            CurlLibrary.Unavailable(availability, version: 0x074f01))
        #expect(error.description.hasPrefix(words))
        #expect(error.localizedDescription == error.description)
        #expect("\(error)" == error.description)
        #expect(error.isCertainlyUnsent)
    }

    @Test func thereIsNoErrorIfLibcurlIsThere() {
        #expect(CurlLibrary.Unavailable(ccurl_available, version: 0x080000) == nil)
    }
}
