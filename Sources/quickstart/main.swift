import Foundation
import Pledge

// Without arguments, shows what the two articles do, on a network in memory, and what policies add.
// With a URL, sends one real request.
let failure = await Command.run(CommandLine.arguments.dropFirst())
if let failure {
    FileHandle.standardError.write(Data("quickstart: \(failure)\n".utf8))
    exit(failure.exitCode)
}
