import Foundation
import PledgeHTTPMessages
import Testing

@Suite struct HTTPOriginTests {
    private func origin(_ text: String) -> HTTPOrigin? {
        URL(string: text).flatMap(HTTPOrigin.init)
    }

    @Test(arguments: [
        ("http://example.com", "http://EXAMPLE.com:80/path?q#f"),
        ("https://example.com/a", "HTTPS://example.com:443"),
        ("https://me:secret@example.com", "https://example.com"),
        ("http://[::1]:8080/a", "http://[::1]:8080"),
        ("http://[::1]", "http://[::1]:80"),
        ("http://example.com:", "http://example.com"),
    ])
    func theseURLsHaveTheSameOrigin(left: String, right: String) {
        #expect(origin(left) != nil && origin(left) == origin(right))
    }

    @Test(arguments: [
        ("http://example.com", "https://example.com"),
        ("http://example.com", "http://example.com:8080"),
        ("http://example.com", "http://www.example.com"), ("http://a@b.com", "http://a.com"),
        ("http://[::1]", "http://[::2]"), ("http://b.com:80@a.com", "http://b.com"),
    ])
    func theseURLsHaveDifferentOrigins(left: String, right: String) {
        #expect(origin(left) != nil && origin(right) != nil && origin(left) != origin(right))
    }

    @Test func aURLThatLeadsNowhereHasNoOrigin() {
        #expect(
            origin("/path") == nil && origin("ftp://example.com") == nil && origin("http://") == nil
        )
    }

    @Test func theTextOfAnOriginHasNoUserinfo() {
        #expect(origin("https://me:s3cret@a.com/x")?.description == "https://a.com:443")
    }
}

@Suite struct HTTPOriginPrivateTests {
    @Test(arguments: [
        // RFC 6890 and IANA's registry of IPv4, the first and the last of each block.
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255",
        "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.1",
        "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "240.0.0.1",
        "255.255.255.255",
        // Other notations that clients read as the same addresses: decimal, hexadecimal, octal, short, with a
        // dot.
        "2130706433", "0x7f000001", "0X7F.1", "0x7f.0.0.1", "017700000001", "0177.0.0.1", "127.1",
        "127.0.1", "127.0.0.1.", "10.1", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
        "0xA9.254.0xA9FE", "0", "0x", "00.0x0.0",
        // Not addresses; clients read them differently.
        "256.0.0.1", "1.2.3.4.5", "08.0.0.1", "4294967296", "a.1", "1.16777216",
        // IPv6.
        "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]", "[fe80::1]", "[fe80::1%25eth0]",
        "[FE80::1]", "[febf::1]", "[fec0::1]", "[fc00::1]", "[fdff:ffff::1]", "[ff02::1]",
        "[100::1]", "[2001::1]", "[2001:1ff::1]", "[2001:db8::1]", "[3fff:fff::1]", "[5f00::1]",
        "[64:ff9b:1::1]",
        // IPv4 within IPv6: mapped, compatible, NAT64, 6to4.
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]",
        "[::8.8.8.8]", "[64:ff9b::10.0.0.1]", "[2002:7f00:1::]", "[2002:c0a8:101::1]",
        // Not addresses.
        "[::1::1]", "[1:2:3]", "[12345::]", "[:1]", "[v1.a]", "[::1.2.3]", "[1:2:3:4:5:6:7:8:9]",
        // Names.
        "localhost", "LocalHost", "localhost.", "a.localhost", "a.b.localhost.", "printer.local",
        "metadata.google.internal", "nas.home.arpa",
    ])
    func theseHostsArePrivate(host: String) throws {
        #expect(try origin(host).isPrivate)
    }

    @Test(arguments: [
        "example.com", "example.com.", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0",
        "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "169.253.255.255",
        "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.1",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.101.0",
        "203.0.114.0", "223.255.255.255", "134744072", "0x08080808", "010.8.8.8", "8.525320",
        "localhost.example.com", "notlocalhost", "127.0.0.1.example.com", "0x7f.example",
        "local.example", "internal.example.com", "arpa", "[2606:4700:4700::1111]",
        "[2001:4860:4860::8888]", "[2001:200::1]", "[2003::1]", "[3fff:1000::1]",
        "[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]", "[2002:808:808::1]", "1e100.net",
    ])
    func theseHostsAreNotPrivate(host: String) throws {
        #expect(try !origin(host).isPrivate)
    }

    private func origin(_ host: String) throws -> HTTPOrigin {
        let url = try #require(URL(string: "http://\(host):80/"), "\(host) stands in no URL")
        let origin = try #require(HTTPOrigin(url))
        // Foundation may write a host in another way than it was given.
        try #require(origin.host == host.lowercased() || host.hasPrefix("["))
        return origin
    }
}
