import Foundation
import HTTPTestSupport
import PledgeHTTPBodies
import PledgeHTTPNetworking
import Testing

@Suite struct MultipartPartTests {
    private func disposition(_ part: Multipart.Part) -> String? {
        part.headers["Content-Disposition"]
    }

    @Test func aFieldHasItsNameAndAFileItsNames() throws {
        let file = URL(fileURLWithPath: "/tmp/photo.jpg")
        #expect(disposition(.text("a", "b")) == "form-data; name=\"a\"")
        #expect(disposition(.data("a", Data())) == "form-data; name=\"a\"")
        #expect(
            disposition(.data("a", Data(), filename: "b"))
                == "form-data; name=\"a\"; filename=\"b\"")
        #expect(disposition(.file("a", file)) == "form-data; name=\"a\"; filename=\"photo.jpg\"")
        #expect(
            disposition(.file("a", file, filename: "c"))
                == "form-data; name=\"a\"; filename=\"c\"")
        #expect(Multipart.Part.text("a", "b").body.contentType == nil)
        #expect(Multipart.Part.data("a", Data()).body.contentType == "application/octet-stream")
    }

    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb\rc", "a%0Ab%0Dc"), ("\\\"", "\\%22"),
        ("%22", "%22"), ("ä ü 🎉", "ä ü 🎉"), ("a\0b\u{7F}", "a%00b%7F"), ("\u{85}", "%C2%85"),
        ("", ""), ("a;b=c", "a;b=c"),
    ])
    func namesAreEscaped(_ name: String, _ escaped: String) {
        let part = Multipart.Part.data(name, Data(), filename: name)
        let expected = "form-data; name=\"\(escaped)\"; filename=\"\(escaped)\""
        #expect(disposition(part) == expected)
        #expect(HTTPHeaders.isValid(name: "Content-Disposition", value: expected))
    }
}
