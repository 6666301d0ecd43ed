import Testing

@testable import PledgeURLSessionTransport

struct SetCookieTests {
    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1; Secure, b=2", ["a=1; Secure", "b=2"]),
        ("a=1; Path=/, b=2; Path=/, c=3", ["a=1; Path=/", "b=2; Path=/", "c=3"]),
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
        ("a=; Secure, b=", ["a=; Secure", "b="]),
        ("a=1; Path=/, __Host-b=\"q\"; Secure", ["a=1; Path=/", "__Host-b=\"q\"; Secure"]),
        // Foundation joins by a comma and a space.
        ("a=1,b=2,c=3", ["a=1,b=2,c=3"]), ("a=1; Path=/,b=2", ["a=1; Path=/,b=2"]),
        ("a=1; Path=/,\u{301} b=2", ["a=1; Path=/,\u{301} b=2"]),
        ("a=1,", ["a=1,"]),
        ("", [""]),
    ])
    func takesApartWhatWasJoined(joined: String, cookies: [String]) {
        #expect(SetCookie.split(joined) == cookies)
    }

    @Test(arguments: [
        ("lang=x, sid=evil", []), ("lang=x, sid=evil; Path=/; HttpOnly", []),
        ("a=, b=", []), ("lang=x, sid=evil, c=3", []),
        ("a=1; Path=/, lang=x, sid=evil", ["a=1; Path=/"]),
        ("lang=x, sid=evil; Secure, c=3; Secure", ["c=3; Secure"]),
        ("lang=\"x, sid=evil\"; Secure, c=3", ["c=3"]),
        (
            "lang=x, sid=evil; Expires=Wed, 21 Oct 2026 07:28:00 GMT, c=3; Path=/, d=4",
            ["c=3; Path=/", "d=4"]
        ),
    ])
    func inventsNoCookieWhereTheyCannotBeToldApart(joined: String, cookies: [String]) {
        #expect(SetCookie.split(joined) == cookies)
    }
}
