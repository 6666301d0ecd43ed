import Foundation

// snippet: task
struct File: Equatable {
    let name: String
}

/// The article's download task, without a network: the test says when it has finished.
final class Task {
    enum State {
        case inProgress
        case finished(File)
    }

    let url: URL
    var state = State.inProgress
    private(set) var isStarted = false
    private(set) var isCancelled = false

    private init(url: URL) { self.url = url }

    static func download(url: URL) -> Task { Task(url: url) }

    func start() { isStarted = true }

    func cancel() { isCancelled = true }
}
// end snippet

// snippet: video
struct Video {
    struct PlaybackState {
        let file: File
        var progress: Double
    }

    enum State {
        case willDownload(from: URL)
        case downloading(task: Task)
        case playing(PlaybackState)
        case paused(PlaybackState)
    }

    var state: State
}
// end snippet

// snippet: download-task
extension Video {
    var downloadTask: Task? {
        guard case let .downloading(task) = state else {
            return nil
        }

        return task
    }
}
// end snippet
