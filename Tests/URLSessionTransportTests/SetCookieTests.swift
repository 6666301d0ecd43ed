import Testing

@testable import URLSessionTransport

struct SetCookieTests {
    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1, b=2", ["a=1", "b=2"]),
        ("a=1,b=2,c=3", ["a=1", "b=2", "c=3"]),
        (
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2",
            [
                "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2",
            ]
        ),
        (
            "a=1; expires=Sunday, 06-Nov-94 08:49:37 GMT; Path=/, b=2; Expires=Thu, 1 Jan 1970",
            [
                "a=1; expires=Sunday, 06-Nov-94 08:49:37 GMT; Path=/",
                "b=2; Expires=Thu, 1 Jan 1970",
            ]
        ),
        ("a=x,y", ["a=x,y"]),
        ("a=, b=", ["a=", "b="]),
        ("a=1, __Host-b=\"q\"; Secure", ["a=1", "__Host-b=\"q\"; Secure"]),
        ("a=1,", ["a=1,"]),
        ("", [""]),
    ])
    func takesApartWhatWasJoined(joined: String, cookies: [String]) {
        #expect(SetCookie.split(joined) == cookies)
    }
}
