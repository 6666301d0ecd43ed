import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct HTTPBodyStreamFileTests {
    let folder: TestFolder
    let bytes = Data((0..<10_000).map { UInt8($0 % 251) })

    init() throws { folder = try TestFolder() }

    @Test(arguments: [1_000, 4_096, 9_999, 10_000, 10_001, 1_000_000])
    func aFileIsReadInChunks(of size: Int) async throws {
        let stream = try HTTPBodyStream.file(folder.file("a", bytes), chunksOf: size)
        #expect(stream.length == 10_000)
        var chunks: [Data] = []
        for try await chunk in stream { chunks.append(chunk) }
        #expect(chunks.allSatisfy { $0.count <= size })
        #expect(Data(chunks.joined()) == bytes)
    }

    @Test func anEmptyFileIsAtItsEnd() async throws {
        let stream = try HTTPBodyStream.file(folder.file("a", Data()))
        #expect(stream.length == 0)
        #expect(try await stream.next().value == nil)
    }

    @Test func aBodyOfNoRegularFileIsRefused() throws {
        let pipe = try folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let cases = [
            (try folder.file("missing"), ENOENT), (folder.url, EISDIR), (pipe, ENOTSUP),
            (try #require(URL(string: "https://a.example/b")), EINVAL),
        ]
        for (url, code) in cases {
            let error = #expect(throws: HTTPError.self) { try HTTPBodyStream.file(url) }
            #expect(error?.code == .bodyUnreadable)
            #expect(error?.cause as? FileError == FileError(operation: "open", code: code))
        }
    }

    @Test func aFileErrorsTextNamesThePathAndTheError() throws {
        let missing = try folder.file("missing")
        let error = #expect(throws: HTTPError.self) { try HTTPBodyStream.file(missing) }
        let cause = try #require(error?.cause)
        let text = "open \(missing.path) failed: No such file or directory (2)"
        #expect("\(cause)" == text)
        #expect(error?.description.hasSuffix("(cause: \(text))") == true)
    }

    @Test func aFileThatGrowsFailsItsBody() async throws {
        let file = try folder.file("a", bytes)
        let stream = try HTTPBodyStream.file(file, chunksOf: 6_000)
        let first = try await stream.next().value
        #expect(first?.count == 6_000)
        try (bytes + Data([1])).write(to: file, options: [])
        await #expect { try await stream.next().value } throws: { $0.isLengthMismatch }
    }

    @Test func aFileThatGrowsAtItsVeryEndFails() async throws {
        let file = try folder.file("a", Data("abc".utf8))
        let stream = try HTTPBodyStream.file(file, chunksOf: 3)
        #expect(try await stream.next().value == Data("abc".utf8))
        try Data("abcd".utf8).write(to: file, options: [])
        await #expect { try await stream.next().value } throws: { $0.isLengthMismatch }
    }

    @Test func anEmptyFileThatGrowsFailsItsBody() async throws {
        let file = try folder.file("a", Data())
        let stream = try HTTPBodyStream.file(file)
        try Data("a".utf8).write(to: file, options: [])
        await #expect { try await stream.next().value } throws: { $0.isLengthMismatch }
    }

    @Test func aFileThatShrinksFailsItsBody() async throws {
        let file = try folder.file("a", bytes)
        let stream = try HTTPBodyStream.file(file, chunksOf: 6_000)
        _ = try await stream.next().value
        truncate(file.path, 7_000)
        await #expect { try await stream.collected(upTo: .max).value } throws: {
            $0.isLengthMismatch
        }
    }

    @Test func aFileIsClosedAtItsEndAndWhenItIsGivenUp() async throws {
        let file = try folder.file("a", bytes)
        let read = try HTTPBodyStream.file(file)
        let left = try HTTPBodyStream.file(file)
        var released: HTTPBodyStream? = try HTTPBodyStream.file(file)
        let open = TestFolder.descriptors(of: file)
        #expect(open.count == 3)
        // Processes that this one starts do not inherit the descriptors.
        #expect(open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        released = nil
        #expect(released == nil)
        left.cancel()
        #expect(TestFolder.descriptors(of: file).count == 1)
        _ = try await read.collected(upTo: .max).value
        // The queue releases the reader after the last read has been delivered.
        #expect(await comesTrue { TestFolder.descriptors(of: file).isEmpty })
        withExtendedLifetime((read, left)) {}
    }

    @Test func givingUpAReadUnderWayClosesItAfterwards() async throws {
        let file = try folder.file("a", bytes)
        for _ in 0..<200 {
            let stream = try HTTPBodyStream.file(file, chunksOf: 10)
            let chunk = stream.next()
            stream.cancel()
            // The chunk was cancelled, or was there before that; the file's queue may still be about to
            // deliver it.
            switch await chunk.resultWhenSettled {
            case .success(let read): #expect(read == bytes.prefix(10))
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        #expect(await comesTrue { TestFolder.descriptors(of: file).isEmpty })
    }
}

extension Error {
    fileprivate var isLengthMismatch: Bool { (self as? HTTPError)?.code == .bodyLengthMismatch }
}
