import Foundation
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPAuthentication

/// Public suffixes as libpsl has them, where the system has it, and as they are known without it.
@Suite struct PublicSuffixTests {
    private static let sources: [@Sendable (String) -> Bool] = [
        PublicSuffix.contains, PublicSuffix.isListed,
    ]

    private func jar(_ source: Int) -> CookieJar {
        CookieJar(isPublicSuffix: Self.sources[source])
    }

    @Test(
        arguments: [
            "com", "co.uk", "github.io", "uk.com", "herokuapp.com", "co.jp", "com.au", "gov.uk",
            "kawasaki.jp",
            "k12.ca.us", "eu.org", "blogspot.com", "s3.amazonaws.com", "net.br", "edu.cn", "nom.br",
            "ac.jp", "gr.jp", "lg.jp", "ac.at", "city.ck", "minato.kawasaki.jp", "com.de",
            "gov.scot", "fly.dev", "pages.dev", "vercel.app", "netlify.app", "azurewebsites.net",
            "xn--55qx5d.cn", "some-unknown-tld",
        ], 0..<2)
    func noCookieIsAcceptedForADomainBelowWhichAnybodyMayRegister(_ domain: String, _ source: Int)
        throws
    {
        #expect(Self.sources[source](domain))
        let url = try #require(URL(string: "https://mallory.\(domain)/"))
        let jar = jar(source)
        #expect(jar.store("session=1; Domain=\(domain)", from: url) == nil)
        #expect(jar.store("session=1; Domain=.\(domain.uppercased())", from: url) == nil)
        #expect(jar.cookies.isEmpty)
        // The host itself may be a public suffix, such as a page of its own at github.io.
        let own = try #require(URL(string: "https://\(domain)/"))
        #expect(jar.store("session=1; Domain=\(domain)", from: own)?.isHostOnly == true)
    }

    @Test(
        arguments: [
            "example.com", "example.co.uk", "t.co", "shop.github.io", "amazonaws.com", "example.uk",
            "www.ck", "city.kawasaki.jp", "example.uk.com", "xn--bcher-kva.example.com",
            "example.some-unknown-tld",
        ], 0..<2)
    func theHostsOfOneOwnerShareCookies(_ domain: String, _ source: Int) throws {
        #expect(!Self.sources[source](domain))
        let jar = jar(source)
        let login = try #require(URL(string: "https://login.\(domain)/"))
        let shop = try #require(URL(string: "https://shop.\(domain)/"))
        #expect(jar.store("session=1; Domain=\(domain)", from: login)?.isHostOnly == false)
        #expect(jar.cookies(for: shop).count == 1)
    }

    @Test(arguments: ["", ".", "..", "com.", ".com", "*", "*.com", "!www.ck", "a b.com", "é.com"])
    func askingAboutOddTextDoesNotTrap(_ text: String) {
        #expect(PublicSuffix.isListed(text) == ["", "*", "!www.ck"].contains(text))
        _ = PublicSuffix.contains(text)
    }

    @Test func theListOfPublicSuffixesHasRulesOfAllKinds() {
        let lines = PublicSuffix.rules.split(separator: "\n")
        #expect(lines.count > 1_000)
        #expect(lines.allSatisfy { $0.allSatisfy { $0.isASCII } && $0.contains(" ") })
        #expect(PublicSuffix.rules.contains(" *") && PublicSuffix.rules.contains(" !"))
    }
}
