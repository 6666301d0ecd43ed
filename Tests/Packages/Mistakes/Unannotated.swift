import Pledge

// snippet: no-type
func makeLoading(_ networking: @escaping Networking) {
    let load = chain(networking, to: { $0.decoded() })
}
// error: generic parameter 'T' could not be inferred
// end snippet
