// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/CommandLine.md.
@Suite(.oneAtATime)
struct RecipesCommandLineExamples {
    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    private let shop = MemoryTransport(routes: [
        .get("/export", answer: .status(404)), .get("/me", answer: .text("Joanna")),
    ])
    private let lines = ExampleLog()

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: shop)
    }

    #if os(macOS) || os(Linux)
    @Test func interrupted() async {
        await #expect(processExitsWith: .exitCode(130)) {
            exitIfHung(1)
            let never = Promise<HTTPResponse>()
            let client = PledgeHTTPClients.HTTPClient(base: URL(string: "https://api.example.com"))
            { _ in
                interruptAgainAndAgain()
                return never.map { $0 }
            }
            // snippet: interrupt
            signal(SIGINT, SIG_IGN)  // or the system ends the program
            let work = Task { try await client.get("/export").text }
            let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
            interrupt.setEventHandler { work.cancel() }
            interrupt.activate()
            do {
                print(try await work.value)
            } catch is CancellationError {
                exit(130)  // 128 and the signal's number, as a shell expects
            }
            // end snippet
        }
    }

    @Test func failed() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
        ) {
            let shop = MemoryTransport(routes: [.get("/export", answer: .status(404))])
            let server = URL(string: "https://api.example.com")
            let client = PledgeHTTPClients.HTTPClient(base: server, over: shop)
            // snippet: failed
            do {
                print(try await client.get("/export").text)
            } catch {
                try? FileHandle.standardError.write(contentsOf: Data("shop: \(error)\n".utf8))
                exit(1)
            }
            // end snippet
        }
        let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = error.split(separator: "\n").first { $0.hasPrefix("shop: ") }
        lines.add(String(line ?? ""))
        try RecipePage("CommandLine").expectOutput(lines)
    }
    #endif

    @Test func environment() async throws {
        // snippet: environment
        let environment = ProcessInfo.processInfo.environment
        let address = environment["SHOP_SERVER"] ?? "https://api.example.com"
        var client = HTTPClient(base: URL(string: address))
        client.authorization = environment["SHOP_TOKEN"].map { .bearer($0) }
        // end snippet
        #expect(try await client.get("/me").text == "Joanna")
        #expect(shop.calls.last?.request?.headers["Authorization"] == nil)
    }

    @Test func verbose() {
        var client = HTTPClient(base: server)
        // snippet: verbose
        if CommandLine.arguments.contains("--verbose") {
            client.log = .init { line in
                try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
            }
        }
        // end snippet
        #expect(client.log?.showsHeaders == nil)
    }
}

/// Sends this process SIGINT until it ends: nobody hears it before the recipe listens.
@Sendable private func interruptAgainAndAgain() {
    kill(getpid(), SIGINT)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
        interruptAgainAndAgain()
    }
}
