import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime) struct MockCancellationTests {
    @Test func aTestAwaitsThatATaskCancelsItsCall() async throws {
        let network = MockNetwork()
        let loading = Task { try await network.request(Endpoint(path: "/products/7")).value }
        let call = try await network.next()
        #expect(!call.cancellation.isSettled)
        loading.cancel()
        try await call.cancellation.value
        #expect(call.isCancelled)
        await #expect(throws: CancellationError.self) { try await loading.value }
    }

    @Test("its cancellation fails: who awaits it would wait for ever")
    func anAnsweredCallIsNeverCancelled() throws {
        let network = MockNetwork()
        let answer = network.request(Endpoint(path: "/products/7"))
        let call = try network.next()
        let cancellation = call.cancellation
        call.answer(with: Data())
        answer.cancel()
        #expect(answer.isSettled && !call.isCancelled)
        let error = try #require(throws: MockError.self) { try cancellation.result?.get() }
        #expect(error.code == .answered)
        #expect("\(error)".hasPrefix("call 1, GET /products/7, was answered"))
    }

    @Test func theCancellationOfAReleasedCallFails() throws {
        let network = MockNetwork()
        let answer = network.request(Endpoint(path: "/products/7"))
        var call: MockCall? = try network.next()
        let cancellation = try #require(call?.cancellation)
        call = nil
        #expect(answer.isSettled)
        let error = try #require(throws: MockError.self) { try cancellation.result?.get() }
        #expect(error.code == .abandoned)
    }

    /// Giving up one future of the cancellation leaves the others.
    @Test func twoMayAwaitIt() throws {
        let network = MockNetwork()
        let answer = network.request(Endpoint(path: "/products/7"))
        let call = try network.next()
        call.cancellation.cancel()
        let second = call.cancellation
        answer.cancel()
        #expect(second.isSettled)
    }
}
