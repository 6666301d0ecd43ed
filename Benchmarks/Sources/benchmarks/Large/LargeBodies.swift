import CLoopback
import Foundation
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeLibcurlTransport

/// Downloads to a file and uploads from one, each of 2 GiB, compared with the curl program.
///
/// The results are medians of five rounds, in which the ways alternate. Files are on tmpfs, so that no disk is
/// measured. The peak of the resident memory is reset before each round.
struct LargeBodies {
    static let size = 2 << 30
    static let rounds = 5

    /// A way to move a body.
    struct Way {
        let name: String
        let run: @Sendable (_ url: URL, _ file: URL) async throws -> Void
    }

    private let folder = URL(fileURLWithPath: "/dev/shm/pledge-\(getpid())")
    private let port = large_loopback_start()

    func go() async throws {
        guard port > 0, FileManager.default.fileExists(atPath: "/dev/shm"),
            findProgram("curl") != nil
        else { throw Complaint("--large needs Linux with /dev/shm, and the curl program") }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        print(Machine.this.description)
        print("swift run -c release --package-path Benchmarks --traits Peers benchmarks --large\n")
        print("2 GiB                    seconds    to curl   peak memory grows by")
        let target = folder.appending(path: "download")
        try await measure(
            "download", downloads, URL(string: "http://127.0.0.1:\(port)/\(Self.size)")!, target)
        try? FileManager.default.removeItem(at: target)
        let source = folder.appending(path: "upload")
        try Data().write(to: source)
        let file = try FileHandle(forWritingTo: source)
        for _ in 0..<(Self.size >> 20) { try file.write(contentsOf: Data(count: 1 << 20)) }
        try file.close()
        try await measure("upload", uploads, URL(string: "http://127.0.0.1:\(port)/")!, source)
    }

    private func measure(_ name: String, _ ways: [Way], _ url: URL, _ file: URL) async throws {
        var seconds = [[Double]](repeating: [], count: ways.count)
        var growth = [Int](repeating: 0, count: ways.count)
        for _ in 0..<Self.rounds {
            for (index, way) in ways.enumerated() {
                let before = ResidentMemory.resetPeak()
                let clock = ContinuousClock()
                let start = clock.now
                try await way.run(url, file)
                seconds[index].append((clock.now - start) / .seconds(1))
                growth[index] = max(growth[index], ResidentMemory.peak() - before)
            }
        }
        let medians = seconds.map { $0.sorted()[Self.rounds / 2] }
        for (index, way) in ways.enumerated() {
            let label = "\(name), \(way.name)".padding(toLength: 34, withPad: " ", startingAt: 0)
            let ratio = medians[index] / medians[0]
            let memory = way.name == "curl" ? "" : "\(growth[index] >> 20) MiB"
            print(label, String(format: "%6.2f    %6.2f   ", medians[index], ratio), memory)
        }
    }

    private var downloads: [Way] {
        [
            Way(name: "curl") { url, file in
                try curl(["-s", "-o", file.path, url.absoluteString])
            },
            Way(name: "CurlTransport") { url, file in
                let transport = CurlTransport()
                let request = HTTPRequest(.get, url)
                _ = try await download(request, to: file, over: transport.stream).value
                try await transport.close().value
            },
        ] + peers
    }

    private var uploads: [Way] {
        [
            Way(name: "curl") { url, file in
                try curl(["-s", "-H", "Expect:", "-T", file.path, url.absoluteString + "x"])
            },
            Way(name: "CurlTransport") { url, file in
                let transport = CurlTransport()
                let request = HTTPRequest(.put, url, body: .file(file))
                _ = try await transport.send(request).value
                try await transport.close().value
            },
        ]
    }
}

/// Runs the curl program.
private func curl(_ arguments: [String]) throws {
    let program = Process()
    program.executableURL = findProgram("curl")
    program.arguments = arguments
    program.standardOutput = FileHandle.nullDevice
    // `waitUntilExit` checks only every 50 ms, which would count as curl's time.
    let end = DispatchSemaphore(value: 0)
    program.terminationHandler = { _ in end.signal() }
    try program.run()
    end.wait()
    guard program.terminationStatus == 0 else { throw Complaint("curl has failed") }
}
