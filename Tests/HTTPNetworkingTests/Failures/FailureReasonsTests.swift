import PledgeHTTPTransportKit
import Testing

@Suite struct TLSFailureReasonTests {
    @Test(arguments: [
        ("SSL certificate problem: certificate has expired", "the certificate has expired"),
        ("certificate is not yet valid", "the certificate is not valid yet"),
        (
            "SSL certificate problem: self-signed certificate in certificate chain",
            "the certificate's authority is unknown"
        ),
        ("unable to get local issuer certificate", "the certificate's authority is unknown"),
        (
            "SSL: no alternative certificate subject name matches target host name 'a'",
            "the certificate is for another host"
        ),
        ("NIOSSLExtraError.failedToValidateHostname", "the certificate is for another host"),
        (
            "handshakeFailed(sslError([Error: 268435581 error:1000007d:SSL "
                + "routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at ssl.cc]))",
            "the certificate is not trusted: its authority is unknown, or its time is over"
        ),
        (
            "error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER",
            "the server speaks no TLS, or no version of it that is accepted"
        ),
        ("EOF during handshake", "the handshake failed"),
    ])
    func aLibrarysWordsBecomeAFew(words: String, reason: String) {
        #expect(TLSFailureReason.reason(in: words) == reason)
    }

    @Test func unknownWordsAreNotShown() {
        #expect(TLSFailureReason.reason(in: "s3cret") == nil)
    }
}
