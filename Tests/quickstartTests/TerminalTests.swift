import Foundation
import PledgeObservation
import TestSupport
import Testing

@testable import PledgeQuickstart

@Suite(.oneAtATime)
struct TerminalTests {
    @Test(arguments: [
        (true, ["TERM": "xterm-256color"], true), (true, [:], true),
        (true, ["TERM": "xterm", "NO_COLOR": ""], true),
        (true, ["TERM": "xterm", "NO_COLOR": "1"], false),
        (true, ["TERM": "dumb"], false), (false, ["TERM": "xterm"], false),
    ])
    func coloursAreForTerminalsThatHaveThem(
        isTerminal: Bool, environment: [String: String], isColoured: Bool
    ) {
        let style = Terminal.waterfallStyle(isTerminal: isTerminal, in: environment)
        #expect(style == (isColoured ? .ansi : .plain))
    }

    @Test func aTerminalShowsTheExpectedOutputInColours() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("expected-output.txt")
        let expected = try String(contentsOf: file, encoding: .utf8)

        let shown = try await output(in: ["-u", "NO_COLOR", "TERM=xterm"])

        #expect(shown.contains("\u{1B}[32m========================\u{1B}[0m"))
        #expect(shown.replacing(/\u{1B}\[[0-9]+m/, with: "") == expected)
        #expect(try await output(in: ["NO_COLOR=1", "TERM=xterm"]) == expected)
    }

    /// The tour's output to a terminal, in an environment that `env` makes.
    private func output(in environment: [String]) async throws -> String {
        let (terminal, name) = try openTerminal()
        defer { close(terminal) }
        let process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            environment + [ExecutableRun.executable("quickstart").path],
            output: URL(fileURLWithPath: name))
        return await onOwnThread {
            var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
            // On Linux, a read from a terminal that no process has open any more fails.
            while case let count = read(terminal, &buffer, buffer.count), count > 0 {
                bytes += buffer[..<count]
            }
            process.wait()
            return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        }
    }

    /// Opens a pseudo-terminal: the descriptor of its near end, and the path of its far one.
    ///
    /// The functions are looked up at run time, since Swift does not import glibc's.
    private func openTerminal() throws -> (near: Int32, far: String) {
        func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
            let address: UnsafeMutableRawPointer? = dlsym(dlopen(nil, RTLD_NOW), name)
            return unsafeBitCast(try #require(address, "no \(name)"), to: type)
        }
        typealias Step = @convention(c) (Int32) -> Int32
        typealias Name = @convention(c) (Int32) -> UnsafeMutablePointer<CChar>?
        let near = try function("posix_openpt", as: Step.self)(O_RDWR | O_NOCTTY)
        try #require(near >= 0, "no terminal")
        for step in ["grantpt", "unlockpt"] {
            let result = try function(step, as: Step.self)(near)
            try #require(result == 0, "\(step) failed")
        }
        let far = try function("ptsname", as: Name.self)(near)
        return (near, String(cString: try #require(far)))
    }
}
