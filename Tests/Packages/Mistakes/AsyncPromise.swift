import Pledge

func load() -> Future<Int> {
    // snippet: async-promise
    Promise { await Task { 7 }.value }
    // error: no exact matches in call to initializer
    // end snippet
}
