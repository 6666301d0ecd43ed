import HTTPTestSupport
import PledgeHTTPBodies
import PledgeHTTPNetworking
import Testing

@Suite struct MultipartReaderBoundaryTests {
    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"),
        ("Multipart/Mixed;BOUNDARY=abc", "abc"),
        ("multipart/mixed; charset=utf-8; boundary=\"a b;c\"; x=y", "a b;c"),
        ("multipart/mixed; x=\"; boundary=no\"; boundary=yes ", "yes"),
        ("multipart/mixed; boundary=\"a\\\"b\"", "a\"b"),
        ("multipart/mixed; x; boundary=a", "a"),
    ])
    func itIsFound(_ type: String, _ boundary: String) {
        #expect(MultipartReader.boundary(in: type) == boundary)
    }

    @Test(arguments: [
        "", "text/plain; boundary=a", "multipart/mixed", "multipart/mixed; boundary",
        "multipart/mixed; boundary=", "multipart/mixed; boundary=\"\"",
        "multipart/mixed; boundary=\"a", "multipart/mixed; boundary=\"a \"",
        "multipart/mixed; boundary=\"a\r\"", "multipart/mixed; boundary=ü",
        "multipart/mixed; boundary=" + String(repeating: "a", count: 71),
    ])
    func whatIsNoneIsNil(_ type: String) {
        #expect(MultipartReader.boundary(in: type) == nil)
    }
}
