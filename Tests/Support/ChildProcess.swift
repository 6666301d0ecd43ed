#if os(macOS) || os(Linux)
package import Foundation
import PledgeFutures

#if canImport(Glibc)
import Glibc
#endif

/// A program that runs beside a test.
///
/// On Linux it does not use Foundation's `Process`, whose `run` sometimes reads out of bounds if this process
/// has more than a thousand descriptors, as it has while hundreds of tests run at the same time.
package final class ChildProcess: Sendable {
    #if canImport(Glibc)
    private let identifier: pid_t
    /// How it ended; nil before a wait for it has returned.
    private let end = Locked<Int32?>(nil)
    #else
    private let process: Process
    #endif

    /// Starts a program with no signal blocked and with only the three standard descriptors.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: Its arguments, without its name.
    ///   - folder: Its working folder; nil for that of this process.
    ///   - output: The file for its standard output; nil to discard it.
    ///   - errors: The file for its standard error.
    package init(
        _ program: URL, _ arguments: [String], in folder: URL? = nil, output: URL? = nil,
        errors: URL? = nil
    ) throws {
        let files = [output, errors].map { $0?.path ?? "/dev/null" }
        #if canImport(Glibc)
        identifier = try Self.spawn(program.path, arguments, folder?.path, files)
        #else
        process = Process()
        process.executableURL = program
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        for file in files where file != "/dev/null" {
            try Data().write(to: URL(fileURLWithPath: file))
        }
        process.standardOutput = FileHandle(forWritingAtPath: files[0])
        process.standardError = FileHandle(forWritingAtPath: files[1])
        try process.run()
        #endif
    }

    /// Whether the program has not ended.
    package var isRunning: Bool {
        #if canImport(Glibc)
        end.withLock { end in
            if end == nil { end = wait(WNOHANG) }
            return end == nil
        }
        #else
        process.isRunning
        #endif
    }

    /// Waits until the program has ended, and returns its status; negative if a signal has ended it.
    @discardableResult
    package func wait() -> Int32 {
        #if canImport(Glibc)
        end.withLock { end in
            if end == nil { end = wait(0) }
            return end ?? 0
        }
        #else
        process.waitUntilExit()
        return process.terminationStatus
        #endif
    }

    /// Ends the program, and waits for its end; harmless if it is called twice.
    package func stop() {
        #if canImport(Glibc)
        if isRunning { kill(identifier, SIGKILL) }
        #else
        if isRunning { kill(process.processIdentifier, SIGKILL) }
        #endif
        wait()
    }
}

#if canImport(Glibc)
extension ChildProcess {
    /// How it ended; nil if it runs and the options say not to wait for it.
    private func wait(_ options: Int32) -> Int32? {
        var status: Int32 = 0
        var found: pid_t
        repeat { found = waitpid(identifier, &status, options) } while found < 0 && errno == EINTR
        guard found != 0 else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ folder: String?, _ files: [String]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, file) in zip(Int32(1)..., files) {
            posix_spawn_file_actions_addopen(
                &actions, number, file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        }
        call("posix_spawn_file_actions_addclosefrom_np", as: AddNumber.self) { $0(&actions, 3) }
        if let folder {
            call("posix_spawn_file_actions_addchdir_np", as: AddPath.self) { $0(&actions, folder) }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, &attributes, &words, environ)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        return identifier
    }

    private typealias AddNumber =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    private typealias AddPath =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) ->
        Int32

    /// Calls a function of glibc that Swift does not import, since it is not in POSIX.
    private static func call<Function>(
        _ name: String, as type: Function.Type, _ body: (Function) -> Int32
    ) {
        guard let address = dlsym(nil, name) else { return }
        _ = body(unsafeBitCast(address, to: type))
    }
}
#endif
#endif
