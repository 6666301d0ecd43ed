import Foundation
import Futures
import HTTPNetworking
import Testing

@testable import URLSessionTransport

struct ExchangeMachineTests {
    private let url = URL(string: "http://a/")!

    private func instant(_ seconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .seconds(seconds))
    }

    private func machine(
        _ method: HTTPMethod = .get, _ delivery: ExchangeMachine.Delivery = .whole(upTo: 10),
        idleTimeout: Duration? = .seconds(10)
    ) -> ExchangeMachine {
        ExchangeMachine(
            HTTPRequest(method, url), delivery, idleTimeout: idleTimeout, since: instant(100),
            at: instant(101))
    }

    @Test func gathersAWholeResponse() {
        var machine = machine()

        #expect(machine.receive(HTTPResponse(status: 200), at: instant(102)) == .nothing)
        #expect(machine.receive(Data("01234".utf8), at: instant(103)) == .nothing)
        #expect(machine.receive(Data("56789".utf8), at: instant(103)) == .nothing)
        let expected = HTTPResponse(status: 200, body: Data("0123456789".utf8))
        #expect(machine.finish(at: instant(104)) == .finish(expected))

        #expect(machine.response?.timing.untilHeaders == .seconds(2))
        guard case .finish(let response) = machine.finish(at: instant(104)) else { return }
        #expect(response.timing == HTTPTiming(untilHeaders: .seconds(2), total: .seconds(4)))
    }

    @Test func handsOutAStreamPieceByPiece() {
        var machine = machine(.get, .streamed)
        let head = HTTPResponse(status: 200)

        #expect(machine.receive(head, at: instant(102)) == .deliverHead(head))
        let piece = Data(count: 1_000)
        #expect(machine.receive(piece, at: instant(103)) == .pass(piece))
        #expect(machine.finish(at: instant(104)) == .finish(head))
    }

    @Test func interimAndRepeatedHeadersAreNotTheAnswers() {
        var machine = machine(.get, .streamed)
        let head = HTTPResponse(status: 404)

        #expect(machine.receive(HTTPResponse(status: 100), at: instant(102)) == .nothing)
        #expect(machine.receive(HTTPResponse(status: 103), at: instant(102)) == .nothing)
        #expect(machine.receive(head, at: instant(102)) == .deliverHead(head))
        #expect(machine.receive(HTTPResponse(status: 200), at: instant(102)) == .nothing)
        #expect(machine.response?.status == 404)
    }

    @Test func bytesWithoutHeadersAreNoAnswer() {
        var machine = machine()

        #expect(machine.receive(Data([1]), at: instant(102)) == .nothing)
        #expect(machine.finish(at: instant(103)) == .fail(.badResponse))
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func aWholeBodyIsBounded(size: Int, isAllowed: Bool) {
        var machine = machine()
        _ = machine.receive(HTTPResponse(status: 200), at: instant(102))
        _ = machine.receive(Data(count: 5), at: instant(102))

        let step = machine.receive(Data(count: size - 5), at: instant(102))

        #expect(step == (isAllowed ? .nothing : tooLarge))
        #expect(machine.response?.body.count == (isAllowed ? size : 5))
    }

    @Test(arguments: [(HTTPMethod.get, true), (.head, false)])
    func anAnnouncedLengthCountsBeforeTheFirstByte(method: HTTPMethod, isRefused: Bool) {
        var machine = machine(method)
        let head = HTTPResponse(status: 200, headers: ["Content-Length": "11"])

        let step = machine.receive(head, at: instant(102))

        #expect(step == (isRefused ? tooLarge : .nothing))
    }

    private let tooLarge = ExchangeMachine.Command.fail(
        .bodyTooLarge, because: "its body has more than 10 bytes")

    /// The length of the stored body that a 304 confirms is not that of its own.
    @Test(arguments: [204, 304]) func theLengthOfNoBodyDoesNotCount(status: Int) {
        var machine = machine()
        let head = HTTPResponse(status: status, headers: ["Content-Length": "11"])
        #expect(machine.receive(head, at: instant(102)) == .nothing)
    }

    @Test(arguments: [ExchangeMachine.Delivery.whole(upTo: 10), .streamed])
    func aLengthThatIsNotOneNumberIsNoAnswer(delivery: ExchangeMachine.Delivery) {
        var machine = machine(.get, delivery)
        // URLSession joins the two fields.
        let head = HTTPResponse(status: 200, headers: ["Content-Length": "5, 3"])
        let step = machine.receive(head, at: instant(102))
        #expect(step == .fail(.badResponse, because: "its Content-Length is not one number"))
        #expect(machine.response?.status == 200)
    }

    @Test(arguments: [
        (HTTPMethod.get, "gzip", false), (.get, "BR", false), (.get, "identity", true),
        (.get, "Identity", true), (.head, "gzip", true),
    ])
    func dropsWhatDecodingMadeUntrue(method: HTTPMethod, coding: String, isKept: Bool) {
        var machine = machine(method, .streamed)
        let headers: HTTPHeaders = ["Content-Encoding": coding, "Content-Length": "9", "X": "1"]
        _ = machine.receive(HTTPResponse(status: 200, headers: headers), at: instant(102))

        #expect(machine.response?.headers == (isKept ? headers : ["X": "1"]))
    }

    /// Apple's URLSession passes a body in another coding on as it is.
    @Test(arguments: [
        ("gzip", false), ("X-Gzip", false), ("gzip, br", false), ("identity, gzip", false),
        ("zstd", true), ("gzip, zstd", true), ("zstd, gzip", true), ("aws-chunked", true),
    ])
    func keepsTheCodingOfABodyThatIsNotDecoded(coding: String, isKept: Bool) {
        var machine = ExchangeMachine(
            HTTPRequest(url), .streamed, idleTimeout: nil, decoding: ["gzip", "x-gzip", "br"],
            since: instant(100), at: instant(101))
        let headers: HTTPHeaders = ["Content-Encoding": coding, "Content-Length": "9", "X": "1"]
        _ = machine.receive(HTTPResponse(status: 200, headers: headers), at: instant(102))

        #expect(machine.response?.headers == (isKept ? headers : ["X": "1"]))
    }

    @Test func isIdleFromTheLastSignOn() {
        var machine = machine()
        #expect(machine.idleTimeLeft(at: instant(105)) == .seconds(6))
        _ = machine.didSend(at: instant(105))
        #expect(machine.idleTimeLeft(at: instant(106)) == .seconds(9))
        _ = machine.receive(HTTPResponse(status: 200), at: instant(110))
        #expect(machine.idleTimeLeft(at: instant(110)) == .seconds(10))
        _ = machine.receive(Data([1]), at: instant(115))
        #expect(machine.idleTimeLeft(at: instant(124)) == .seconds(1))
        #expect(machine.idleTimeLeft(at: instant(125)) == .zero)
        #expect(machine.idleTimeLeft(at: instant(200)) == .zero)
    }

    @Test func isNotIdleWhileItIsHeld() {
        var machine = machine(.get, .streamed)
        _ = machine.hold()
        _ = machine.hold()
        #expect(machine.idleTimeLeft(at: instant(500)) == .seconds(10))
        _ = machine.goOn(at: instant(500))
        #expect(machine.idleTimeLeft(at: instant(600)) == .seconds(10))
        _ = machine.goOn(at: instant(600))
        #expect(machine.idleTimeLeft(at: instant(609)) == .seconds(1))
    }

    @Test func mayBeIdleForEver() {
        #expect(machine(idleTimeout: nil).idleTimeLeft(at: instant(1_000_000)) == nil)
    }
}
