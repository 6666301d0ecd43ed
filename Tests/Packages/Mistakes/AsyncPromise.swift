import Pledge

func load() -> Future<Int> {
    // snippet: async-promise
    Promise { await Task { 7 }.value }
    // error: 'init(_:)' is unavailable: write Future { try await … } for an operation
    // end snippet
}
