import Foundation
import Pledge
import Testing

extension RecipesFailuresExamples {
    @Test func keep() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let endpoint = Endpoint(path: "/list")
        let offline: Networking = { _ in Future(error: HTTPError(code: .notConnected)) }
        let error = await #expect(throws: HTTPError.self) {
            try await load(endpoint, keptIn: file, over: offline).value
        }
        #expect(error?.code == .notConnected)

        let online: Networking = { _ in Future(value: Data("two stories".utf8)) }
        _ = try await load(endpoint, keptIn: file, over: online).value
        let again = try await load(endpoint, keptIn: file, over: offline).value
        #expect(String(decoding: again, as: UTF8.self) == "two stories")

        let gone: Networking = { _ in
            Future(error: HTTPError(code: .unacceptableStatus, response: HTTPResponse(status: 404)))
        }
        let refusal = await #expect(throws: HTTPError.self) {
            try await load(endpoint, keptIn: file, over: gone).value
        }
        #expect(refusal?.status == 404)

        let left: Networking = { _ in Future(error: CancellationError()) }
        await #expect(throws: CancellationError.self) {
            try await load(endpoint, keptIn: file, over: left).value
        }
    }
}
