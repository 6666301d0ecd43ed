import Pledge

func load(_ networking: @escaping Networking) {
    // snippet: no-type
    let load = chain(networking, to: Future.decoded)
    // error: generic parameter 'T' could not be inferred
    // end snippet
}
