import Foundation
import PledgeFutures
import Testing

@testable import PledgeHTTPNetworking

@Suite struct HTTPBodyStreamBeginningTests {
    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8])
    func itHasAsManyBytesAsAllowed(limit: Int) throws {
        let body = HTTPBodyStream(Data("abcdef".utf8), chunksOf: 2)
        let beginning = try #require(
            try body.beginning(upTo: limit, within: .seconds(1), on: ManualScheduler()).result?
                .get())
        #expect(beginning.data == Data("abcdef".utf8).prefix(limit))
        #expect((beginning.missing == nil) == (limit >= 6))
    }

    @Test func manyChunksCostNoStack() throws {
        let left = Locked(100_000)
        let body = HTTPBodyStream(next: {
            left.withLock { left in
                left -= 1
                return Future(value: left < 0 ? nil : Data([1]))
            }
        })
        #expect(
            try body.beginning(upTo: 200_000, within: .seconds(1), on: ManualScheduler()).result?
                .get().data.count == 100_000)
    }
}
