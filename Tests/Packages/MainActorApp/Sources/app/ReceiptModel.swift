// snippet: unmarked
import Foundation
import Observation
import Pledge

struct Receipt: Codable { var id = 7 }

@Observable final class ReceiptModel {
    private(set) var receipt: Receipt?
    private(set) var error: (any Error)?
    private let client: HTTPClient

    init(client: HTTPClient) { self.client = client }

    func load(_ id: Int) async {
        do {
            receipt = try await client.get("/receipts/\(id)")
        } catch { self.error = error }
    }
}
// end snippet
