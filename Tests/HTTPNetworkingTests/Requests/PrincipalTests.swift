import Testing

@testable import PledgeHTTPMessages

@Suite struct PrincipalTests {
    @Test func aHolderIsKnownByValueAndHeader() {
        let holder = Principal.holder(of: "k", in: "X-API-Key")
        #expect(holder == .holder(of: "k", in: "x-api-key"))
        #expect(holder != .holder(of: "l", in: "X-API-Key"))
        #expect(holder != .holder(of: "k", in: "Authorization"))
        #expect(!holder.isOver && !Principal.account("anna").isOver)
    }

    @Test func oneSignInIsNotEqualToAnother() {
        let (one, other) = (SignIn(), SignIn())
        #expect(Principal.signIn(one) != .signIn(other))
        one.endSignIn()
        #expect(Principal.signIn(one).isOver && !Principal.signIn(other).isOver)
    }
}
