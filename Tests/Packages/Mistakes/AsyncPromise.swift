import Pledge

// snippet: async-promise
func load() -> Future<Int> {
    Promise { await Task { 7 }.value }
}
// error: 'init(_:)' is unavailable: write Future { try await … } for an operation
// end snippet
