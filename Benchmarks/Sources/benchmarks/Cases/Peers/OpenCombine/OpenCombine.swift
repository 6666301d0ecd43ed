#if Peers
import OpenCombine

extension Peers {
    static let openCombine =
        openCombineBasics + openCombineMaps + openCombineTogether + openCombineFirst
}

/// A future of OpenCombine, with the function that settles it.
struct OpenPromise {
    let future: Future<Int, any Error>
    private let settle: Future<Int, any Error>.Promise

    init() {
        var settle: Future<Int, any Error>.Promise?
        future = Future { settle = $0 }
        self.settle = settle!
    }

    func resolve(with value: Int) { settle(.success(value)) }

    func reject(with error: any Error) { settle(.failure(error)) }
}

extension Publisher {
    /// Observes in OpenCombine's way, and returns the object to keep.
    func observe() -> AnyCancellable {
        sink(receiveCompletion: { keep($0) }, receiveValue: { keep($0) })
    }
}
#endif
