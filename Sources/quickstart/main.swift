import Foundation
import Pledge

// Without arguments, runs examples on servers in memory: for policies, and from Docs/Guides/FromTheArticles.md.
// With a URL, sends one real request.
let failure = await Command.run(CommandLine.arguments.dropFirst())
if let failure {
    FileHandle.standardError.write(Data("quickstart: \(failure)\n".utf8))
    exit(failure.exitCode)
}
