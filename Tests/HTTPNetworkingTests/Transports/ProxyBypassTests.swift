import PledgeHTTPNetworking
import Testing

/// libcurl has the same result for each list (`curl --noproxy`), unless a test says otherwise.
struct ProxyBypassTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "www.example.com", true),
        ("example.com", "badexample.com", false), (".example.com", "example.com", true),
        ("EXAMPLE.com.", "a.example.com", true), ("example.com", "example.com.", true),
        ("com", "example.com", true), ("", "example.com", false), ("*", "example.com", true),
        ("*", "127.0.0.1", true), ("*.example.com", "a.example.com", false),
        ("a, b example.com", "example.com", true), ("a,*", "example.com", false),
        ("localhost", "127.0.0.1", false),
    ])
    func names(list: String, host: String, isCovered: Bool) {
        #expect(ProxyBypass(text: list).covers(host) == isCovered)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.10", false),
        ("0.0.1", "127.0.0.1", false), ("10.0.0.0/8", "10.9.8.7", true),
        ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "10.example.com", false),
        ("192.168.16.0/20", "192.168.31.255", true), ("192.168.16.0/20", "192.168.32.0", false),
        ("10.0.0.0/33", "10.0.0.0", false),
        ("::1", "[::1]", true), ("::1", "[::2]", false), ("fd00::/8", "[fe00::1]", false),
        ("127.0.0.1", "[::1]", false),
    ])
    func addresses(list: String, host: String, isCovered: Bool) {
        #expect(ProxyBypass(text: list).covers(host) == isCovered)
    }

    /// libcurl 7.88 compares the addresses as texts.
    @Test(arguments: [
        ("[::1]", "[0:0::1]", true), ("fd00::/8", "[fdff::1]", true),
        ("fd00::/x", "[fd00::]", false),
    ])
    func addressesOfVersion6(list: String, host: String, isCovered: Bool) {
        #expect(ProxyBypass(text: list).covers(host) == isCovered)
    }
}
