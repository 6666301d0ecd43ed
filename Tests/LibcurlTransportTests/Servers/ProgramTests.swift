#if os(Linux)
import Foundation
import PledgeFutures
import HTTPTestSupport
import TestSupport
import Testing

/// What starts the servers of these tests.
@Suite(.oneAtATime) struct ProgramTests {
    /// A program that answers in its third form.
    private struct Shell: ServingProgram {
        let program: Program
        let isLast: Bool

        init(number: Int) throws {
            isLast = number == 3
            program = try Program(
                URL(fileURLWithPath: "/bin/sh"), ["-c", isLast ? "exec sleep 600" : "exit 1"],
                in: FileManager.default.temporaryDirectory)
        }

        func answers() async -> Bool { isLast }
    }

    @Test func aServerThatEndsIsStartedAgain() async throws {
        let starts = Locked(0)
        let server = try await Program.serving {
            try starts.withLock { count in
                count += 1
                return try Shell(number: count)
            }
        }
        server.program.stop()
        #expect(starts.withLock { $0 } == 3)
    }

    @Test func aServerThatEndsEachTimeIsAnError() async {
        await #expect(throws: Program.Unusable.self) {
            try await Program.serving { try Shell(number: 1) }
        }
    }
}
#endif
