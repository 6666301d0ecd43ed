import Foundation
import PledgeHTTPMessages
import PledgeServices
import Testing

@testable import PledgeURLSessionTransport

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

    @Test(arguments: [
        URLError.Code.appTransportSecurityRequiresSecureConnection, .userAuthenticationRequired,
        .userCancelledAuthentication,
    ])
    func whatTheSystemRefusesIsNeitherRepeatedNorEvidence(code: URLError.Code) {
        let error = HTTPError(code: HTTPError.Code(URLError(code)), cause: URLError(code))
        #expect(error.code == .unsupported)
        #expect(error.advisedOutcome == Outcome.callersMistake)
    }

    @Test func aRefusalOfPlainHTTPNamesTheKeysOfInfoPlist() throws {
        let words = try #require(reason(.appTransportSecurityRequiresSecureConnection))
        for key in ["NSAppTransportSecurity", "NSAllowsLocalNetworking", "NSExceptionDomains"] {
            #expect(words.contains(key))
        }
    }

    @Test func anAnswerThatAsksForAPasswordNamesTheMiddleware() {
        #expect(
            reason(.userAuthenticationRequired)
                == "it asks for a user and a password: send them by .authorize(_:)")
    }

    @Test func CFNetworksErrorsOfProxiesAreKnown() {
        func code(_ number: Int, _ domain: String = "kCFErrorDomainCFNetwork") -> HTTPError.Code {
            HTTPError.Code(NSError(domain: domain, code: number))
        }
        #expect([307, 122, 124].allSatisfy { code($0) == .proxyRefused })
        #expect([306, 310, 311].allSatisfy { code($0) == .cannotConnect })
        #expect(code(308) == .other)
        #expect(code(307, "another") == .other)
    }

    #if !canImport(FoundationNetworking)
    @Test func aURLThatURLSessionDoesNotTakeIsNeitherRepeatedNorEvidence() {
        let error = HTTPError(code: HTTPError.Code(URLError(.unsupportedURL)))
        #expect(error.code == .unsupported)
        #expect(error.advisedOutcome == Outcome.callersMistake)
    }
    #endif

    #if canImport(FoundationNetworking)
    @Test(arguments: [
        ("SSL certificate problem: self-signed certificate", HTTPError.Code.insecureConnection),
        ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .insecureConnection),
        (
            "SSL: no alternative certificate subject name matches target host name 'a'",
            .insecureConnection
        ),
        ("OpenSSL SSL_connect: Connection reset by peer in connection to a:443", .connectionLost),
        (
            "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading",
            .connectionLost
        ),
        ("transfer closed with 18 bytes remaining to read", .connectionLost),
        ("end of response with 4 bytes missing", .connectionLost),
        ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .connectionLost),
        ("Illegal or missing hexadecimal sequence in chunked-encoding", .badResponse),
        ("Invalid Content-Length: value", .badResponse), ("Header without colon", .badResponse),
        ("Failed writing header", .badResponse), ("Out of memory", .badResponse),
        ("Too large response headers: 307205 > 307200", .badResponse),
        ("Error while processing content unencoding: incorrect header check", .badResponse),
        ("Error in the HTTP2 framing layer", .connectionLost),
        ("Failure when receiving data from the peer", .connectionLost),
        ("HTTP/2 stream 1 was closed cleanly, but before getting  all response", .connectionLost),
        ("CONNECT tunnel failed, response 407", .proxyRefused),
        ("Received HTTP code 403 from proxy after CONNECT", .proxyRefused),
        ("CONNECT tunnel failed, response 503", .cannotConnect),
        ("what nobody has said before", .other),
    ])
    func theWordsOfLibcurlTellWhatIsUnknown(words: String, code: HTTPError.Code) {
        let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
        #expect(HTTPError.Code(error) == code)
    }

    @Test func aClientThatIsRefusedAfterTheHandshakeHasNoSecureConnection() {
        let words =
            "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required"
        let refused = URLError(
            .networkConnectionLost, userInfo: [NSLocalizedDescriptionKey: words])
        let lost = URLError(
            .networkConnectionLost,
            userInfo: [NSLocalizedDescriptionKey: "Recv failure: Connection reset by peer"])
        #expect(HTTPError.Code(refused) == .insecureConnection)
        #expect(HTTPError.Code(lost) == .connectionLost)
    }
    #endif

    @Test func wordsThatMayHoldAnythingAreNotShown() {
        #expect(reason(.secureConnectionFailed, "s3cret") == nil)
        #expect(reason(.networkConnectionLost, "expired s3cret") == nil)
    }
}
