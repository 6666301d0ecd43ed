import Foundation

// swift run -c release --package-path Benchmarks [--traits Peers] benchmarks --help

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.help {
        print(Options.usage)
    } else if options.large {
        try await LargeBodies().go()
    } else {
        startSecondThread()
        try await Run(options).go()
    }
} catch let complaint as Complaint {
    FileHandle.standardError.write(Data("error: \(complaint.text)\n".utf8))
    exit(complaint.exitCode)
}
