import Foundation
import HTTPNetworking
import Testing

@testable import URLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HTTPErrorURLErrorTests {
    private func reason(_ code: URLError.Code, _ words: String = "") -> String? {
        HTTPError.reason(
            of: URLError(code, userInfo: [NSLocalizedDescriptionKey: words]),
            idleLimit: .seconds(60))
    }

    @Test func theReasonIsGivenInAFewWords() {
        #expect(
            reason(.serverCertificateUntrusted, "SSL certificate problem: certificate has expired")
                == "the certificate has expired")
        #expect(
            reason(.serverCertificateUntrusted, "self-signed certificate")
                == "the certificate's authority is unknown")
        #expect(
            reason(.serverCertificateHasUnknownRoot) == "the certificate's authority is unknown")
        #expect(reason(.serverCertificateHasBadDate) == "the certificate has expired")
        #expect(
            reason(.secureConnectionFailed, "no alternative certificate subject name matches 'a'")
                == "the certificate is for another host")
        #expect(reason(.timedOut) == "the idle limit of 60.0 seconds")
    }

    @Test func wordsThatMayHoldAnythingAreNotShown() {
        #expect(reason(.secureConnectionFailed, "s3cret") == nil)
        #expect(reason(.networkConnectionLost, "expired s3cret") == nil)
    }
}
